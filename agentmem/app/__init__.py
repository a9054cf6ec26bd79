"""Wiring: the one place that knows every room."""
