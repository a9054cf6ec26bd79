"""Calls: a tool call while it runs, and the block it leaves when it has ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from agentmem.domain.event import ToolEnded
from agentmem.terminal.blocks import Call, call_line, output_lines
from agentmem.terminal.gist import counted, gist, spell
from agentmem.terminal.inline import indented
from agentmem.terminal.patch import changed

_SHOWN = 5  # last lines of a running call's output that show
_KEPT = 8192  # last characters of a running call's output that are held for that


@dataclass(slots=True)
class Running:
    """A call that runs, with the end of its output."""

    tool: str
    arguments: Mapping[str, Any]
    output: str = ""

    def take(self, text: str) -> None:
        """More output."""
        self.output = (self.output + text)[-_KEPT:]

    def lines(self, width: int) -> list[Text]:
        """A blank line, the call, and the last lines of its output."""
        lines = [Text(""), call_line(self.tool, gist(self.tool, self.arguments), "running", width)]
        if output := self.output.rstrip("\n"):
            tail = "\n".join(output.split("\n")[-_SHOWN:])
            lines += indented(output_lines(tail, width - 2), "  ", "  ")
        return lines

    def stopped(self) -> Call:
        """What is left of a call that never ended."""
        return Call(self.tool, gist(self.tool, self.arguments), "failed", self.output, foot="stopped")


def ended_call(event: ToolEnded, about: str, declined: bool = False) -> Call:
    """The block of a call that has ended; `about` is its gist, `declined` tells that the person said no to it."""
    if declined:
        return Call(event.tool, about, "refused", foot="not run · you said no")
    if event.refused is not None:
        foot = f"not run · permission mode {event.refused} would allow it"
        return Call(event.tool, about, "refused", event.text, foot=foot)
    # What was read is on disk anyhow; of everything else a glance tells how it went.
    glance = "" if event.tool in ("read", "remember") and not event.error else event.text
    return Call(event.tool, about, "failed" if event.error or event.exit else "ok", glance, event.diff, _foot(event))


def _foot(event: ToolEnded) -> str:
    if event.tool == "remember" and not event.error:
        return event.text  # what was kept and how it is undone, or where it waits: told whole
    parts = [f"exit {event.exit}"] if event.exit is not None else ["failed"] if event.error else []
    if event.diff:
        added, removed = changed(event.diff)
        parts.append(f"+{added} −{removed}")
    parts.append(spell(event.ms / 1000))
    if not event.diff and event.text:
        parts.append(counted(event.text.removesuffix("\n").count("\n") + 1, "line"))
    if event.offload:
        parts.append(f"whole output in {event.offload}")
    return " · ".join(parts)
