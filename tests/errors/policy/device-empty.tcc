link wan { device "" }
