tier a { match local subnet 10.0.0.0/33 }
