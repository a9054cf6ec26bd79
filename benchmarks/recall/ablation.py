"""Ablation: what each ingredient of the ranking adds: the figures without it, everything else as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from agentmem.memory.read.recall import asking, hunt
from agentmem.memory.read.recall.asking import Asked
from agentmem.memory.read.recall.pool import Settings
from agentmem.memory.stores.index import NAME, Index
from benchmarks.recall import figures
from benchmarks.recall.corpora import Project, questions_of

WITHOUT: dict[str, Settings] = {
    "nothing left out": hunt.SAID,
    "coverage": replace(hunt.SAID, coverage=False),
    "related words": replace(hunt.SAID, related=0.0),
    "the talk around a short record": replace(hunt.SAID, context=0.0),
    "records before": replace(hunt.SAID, before=0.0, before_last=0.0),
    "answers to questions": replace(hunt.SAID, answers=0.0),
    "record after": replace(hunt.SAID, after=0.0),
    "session's score": replace(hunt.SAID, session=0.0),
    "nearness of words": replace(hunt.SAID, near=0.0),
    "questions under statements": replace(hunt.SAID, asks=0.0),
    "when-questions": replace(hunt.SAID, when=1.0),
    "names where one is asked for": replace(hunt.SAID, naming=0.0),
    "said by whom the question names": replace(hunt.SAID, named=0.0),
    "talk of the other alone": replace(hunt.SAID, to_you=0.0),
    "what the agent said, where asked": replace(hunt.SAID, told=False),
    "who says it": replace(hunt.SAID, agent_long=1.0, agent_short=1.0, tool=1.0, call=1.0),
    "the beginning of long texts": replace(hunt.SAID, lead=1.0),
    "low b": replace(hunt.SAID, b=0.75),
}


def rows(
    sets: Sequence[tuple[str, Sequence[Project], Sequence[str]]],
) -> Iterator[tuple[str, dict[str, tuple[float, float]]]]:
    """Of each ingredient R@5 and R@10 of each set without it; `sets` are names, projects and kinds of questions."""
    for name, settings in WITHOUT.items():
        yield name, {which: _measured(some, kinds, settings, asking.asked) for which, some, kinds in sets}
    yield "the query's frame", {which: _measured(some, kinds, hunt.SAID, _unframed) for which, some, kinds in sets}


def _unframed(text: str) -> Asked:
    found = asking.asked(text)
    return replace(found, weights=dict.fromkeys(found.weights, 1.0))


def _measured(
    projects: Sequence[Project], kinds: Sequence[str], settings: Settings, read: Callable[[str], Asked]
) -> tuple[float, float]:
    every = []
    with ExitStack() as open_ones:
        indexes: dict[int, Index] = {}
        for project, question in questions_of(projects, kinds):
            if id(project) not in indexes:
                indexes[id(project)] = Index(project.places.shared / NAME)
                open_ones.callback(indexes[id(project)].close)
            hits = hunt.hunt(indexes[id(project)], read(question.text), "said", None, settings)
            ranked = list(dict.fromkeys(hit.turn.ref for hit in hits))[:10]
            every.append(figures.of_ranking(ranked, question.gold))
    found = figures.mean(every)
    return found["R@5"], found["R@10"]
