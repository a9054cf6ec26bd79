"""Recall's figures for the page of results: what it misses, what it should leave out, and how long it takes.

The whole, by kind of question and with intervals, is `python -m benchmarks.recall`. Data comes from the shared folder
(`AGENTMEM_SHARED`); a set that is not there is left out, and named.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.command import main
from benchmarks.line import Line
from benchmarks.recall import abstaining, corpora, figures, speed, updates
from benchmarks.recall.corpora import FACTUAL, Corpus, Project, questions_of, written
from benchmarks.screened import SHARED

DATA = SHARED / "data"
RUNS = 1
RECORDS = 100_000
MISSED = {
    "R@5": "answers not in the first five",
    "R@10": "answers not in the first ten",
    "hit@5": "questions without an answer in the first five",
}
NINE_OF_TEN = abstaining.LET_IN.index(0.9)


def measure(runs: int) -> list[Line]:
    """Percent of one pass, as nothing there varies from run to run; times and rates as ratios to SQLite alone."""
    with tempfile.TemporaryDirectory(prefix="agentmem-recall-") as folder:
        root = Path(folder)
        talks = _read("LoCoMo", lambda: corpora.locomo(DATA / "locomo" / "locomo-dev.json"), root)
        chats = _read("BEAM", lambda: corpora.beam(DATA / "beam" / "100K"), root)
        lines = list(missed("LoCoMo", talks, (), {"R@5": 28, "R@10": 20}))
        lines += missed("BEAM's factual questions", chats, FACTUAL, {"R@5": 28})
        own = _read("our coding sessions", lambda: [corpora.coding(DATA / "sessions", root / "coding")], root)
        lines += missed("our coding sessions", own, (), {"hit@5": 10})
        lines += [*_currency(chats, root), *_abstaining(talks, chats, root), *_speed(talks or chats, root)]
    return lines


def missed(where: str, projects: Sequence[Project], kinds: Sequence[str], most: Mapping[str, float]) -> Iterator[Line]:
    """What is missed in percent, by figure (`R@5`, `R@10`, `hit@5`), each that `most` has a budget for."""
    ranked = [
        figures.of_ranking([one.id for one in project.ranked(question.text)], question.gold)
        for project, question in questions_of(projects, kinds)
    ]
    found = figures.mean(ranked)
    for name, budget in most.items() if found else ():
        yield Line(f"{where}: {MISSED[name]}", "%", budget, (100 - found[name],), detail=f"{len(ranked)} questions")


def _read(name: str, corpora_of: Callable[[], list[Corpus]], root: Path) -> list[Project]:
    try:
        found = corpora_of()
    except corpora.Lacking:
        found = []
    if not found:
        print(f"left out: {name} (not in {DATA})", file=sys.stderr)
    return [written(one, one.root or root / name / one.name) for one in found]


def _currency(chats: Sequence[Project], root: Path) -> Iterator[Line]:
    generated, superseded = updates.measured(root / "updates")
    for what, held, most in (
        ("BEAM: the old fact before what replaced it", updates.current(chats), 10),
        ("generated pairs: the old fact before what replaced it", generated, 10),
        ("generated pairs: the old fact not found by the new one", superseded, 15),
    ):
        if held:
            yield Line(what, "%", most, (100 - 100 * sum(held) / len(held),), detail=f"{len(held)} pairs")


def _abstaining(talks: Sequence[Project], chats: Sequence[Project], root: Path) -> Iterator[Line]:
    """Where nine of ten questions with an answer get a block; the second line is what plain BM25 leaves out, less what
    ours does, so that it lies under nothing by as much as ours is better."""
    if len(talks) < 2:
        return
    ours, plain = abstaining.curves(talks, chats, root / "abstaining")
    elsewhere, removed = 100 - ours.elsewhere[NINE_OF_TEN], ours.removed[NINE_OF_TEN]
    yield Line("a block for a question put to another conversation", "%", 35, (elsewhere,))
    told = f"{removed} % left out, plain BM25 {plain.removed[NINE_OF_TEN]} %"
    beyond = plain.removed[NINE_OF_TEN] - removed
    yield Line("a block though the answer was taken out, beyond plain BM25", "%", -15, (beyond,), detail=told)


def _speed(projects: Sequence[Project], root: Path) -> Iterator[Line]:
    """On the texts that `benchmarks.recall` takes; of twice the length (BEAM's among them) a rebuild is slower."""
    if not projects:
        return
    speed.large([project.corpus for project in projects], root / "large", RECORDS)
    rebuild, large = speed.rebuilt(root / "large")
    asked = [question.text for project in projects for question in project.corpus.questions][:200]
    small = speed.queries(projects[0], [one.text for one in projects[0].corpus.questions][:200], 5.0)
    for timed in (rebuild, speed.queries(large, asked, 1.5), small, speed.entries(root / "entries")):
        told = f"{timed.ours:,.2f}, SQLite alone {timed.floor:,.2f}"
        yield Line(f"recall: {timed.what}", "×", timed.most, (timed.ratio,), detail=told)


if __name__ == "__main__":
    sys.exit(main("retrieval", measure, RUNS))
