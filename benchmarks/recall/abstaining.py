"""Abstaining: does the automatic block stay out where there is no answer: as a curve, beside plain BM25's own score."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentmem.memory.memory import recalled
from agentmem.memory.read.recall.terms import STOP
from benchmarks.recall.corpora import Corpus, Project, questions_of, written
from benchmarks.recall.rivals import texts

GROUPS = 8
LET_IN = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Shares of the questions with an answer that get a block: the points of the curve."""

Measure = Callable[[Project, str], float]


@dataclass(frozen=True, slots=True)
class Curve:
    """At each share of `LET_IN`, for how many questions without an answer the block stays out."""

    of: str
    threshold: float
    elsewhere: tuple[float, ...]
    removed: tuple[float, ...]
    unanswerable: tuple[float, ...]


@dataclass(slots=True)
class Asked:
    """The scores of questions: with an answer, put to another conversation, with the answer taken away, and those that
    BEAM made to have none."""

    answered: list[float]
    elsewhere: list[float]
    removed: list[float]
    chats: list[float]
    unanswerable: list[float]


def sureness(project: Project, question: str) -> float:
    """How sure the product is of its best hit."""
    return recalled.sureness(project.ranked(question))


def plain_score(project: Project, question: str) -> float:
    """The best score of FTS5's own bm25()."""
    base = _bases.get(id(project))
    if base is None:
        base = _bases[id(project)] = _base(project)
    words = [word for word in re.findall(r"\w+", question) if word.lower() not in STOP]
    if not words:
        return 0.0
    query = " OR ".join(f'"{word}"' for word in words)
    row = base.execute("SELECT -bm25(said) FROM said WHERE said MATCH ? ORDER BY 1 DESC LIMIT 1", (query,)).fetchone()
    return float(row[0]) if row else 0.0


_bases: dict[int, sqlite3.Connection] = {}


def _base(project: Project) -> sqlite3.Connection:
    base = sqlite3.connect(":memory:")
    base.execute("CREATE VIRTUAL TABLE said USING fts5(text, tokenize='porter unicode61')")
    base.executemany("INSERT INTO said VALUES (?)", ((text,) for _, text in texts(project)))
    return base


def curves(talks: Sequence[Project], chats: Sequence[Project], root: Path) -> list[Curve]:
    """The curves of the product and of plain BM25, over LoCoMo's questions with an answer and BEAM's abstentions."""
    asked = {name: Asked([], [], [], [], []) for name in ("recall", "plain BM25")}
    measures: dict[str, Measure] = {"recall": sureness, "plain BM25": plain_score}
    draw = random.Random(5)
    for place, project in enumerate(talks):
        others = [one for one in talks if one is not project]
        for question in (one for one in project.corpus.questions if one.gold and one.kind != "adversarial"):
            other = draw.choice(others) if others else project
            for name, measure in measures.items():
                asked[name].answered.append(measure(project, question.text))
                asked[name].elsewhere.append(measure(other, question.text))
        _removed(project.corpus, root / str(place), measures, asked)
    for project in chats:
        for name, measure in measures.items():
            asked[name].chats += [measure(project, one.text) for _, one in questions_of([project])]
            without = (one for one in project.corpus.questions if one.kind == "abstention")
            asked[name].unanswerable += [measure(project, one.text) for one in without]
    return [_curve(name, found) for name, found in asked.items()]


def _removed(corpus: Corpus, root: Path, measures: dict[str, Measure], asked: dict[str, Asked]) -> None:
    """Ask each question of a conversation without the turns that answer it (and some others)."""
    questions = [one for one in corpus.questions if one.gold and one.kind != "adversarial"]
    for group in range(GROUPS):
        some = questions[group::GROUPS]
        gone = frozenset().union(*(one.gold for one in some)) if some else frozenset()
        project = written(corpus, root / str(group), gone)
        for question in some:
            for name, measure in measures.items():
                asked[name].removed.append(measure(project, question.text))
        project.finder.close()
        _bases.pop(id(project), None)


def _curve(name: str, asked: Asked) -> Curve:
    def stays_out(answered: list[float], unanswered: list[float]) -> tuple[float, ...]:
        if not answered or not unanswered:
            return ()
        every = sorted(answered)
        marks = [every[int((1 - share) * len(every))] for share in LET_IN]
        return tuple(round(100 * sum(one < mark for one in unanswered) / len(unanswered), 1) for mark in marks)

    at = sorted(asked.answered)[int(0.1 * len(asked.answered))] if asked.answered else 0.0
    return Curve(
        name,
        round(at, 3),
        stays_out(asked.answered, asked.elsewhere),
        stays_out(asked.answered, asked.removed),
        stays_out(asked.chats, asked.unanswerable),
    )
