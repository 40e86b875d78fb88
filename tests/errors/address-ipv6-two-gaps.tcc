tier a { match local subnet 2001::db8::1, fe80:1 }
