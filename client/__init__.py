"""The window: connection, map, panels, replay."""
