"""Speed: queries, rebuilding and a new entry, each against what SQLite alone takes in the same run."""

from __future__ import annotations

import json
import random
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from agentmem.domain.clock import Clock
from agentmem.memory.memory import recalled
from agentmem.memory.read.recall import hunt
from agentmem.memory.read.recall.asking import asked
from agentmem.memory.stores.index import NAME, Index
from benchmarks.recall.corpora import Corpus, Project, places
from benchmarks.recall.rivals import texts

SESSION = 100  # records


@dataclass(frozen=True, slots=True)
class Timed:
    """Ours and the floor's time in milliseconds, or records a second, and their ratio (of rates the inverse)."""

    what: str
    ours: float
    floor: float
    ratio: float
    most: float


def large(corpora: Sequence[Corpus], root: Path, records: int) -> None:
    """A project of so many records, made of the sentences of some corpora."""
    draw = random.Random(3)
    said = [one for corpus in corpora for one in corpus.said]
    sentences = [line for one in said for line in one.text.split(". ") if 20 < len(line) < 300]
    found = places(root)
    found.sessions.mkdir(parents=True)
    for start in range(0, records, SESSION):
        rows = [{"type": "session", "id": f"s{start:07d}", "version": 1, "at": "2026-01-01T00:00:00Z", "cwd": "/"}]
        for number in range(start, min(records, start + SESSION)):
            text = ". ".join(draw.sample(sentences, 2))
            at = f"2026-{1 + number % 12:02d}-{1 + number % 28:02d}T10:00:00Z"
            content = [{"type": "text", "text": text, "origin": "import"}]
            head = {"type": "message", "id": f"e{number}", "parent_id": None, "at": at, "role": "user"}
            rows.append({**head, "content": content})
        log = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
        (found.sessions / f"s{start:07d}.jsonl").write_text(log, encoding="utf-8")


def rebuilt(root: Path) -> tuple[Timed, Project]:
    """Records a second from logs to an index, and of a bare `INSERT ... SELECT` of the same texts into FTS5."""
    begun = time.perf_counter()
    project = Project(Corpus("large", (), ()), places(root))
    ours = time.perf_counter() - begun
    base = sqlite3.connect(root / "bare.sqlite")
    base.execute("CREATE TABLE told(id TEXT, text TEXT)")
    base.executemany("INSERT INTO told VALUES (?,?)", texts(project))
    count = base.execute("SELECT count(*) FROM told").fetchone()[0]
    base.execute("CREATE VIRTUAL TABLE said USING fts5(id UNINDEXED, text)")
    base.commit()
    begun = time.perf_counter()
    base.execute("INSERT INTO said SELECT id, text FROM told")
    base.commit()
    floor = time.perf_counter() - begun
    rates = count / ours, count / floor
    return Timed(f"rebuild of {count:,} records, records/s", *rates, rates[1] / rates[0], 5.0), project


def queries(project: Project, questions: Sequence[str], most: float) -> Timed:
    """The middle time of a search, and of a bare bm25() query of the same stems over the same table."""
    path = project.places.shared / NAME
    index, bare = Index(path), sqlite3.connect(path)
    ours, floor = [], []
    for question in questions:
        terms = asked(question).terms
        if terms:
            query = " OR ".join(f'"{term}"' for term in terms)
            floor.append(_took(lambda q=query: bare.execute(_BARE, (q,)).fetchall()))  # type: ignore[misc]
            ours.append(_took(lambda q=question: hunt.hunt(index, asked(q), "said")))  # type: ignore[misc]
    index.close()
    bare.close()
    count = len(ours)
    what = f"query p50 of {count} questions, ms"
    return Timed(what, 1000 * median(ours), 1000 * median(floor), median(ours) / median(floor), most)


_BARE = "SELECT rowid, bm25(piece) FROM piece WHERE piece MATCH ? ORDER BY bm25(piece) LIMIT 10"


def _took(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def entries(root: Path, times: int = 40) -> Timed:
    """From a line appended to a log to its being searchable, and a bare commit of one row, both on disk."""
    found = places(root)
    found.sessions.mkdir(parents=True)
    log = found.sessions / "one.jsonl"
    log.write_text('{"type":"session","id":"one","version":1,"at":"","cwd":""}\n', encoding="utf-8")
    finder = recalled.Finder(found, Clock())
    finder.catch_up()
    base = sqlite3.connect(root / "bare.sqlite", isolation_level=None)
    base.execute("CREATE VIRTUAL TABLE said USING fts5(text)")
    ours, floor = [], []
    for number in range(times):
        text = f"entry {number} says that the port of service {number} is {8000 + number}"
        content = [{"type": "text", "text": text, "origin": "person"}]
        entry = {"type": "message", "id": f"n{number}", "at": "", "role": "user", "content": content}
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, separators=(",", ":")) + "\n")
        ours.append(_took(finder.catch_up))
        floor.append(_took(lambda t=text: base.execute("INSERT INTO said VALUES (?)", (t,))))  # type: ignore[misc]
    finder.close()
    base.close()
    return Timed(
        "a new entry searchable, ms", 1000 * median(ours), 1000 * median(floor), median(ours) / median(floor), 2.5
    )
