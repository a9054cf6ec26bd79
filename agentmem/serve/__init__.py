"""Other faces on the same Events: JSON lines."""
