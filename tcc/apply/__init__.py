"""Turn a plan into what is so, with a way back at every moment."""
