"""TCP as Linux 7.3 speaks it: senders, receivers and three congestion controls."""
