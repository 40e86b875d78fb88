let d = 5mbit
link wan { device d }
