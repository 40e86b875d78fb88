"""Published experiments, repeated on the engine."""
