link wan { device "ä" }
