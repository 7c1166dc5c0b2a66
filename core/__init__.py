"""The game itself: orders, events, the fold and the rules; no sockets, paths, clocks or Qt."""
