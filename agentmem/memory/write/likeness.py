"""Likeness: whether a claim says what a belief says already, or something that takes its place.

Only what is plain counts: two facts taken for one lose the second, so numbers, names, negations and conditions must
agree, and of a changed value only the plain forms are seen ("the port is 9090" after "the port is 8080").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentmem.memory.write import wording

_FILLER = frozenset(
    [
        "please",
        "always",
        "kindly",
        "just",
        "also",
        "really",
        "very",
        "user's",
        "user",
        "person's",
        "that's",
        "there",
        "so",
        "now",
        "currently",
        "remember",
        "note",
        "that",
        "do",
        "does",
        "should",
        "must",
        "shall",
        "will",
        "would",
        "has",
        "have",
        "had",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "with",
        "by",
        "from",
        "as",
    ]
)
_NEGATING = frozenset(
    [
        "not",
        "no",
        "never",
        "don't",
        "doesn't",
        "isn't",
        "aren't",
        "cannot",
        "can't",
        "won't",
        "shouldn't",
        "mustn't",
        "longer",
        "stop",
    ]
)
_ENDINGS = ("ations", "ation", "ingly", "edly", "ings", "ing", "ies", "ed", "es", "ly", "s", "e")
_COPULA = re.compile(
    r"^(?P<of>.{2,80}?)(?:\s+(?:is|are|was|equals?)(?:\s+(?:now|currently|set to|called|named))?\s+|\s*(?:=|->|:)\s*)"
    r"(?P<value>.{1,80}?)[.!]?$",
    re.IGNORECASE,
)
_USES = re.compile(
    r"^(?P<who>(?:we|i|the project|this project|tests?|ci|the \w+|\w+) (?:now )?(?:use|uses|run on|runs on|deploy to|"
    r"deploys to|listens? on|depends? on))\s+(?P<value>[^,;:]{1,60}?)(?:\s+for\s+(?P<what>[^,;:]{1,60}))?[.!]?$",
    re.IGNORECASE,
)
# Names under which many different things are said.
_LABELS = frozenset(
    [
        "note",
        "notes",
        "fact",
        "facts",
        "todo",
        "rule",
        "rules",
        "reminder",
        "tip",
        "warning",
        "decision",
        "task",
        "bug",
        "idea",
        "example",
        "step",
        "fix",
    ]
)
_VALUE = re.compile(
    r"[\w./:@+#-]*\d[\w./:@+#-]*|[./~][\w./-]+|[\w.+-]+@[\w.-]+|[a-z]+(?:[A-Z]\w*)+|\w+[._/-]\w[\w._/-]*"
)
_ONE = re.compile(
    r"\b(?:name|port|host|url|address|version|editor|shell|time ?zone|branch|database|db|default|limit|timeout|"
    r"deadline|"
    r"owner|manager|lead|birthday|e-?mail|city|country|language|framework|licen[cs]e|size|length|width|path|key|"
    r"favou?rite \w+|preferred \w+|password manager|package manager|indent(?:ation)?|style|formatter|linter|region|"
    r"target|goal|budget|price|colou?r|theme|model|id|number|count|date|time|day)\b",
    re.IGNORECASE,
)


# "The project uses pnpm" is "we use pnpm", and "the project's linter" is "our linter".
_DOER = re.compile(
    r"^(?:(?:the|this|our) )?(?:project|repo|repository|codebase|team)(?:'s | "
    r"(?=(?:never |always |only )?[a-z]+[^\Wsu]s ))",
    re.IGNORECASE,
)
_LONGEST = 4 * wording.LONGEST  # a line beyond this was not written as one belief


class Sought:
    """A claim to be held against many beliefs: most of them are passed over by a few words that they lack."""

    def __init__(self, claim: str) -> None:
        self._claim = claim
        self._words = wording.words(claim)
        self._essence = _essence(claim)
        self._identifiers = _identifiers(claim)
        self._negated = _negated(claim)
        self._copula, self._uses = _copula(claim), _uses(claim)
        subject = self._copula[0] if self._copula else self._uses[0] if self._uses else None
        # What a belief must hold, all of one list, before it is looked at: the rarest words first.
        self._needs = [_rare(self._essence), _rare(_plain(claim))]
        if subject is not None:
            self._needs.append(_rare([word for word in subject if word != "for"]))

    def same(self, belief: str) -> bool:
        """Whether the claim adds nothing to the belief."""
        if not self._near(belief):
            return False
        if self._words == wording.words(belief):
            return True
        if self._identifiers - _identifiers(belief):
            return False
        return any(
            self._negated == _negated(text) and _turned(self._essence, _essence(text))
            for text in (belief, _first_clause(belief))
        )

    def replaces(self, belief: str) -> bool:
        """Whether the claim is a new value of what the belief gives, or its denial."""
        if not self._near(belief):
            return False
        if self._negated != _negated(belief):
            one, other = _plain(self._claim), _plain(belief)
            return len(one) >= 2 and one == other
        if self._uses is not None and (then := _uses(belief)) is not None:
            now = self._uses
            return now[0] == then[0] and now[1] != then[1] and _differ_in_value(now[1], then[1])
        new, old = self._copula, _copula(belief)
        if new is None or old is None or new[0] != old[0] or new[1] == old[1]:
            return False
        return _ONE.search(" ".join(new[0])) is not None or _differ_in_value(new[1], old[1])

    def _near(self, belief: str) -> bool:
        if len(belief) > _LONGEST:
            return False
        if not belief.isascii():
            return True
        folded = belief.lower()
        return any(all(word in folded for word in needs) for needs in self._needs)


def same(claim: str, belief: str) -> bool:
    """Whether the claim adds nothing to the belief."""
    return Sought(claim).same(belief)


def replaces(claim: str, belief: str) -> bool:
    """Whether the claim is a new value of what the belief gives, or its denial."""
    return Sought(claim).replaces(belief)


def _rare(words: Sequence[str]) -> list[str]:
    return sorted(filter(str.isascii, words), key=len, reverse=True)


def _differ_in_value(new: str, old: str) -> bool:
    """Both are values of one kind: figures, versions, paths, addresses; alone or after the same words."""
    if not (_VALUE.search(new) and _VALUE.search(old)):
        return False
    return _VALUE.sub("#", new).casefold() == _VALUE.sub("#", old).casefold()


def _copula(text: str) -> tuple[tuple[str, ...], str] | None:
    found = _COPULA.match(wording.clean(text))
    if found is None:
        return None
    subject = tuple(wording.words(found["of"]))
    if not subject or (len(subject) == 1 and subject[0] in _LABELS) or len(subject) > 8:
        return None
    return subject, found["value"].casefold()


def _uses(text: str) -> tuple[tuple[str, ...], str] | None:
    found = _USES.match(wording.clean(text))
    if found is None:
        return None
    who = (*wording.words(found["who"].replace(" now ", " ")), "for", *wording.words(found["what"] or ""))
    return who, found["value"].casefold()


def _first_clause(text: str) -> str:
    return re.split(r"(?:[,;:]|\.)\s+|\s+[–—-]\s+|\s+(?:because|since|so that|as)\s+|\s*\(", text, maxsplit=1)[0]


def _essence(text: str) -> list[str]:
    told = _DOER.sub("", text.replace("`", ""))
    return [_stem(word) for word in wording.words(told) if word not in _FILLER]


def _plain(text: str) -> list[str]:
    return [word for word in _essence(text) if word not in _NEGATING and word not in map(_stem, _NEGATING)]


def _turned(one: Sequence[str], other: Sequence[str]) -> bool:
    """Equal, or equal with the last part said first ("before a commit run the tests")."""
    if not one or len(one) != len(other):
        return False
    if list(one) == list(other):
        return True
    if len(one) < 3:
        return False
    twice = [*other, *other]
    return any(twice[at : at + len(one)] == list(one) for at in range(1, len(one)))


def _identifiers(text: str) -> set[str]:
    return {word for word in wording.words(text) if not word.replace("'", "").isalpha()}


def _negated(text: str) -> bool:
    return any(word in _NEGATING or word.endswith("n't") for word in wording.words(text))


def _stem(word: str) -> str:
    """A word without its ending, so that its forms are one; identifiers stay."""
    if not word.isalpha() or not word.isascii():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
