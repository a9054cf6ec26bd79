"""By rule: a summary made of structured actions, and what completes one that a model wrote."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from agentmem.memory.manage.compact.receipt import Ground, head
from agentmem.memory.read.actions import Ran
from agentmem.memory.read.identifiers import Identifier, Kind, stands
from agentmem.memory.read.weight import BYTES_A_TOKEN

BESIDE = 2_000
"""Characters of names beside a written summary."""
AIM = 0.96
"""Of the salient identifiers, where the budget allows: the floor and a little more."""

_TITLES: dict[Kind, str] = {
    "decision": "Decisions and limits, verbatim",
    "path": "Files named",
    "command": "Commands named",
    "error": "Errors met",
    "hash": "Ids and hashes",
    "number": "Numbers",
    "url": "URLs",
    "host": "Hosts",
}
_LISTED = frozenset({"decision", "command", "error", "number"})  # one a line: they hold blanks
_WHOLE = frozenset({"command", "decision", "error"})
_LIKELY_SHARE = 0.08
_HEADINGS = 100  # bytes of headings that names may need
_LIKELY = {"path": 2.0, "command": 0.4, "number": 0.3, "error": 0.3}


class _Page:
    """Sections of lines within a room, in bytes."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.sections: dict[str, list[str]] = {}

    def put(self, title: str, line: str, *, force: bool = False) -> bool:
        """Add a line to a section, if there is room for it."""
        cost = _size(line) + _beside(title) + (0 if title in self.sections else _size(title) + 6)
        if line in self.sections.get(title, ()) or (cost > self.room and not force):
            return False
        self.sections.setdefault(title, []).append(line)
        self.room -= cost
        return True

    def text(self, order: Iterable[str] = ()) -> str:
        """The page; sections named in `order` come first, in that order."""
        names = list(dict.fromkeys((*(one for one in order if one in self.sections), *self.sections)))
        return "\n\n".join(f"## {name}\n" + "\n".join(_rows(name, self.sections[name])) for name in names)


def _beside(title: str) -> int:
    """Bytes around a line of a section."""
    return 1 if title in _RUN_TOGETHER else 3


def _rows(title: str, lines: Sequence[str]) -> list[str]:
    return [" ".join(lines)] if title in _RUN_TOGETHER else [f"- {line}" for line in lines]


_RUN_TOGETHER = frozenset({*(title for kind, title in _TITLES.items() if kind not in _LISTED), "Names in code"})


def ruled(of: Ground, budget: int, *, strict: bool = False) -> str:
    """The summary of a span in about `budget` tokens, in the pinned order. It states only what the log holds: each line
    is one of its texts, or tells of a call what its result says. What must not be missing is told whatever it takes;
    where the budget is `strict`, as much of it as there is room for, the newest first."""
    page = _Page(int(budget * BYTES_A_TOKEN))
    _must(page, of, "", force=not strict)
    _deeds(page, of)
    _fill(page, of)
    return page.text(_ORDER)


def completion(of: Ground, text: str, room: int = 0, *, most: int = BESIDE, strict: bool = False) -> str:
    """What `text` lacks, to stand beside it: first what must not be missing, whatever it takes; then at most `most`
    characters of names, the likeliest to be needed again first; and, while `room` (in bytes, for all of it) lasts, the
    other salient ones, the shortest first. Where the room is `strict` all of it keeps within that. "" where nothing is
    missing."""
    page = _Page(max(0, room) if strict else 0)
    _must(page, of, text, force=not strict)
    shown = text + "\n" + page.text()
    left = room - _size(page.text())
    # Where the room is short the floor goes first, but for some of the likeliest.
    needed = sum(map(_cost, _short_of(of, shown, AIM)))
    beside = most - _HEADINGS if room <= 0 else max(most // 4, min(most - _HEADINGS, left - needed))
    page.room = spent = max(0, min(beside, left)) if strict else beside
    for one in _ranked(of):
        if not stands(one.text, shown):
            page.put(_title(one), one.text)
    page.room = max(0, left - (spent - page.room))
    _salient_until(page, of, text, 1.0)
    return page.text(_ORDER)


_CHANGED, _CHECKS, _OPEN, _RAN, _ASKED = "Files changed", "Checks", "Open", "Commits", "Asked"
_ORDER = (_TITLES["decision"], _CHANGED, _CHECKS, _OPEN, _RAN, _ASKED)


def _must(page: _Page, of: Ground, text: str, *, force: bool) -> None:
    """What must not be missing and does not stand in the text: all, or the newest as long as there is room, of which
    decisions have half."""
    decisions = 0 if force else page.room // 2
    page.room -= decisions
    for ran in reversed(of.actions.failing):
        if not stands(head(ran.command), text) or (ran.error and not stands(ran.error, text)):
            page.put(_CHECKS, _told(ran), force=force)
    for changed in reversed(of.actions.changed):
        if not stands(changed.path, text):
            page.put(_CHANGED, changed.path, force=force)
    page.room += decisions
    for one in sorted(of.salient.found.get("decision", ()), key=lambda one: one.last, reverse=True):
        if not stands(one.text, text):
            page.put(_TITLES["decision"], one.text, force=force)
    for lines in page.sections.values():
        lines.reverse()


def _deeds(page: _Page, of: Ground) -> None:
    """What was done, newest first where the room may not do for all."""
    done = of.actions
    for todo in done.todos:
        page.put(_OPEN, f"to do: {' '.join(todo.split())[:300]}")
    for call in done.unfinished[-5:]:
        page.put(_OPEN, f"no result: {head(call)}")
    for commit in done.commits:
        page.put(_RAN, f"{commit.hash} {commit.subject}")
    last = {head(ran.command): ran for ran in done.ran if ran.check is not None}
    for ran in [one for one in last.values() if one.outcome == "passed"][-8:]:
        page.put(_CHECKS, _told(ran))
    share = page.room // 20
    for asked in reversed(done.asked):
        line = " ".join(asked.text.split())
        if share < len(line[:200]):
            break
        if page.put(_ASKED, line[:200]):
            share -= _size(line[:200])
    page.sections.get(_ASKED, []).reverse()


def _told(ran: Ran) -> str:
    code = "" if ran.exit is None else f" (exit {ran.exit})"
    return f"{ran.outcome}: {head(ran.command)}{code}" + (f": {ran.error}" if ran.error else "")


def _fill(page: _Page, of: Ground) -> None:
    """Most of the salient ones, then the likeliest others, then the rest while there is room. A part of the room is for
    what is likely to be needed again whatever the others take."""
    kept = int(page.room * _LIKELY_SHARE)
    page.room -= kept
    _salient_until(page, of, "", AIM)
    page.room += kept
    shown = page.text()
    for one in _ranked(of):
        if _cost(one) <= page.room and not stands(one.text, shown):
            page.put(_title(one), one.text)


def _salient_until(page: _Page, of: Ground, text: str, share: float) -> None:
    """Add salient identifiers, the shortest first, until this share of them stands in the text or on the page, or the
    page is full."""
    for one in _short_of(of, text + "\n" + page.text(), share):
        page.put(_title(one), one.text)


def _short_of(of: Ground, shown: str, share: float) -> list[Identifier]:
    """The shortest salient identifiers with which this share of them would stand there. What stands in a longer one of
    them (a path in a command) is left to that."""
    every = of.salient.every
    missing = sorted((one for one in every if not stands(one.text, shown)), key=lambda one: (_cost(one), one.text))
    chosen = missing[: max(0, math.ceil(len(every) * share) - (len(every) - len(missing)))]
    longer = "\n".join(one.text for one in chosen if one.kind in _WHOLE)
    return [one for one in chosen if one.kind in _WHOLE or not stands(one.text, longer)]


def _ranked(of: Ground) -> list[Identifier]:
    """All that the span names but sentences and errors, the likeliest to be needed again first; a long one must be
    likelier."""
    names = [one for one in (*of.salient.every, *of.salient.rest) if one.kind not in ("decision", "error")]
    return sorted(names, key=lambda one: (-one.weight * _LIKELY.get(one.kind, 1.0) / len(one.text) ** 0.2, one.text))


def _title(one: Identifier) -> str:
    return "Names in code" if one.kind == "name" else _TITLES[one.kind]


def _cost(one: Identifier) -> int:
    return _size(one.text) + _beside(_title(one))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
