include tiers
