"""Guided first steps: a lesson's words over the map, what they point at, and the guide that sees what has been done."""
