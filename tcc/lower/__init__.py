"""From a checked policy to the qdiscs it stands for, on one host or on any."""
