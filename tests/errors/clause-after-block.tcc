link wan { device "eth0" } link lan { device "eth1" }
