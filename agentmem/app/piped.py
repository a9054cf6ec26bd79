"""Piped input: what comes on stdin is added to the task, and never counts as the person's word."""

from __future__ import annotations

import os
import select
import stat
from typing import TextIO

from agentmem.domain.message import Part, Text

FIRST_BYTE = 3.0  # seconds a pipe may stay silent before the run goes on without it
MOST = 2_000_000  # bytes


class NoTask(Exception):
    """Neither a prompt nor piped input was given."""


class TooMuchInput(Exception):
    """More was piped in than a prompt can hold."""


def task_parts(prompt: str, stdin: TextIO, stderr: TextIO, agents: bool = False) -> tuple[Part, ...]:
    """The parts of a headless task: the prompt is the person's (or an `agents`, whose command gave it), what is piped
    in is `stdin`'s.

    Raises NoTask when both are empty, TooMuchInput over `MOST` bytes.
    """
    piped = read_piped(stdin, stderr)
    parts: list[Part] = []
    if prompt.strip():
        parts.append(Text(prompt, "agent" if agents else "person"))
    if piped.strip():
        parts.append(Text(piped, "stdin"))
    if not parts:
        raise NoTask('there is no task: agentmem -p "what to do", or pipe it in')
    return tuple(parts)


def read_piped(stdin: TextIO, stderr: TextIO) -> str:
    """All of stdin when it is a file, a pipe or a socket; "" for a terminal, nothing at all, or a silent pipe."""
    try:
        number = stdin.fileno()
        kind = os.fstat(number).st_mode
    except (OSError, ValueError):
        return ""
    if stat.S_ISCHR(kind):
        return ""
    if not stat.S_ISREG(kind) and not select.select([number], [], [], FIRST_BYTE)[0]:
        stderr.write(f"agentmem: nothing came on stdin for {FIRST_BYTE:.0f} s, going on without it (use </dev/null)\n")
        return ""
    data = bytearray()
    while chunk := os.read(number, 65_536):
        data += chunk
        if len(data) > MOST:
            raise TooMuchInput(
                f"more than {MOST:,} bytes were piped in; put them into a file and name it in the prompt instead"
            )
    return data.decode("utf-8", "replace")
