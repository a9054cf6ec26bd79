"""Classify: what kind of thing a claim is, and which level it belongs to, read off its own words."""

from __future__ import annotations

import re

from agentmem.domain.category import Category
from agentmem.domain.claim import Scope
from agentmem.memory.write import screening, wording

_LIMIT = re.compile(r"\b(?:limit|quota|allowance|cap|ceiling|budget)s?\b", re.IGNORECASE)
# In this order: the first that finds its words names the kind.
_KINDS: tuple[tuple[Category, re.Pattern[str]], ...] = (
    (
        "preference",
        re.compile(
            r"\b(?:(?:i|we|(?:the )?user)(?:'d| would| really| also| always| generally| usually|"
            r" strongly)* (?:prefers?|"
            r"likes?|loves?|enjoys?|hates?|dislikes?|wants?|favou?rs?|rather)|(?:my|our) (?:favou?rite|preferred|"
            r"preference"
            r"s?|style)|call me|(?:prefer|favou?r) )\b",
            re.IGNORECASE,
        ),
    ),
    (
        "decision",
        re.compile(
            r"\b(?:decided|decision|chose|chosen|agreed|settled on|switched|migrated|moved to|going with|went with|"
            r"adopted|"
            r"picked|standardi[sz]ed on|we(?:'ll| will| now)? use)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "constraint",
        re.compile(r"\b(?:never|must|mustn't|don't|do not|cannot|can't|forbidden|not allowed|only)\b", re.IGNORECASE),
    ),
    (
        "procedure",
        re.compile(
            r"\b(?:always|whenever|(?:before|after) (?:each|every|any|you|we|committing|pushing|merging)\b)|"
            r"^to \w+[^,]*, ",
            re.IGNORECASE,
        ),
    ),
)
_PERSONAL = re.compile(
    r"\b(?:my|user's) (?:\w+ )?(?:name|nickname|pronouns|time ?zone|birthday|e-?mail|editor|shell|keyboard|language|"
    r"github|role|job|company|team|city|country)\b|\bi'm from\b|"
    r"\b(?:i|user) (?:lives?|works?|am from|is from|speaks?|was born)\b",
    re.IGNORECASE,
)
_PROJECT = frozenset({"project", "repo", "repository", "codebase"})


def classify(text: str, said: Category | None) -> Category:
    """The category of a claim: the one it was `said` to be, else the one its words show. What grants power is a limit
    or an identity whatever it was said to be."""
    if screening.grants(screening.unquoted(text)):
        return "limit" if _LIMIT.search(text) else "identity"
    if said is not None:
        return said
    return next((kind for kind, words in _KINDS if words.search(text)), "fact")


def telling(text: str) -> bool:
    """Whether the words of a text show what kind of thing it is."""
    return any(words.search(text) for _, words in _KINDS)


def scope(text: str, category: Category, project: str) -> Scope:
    """Preferences, and who someone is, go to the person's level unless they name the `project`; the rest to it."""
    if category not in ("preference", "identity") and not _PERSONAL.search(text):
        return "project"
    named = {*_PROJECT, project.casefold()}
    return "project" if not named.isdisjoint(wording.words(text)) else "user"
