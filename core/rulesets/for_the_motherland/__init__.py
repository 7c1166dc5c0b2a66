"""For the Motherland."""
