"""The map: scene, items, overlays."""
