"""Fitting: which skills a message calls for, by rule and in a fixed order; no model is asked.

always -> a trigger that the message holds -> a path that the skill is for -> words it shares with the skill's card.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from agentmem.domain.skill import Skill
from agentmem.memory.read.bm25 import Ranking
from agentmem.memory.read.stems import LONGEST, terms

MOST = 3
"""Skills that one message may bring."""
ENOUGH = 10.0
"""The score from which shared words choose a skill; it takes at least two of them."""
_PATH = re.compile(r"(?<![\w/.:-])(?:[~.\w-]*/)*[\w.-]+\.[A-Za-z]\w{0,9}\b|(?<![\w/.:-])[.\w-]+(?:/[.\w-]+)+")
_FOLDING = re.compile(r"\s+")

Matches = Callable[[str, str], bool]
"""Whether a glob matches a path relative to the project."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A skill and why: `rule` is always, trigger, path or words; `by` what it went by."""

    skill: Skill
    rule: str
    by: str


class Fitting:
    """The skills that rules may choose, prepared."""

    def __init__(self, skills: Iterable[Skill]) -> None:
        self._skills = [skill for skill in skills if skill.for_model]
        self._ranking: Ranking | None = None

    def of(self, text: str, matches: Matches, aside: Iterable[str] = ()) -> list[Fit]:
        """The skills that a message calls for, the strongest reason first, those in `aside` left out; all of them: who
        asks takes as many as may be. Of equals the one that comes first counts more."""
        left = [skill for skill in self._skills if skill.id not in set(aside)]
        found: dict[str, Fit] = {}
        paths = paths_in(text)
        said = _folded(text)
        reasons: tuple[tuple[str, Callable[[Skill], str | None]], ...] = (
            ("always", _always),
            ("trigger", lambda skill: _trigger(skill, said)),
            ("path", lambda skill: _path(skill, paths, matches)),
        )
        for rule, reason in reasons:
            for skill in left:
                if skill.id not in found and (by := reason(skill)) is not None:
                    found[skill.id] = Fit(skill, rule, by)
        wanted = {skill.id for skill in left} - set(found)
        ranked = [
            (score, skill, by) for score, skill, by in self.scores(text) if skill.id in wanted and score >= ENOUGH
        ]
        return [*found.values(), *(Fit(skill, "words", f"{by} ({score:.1f})") for score, skill, by in ranked)]

    def touched(self, path: str, matches: Matches, aside: Iterable[str] = ()) -> list[Fit]:
        """The skills that are for a file which a tool has touched."""
        skills = [skill for skill in self._skills if skill.id not in set(aside)]
        return [Fit(skill, "path", by) for skill in skills if (by := _path(skill, [path], matches)) is not None]

    def scores(self, text: str) -> list[tuple[float, Skill, str]]:
        """What the words of a message score with each skill, the best first, with the words; 0 for fewer than two."""
        asked = terms(text[:LONGEST])
        if not asked:
            return []
        if self._ranking is None:
            self._ranking = ranking(self._skills)
        rows = [
            (score if len(shared) > 1 else 0.0, skill, ", ".join(shared))
            for (score, shared), skill in zip(self._ranking.scores(asked), self._skills, strict=True)
        ]
        return sorted(rows, key=lambda row: -row[0])


def ranking(skills: Iterable[Skill]) -> Ranking:
    """The cards of skills, to be ranked by the words they share with a message."""
    return Ranking([_weighed(skill) for skill in skills])


def paths_in(text: str) -> list[str]:
    """What looks like a path in a message."""
    found = dict.fromkeys(one.removeprefix("./") for one in _PATH.findall(text[:LONGEST]))
    return [one for one in found if one.lower() not in ("e.g", "i.e")]


def _always(skill: Skill) -> str | None:
    return "" if skill.says("always", "always-on", "alwaysApply") else None


def _trigger(skill: Skill, said: str) -> str | None:
    for trigger in skill.texts("triggers"):
        phrase = _folded(trigger).strip()
        at = said.find(phrase) if phrase else -1
        while at >= 0:
            if _stands_alone(said, at, at + len(phrase)):
                return trigger
            at = said.find(phrase, at + 1)
    return None


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether what stands there is no part of a longer word; in scripts without blanks every place is a border."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (_joins(before) and _joins(text[start])) and not (_joins(after) and _joins(text[end - 1]))


def _joins(letter: str) -> bool:
    return letter.isalnum() and letter < "\u3040"


def _path(skill: Skill, paths: Sequence[str], matches: Matches) -> str | None:
    globs = skill.texts("paths", "globs") if paths else ()
    return next((path for path in paths for glob in globs if matches(glob, path)), None)


def _folded(text: str) -> str:
    return _FOLDING.sub(" ", text.casefold())


def _weighed(skill: Skill) -> Mapping[str, float]:
    """The terms of a skill's card: its name and keywords count three times."""
    weights: dict[str, float] = {}
    named = (skill.name.replace("-", " "), *skill.texts("keywords", "tags"))
    for weight, text in ((3.0, " ".join(named)), (1.0, skill.description)):
        for term in terms(text):
            weights[term] = min(weights.get(term, 0.0) + weight, 4.0)
    return weights
