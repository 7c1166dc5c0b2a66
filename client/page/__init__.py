"""The parts of a game's page: the draft as the table shows it, time, overlays, bots."""
