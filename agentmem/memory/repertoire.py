"""Repertoire: the skills of one run: their cards for a prompt, which of them a message calls for, and their bodies.

A project without skills pays next to nothing: the cards of the built-in ones are written down beforehand, with what a
message must hold to call for one; their files are read when it does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentmem.domain.places import Places
from agentmem.memory.read import shipped
from agentmem.memory.read.manifest import Section
from agentmem.memory.stores import skillplaces

if TYPE_CHECKING:
    from agentmem.domain.entry import Entry
    from agentmem.domain.skill import Disclosed, Skill
    from agentmem.memory.read.fitting import Fit, Fitting, Matches
    from agentmem.memory.read.skillset import Skillset

_BYTES_A_PERCENT = 0.04  # bytes of cards that a token of the window gives room for
_NAMED = 8  # names in a line for the person
_NEWS = 12  # skills whose descriptions stand in the news
_SHORT = 200  # characters of a description in a note


class Repertoire:
    """The files are read when they are first needed, and again after `renew`. `trusted` is asked only where the project
    has skills; `flaw` says why a skill that can be read cannot be used, None for nothing. `changed` tells whether files
    may be other than when it was last asked, `stale` that they may be other than the cards in the prompt."""

    def __init__(
        self, places: Places, trusted: Callable[[], bool], flaw: Callable[[Skill], str | None] = lambda skill: None
    ) -> None:
        self.places = places
        self._trusted = trusted
        self._flaw = flaw
        self.changed: Callable[[], bool] = lambda: False
        self.stale = False
        self._known: Mapping[str, Skill] | None = None
        self._set: Skillset | None = None
        self._fitting: Fitting | None = None

    def again(self) -> Repertoire:
        """The same for another session, which is told for itself."""
        other = Repertoire(self.places, self._trusted, self._flaw)
        other._set = self._set
        return other

    def cards(self, window: int) -> tuple[tuple[Section, ...], tuple[str, ...]]:
        """The cards as a part of a prompt, and what the person should know of them, a line each."""
        self._look()
        self._known, self.stale = None, False
        if self._set is None and self.bare:
            text = self._shipped["cards"]
            if len(text.encode()) <= window * _BYTES_A_PERCENT:
                return (Section("skills", "skill cards", text),), ()
        from agentmem.memory.read.cards import cards

        found = self.skillset
        self._known, self.stale = _for_model(found), False
        made = cards(found.skills.values(), window)
        section = (Section("skills", "skill cards", made.text),) if made.text else ()
        return section, tuple(_told(found, made.left_out))

    @cached_property
    def bare(self) -> bool:
        """Whether there are no skills but the built-in ones."""
        return not self.folders()

    def folders(self) -> list[str]:
        """The folders of skills that are there, but that of the built-in ones."""
        return [*skillplaces.project(self.places), *skillplaces.person(self.places)]

    @property
    def skillset(self) -> Skillset:
        """All that was found."""
        self._look()
        if self._set is None:
            from agentmem.memory.read.skillset import skills_in

            self._set = skills_in(self.places, self._trusted(), self._flaw)
        return self._set

    def renew(self) -> None:
        """Read the files again when they are next needed; what is other than the cards in the prompt is told then."""
        self._set, self._fitting, self.stale = None, None, True
        self.__dict__.pop("bare", None)

    def news(self) -> list[str]:
        """What is new, changed and gone of that which a model may choose, since the cards or the last news: a line
        each, of many only the first ones with what they are for."""
        before, now = self._known, _for_model(self.skillset)
        if before is None:
            before = {own: one for own, one in now.items() if one.level == "built-in"}
        self._known, self.stale = now, False
        fresh = {own: one for own, one in now.items() if before.get(own) != one}
        out = [
            f"{'changed' if own in before else 'new'}: {own} ({_short(one.description)})"
            for own, one in list(fresh.items())[:_NEWS]
        ]
        if rest := list(fresh)[_NEWS:]:
            out.append(f"{len(rest)} more: {_names(rest)}")
        gone = [own for own in before if own not in now]
        return [*out, f"gone: {_names(gone)}"] if gone else out

    def announced(self, news: Sequence[str]) -> str:
        """News as the model gets them: what the files say of themselves is fenced, as in the cards."""
        from agentmem.memory.read import fence

        rows = "\n".join(row.replace("<", "&lt;").replace(">", "&gt;") for row in news)
        return f"[Skills changed on disk]\n{fence.block(fence.CARDS, rows)}"

    def _look(self) -> None:
        if self.changed():
            self.renew()

    def called(self, name: str) -> Skill | None:
        """The skill that is meant by a name, whoever means it; None for none."""
        return self.skillset.called(name)

    def commands(self) -> list[tuple[str, str]]:
        """Ids and descriptions, on one line, of the skills that are slash commands."""
        return [(one.id, _short(one.description)) for one in self.skillset.skills.values() if one.for_person]

    def lines(self) -> list[str]:
        """What is offered, a line each for the person, and what is not."""
        from agentmem.domain.visible import visible

        found = self.skillset
        wide = max((len(own) for own in found.skills), default=0) + 2
        rows = [f"{own.ljust(wide)}{one.level:<10}{_short(one.description)}" for own, one in found.skills.items()]
        return [visible(row) for row in (*rows, *_told(found, ()))]

    def slash(self, text: str) -> tuple[Skill, str] | None:
        """The skill that a message names as a command, and what stands behind the name."""
        if not text.startswith("/"):
            return None
        name, _, arguments = text[1:].partition(" ") if "\n" not in text.partition(" ")[0] else ("", "", "")
        found = self.skillset.skills.get(name.lower()) if name and "/" not in name else None
        return (found, arguments.strip()) if found is not None and found.for_person else None

    def idle(self, text: str) -> bool:
        """Whether no rule can choose a skill for a message: told without reading one."""
        self._look()
        return (
            self._set is None
            and not self.stale
            and self.bare
            and not text.startswith("/")
            and not shipped.calls(text, self._shipped)
        )

    def fitting(self, text: str, matches: Matches, aside: Sequence[str] = ()) -> list[Fit]:
        """The skills that a message calls for; see `agentmem.memory.read.fitting`."""
        return self._fit.of(text, matches, aside)

    def touched(self, path: Path, matches: Matches, aside: Sequence[str] = ()) -> list[Fit]:
        """The skills that are for a file which a tool has touched."""
        if self.bare or not path.is_relative_to(self.places.root):
            return []
        return self._fit.touched(os.path.relpath(path, self.places.root), matches, aside)

    def body(self, skill: Skill, arguments: str = "", rule: str = "asked", by: str = "") -> Disclosed:
        """A skill's body. Raises `NoSkill` when its file is none any more."""
        from agentmem.memory.read.disclose import disclosed

        return disclosed(skill, arguments, rule, by)

    def room(self, window: int, sections: Sequence[Section], branch: Sequence[Entry]) -> int:
        """Tokens left for bodies: see `agentmem.memory.read.disclose`."""
        from agentmem.memory.read import disclose

        return disclose.room(window, sections, branch)

    def fitted(self, given: Disclosed, left: int, wanted: bool) -> Disclosed | None:
        """A body as it fits into so many tokens: whole, or cut when someone `wanted` it, else None."""
        from agentmem.memory.read import disclose

        if wanted:
            return disclose.cut(given, left)
        return given if disclose.tokens(given.body) <= left else None

    @property
    def _fit(self) -> Fitting:
        from agentmem.memory.read.fitting import Fitting

        if self._fitting is None:
            self._fitting = Fitting(self.skillset.skills.values())
        return self._fitting

    @cached_property
    def _shipped(self) -> Mapping[str, Any]:
        return shipped.shipped()


def _for_model(found: Skillset) -> dict[str, Skill]:
    return {own: one for own, one in found.skills.items() if one.for_model}


def _short(text: str) -> str:
    from agentmem.domain.visible import without_hidden

    line = " ".join(without_hidden(text).split())
    return line if len(line) <= _SHORT else f"{line[: _SHORT - 1]}…"


def _told(found: Skillset, left_out: Sequence[str]) -> list[str]:
    out: list[str] = []
    if found.withheld:
        names = _names(found.withheld)
        out.append(
            f"skills of this project are not offered, its folder is not trusted: {names}; `agentmem trust` says so"
        )
    if refused := [row for row in found.rows if row.state == "refused"]:
        out.append(f"{_files(len(refused))} cannot be used: `agentmem skills list` says why")
    if left_out:
        out.append(f"{len(left_out)} skill cards have no room in the prompt: {_names(left_out)}")
    return out


def _files(count: int) -> str:
    return "1 skill file" if count == 1 else f"{count} skill files"


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
