"""The loop: a turn is a generator of Events."""
