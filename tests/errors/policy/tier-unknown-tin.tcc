tier calls as vioce { match dscp ef }
