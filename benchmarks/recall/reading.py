"""Reading: the two forms in which a model reads memories: how many of the answers have room in 2 % of a window."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from agentmem.memory.read.recall.quoting import BYTES_A_TOKEN, Form, block
from agentmem.memory.read.recall.reminding import SHARE
from benchmarks.recall.corpora import Project, questions_of

WINDOWS = (8_000, 32_000, 128_000)
FORMS: tuple[Form, ...] = ("structured", "plain")


def compared(projects: Sequence[Project], kinds: Sequence[str]) -> list[dict[str, float | int | str]]:
    """Of each form and window (tokens): per cent of the answers that the block of the best ten holds, and its bytes."""
    asked = [(question.gold, project.ranked(question.text)) for project, question in questions_of(projects, kinds)]
    found: list[dict[str, float | int | str]] = []
    for form in FORMS:
        for window in WINDOWS:
            most = int(window * SHARE * BYTES_A_TOKEN)
            blocks = [(gold, *block(hits, form, most)) for gold, hits in asked]
            held = fmean(len(gold & {hit.id for hit in shown}) / len(gold) for gold, _, shown in blocks)
            size = fmean(len(text.encode()) for _, text, _ in blocks)
            found.append({"form": form, "window": window, "answers": round(100 * held, 1), "bytes": round(size)})
    return found
