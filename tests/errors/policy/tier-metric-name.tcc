tier loss as voice { match dscp ef }
