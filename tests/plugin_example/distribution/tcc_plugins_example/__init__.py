"""A qdisc and a back end that do not come with tcc."""
