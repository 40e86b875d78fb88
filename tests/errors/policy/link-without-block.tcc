link wan
