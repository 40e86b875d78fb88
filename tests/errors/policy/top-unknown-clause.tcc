linc wan { device "eth0" }
