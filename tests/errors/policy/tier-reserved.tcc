tier ping as voice { match dscp ef }
