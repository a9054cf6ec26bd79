"""Imported: what became of another tool's log."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Intake:
    """What became of a file. `state` is imported, known (imported before) or refused (`reason` says why).

    `read` counts the source's messages by role, `messages` those written, stand-ins not among them; `results` are those
    of calls. `passed` counts records by kind that only repeat or accompany others; `skipped` are line and reason of
    what did not come in, `mended` of what came in otherwise than it was.
    """

    file: str
    state: str
    reason: str = ""
    tool: str = ""
    version: str = ""
    session: str = ""
    sub_sessions: tuple[str, ...] = ()
    lines: int = 0
    records: int = 0
    read: dict[str, int] = field(default_factory=dict)
    messages: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    results: int = 0
    stand_ins: int = 0
    compactions: int = 0
    meta: int = 0
    passed: dict[str, int] = field(default_factory=dict)
    skipped: tuple[tuple[int, str], ...] = ()
    mended: tuple[tuple[int, str], ...] = ()
