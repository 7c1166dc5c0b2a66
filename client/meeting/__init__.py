"""Where people meet before a game: the servers that can be joined, one's own, and the hall of the one that was joined."""
