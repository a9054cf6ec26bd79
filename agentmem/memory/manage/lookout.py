"""Lookout: what happens to MEMORY.md past the gate, at both levels: seen, taken over as what it is, and told."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from agentmem import regular
from agentmem.domain.claim import Edit, Scope, Verdict
from agentmem.domain.desk import Desk, Level
from agentmem.memory.read import fence
from agentmem.memory.stores import lock, versions
from agentmem.memory.stores.lock import MemoryBusy
from agentmem.memory.stores.versions import Unusable
from agentmem.memory.write import waiting
from agentmem.memory.write.gate import adoption
from agentmem.memory.write.gate.adoption import Came, Caught
from agentmem.objects import Damaged

__all__ = ["Caught", "Look", "by_tool", "catch_up", "let_go", "look", "put_back", "tidy", "told", "unchanged", "vouch"]

_MOST = 16 << 20
_SHOWN, _WIDEST = 40, 1_000  # rows of a diff that are shown, and characters of one


@dataclass(frozen=True, slots=True)
class Look:
    """How the MEMORY.md of each level was: its bytes, and what tells that it was not touched since."""

    held: Mapping[Scope, bytes]
    signs: Mapping[Scope, regular.Sign | None]


def look(desk: Desk) -> Look:
    """Look at both levels. A file that cannot be read counts as empty."""
    signs = {level.scope: regular.sign(level.memory) for level in desk.levels}
    return Look({level.scope: _bytes(level) for level in desk.levels}, signs)


def unchanged(before: Look, desk: Desk) -> bool:
    """Whether no file was written since; one that was set back to its old time is found too."""
    return all(regular.sign(level.memory) == before.signs[level.scope] for level in desk.levels)


def known(scopes: Sequence[Scope], desk: Desk) -> Look:
    """How the MEMORY.md of some levels was when the history last knew them. Raises `OSError`, `Damaged`."""
    held = {scope: adoption.known(desk.level(scope), desk) for scope in scopes}
    return Look(held, dict.fromkeys(held))


def catch_up(
    levels: Sequence[Level], desk: Desk, trusted: Callable[[], bool], came: Came, seconds: float = 2.0
) -> tuple[list[Caught], list[str]]:
    """Take over what changed since the history last knew these levels. Gives what was found, and what went wrong:
    memory is never in the way."""
    found: list[Caught] = []
    wrong: list[str] = []
    for level in levels:
        if not os.path.lexists(level.memory) and not _has_history(level, desk):
            continue
        try:
            one = adoption.catch_up(level, desk, trusted(), came, seconds)
        except (OSError, MemoryBusy, Damaged, Unusable) as error:
            wrong.append(f"edits of {level.memory} were not looked at: {getattr(error, 'strerror', None) or error}")
        else:
            found += [one] if one is not None else []
    return found, wrong


def by_tool(desk: Desk, before: Look, origin: Mapping[str, Any]) -> tuple[list[Verdict], list[Edit]]:
    """Take over what changed since `before`, while a tool ran: lines that came wait for the person, but for the refused
    ones, which hold a secret; lines that went are given, to be asked about. Raises `OSError`, `MemoryBusy`."""
    came: list[Verdict] = []
    gone: list[Edit] = []
    for level in desk.levels:
        if level.scope not in before.held or regular.sign(level.memory) == before.signs[level.scope]:
            continue
        verdicts, lost = adoption.by_tool(level, desk, before.held[level.scope], origin)
        for verdict in verdicts:
            if verdict.outcome == "refused":
                continue
            waiting.hold(verdict, level.scope, origin, desk)
        came += verdicts
        gone += lost
    return came, gone


def vouch(desk: Desk) -> int:
    """Let in what the project's memory holds: the person vouched for its folder. Gives how many beliefs that are.
    Raises `OSError`, `MemoryBusy`, `Damaged`."""
    level = desk.level("project")
    return adoption.vouch(level, desk) if os.path.lexists(level.memory) else 0


def put_back(gone: Sequence[Edit], before: Look, desk: Desk) -> list[Verdict]:
    """Let lines stand again that a tool took out. Raises `OSError`, `MemoryBusy`."""
    verdicts: list[Verdict] = []
    for scope, held in before.held.items():
        verdicts += adoption.put_back([edit for edit in gone if edit.scope == scope], held, desk)
    return verdicts


def let_go(gone: Sequence[Edit], desk: Desk) -> list[Verdict]:
    """Close the beliefs of lines that a tool took out and the person does not want back. Raises as `put_back` does."""
    went = [replace(edit, after=None, becomes=None) for edit in gone]
    return adoption.adopt(went, desk, "user", "a tool took it out, and the person agreed")


def tidy(desk: Desk, env: Mapping[str, str]) -> None:
    """Pack a history that lies in many pieces, where nobody writes it now. What goes wrong is tried again another
    time."""
    for level in desk.levels:
        own = versions.of_level(level.scope, desk.places, env)
        if own.scattered:
            with suppress(OSError, MemoryBusy), lock.held(desk.lock(level.scope), 0.2):
                own.pack()


def told(found: Caught) -> tuple[str, str]:
    """What was found at a level: in a line for the person, and for the model, as data with its diff."""
    edits = {"added": 0, "updated": 0, "expired": 0}
    for verdict in found.verdicts:
        edits[verdict.outcome] = edits.get(verdict.outcome, 0) + 1
    words = {"added": "added", "updated": "changed", "expired": "removed"}
    parts = [f"{count} {words[outcome]}" for outcome, count in edits.items() if count]
    said = [f"{', '.join(parts)} by hand"] if parts else []
    if found.came:
        said.append(f"{_lines(found.came)} from elsewhere, kept as the word of the project")
    if found.went:
        said.append(f"{_lines(found.went)} went with a checkout, a merge or a stash")
    if found.closed:
        said.append(f"{_lines(found.closed)} of what holds no more came back: agentmem memory check --mend")
    what = f"{found.path}: {'; '.join(said) or 'changed'}"
    diff = _short(found.diff)
    person = f"{what}\n{diff}" if diff else what
    return person, fence.block(fence.MEMORY, f"[{what}]\n{diff}", source=found.path)


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def _short(diff: str) -> str:
    """The beginning of a diff that is too long to be read; the rest is counted."""
    rows = diff.split("\n")
    kept = [row if len(row) <= _WIDEST else f"{row[:_WIDEST]} …" for row in rows[:_SHOWN]]
    left = len(rows) - len(kept)
    return "\n".join([*kept, *([f"… and {_lines(left)} more: see MEMORY.md"] if left else [])])


def _has_history(level: Level, desk: Desk) -> bool:
    from agentmem.memory.write.gate import carry

    return carry.history(level, desk).exists


def _bytes(level: Level) -> bytes:
    try:
        return regular.read(level.memory, _MOST)
    except OSError:
        return b""
