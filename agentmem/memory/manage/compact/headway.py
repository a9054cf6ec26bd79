"""Headway: the structured actions of all that left the prompt, carried from snapshot to snapshot.

So it is told where the work stands, of the whole branch, without reading it whole:

    {"asked":[["text",true,"a1…"]],"commits":[["4b82…","subject"]],"checks":[["make test","test","passed",""]],
     "changed":["src/a.py"],"todos":[],"done":[]}

It is bounded: as much of each kind as can ever be told, the newest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any, get_args

from agentmem.domain.entry import Entry
from agentmem.memory.manage.compact.receipt import head
from agentmem.memory.read import carried
from agentmem.memory.read.actions import Actions, Asked, Changed, Commit, Ran, actions, failing
from agentmem.memory.read.checks import CheckKind, Outcome
from agentmem.memory.read.cut import Active

ASKED, COMMITS, CHECKS, CHANGED = 30, 40, 40, 200
_LINE = 240


Path = Callable[[], Sequence[Entry]]
"""Gives the whole branch, root first."""


def whole(active: Active, path: Path) -> Actions:
    """The actions of a branch up to its leaf; `path` is asked for only where no snapshot tells of what left."""
    return until(active, path, None)


def until(active: Active, path: Path, first: str | None, *, anew: bool = False) -> Actions:
    """The same, up to before an active entry (None: the leaf). With `anew` nothing that is carried is believed."""
    gone = set(carried.struck(active))
    entries = list(takewhile(lambda one: one.id != first, active.entries))
    told = active.snapshot.body.get("progress") if active.snapshot is not None else None
    before = from_json(told) if not anew else None
    if before is None and active.snapshot is not None:
        kept = active.snapshot.body.get("first_kept")
        before = actions([one for one in takewhile(lambda one: one.id != kept, path()) if one.id not in gone])
    return joined(before or actions(()), [one for one in entries if one.id not in gone])


def joined(before: Actions, entries: Sequence[Entry]) -> Actions:
    """The actions of a branch: those carried of what left, and those of the entries since, the pinned ones too."""
    now = actions(entries)
    again = {one.entry for one in now.asked}
    asked = (*(one for one in before.asked if one.entry not in again), *now.asked)
    changed = {one.path: one for one in before.changed}
    for one in now.changed:
        changed.pop(one.path, None)
        changed[one.path] = one
    checks = tuple(one for one in (*before.ran, *now.ran) if one.check is not None)
    commits = {one.hash: one for one in (*before.commits, *now.commits)}
    listed = now if now.todos or now.done else before
    return Actions(
        asked=asked,
        limits=(),
        changed=tuple(changed.values()),
        ran=checks,
        commits=tuple(commits.values()),
        todos=listed.todos,
        done=listed.done,
        unfinished=now.unfinished,
        failing=failing(checks),
    )


def to_json(done: Actions) -> dict[str, Any]:
    """The form in a snapshot."""
    last = {head(one.command): one for one in done.ran if one.check is not None}
    return {
        "asked": [[_short(one.text), one.answered, one.entry] for one in done.asked[-ASKED:]],
        "commits": [[one.hash, _short(one.subject)] for one in done.commits[-COMMITS:]],
        "checks": [[command, one.check, one.outcome, _short(one.error)] for command, one in last.items()][-CHECKS:],
        "changed": [one.path for one in done.changed[-CHANGED:]],
        "todos": list(done.todos),
        "done": list(done.done),
    }


def from_json(value: object) -> Actions | None:
    """Read what a snapshot carries; None for what is none."""
    if not isinstance(value, Mapping):
        return None
    asked = (Asked(one[0], one[1] is True, one[2]) for one in _rows(value, "asked", 3))
    checks = (
        Ran(one[0], None, one[2], one[1], one[3], "")
        for one in _rows(value, "checks", 4)
        if one[1] in get_args(CheckKind) and one[2] in get_args(Outcome)
    )
    ran = tuple(checks)
    return Actions(
        asked=tuple(asked),
        limits=(),
        changed=tuple(Changed(path, "", 1, "") for path in _texts(value, "changed")),
        ran=ran,
        commits=tuple(Commit(one[0], one[1], "") for one in _rows(value, "commits", 2)),
        todos=_texts(value, "todos"),
        done=_texts(value, "done"),
        unfinished=(),
        failing=failing(ran),
    )


def _rows(value: Mapping[str, Any], key: str, length: int) -> list[list[Any]]:
    listed = value.get(key)
    rows = listed if isinstance(listed, list) else []
    return [
        one
        for one in rows
        if isinstance(one, list) and len(one) == length and all(isinstance(cell, str | bool) for cell in one)
    ]


def _texts(value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    listed = value.get(key)
    return tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LINE else line[: _LINE - 1] + "…"
