"""A qdisc that does not come with tcc."""
