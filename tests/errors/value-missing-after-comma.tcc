tier a { match dscp ef, }
tier b { match dscp ef,, cs5 }
