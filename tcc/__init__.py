"""One file says what a network should do; tcc checks it, predicts it, and applies it."""

__version__ = "0.1.0"
