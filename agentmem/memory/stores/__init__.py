"""Stores: one file a store; each knows a file format and holds no policy."""
