"""Letting go: the slash command that has words forgotten, after the person saw where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentmem.agent.forgetting import broad, found_lines, receipt_lines
from agentmem.domain.obstacle import StillOpen
from agentmem.domain.phrase import NoPhrase
from agentmem.memory.memory import LogWriteError, oversight
from agentmem.terminal.blocks import Block, Row
from agentmem.terminal.picker import Choice

if TYPE_CHECKING:
    from agentmem.terminal.slash import Desk


def forget(desk: Desk, rest: str) -> Sequence[Block]:
    """Show where an id or words stand, ask, have them forgotten and say what was done."""
    if not rest.strip():
        return [Row("/forget ID or /forget WORDS, as they stand there", "yellow")]
    try:
        return _forgotten(desk, rest)
    except (NoPhrase, StillOpen, oversight.MemoryBusy, LogWriteError, OSError) as error:
        return [Row(str(error), "yellow")]


def _forgotten(desk: Desk, query: str) -> Sequence[Block]:
    forgetting = desk.talk.forgetting
    wish, seen = forgetting.look(query)
    lines = found_lines(wish, seen, forgetting.places)
    if not seen.found:
        return [Row(line, gap=0) for line in lines]
    much = f" ({seen.count:,} places!)" if broad(wish, seen) else ""
    look = tuple(lines)
    choices = [Choice("no", "no, keep it", look=look), Choice("yes", f"yes, forget it for good{much}", look=look)]
    if desk.pick("forget it everywhere?", choices, 0) != "yes":
        return [Row("Nothing was done.", "dim")]
    receipt = forgetting.perform(wish)
    style = "" if receipt.done else "yellow"
    return [Row(line, style, gap=0) for line in receipt_lines(receipt, forgetting.places)]
