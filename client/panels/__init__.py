"""Panels beside the map: odds, prompts, log, timeline."""
