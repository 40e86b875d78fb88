link wan { device "a"; device "b" }
