"""How a bot weighs this game: what a position is worth, and which orders are worth a look. Rules of thumb, not rules."""
