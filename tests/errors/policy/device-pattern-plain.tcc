link wan { device matching "eth0" }
