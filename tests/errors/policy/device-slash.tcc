link wan { device "eth/0" }
