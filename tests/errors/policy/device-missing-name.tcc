link wan { device }
