"""The server: store, games, sessions, seats and clocks, discovery."""
