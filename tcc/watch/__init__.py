"""Keep policies applied while devices come and go: one process that wakes only for events."""
