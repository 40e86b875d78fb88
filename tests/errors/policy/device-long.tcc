link wan { device "abcdefghijklmnop" }
