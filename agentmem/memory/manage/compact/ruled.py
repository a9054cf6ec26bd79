"""By rule: a summary made of structured actions, and what completes one that a model wrote."""

from __future__ import annotations

import math

from agentmem.memory.manage.compact.choosing import choose, cost
from agentmem.memory.manage.compact.receipt import Ground, head
from agentmem.memory.manage.compact.sections import HEADING, Sections, size
from agentmem.memory.read.actions import Ran
from agentmem.memory.read.identifiers import Identifier, stands
from agentmem.memory.read.weight import BYTES_A_TOKEN

BESIDE = 2_000
"""Characters of names beside a written summary."""
AIM = 0.98
"""Of the salient identifiers, where the budget allows: the floor and a little more."""

_DECISIONS, _CHANGED, _CHECKS = "Decisions and limits, verbatim", "Files changed", "Checks"
_OPEN, _RAN, _ASKED, _SAID = "Open", "Commits", "Asked", "Said"
_ORDER = (_DECISIONS, _CHANGED, _CHECKS, _OPEN, _RAN, _ASKED)
_NAMES = "Names"
_TITLES: dict[str, str] = {"decision": _DECISIONS, "command": "Commands", "number": "Numbers", "error": "Errors"}
_BARE = frozenset({_CHANGED, _TITLES["command"], _TITLES["number"], _TITLES["error"]})  # one a line: they hold blanks
_LIKELY_SHARE = 0.08
_DECISIONS_SHARE = 0.25  # of a strict room beside a written text


def ruled(of: Ground, budget: int, *, strict: bool = False) -> str:
    """The summary of a span in about `budget` tokens, in the pinned order. It states only what the log holds: each line
    is one of its texts, or tells of a call what its result says. What must not be missing is told whatever it takes;
    where the budget is `strict`, as much of it as there is room for, the newest first."""
    page = _page(int(budget * BYTES_A_TOKEN))
    _must(page, of, "", 1.0 if not strict else 0.5, force=not strict)
    _deeds(page, of)
    kept = int(page.room * _LIKELY_SHARE)
    _put(page, _salient(of, page.text(), AIM, page.room - kept))
    _put(page, _likely(of, page.text(), page.room))
    _put(page, _lacking(of, page.text(), page.room))
    if not page.lines:
        _begins(page, of)
    return page.text(_ORDER)


def _page(room: int) -> Sections:
    return Sections(room, {_NAMES}, _BARE)


def completion(of: Ground, text: str, room: int = 0, *, most: int = BESIDE, strict: bool = False) -> str:
    """What `text` lacks, to stand beside it: first what must not be missing, whatever it takes; then at most `most`
    bytes of names, those that are likely to be needed again; and, while `room` (in bytes, for all of it) lasts, the
    other salient ones. Where the room is `strict` all of it keeps within that; then one of no more than `most` is for
    names that are likely to be needed. "" where nothing is missing."""
    page = _page(max(0, room) if strict else 0)
    _must(page, of, text, _DECISIONS_SHARE, force=not strict)
    shown = f"{text}\n{page.text()}"
    left = room - size(page.text())
    beside = most
    if room > (most if strict else 0):  # where that is short the floor goes first, but for some of the likeliest
        needed = HEADING + sum(map(cost, _salient(of, shown, AIM, left)))
        beside = max(most // 4, min(most, left - needed))
    page.room = spent = max(0, min(beside, left)) if strict else beside
    _put(page, _likely(of, shown, page.room))
    page.room = max(0, left - (spent - page.room))
    _put(page, _salient(of, f"{text}\n{page.text()}", 1.0, page.room))
    _put(page, _lacking(of, f"{text}\n{page.text()}", page.room))
    return page.text(_ORDER)


def _must(page: Sections, of: Ground, text: str, share: float, *, force: bool) -> None:
    """What must not be missing and does not stand in the text: all, or the newest as long as there is room, of which
    decisions have this share."""
    decisions = 0 if force else int(page.room * share)
    page.room -= decisions
    for ran in reversed(of.actions.failing):
        if not stands(head(ran.command), text) or (ran.error and not stands(ran.error, text)):
            page.put(_CHECKS, _told(ran), force=force)
    for changed in reversed(of.actions.changed):
        if not stands(changed.path, text):
            page.put(_CHANGED, changed.path, force=force)
    rest, page.room = page.room, page.room if force else decisions
    for one in sorted(of.salient.found.get("decision", ()), key=lambda one: one.last, reverse=True):
        if not stands(one.text, text):
            page.put(_DECISIONS, one.text, force=force)
    page.room += 0 if force else rest
    for lines in page.lines.values():
        lines.reverse()


def _deeds(page: Sections, of: Ground) -> None:
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
            share -= size(line[:200])
    page.lines.get(_ASKED, []).reverse()


def _begins(page: Sections, of: Ground) -> None:
    """Of what names nothing (a pasted letter, say) how it begins: without a line of it no cut could be made there."""
    asked = next((" ".join(one.text.split()) for one in of.actions.asked if one.text.strip()), "")
    line = asked or " ".join(of.salient.source[:1_000].split())
    most = min(200, page.room - HEADING)
    if line and most > 0:
        cut = line.encode("utf-8", "replace")[:most].decode("utf-8", "ignore").strip()
        page.put(_ASKED if asked else _SAID, cut, force=True)


def _told(ran: Ran) -> str:
    code = "" if ran.exit is None else f" (exit {ran.exit})"
    return f"{ran.outcome}: {head(ran.command)}{code}" + (f": {ran.error}" if ran.error else "")


def _put(page: Sections, names: list[Identifier]) -> None:
    for one in names:
        page.put(_title(one), one.text)


def _salient(of: Ground, shown: str, share: float, room: int) -> list[Identifier]:
    """The salient identifiers with which this share of them would stand there, be it in a longer one, if the room lasts
    so far."""
    every = of.salient.every
    missing = {one: 1.0 for one in every if not stands(one.text, shown, whole=False)}
    short = math.ceil(len(every) * share) - (len(every) - len(missing))
    return choose(missing, of.within, shown, room, short) if short > 0 else []


def _lacking(of: Ground, shown: str, room: int) -> list[Identifier]:
    """The salient identifiers that stand there as pieces of longer ones alone, the shortest first."""
    missing = [one for one in of.salient.every if not stands(one.text, shown)]
    kept: list[Identifier] = []
    for one in sorted(missing, key=lambda one: (cost(one), one.text)):
        if (room := room - cost(one)) < 0:
            break
        kept.append(one)
    return kept


def _likely(of: Ground, shown: str, room: int) -> list[Identifier]:
    """Of all that the span names but sentences and errors, what is likely to be needed again."""
    names = (*of.salient.every, *of.salient.rest)
    worth = {one: one.weight for one in names if one.kind not in ("decision", "error")}
    return choose(worth, of.within, shown, room)


def _title(one: Identifier) -> str:
    return _TITLES.get(one.kind, _NAMES)
