"""Text to tree and back: the language as it is written."""
