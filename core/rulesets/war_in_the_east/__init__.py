"""War in the East."""
