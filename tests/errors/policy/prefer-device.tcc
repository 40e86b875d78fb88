link wan { prefer device "eth0" }
