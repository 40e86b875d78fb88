link wan { device eth0 }
