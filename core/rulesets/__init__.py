"""One package a game; each phase a module named as the rulebook names it."""
