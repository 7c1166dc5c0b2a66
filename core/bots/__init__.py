"""Bots: functions from a view and its options to an order."""
