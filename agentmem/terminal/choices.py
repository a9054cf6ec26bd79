"""Choices: sessions, and the rows of a session's tree, as a person picks from them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from agentmem.domain.measure import age, size
from agentmem.memory.memory import SessionHead, Twig
from agentmem.terminal.gist import counted
from agentmem.terminal.picker import Choice

_RAILS = 18  # cells that the lines of a tree may take before a row
_WHO = {"you": "❯", "agent": "●", "mark": "·"}


def session_choices(heads: Sequence[SessionHead], now: float, cwd: str) -> list[Choice]:
    """A choice a session; `now` is in seconds since 1970, directories are told from `cwd`."""
    out = []
    for head in heads:
        where, old, big = told_from(cwd, head.cwd), age(now - head.mtime), size(head.size)
        look = (
            f"{head.name or '(no name)'} · {head.id}",
            f"{where} · {old} ago · {big}" if old != "now" else f"{where} · now · {big}",
            *((f"a fork of {head.origin}",) if head.origin else ()),
            f"first: {head.preview}",
            f"last: {head.last}",
        )
        words = " ".join((head.id, head.name, head.preview, head.last, head.cwd))
        columns = (old.rjust(6), where, big.rjust(6))
        out.append(Choice(head.id, head.title or "(nothing was said)", columns, look, words, bool(head.name)))
    return out


def tree_choices(rows: Sequence[Twig]) -> list[Choice]:
    """A choice a row, in the same order; the key is the row's id."""
    return [
        Choice(
            row.id,
            f"{rails(row)}{_WHO[row.who]} {row.text}",
            asides(row),
            (f"{row.id} · {row.at}", *((f"label: {row.label}",) if row.label else ()), row.text),
            f"{row.id} {row.label or ''}",
            row.here,
        )
        for row in rows
    ]


def asides(row: Twig) -> tuple[str, ...]:
    """What stands beside a row: where we are, its label, how many calls were made."""
    found = ("← here" if row.here else "", f"[{row.label}]" if row.label else "")
    return tuple(text for text in (*found, counted(row.calls, "call") if row.calls else "") if text)


def rails(row: Twig) -> str:
    """The lines before a row; of many only the last, so that its text stays in sight."""
    return row.rails if len(row.rails) <= _RAILS else "…" + row.rails[1 - _RAILS :]


def told_from(cwd: str, folder: str) -> str:
    """A directory in short: ``.`` for `cwd`, a relative path below it, else ``…/its name`` or all of it."""
    if not folder:
        return "?"
    if folder == cwd:
        return "."
    if folder.startswith(cwd.rstrip("/") + "/"):
        return os.path.relpath(folder, cwd)
    return folder if folder.count("/") < 3 else f"…/{os.path.basename(folder)}"
