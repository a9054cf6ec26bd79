"""Known: what the harness knows for certain of a session when it ends, read off its log and never off what is said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agentmem.domain.entry import Entry
from agentmem.domain.handoff import Handoff
from agentmem.memory.read.actions import Actions, Ran, actions
from agentmem.memory.read.sentences import binding

MOST = 40  # rows of a kind that are listed; the log holds all
WORDS = 1_500  # characters of a message that are kept
LONGEST = 300  # characters of a row
FAILURES = 8
MESSAGES = 12  # of the person, that are listed
_EMPTY = "(nothing)"
_SPLIT = re.compile(r"(?<=[.!?;])\s+")
_LOOKS = re.compile(r"\s*(?:cd \S+ *&& *)?(?:grep|rg|ls|cat|find|test|\[|which|diff|head|tail|wc|command -v)\b")


@dataclass(frozen=True, slots=True)
class Known:
    """What is certain. `goal` is what the person asked for, "" for nothing; `next` what stands open, by the last list
    of todos, a failing check or an unfinished turn; `said` the person's messages verbatim, the last one last."""

    session: str
    until: str
    goal: str
    next: str
    said: tuple[str, ...]
    limits: tuple[str, ...]
    actions: Actions
    earlier: Handoff | None = None


@dataclass(frozen=True, slots=True)
class Ground:
    """Where a session stands: its id, the time now, what the harness was told its goal is ("" for nothing), the handoff
    it began with, and a word of the person's for the next one ("" for none)."""

    session: str
    at: str
    goal: str = ""
    earlier: Handoff | None = None
    note: str = ""


def known(branch: Sequence[Entry], ground: Ground) -> Known:
    """What a whole branch, root first, makes certain."""
    found = actions(branch)
    earlier = ground.earlier
    said = tuple(one.text[:WORDS] for one in found.asked)
    goal = ground.goal or (earlier.goal if earlier else "") or (said[0] if said else "")
    limits = dict.fromkeys(
        (*(_rows(earlier.limits) if earlier else ()), *(one for row in found.limits for one in _sentences(row)))
    )
    return Known(
        ground.session,
        ground.at,
        goal,
        ground.note or _next(found) or _unmoved(found, earlier),
        said,
        tuple(limits),
        found,
        earlier,
    )


def _sentences(row: str) -> list[str]:
    """The sentences of a line that bind, the line itself where none does alone."""
    return [one for one in _SPLIT.split(row) if binding(one)] or [row]


def seen(of: Known) -> str:
    """The section of progress.md that the harness writes."""
    done = of.actions
    rows = [f"Session {of.session}, until {of.until}."]
    rows += _listed("changed", [f"{one.path} ({one.tool}, {one.times} ×)" for one in done.changed])
    rows += _listed("ran", [_ran(one) for one in _last_runs(done.ran)])
    rows += _listed("committed", [f"{one.hash} {one.subject}" for one in done.commits])
    rows += _listed("open", done.todos)
    rows += _listed("without an end", done.unfinished)
    rows += _listed("the person said", [_line(text) for text in of.said[-MESSAGES:]])
    return "\n".join(rows)


def failed(of: Known) -> tuple[str, ...]:
    """What was tried and did not work, as far as an exit code tells: commands whose last run failed, but those that
    only look."""
    last = _last_runs(of.actions.ran)
    ended = (one for one in last if one.exit is not None)  # what was refused or interrupted was not tried
    bad = [one for one in ended if one.outcome == "failed" and not _LOOKS.match(one.command)]
    return tuple(_ran(one) for one in bad[-FAILURES:])


def _next(found: Actions) -> str:
    if found.todos:
        return "\n".join(f"- {todo}" for todo in found.todos[:MOST])
    if found.failing:
        return "\n".join(f"- mend what `{one.command}` shows: {one.error or 'it fails'}" for one in found.failing)
    if found.unfinished:
        return "\n".join(f"- find out whether this was done: {one}" for one in found.unfinished)
    return ""


def _unmoved(found: Actions, earlier: Handoff | None) -> str:
    """The next step that an earlier handoff named, where nothing was asked for or done since."""
    if earlier is None or found.asked or found.ran or found.changed or found.done:
        return ""
    return earlier.next


def _last_runs(ran: Sequence[Ran]) -> list[Ran]:
    """Each command once, by its last run."""
    return list({one.command: one for one in ran}.values())


def _ran(one: Ran) -> str:
    how = f"exit {one.exit}" if one.exit is not None else "failed" if one.outcome == "failed" else "ended"
    return f"`{_line(one.command)}` ({how})" + (
        f": {_line(one.error)}" if one.outcome == "failed" and one.error else ""
    )


def _listed(what: str, rows: Sequence[str]) -> list[str]:
    left = len(rows) - MOST
    more = [f"- {what}: {left} more, earlier; the session's log holds them"] if left > 0 else []
    return [*more, *(f"- {what}: {row}" for row in rows[-MOST:])]


def _rows(text: str) -> list[str]:
    rows = [row.strip().removeprefix("- ").strip() for row in text.split("\n")]
    return [row for row in rows if row and row != _EMPTY]


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
