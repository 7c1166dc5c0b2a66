"""Geography to hexes, hexsides, rails and names; run by authors, never by a game."""
