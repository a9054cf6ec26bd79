"""Obstacles: why what a person wants of memory cannot be done now; the text of each says what to do."""

from __future__ import annotations


class StillOpen(Exception):
    """A session that holds words to be forgotten is being written by another process; nothing was changed."""

    def __init__(self, session: str, pid: int | None, since: str | None):
        who = f"process {pid}, since {since}" if pid is not None else "another process"
        super().__init__(
            f"session {session} is in use by {who}, and holds these words; nothing was changed. "
            "End it, or type /forget there; then run this again"
        )
        self.session = session


class NotWaiting(Exception):
    """No claim, or more than one, waits under this id; the message says what became of it."""
