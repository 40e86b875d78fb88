prefer link wan { device "eth0" }
