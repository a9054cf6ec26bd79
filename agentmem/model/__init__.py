"""Doors to models: one small protocol, one module a provider protocol."""
