tier a { match dscp ef
, cs5 }
