"""What tries a game out: case files, soak, match, verify."""
