"""A tiny game to test the core with: five by five hexes, three turns, a die."""
