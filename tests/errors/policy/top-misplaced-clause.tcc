tiers diffserv4
