"""Compare what is wanted with what is there."""
