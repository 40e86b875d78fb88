tier calls { match dscp ef }
