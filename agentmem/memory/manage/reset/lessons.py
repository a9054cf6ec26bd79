"""Lessons: what a failed attempt at a feature leaves for the next one, and what long-running work is at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.domain.places import Places
from agentmem.memory.read.actions import actions
from agentmem.memory.stores import attempts, job, seal
from agentmem.memory.write.redact import Redactor

ASIDE = "aside"
_SAID = 1_500  # characters of what a check printed
_TRIED = 800  # of what the agent said at the end
_SHOWN = 3  # attempts that the next one is told of


@dataclass(frozen=True, slots=True)
class Attempt:
    """One that came to nothing: `outcome` is ``failed``, ``asks`` (tests became weaker), ``refused`` (git or a hook
    did not take the commit), ``limit`` or ``aside`` (no more are made); `said` is the end of what it was told."""

    feature: str
    outcome: str
    tried: str
    check: str
    exit: int | None
    said: str


def learn(places: Places, at: str, session: str, attempt: Attempt, branch: Sequence[Entry]) -> None:
    """Keep an attempt, with what in its session worked and what failed, by exit codes. Raises `OSError`."""
    found = actions(branch)
    last = {one.command: one for one in found.ran}.values()
    row = {
        "feature": attempt.feature,
        "at": at,
        "session": session,
        "outcome": attempt.outcome,
        "tried": attempt.tried.strip()[-_TRIED:],
        "changed": [one.path for one in found.changed][-20:],
        "check": attempt.check,
        "exit": attempt.exit,
        "said": attempt.said.strip()[-_SAID:],
        "worked": [one.command for one in last if one.check and one.outcome == "passed"][-5:],
        "failed": [one.command for one in last if one.outcome == "failed"][-5:],
    }
    attempts.append(places.own, Redactor(lambda: seal.key(places.home)).value(row))


def tries(places: Places, feature: str) -> tuple[int, bool]:
    """How many attempts at a feature failed since it was last set aside or taken up again, and whether it is set aside.
    Raises `OSError`."""
    count, aside = 0, False
    for one in attempts.read(places.own):
        if one["feature"] == feature:
            aside = one.get("outcome") == ASIDE
            count = 0 if one.get("outcome") in (ASIDE, "again") else count + 1
    return count, aside


def lessons(places: Places, feature: str) -> str:
    """What the next attempt at a feature should know of those before, "" for nothing. Raises `OSError`."""
    known = [one for one in attempts.read(places.own) if one["feature"] == feature and one.get("tried") is not None]
    known = [one for one in known if one.get("outcome") not in (ASIDE, "again")]
    return "\n\n".join(_told(number, one) for number, one in list(enumerate(known, 1))[-_SHOWN:])


def _told(number: int, one: Mapping[str, Any]) -> str:
    rows = [f"Attempt {number} failed ({one.get('outcome')})."]
    rows += [f"It said at the end: {one['tried']}"] if one.get("tried") else []
    rows += [f"It changed: {', '.join(map(str, one['changed']))}"] if one.get("changed") else []
    rows += [f"The check `{one.get('check')}` ended with {one.get('exit')}:\n{one['said']}"] if one.get("said") else []
    rows += [f"Held, do that again: {_commands(one['worked'])}"] if one.get("worked") else []
    rows += [f"Failed, do not repeat it as it is: {_commands(one['failed'])}"] if one.get("failed") else []
    return "\n".join(rows)


def _commands(found: Sequence[object]) -> str:
    return ", ".join(f"`{command}`" for command in found)


def read_job(places: Places) -> dict[str, Any]:
    """What work is at, empty for none."""
    return job.read(places.own)


def write_job(places: Places, value: dict[str, Any]) -> None:
    """Keep what work is at. Raises `OSError`."""
    job.write(places.own, value)
