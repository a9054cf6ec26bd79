from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import retrieval
from benchmarks.recall import corpora
from benchmarks.recall.corpora import Corpus, Question, Said, written


def test_what_is_missed_is_told_in_per_cent_against_its_budget(tmp_path: Path) -> None:
    said = (
        Said("a", "001", "user", "", "2026-11-01T00:00:00Z", "the gateway listens on 8080"),
        Said("b", "001", "user", "", "2026-11-01T00:00:00Z", "lunch was good"),
    )
    questions = (Question("gateway port", frozenset({"a"}), "x"), Question("zebra", frozenset({"b"}), "x"))
    project = written(Corpus("small", said, questions), tmp_path / "p")
    lines = list(retrieval.missed("small", [project], (), {"R@5": 60, "hit@5": 40}))
    project.finder.close()
    assert [(line.what, line.value, line.passed) for line in lines] == [
        ("small: answers not in the first five", 50.0, True),
        ("small: questions without an answer in the first five", 50.0, False),
    ]
    assert list(retrieval.missed("none", [], (), {"R@5": 60})) == []


def test_data_that_is_not_there_is_left_out_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert retrieval._read("LoCoMo", lambda: corpora.locomo(tmp_path / "none.json"), tmp_path) == []
    assert retrieval._read("BEAM", lambda: corpora.beam(tmp_path / "none"), tmp_path) == []
    assert [line.split(" (")[0] for line in capsys.readouterr().err.splitlines()] == [
        "left out: LoCoMo",
        "left out: BEAM",
    ]
    assert list(retrieval._abstaining([], [], tmp_path)) == list(retrieval._speed([], tmp_path)) == []
