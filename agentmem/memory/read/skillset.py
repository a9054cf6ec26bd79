"""Skillset: every skill that was found, which of them can be used, and why the others cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agentmem.domain.places import Places
from agentmem.domain.skill import Found, Skill
from agentmem.memory.stores import skillfile, skillroots
from agentmem.memory.stores.skillcache import Cache
from agentmem.memory.stores.skillroots import Root, Spot


@dataclass(frozen=True, slots=True)
class Skillset:
    """`rows` are all files that were found, in the order in which they count; `skills` those that can be used, by id.
    `withheld` are the ids of a project's skills that are not offered: its folder is not trusted."""

    rows: tuple[Found, ...]
    skills: Mapping[str, Skill]
    withheld: tuple[str, ...] = ()

    def called(self, name: str) -> Skill | None:
        """The skill that a person or a model means by a name: its id, or what the file calls itself."""
        if (found := self.skills.get(name)) is not None:
            return found
        return self.skills.get(skillfile.safe_name(name)) or next(
            (one for one in self.skills.values() if one.name == name), None
        )


Flaw = Callable[[Skill], str | None]
"""Why a skill that can be read cannot be used, None for nothing."""


def _none(skill: Skill) -> str | None:
    return None


def skills_in(places: Places, trusted: bool, flaw: Flaw = _none) -> Skillset:
    """All skills of a project, the person and agentmem. Those of a project that is not trusted are found, not used."""
    every = skillroots.roots(places)
    own = [root for root in every if root.level == "project"]
    others = [root for root in every if root.level != "project"]
    cache = Cache(places.home, str(places.root))
    if own or len(others) > 1:
        cache.load()
    if trusted or not own:
        rows = _settled(_found(every, cache), flaw)
        cache.save()
        return Skillset(rows, _usable(rows))
    withheld, rest = _settled(_found(own, cache), flaw), _settled(_found(others, cache), flaw)
    cache.save()
    return Skillset((*withheld, *rest), _usable(rest), tuple(_usable(withheld)))


def skills_below(folder: Path, home: Path, flaw: Flaw = _none) -> Skillset:
    """All skills below one folder."""
    rows = _settled(_found([Root(str(folder), "project")], Cache(home, str(folder))), flaw)
    return Skillset(rows, _usable(rows))


def _found(roots: Sequence[Root], cache: Cache) -> list[Found]:
    rows: list[Found] = []
    known: set[tuple[int, int]] = set()
    for root in roots:
        for one in skillroots.walk(root):
            if isinstance(one, Found):
                rows.append(one)
            elif one.mark[:2] not in known:  # a file that is met by two ways is one skill
                known.add(one.mark[:2])
                rows.append(cache.get(one) or _read(one, cache))
    return rows


def _read(spot: Spot, cache: Cache) -> Found:
    try:
        skill = skillfile.read_skill(spot.path, spot.root.level).skill
        found = Found(spot.path, spot.root.level, _shown(skill, cache.home))
    except skillfile.NoSkill as error:
        found = Found(spot.path, spot.root.level, reason=str(error))
    cache.put(spot, found)
    return found


def _shown(skill: Skill, home: Path) -> Skill:
    """The skill with marks where its description holds secrets."""
    from agentmem.memory.read import marked  # most starts know their skills

    said = marked.shown(skill.description, home)
    if said is skill.description:
        return skill
    fields = {key: said if value == skill.description else value for key, value in skill.fields.items()}
    return replace(skill, description=said, fields=fields)


def _settled(rows: Iterable[Found], flaw: Flaw) -> tuple[Found, ...]:
    """Of skills with one id the first one counts; both say so. One with a flaw does not count."""
    rows = [replace(one, reason=one.reason or (flaw(one.skill) if one.skill else None)) for one in rows]
    first: dict[str, int] = {}
    out = list(rows)
    for number, row in enumerate(rows):
        if row.skill is None or row.reason is not None:
            continue
        winner = first.setdefault(row.skill.id, number)
        if winner == number:
            continue
        held = out[winner].skill
        if held is not None:
            told = f"{row.path} is called {held.id} too: {held.path} counts"
            out[winner] = replace(out[winner], skill=replace(held, warnings=(*held.warnings, told)))
            out[number] = replace(row, reason=f"it is called {held.id}, as {held.path} is: that one counts")
    return tuple(out)


def _usable(rows: Iterable[Found]) -> dict[str, Skill]:
    return {row.skill.id: row.skill for row in rows if row.skill is not None and row.reason is None}
