"""The connection to a server: one thread, no Qt. Windows and bots use it alike."""
