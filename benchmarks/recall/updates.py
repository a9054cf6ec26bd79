"""Updates: facts that changed: does the new one stand before the old one, and is the old one found by the new one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agentmem.domain.clock import Clock
from agentmem.memory.memory import recalled
from benchmarks.recall.corpora import Corpus, Project, Question, Said, places, questions_of, written

PAIRS = 240
_SUBJECTS = (
    "billing service", "search index", "mobile app", "staging cluster", "nightly job", "report page", "login page",
    "import script", "mail worker", "data export", "checkout page", "admin panel", "image cache", "audit log",
    "chat widget", "payment gateway", "backup server", "test suite", "docs site", "signup form",
)  # fmt: skip
_ATTRIBUTES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("port", ("8080", "9090", "7000", "3100", "5544")),
    ("timeout", ("30 seconds", "45 seconds", "90 seconds", "2 minutes", "5 seconds")),
    ("owner", ("Priya", "Tomas", "Ingrid", "Kwame", "Yuki")),
    ("deadline", ("March 3", "April 17", "May 9", "June 21", "July 30")),
    ("monthly budget", ("$400", "$650", "$900", "$1,200", "$75")),
    ("retry limit", ("3 retries", "5 retries", "8 retries", "10 retries", "1 retry")),
    ("database", ("SQLite", "PostgreSQL", "MySQL", "DuckDB", "MariaDB")),
    ("region", ("Frankfurt", "Dublin", "Oregon", "Mumbai", "Sydney")),
    ("release branch", ("main", "stable", "develop", "trunk", "next")),
    ("log level", ("debug", "info", "warning", "error", "trace")),
    ("error rate", ("2 percent", "5 percent", "1 percent", "9 percent", "4 percent")),
    ("language", ("Python", "Go", "Rust", "Kotlin", "Elixir")),
)
_OLD = (
    "The {attribute} of the {subject} is {value}.",
    "For the {subject} we settled on {value} as the {attribute}.",
    "By the way, the {subject} has {value} for its {attribute}, so plan with that.",
)
_NEW = (
    "The {attribute} of the {subject} is {value}.",
    "The {attribute} of the {subject} has been changed to {value}.",
    "We moved the {subject} to {value}, that is its {attribute} from now on.",
    "The {subject} now has {value} as its {attribute}.",
    "Small update: the {attribute} of the {subject} was switched to {value} yesterday.",
    "The {attribute} of the {subject} is no longer what it was, please use {value} instead.",
)
_ASKED = (
    "What is the {attribute} of the {subject}?",
    "Which {attribute} does the {subject} have?",
    "Do you know the current {attribute} for the {subject}?",
)
_AROUND = (
    "I looked at the {subject} again and it feels slow in the morning.",
    "Can you review the {subject} when you find the time?",
    "The {attribute} of something else came up in the meeting, nothing was decided.",
    "Lunch was good, the {subject} team says hello.",
    "Somebody asked about the {subject} and its tests, they pass.",
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A fact, what took its place, and the question that wants to know it."""

    old: str
    new: str
    question: str


def pairs(seed: int = 11) -> list[Pair]:
    """240 pairs about 20 subjects with 12 attributes each, so that every question has many near misses."""
    draw = random.Random(seed)
    found = []
    for subject in _SUBJECTS:
        for attribute, values in _ATTRIBUTES:
            before, after = draw.sample(values, 2)
            found.append(
                Pair(
                    draw.choice(_OLD).format(subject=subject, attribute=attribute, value=before),
                    draw.choice(_NEW).format(subject=subject, attribute=attribute, value=after),
                    draw.choice(_ASKED).format(subject=subject, attribute=attribute),
                )
            )
    return found[:PAIRS]


def generated(seed: int = 11) -> Corpus:
    """The pairs as talk: the old statements in earlier sessions, the new ones in later ones, other talk between."""
    draw = random.Random(seed)
    said, questions = [], []
    every = pairs(seed)
    for half, sessions in (("old", range(1, 11)), ("new", range(11, 21))):
        order = list(enumerate(every))
        draw.shuffle(order)
        for place, (number, pair) in enumerate(order):
            session = sessions[place * len(sessions) // len(order)]
            at = f"2026-{(session + 1) // 2:02d}-{1 + session % 2 * 14:02d}T10:{place % 60:02d}:00Z"
            text = pair.old if half == "old" else pair.new
            said.append(Said(f"{half}{number}", f"{session:03d}", "user", "", at, text))
            filler = draw.choice(_AROUND).format(subject=draw.choice(_SUBJECTS), attribute=draw.choice(_ATTRIBUTES)[0])
            said.append(Said(f"f{half}{number}", f"{session:03d}", "user", "", at, filler))
    said.sort(key=lambda one: one.session)
    for number, pair in enumerate(every):
        old, new = frozenset({f"old{number}"}), frozenset({f"new{number}"})
        questions.append(Question(pair.question, old | new, "knowledge_update", old, new))
    return Corpus("generated", tuple(said), tuple(questions))


def current(projects: Sequence[Project]) -> list[bool]:
    """Of each changed fact whether the new statement stands before the old one. Where one message holds both, it does
    not."""
    found = []
    for project, question in questions_of(projects, ("knowledge_update",)):
        if question.old and question.new:
            ranked = [hit.id for hit in project.ranked(question.text, 60)]
            old, new = (min((ranked.index(own) for own in ids if own in ranked), default=10**6) for ids in
                        (question.old, question.new))  # fmt: skip
            found.append(new < old)
    return found


def superseded(root: Path) -> list[bool]:
    """Of each pair whether the old fact, one of 240 in MEMORY.md, is in the first five for the new statement."""
    every = pairs()
    found = places(root)
    root.mkdir(parents=True)
    rows = "".join(f"- {pair.old} ^old{number:09d}\n" for number, pair in enumerate(every))
    found.memory_file.write_text(f"# Memory\n\n{rows}", encoding="utf-8")
    finder = recalled.Finder(found, Clock())
    try:
        return [
            any(hit.id == f"old{number:09d}" for hit in finder.find(recalled.Wanted(pair.new, "facts", most=5)).hits)
            for number, pair in enumerate(every)
        ]
    finally:
        finder.close()


def measured(root: Path) -> tuple[list[bool], list[bool]]:
    """Currency of the generated pairs, and supersession."""
    return current([written(generated(), root / "talk")]), superseded(root / "facts")
