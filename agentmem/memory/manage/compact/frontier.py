"""The frontier: what is done, what is being done now and what comes next, rebuilt from the log's structured actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentmem.domain.entry import Entry
from agentmem.memory.manage.compact.receipt import head
from agentmem.memory.read.actions import Actions, actions

TITLE = "[Where the work stands, by the session's log; what is listed as done is done.]"
_LINE = 240


def frontier(branch: Sequence[Entry], most: int = 4_000) -> str:
    """The block for all of a branch, root first, in at most `most` characters; "" where nothing was asked or done. Put
    it after the segments' summaries, once in a prompt: it is made anew from the log at each compaction, with every file
    that was changed since the root, and never from an earlier block."""
    return told(actions(branch), most)


def told(done: Actions, most: int = 4_000) -> str:
    """The same, of actions that were read before."""
    sections = (("Done", list(_done(done))), ("Now", list(_now(done))), ("Next", list(_next(done))))
    if not any(lines for _, lines in sections):
        return ""
    room = most - len(TITLE) - sum(len(name) + 2 for name, _ in sections)
    out = [TITLE]
    # What comes is worth more than what was: the room is shared out from the end.
    for name, lines in reversed(sections):
        kept = _within(lines, room)
        room -= sum(len(line) + 3 for line in kept)
        if kept:
            out.insert(1, "\n".join((f"{name}:", *(f"- {line}" for line in kept))))
    return "\n".join(out)


def _done(done: Actions) -> Iterable[str]:
    """What is finished, the oldest first."""
    for asked in done.asked:
        if asked.answered:
            yield f"answered: {_short(asked.text)}"
    for commit in done.commits:
        yield f"committed {commit.hash} {_short(commit.subject)}"
    for point in done.done:
        yield f"finished: {_short(point)}"
    last = {head(ran.command): ran for ran in done.ran if ran.check is not None}
    for command, ran in last.items():
        if ran.outcome == "passed":
            yield f"passed: {command}"
    for changed in done.changed:
        yield f"changed: {changed.path}"


def _now(done: Actions) -> Iterable[str]:
    if done.asked and not done.asked[-1].answered:
        yield f"asked last: {_short(done.asked[-1].text)}"
    for ran in done.failing:
        yield f"failing: {head(ran.command)}" + (f": {ran.error}" if ran.error else "")
    for call in done.unfinished[-3:]:
        yield f"without a result: {_short(call)}"


def _next(done: Actions) -> Iterable[str]:
    for point in done.todos:
        yield f"to do: {_short(point)}"


def _within(lines: Sequence[str], room: int) -> list[str]:
    """The last lines that fit, with a word on how many were left out."""
    kept: list[str] = []
    for line in reversed(lines):
        if len(line) + 3 > room - 40:
            kept.append(f"({len(lines) - len(kept)} earlier, in the session's log)")
            break
        room -= len(line) + 3
        kept.append(line)
    return kept[::-1]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LINE else line[: _LINE - 1] + "…"
