"""What crosses the qdiscs of a prediction, packet by packet, as a file that Wireshark opens."""
