"""Skillbook: every skill that is found, its state and why; one skill whole; and why skills came into a session."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.agent import prefetch
from agentmem.app.home import places_of
from agentmem.domain.places import Places
from agentmem.domain.skill import Found, Skill
from agentmem.domain.visible import visible
from agentmem.memory.memory import Skillset, last_session, read_session, read_skill, skills_below, skills_in
from agentmem.tools import tools
from agentmem.workspace import planted
from agentmem.workspace.firstuse import baggage, seen
from agentmem.workspace.trust import trusted

_MARKS = {"loaded": "✓", "warned": "!", "refused": "✗"}
_DESCRIPTION = 100


class SkillMissing(Exception):
    """There is no skill of this name, nor a file; `str(error)` says which there are."""


@dataclass(frozen=True, slots=True)
class Book:
    """What was found below the usual roots, or below the one folder `root`; `trusts` tells whether the project's
    skills are offered."""

    places: Places
    found: Skillset
    trusts: bool
    root: Path | None = None

    def offered(self, row: Found) -> bool:
        """Whether a session here would offer it."""
        skill = row.skill
        counts = skill is not None and row.reason is None and self.found.skills.get(skill.id) is skill
        return counts and (self.trusts or row.level != "project")


def opened(env: Mapping[str, str], root: Path | None = None) -> Book:
    """All skills here, or below `root`. Raises `SkillMissing` when that is no folder."""
    places = places_of(env)
    trusts = trusted(places.home, places.root)

    def unfit(skill: Skill) -> str | None:
        own = skill.level != "built-in" and planted.planted(places.home, skill.path)
        return planted.why(skill.id) if own else flaw(skill)

    if root is None:
        return Book(places, skills_in(places, trusts, unfit), trusts)
    if not root.is_dir():
        raise SkillMissing(f"{root} is no folder")
    return Book(places, skills_below(Path(os.path.abspath(root)), places.home, unfit), trusts, root)


def flaw(skill: Skill) -> str | None:
    """Why a skill that can be read cannot be used."""
    return prefetch.flaw(skill, {tool.name: tool for tool in tools()}) if "prefetch" in skill.fields else None


def to_json(book: Book) -> list[dict[str, Any]]:
    """The list of `agentmem skills list --json`: an object for each file that was found."""
    return [_row(book, row) for row in book.found.rows]


def _row(book: Book, row: Found) -> dict[str, Any]:
    skill = row.skill
    warnings = list(skill.warnings) if skill else []
    return {
        "path": row.path,
        "state": row.state,
        "reason": row.reason or ("; ".join(warnings) or None),
        "warnings": warnings,
        "level": row.level,
        "id": skill.id if skill else None,
        "name": skill.name if skill else None,
        "description": skill.description if skill else None,
        "offered": book.offered(row),
    }


def table(book: Book) -> str:
    """The same as lines for a person."""
    if not book.found.rows:
        return "no skills here; make one: agentmem skills new NAME"
    lines = [line for row in book.found.rows for line in _lines(book, row)]
    if book.root is None and not book.trusts and any(row.level == "project" for row in book.found.rows):
        told = "its folder is not trusted. Look at them, then: agentmem trust"
        lines += ["", f"The project's skills are not offered: {told}"]
    return "\n".join(lines)


def problems(book: Book) -> Iterator[tuple[str, str, str]]:
    """The files that are not plainly loaded: path, state and reason."""
    for row in book.found.rows:
        if row.state != "loaded":
            reason = row.reason or "; ".join(row.skill.warnings if row.skill else ())
            yield _shown(book.places, row.path), row.state, reason.replace(row.path, _shown(book.places, row.path))


def _lines(book: Book, row: Found) -> Iterator[str]:
    mark, skill = _MARKS[row.state], row.skill
    place = os.path.dirname(row.path) if os.path.basename(row.path).upper() == "SKILL.MD" else row.path
    name = skill.id if skill else os.path.basename(place)
    said = " ".join((skill.description if skill else "").split())
    said = said if len(said) <= _DESCRIPTION else f"{said[: _DESCRIPTION - 1]}…"
    where = _shown(book.places, row.path)
    lines = [f"{mark} {name:<24} {row.level:<9} {said}".rstrip()]
    if row.reason:
        lines += [f"    refused: {row.reason}", f"    {where}"]
    elif skill:
        lines += [f"    {warning.replace(row.path, where)}" for warning in skill.warnings]
    # A folder's name may hold a line end: it must not look like a row.
    yield from (visible(line.replace("\n", "\u240a")) for line in lines)


def _shown(places: Places, path: str) -> str:
    root = f"{places.root}{os.sep}"
    return path.removeprefix(root)


def whole(book: Book, called: str) -> Found:
    """The row that a name, a file or a skill's folder means; a name means the skill that counts. Raises
    `SkillMissing`."""
    path = os.path.abspath(called)
    for row in book.found.rows:
        if row.path == path or os.path.dirname(row.path) == path:
            return row
    skill = book.found.called(called)
    for row in book.found.rows:
        if skill is not None and row.skill is not None and row.path == skill.path:
            return row
    for row in book.found.rows:
        if row.skill is not None and called in (row.skill.id, row.skill.name):
            return row
    from difflib import get_close_matches

    names = sorted({row.skill.id for row in book.found.rows if row.skill})
    near = get_close_matches(called, names, 3, 0.5)
    hint = f"did you mean {', '.join(near)}?" if near else "`agentmem skills list` shows all"
    raise SkillMissing(f"there is no skill {called!r}; {hint}")


def card_to_json(book: Book, row: Found) -> dict[str, Any]:
    """The object of `agentmem skills show NAME --json`."""
    out = _row(book, row)
    if row.skill is None:
        return out
    found = baggage(row.path)
    known = seen(book.places.home, row.path)
    sheet = read_skill(row.path, row.level)
    return out | {
        "fields": dict(row.skill.fields),
        "allowed_tools": list(row.skill.tools),
        "scripts": list(found.scripts),
        "hidden": list(found.hidden),
        "seen": known == found.digest if row.level == "project" else None,
        "tokens": {"card": tokens(f"- {row.skill.id}: {row.skill.description}"), "body": tokens(sheet.body)},
        "body": sheet.body,
    }


def card(book: Book, row: Found) -> str:
    """The same as text for a person: what it is, what it brings along, then its body with nothing hidden."""
    said = card_to_json(book, row)
    lines = [f"{said['id'] or '(no skill)'} · {row.level} · {row.state}{'' if said['offered'] else ' · not offered'}"]
    lines += [f"file: {_shown(book.places, row.path)}"]
    lines += [f"refused: {row.reason}"] if row.reason else []
    if row.skill is None:
        return visible("\n".join(lines))
    lines += [f"name: {row.skill.name}"] if row.skill.name != row.skill.id else []
    lines += [f"warning: {one}" for one in row.skill.warnings]
    lines += [f"description: {' '.join(row.skill.description.split())}"]
    lines += [f"tokens: card {said['tokens']['card']:,}, body {said['tokens']['body']:,}"]
    for key in ("scripts", "hidden", "allowed_tools"):
        lines += [f"{key.replace('_', ' ')}: {', '.join(said[key])}"] if said[key] else []
    if said["seen"] is False:
        lines.append(f"you have not seen it as it is now: agentmem skills allow {row.skill.id}")
    return visible("\n".join([*lines, "", str(said["body"])]))


def tokens(text: str) -> int:
    """What a text takes in a prompt, near enough."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


def reasons(env: Mapping[str, str], session: str | None, name: str | None = None) -> list[dict[str, Any]]:
    """Which skills came into a session (without one: the last one here), in their order, and why. Raises
    `SessionMissing`, `SkillMissing` without any session."""
    places = places_of(env)
    own = session or last_session(places)
    if own is None:
        raise SkillMissing(f"there is no session in {places.root} yet")
    found = []
    for entry in read_session(places, own).branch():
        if entry.type == "skill" and name in (None, entry.body.get("name")):
            why = entry.body.get("why")
            why = why if isinstance(why, dict) else {}
            found.append(
                {
                    "session": own,
                    "entry": entry.id,
                    "at": entry.at,
                    "name": entry.body.get("name"),
                    "path": entry.body.get("path"),
                    "sha256": entry.body.get("sha256"),
                    "rule": why.get("rule"),
                    "by": why.get("by"),
                }
            )
    return found


def told_reasons(found: list[dict[str, Any]]) -> str:
    """The same as lines for a person."""
    if not found:
        return "no skill came into that session"
    return "\n".join(visible(f"{one['at']}  {one['name']:<20} {one['rule']}: {one['by'] or '-'}") for one in found)
