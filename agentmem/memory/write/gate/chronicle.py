"""Chronicle: the gate for episodes, which the harness makes of a session's events and nobody else proposes.

What the harness told is sealed, in its words; so is what a command put into a day file, as the word of a tool.

It is apart from the gate of claims so that the end of a session need not load all that claims are judged by.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentmem.domain.claim import Admitted, Outcome, Verdict
from agentmem.domain.desk import Desk, Level
from agentmem.memory.stores import episodic, lock, semantic
from agentmem.memory.stores.admissions import Admissions
from agentmem.memory.write import redact
from agentmem.memory.write.gate import carry


def episode(own: str, day: str, text: str, desk: Desk) -> Verdict:
    """Add an episode that the harness made of a session's events to the file of its day. Never raises for a disk."""
    if redact.spans(text):  # events are made of a log that was redacted by the same rules
        return Verdict("refused", None, "it holds a secret", "agent")
    level = desk.level("project")
    path = level.days / f"{day}.md"
    if not semantic.real(path).is_relative_to(semantic.real(level.folder)):
        return Verdict("refused", None, f"{path} is a link that leads out of the project", "agent")
    try:
        with carry.held(level, desk):
            here, told_now = carry.admitted_here(level, desk), episodic.told(text, "harness")
            here.add([told_now])  # before it stands there: after a kill between the two it is not written twice
            added = episodic.append(path, Admitted("ADD", own, text, day), lambda one: _ours(one, here))
            unkept = carry.keep_day(path, told_now._replace(fact=own), level, desk)
    except (OSError, lock.MemoryBusy) as error:
        return Verdict("refused", None, f"it could not be written: {error}", "agent")
    outcome: Outcome = "added" if added else "known"
    return Verdict(outcome, own, "what a closed session did", "agent", f"memory/{path.name}", unkept=unkept)


def _ours(section: str, here: Admissions) -> bool:
    """Whether the harness told it: a seal says so, which only this machine can make."""
    return episodic.told(section, "harness") in here


def hold(sections: Iterable[str], level: Level, desk: Desk) -> int:
    """Seal sections that a command put into day files of a level as its word, but for what the harness told; gives how
    many they are. Raises `OSError`, `MemoryBusy`."""
    with carry.held(level, desk):
        here = carry.admitted_here(level, desk)
        found = [episodic.told(one, "tool") for one in sections if not _ours(one, here)]
        here.add(found)
    return len(found)
