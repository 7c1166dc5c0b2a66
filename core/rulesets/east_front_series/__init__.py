"""East Front Series."""
