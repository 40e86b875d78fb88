tier a { match local subnet 2001:db8::/129 }
