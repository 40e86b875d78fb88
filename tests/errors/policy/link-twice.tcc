link wan { device "a" }
link wan { device "b" }
