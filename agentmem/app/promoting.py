"""Promoting: candidates for skills, each with its evidence and its diff, checked before they become skills."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.app.consent import require_person
from agentmem.app.home import places_of
from agentmem.app.skillbook import flaw, opened
from agentmem.domain.cancel import Cancel
from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.domain.skill import Found, Skill
from agentmem.domain.visible import visible
from agentmem.memory.memory import Candidate, Fitting, NotPromoted, skillgate
from agentmem.programs import find_shell
from agentmem.workspace.firstuse import baggage, keep_seen, seen
from agentmem.workspace.process import Command, run

LIMIT = 600.0
"""Seconds that a check may take."""
_TAIL = 2_000  # bytes of a failed check's output that are shown


@dataclass(frozen=True, slots=True)
class Checked:
    """How a candidate's check went: `told` says what was looked at; `passed` is None where there is no check."""

    passed: bool | None
    told: str


def waiting(env: Mapping[str, str]) -> list[dict[str, Any]]:
    """The candidates that wait, each with what it would change."""
    places = places_of(env)
    found = skillgate.candidates(places)
    standing = opened(env).found.skills if found else {}
    return [_row(places, item, standing) for item in found]


def skills_waiting(env: Mapping[str, str]) -> str | None:
    """That skills wait, in a line; None for none."""
    count = len(skillgate.candidates(places_of(env)))
    return None if count == 0 else f"{count} skill{'s wait' if count > 1 else ' waits'} too: agentmem skills waiting"


def _row(places: Places, item: Mapping[str, Any], standing: Mapping[str, Skill]) -> dict[str, Any]:
    row = {key: item.get(key) for key in ("id", "at", "skill", "path", "principal", "evidence", "reason", "origin")}
    try:
        one = skillgate.candidate(places, str(item.get("id")))
    except NotPromoted as error:
        return row | {"diff": None, "fault": str(error), "revises": None, "instead_of": None}
    other = standing.get(one.skill.id)
    instead = other.path if other is not None and other.path != one.path else None
    return row | {"diff": diff(one), "fault": flaw(one.skill), "revises": one.revises, "instead_of": instead}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The same as text for a person."""
    if not rows:
        return "no skill waits for you"
    out: list[str] = []
    for row in rows:
        kind = "a revision" if row["revises"] else "new"
        out.append(f"{row['id']}  {row['skill']}  {kind}, drafted by {row['principal']} at {row['at']}")
        out += [f"  fault: {row['fault']}"] if row["fault"] else []
        out += [f"  it would count instead of {row['instead_of']}"] if row["instead_of"] else []
        out += [f"  seen: {one}" for one in row["evidence"] or ()]
        out += [row["diff"] or "", f"  agentmem skills approve {row['id']} · agentmem skills reject {row['id']}", ""]
    return visible("\n".join(out).rstrip())


def diff(one: Candidate) -> str:
    """What approving it would change, unified."""
    before = (one.before or "").splitlines(keepends=True)
    after = one.text.splitlines(keepends=True)
    name = str(one.item.get("path"))
    return "".join(difflib.unified_diff(before, after, f"a/{name}" if one.revises else "/dev/null", f"b/{name}"))


def approve(
    called: str, prompts: Sequence[str], env: Mapping[str, str], agreed: Callable[[str], bool]
) -> tuple[str, str]:
    """Check a candidate and make it a skill; `agreed` is asked before its command runs. Gives its file, and what was
    checked. Raises `NotThePerson`, `NotPromoted`, `OSError`."""
    require_person(env, "approve a skill")
    places, clock = places_of(env), Clock()
    one = skillgate.candidate(places, called)
    if (fault := flaw(one.skill)) is not None:
        raise NotPromoted(f"it cannot be used: {fault}")
    checked = check(one, prompts, env, agreed)
    if checked.passed is False:
        raise NotPromoted(f"its check failed, and nothing was changed: {checked.told}")
    known = _is_known(places, one.path)
    path = skillgate.promote(one, places, clock, checked.told if checked.passed else None)
    if known:
        keep_seen(places.home, path, baggage(path).digest, clock.stamp())
    return path, checked.told


def _is_known(places: Places, path: str) -> bool:
    """Whether the person has seen what lies in a skill's folder, or need not: a yes to its text is none to scripts that
    lay there already."""
    found = baggage(path)
    return found.harmless or seen(places.home, path) == found.digest


def check(one: Candidate, prompts: Sequence[str], env: Mapping[str, str], agreed: Callable[[str], bool]) -> Checked:
    """Whether a candidate is chosen by the messages that must choose it, and its command passes."""
    golden = (*one.skill.texts("golden"), *prompts)
    missed = [text for text in golden if not _chooses(one.skill, text, env)]
    if missed:
        return Checked(False, f"these messages do not choose it: {'; '.join(missed)}")
    told = [f"{len(golden)} messages choose it" if len(golden) > 1 else "1 message chooses it"] if golden else []
    command = one.skill.fields.get("check")
    if isinstance(command, str) and command.strip():
        if not agreed(command):
            return Checked(False, f"its command was not run: {command}")
        failed = _fails(command, env)
        if failed is not None:
            return Checked(False, failed)
        told.append(f"`{command}` passes")
    return Checked(True, ", ".join(told)) if told else Checked(None, "it has no check")


def _chooses(skill: Skill, text: str, env: Mapping[str, str]) -> bool:
    others = [one for own, one in opened(env).found.skills.items() if own != skill.id]
    return skill.id in [fit.skill.id for fit in Fitting([skill, *others]).of(text, lambda glob, path: False)]


def _fails(command: str, env: Mapping[str, str]) -> str | None:
    """Why a command does not pass, with the end of what it printed; None when it does."""
    shell = find_shell(env)
    pieces: list[bytes] = []

    def take(piece: bytes) -> bool:
        pieces.append(piece)
        return False

    where = Path(places_of(env).root)
    ended = run(Command((shell, "-c", "--", command), where, dict(env), LIMIT), Cancel(), take)
    if ended.code == 0:
        return None
    tail = visible(b"".join(pieces)[-_TAIL:].decode("utf-8", "replace").strip())
    return f"`{command}` ended with {ended.code if ended.code is not None else ended.how}\n{tail}".rstrip()


def reject(called: str, why: str | None, env: Mapping[str, str]) -> str:
    """Let a candidate wait no more; gives its id. Raises `NotThePerson`, `NotPromoted`, `OSError`."""
    require_person(env, "reject a skill")
    return skillgate.reject(called, places_of(env), Clock(), why)


def roll_back(name: str, env: Mapping[str, str]) -> tuple[str, bool]:
    """Take back what was approved of a skill last; gives its file, and whether one is there still. Raises
    `NotThePerson`, `NotPromoted`, `OSError`."""
    require_person(env, "roll back a skill")
    places, clock = places_of(env), Clock()
    known = {row.path for row in opened(env).found.rows if _means(row, name) and _is_known(places, row.path)}
    path, stands = skillgate.roll_back(name, places, clock)
    if stands and path in known:
        keep_seen(places.home, path, baggage(path).digest, clock.stamp())
    return path, stands


def _means(row: Found, name: str) -> bool:
    return row.level == "project" and row.skill is not None and row.skill.id == name
