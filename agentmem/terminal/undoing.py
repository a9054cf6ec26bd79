"""Undoing: the slash command that brings back what a compaction or a strike took out of the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentmem.domain.message import Text
from agentmem.memory.memory import EntryMissing, LogWriteError, shortening
from agentmem.terminal.blocks import Block, Row, Whole
from agentmem.terminal.gist import counted

if TYPE_CHECKING:
    from agentmem.terminal.slash import Desk


def expand(desk: Desk, called: str) -> Sequence[Block]:
    """Bring back the entry called so, and show a single message as it is."""
    if not called:
        return [
            Row("/expand ENTRY: the id that the compaction was told with, or a message's; /tree shows them", "yellow")
        ]
    try:
        done = desk.talk.expand(called)
    except (EntryMissing, LogWriteError, shortening.NotChanged) as error:
        return [Row(str(error), "yellow")]
    messages = [message for entry in done.entries if (message := entry.message()) is not None]
    what = "told again at the end of the conversation" if done.told else "in the prompt again"
    line = f"{counted(len(messages), 'message')} {what}: {done.before:,} → {done.after:,} tokens in use"
    if len(messages) != 1:
        return [Row(line, "dim", "⇡")]
    text = "\n\n".join(part.text for part in messages[0].parts if isinstance(part, Text))
    return [Whole(called, text), Row(line, "dim", "⇡")]
