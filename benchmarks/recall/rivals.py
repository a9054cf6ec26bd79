"""Rivals: what others rank by, over the same records: FTS5, bm25s, and a full scan with the product's own scorer."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

from agentmem.memory.read.recall import hunt
from agentmem.memory.read.recall.asking import asked
from agentmem.memory.read.recall.currency import current_first
from agentmem.memory.read.recall.pool import Pool
from agentmem.memory.read.recall.scoring import scored
from agentmem.memory.read.recall.terms import STOP
from agentmem.memory.stores.index import NAME, Index, piece_of
from benchmarks.recall.corpora import Project

Ranker = Callable[[str], list[str]]


def texts(project: Project) -> Iterator[tuple[str, str]]:
    """Every message of a project's logs: id, and date, speaker, text."""
    from agentmem.memory.read.recall import logbook

    for log in sorted(project.places.sessions.glob("*.jsonl")):
        for record in logbook.read(log.read_bytes(), 0).records:
            said = f"{record.text}\n{record.called}" if record.called else record.text
            yield record.ref, f"{record.at[:10]} {record.speaker} {said}"


def plain(project: Project) -> Ranker:
    """FTS5 with the porter stemmer, any word of the question, ranked by its own bm25()."""
    base = sqlite3.connect(":memory:")
    base.execute("CREATE VIRTUAL TABLE said USING fts5(id UNINDEXED, text, tokenize='porter unicode61')")
    base.executemany("INSERT INTO said VALUES (?,?)", texts(project))

    def rank(question: str) -> list[str]:
        words = [word for word in re.findall(r"\w+", question) if word.lower() not in STOP]
        if not words:
            return []
        query = " OR ".join(f'"{word}"' for word in words)
        rows = base.execute("SELECT id FROM said WHERE said MATCH ? ORDER BY bm25(said) LIMIT 10", (query,))
        return [str(row[0]) for row in rows]

    return rank


def bm25s(project: Project) -> Ranker | None:
    """The package bm25s with its English stop words and a Snowball stemmer; None where it is not installed."""
    if find_spec("bm25s") is None:
        return None
    import bm25s as package  # type: ignore[import-not-found,unused-ignore]
    from snowballstemmer import stemmer

    stem = stemmer("english").stemWords
    ids, said = zip(*texts(project), strict=True)

    def cut(every: list[str]) -> Any:
        return package.tokenize(every, stopwords="en", stemmer=stem, show_progress=False)

    held = package.BM25()
    held.index(cut(list(said)), show_progress=False)

    def rank(question: str) -> list[str]:
        found, scores = held.retrieve(cut([question]), k=min(10, len(ids)), show_progress=False)
        return [ids[place] for place, score in zip(found[0], scores[0], strict=True) if score > 0]

    return rank


def full_scan(project: Project) -> Ranker:
    """The product's scorer over every piece, with nothing let in or kept out by SQLite."""
    index = Index(project.places.shared / NAME)
    base = sqlite3.connect(project.places.shared / NAME)
    pieces = [piece_of(*row) for row in base.execute("SELECT rowid, own, other, kept FROM piece")]
    base.close()

    def rank(question: str) -> list[str]:
        query = asked(question)
        totals, holders = index.totals("said"), index.holders("said", (*query.terms, *query.stand_ins))
        scenes = {term: index.scenes(term) for term in holders if term in query.topic}
        pool = Pool(pieces, index.turns, holders, totals, scenes, index.sessions())
        hits = current_first(query, scored(query, pool, hunt.SAID), holders, totals)
        return list(dict.fromkeys(hit.turn.ref for hit in hits))[:10]

    return rank
