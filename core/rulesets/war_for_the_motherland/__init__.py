"""War for the Motherland."""
