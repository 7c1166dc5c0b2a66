"""Land Without End."""
