"""The frontier: what is done, what is being done now and what comes next, rebuilt from the log's structured actions."""

from __future__ import annotations

from collections.abc import Sequence

from agentmem.domain.entry import Entry


def frontier(branch: Sequence[Entry], most: int = 3_000) -> str:
    """The block for all of a branch, root first, in at most `most` characters; "" where nothing was done. Put it after
    the segments' summaries, once in a prompt: it is made anew from the log at each compaction, with every file that was
    changed since the root, and never from an earlier block."""
    raise NotImplementedError
