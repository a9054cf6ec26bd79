"""Reset: the handoff of an ending session, made, proven by reading it back, and written."""
