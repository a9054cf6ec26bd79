"""Checkpoints of the user's files, in a private git directory that shares nothing with the user's own."""
