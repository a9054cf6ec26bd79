from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.recall import corpora, figures, updates
from benchmarks.recall.__main__ import main
from benchmarks.recall.corpora import Corpus, Question, Said, questions_of, written


def test_the_figures_of_a_ranking() -> None:
    found = figures.of_ranking(["a", "x", "b", "y"], {"a", "b", "c", "d"})
    assert found == {
        "R@1": 0.25, "R@5": 0.5, "R@10": 0.5, "hit@5": 1.0, "hit@10": 1.0, "MRR": 1.0, "nDCG@10": found["nDCG@10"],
    }  # fmt: skip
    assert round(found["nDCG@10"], 3) == round((1 + 0.5) / (1 + 0.6309 + 0.5 + 0.4307), 3)
    assert set(figures.of_ranking(["x"], {"a"}).values()) == {0.0}


def test_an_interval_holds_the_mean_and_is_the_same_again() -> None:
    values = [1.0] * 70 + [0.0] * 30
    low, high = figures.interval(values)
    assert low < 70.0 < high and high - low < 20.0 and figures.interval(values) == (low, high)
    assert figures.interval([]) == (0.0, 0.0)


def test_days_as_the_data_writes_them() -> None:
    assert corpora._day("8 May, 2023") == "2023-05-08T00:00:00Z"
    assert corpora._day("March 15 2024") == "2024-03-15T00:00:00Z"
    assert corpora._day("soon") == ""


def test_a_corpus_is_searched_as_the_product_searches_it(tmp_path: Path) -> None:
    said = (
        Said("a", "001", "user", "Ann", "2026-11-01T00:00:00Z", "the gateway listens on 8080"),
        Said("b", "001", "assistant", "", "2026-11-01T00:00:00Z", "I see"),
    )
    corpus = Corpus(
        "small", said, (Question("gateway port", frozenset({"a"}), "x"), Question("none", frozenset(), "x"))
    )
    project = written(corpus, tmp_path / "p")
    assert next((hit.id, hit.who) for hit in project.ranked("gateway")) == ("a", "Ann")
    assert [question.text for _, question in questions_of([project])] == ["gateway port"]
    without = written(corpus, tmp_path / "q", {"a"})
    assert without.ranked("gateway") == []
    for one in (project, without):
        one.finder.close()


def test_the_pairs_are_many_and_each_changes_its_fact() -> None:
    every = updates.pairs()
    assert len(every) == 240 and every == updates.pairs()
    assert all(pair.old != pair.new for pair in every)
    assert len(updates.generated().questions) == 240


TALK = {"session_1_date_time": "1 pm on 8 May, 2023", "session_1": [{"dia_id": "D1:1", "speaker": "A", "text": "t"}]}
UNANSWERED = [{"conversation": TALK, "qa": [], "sample_id": "one"}]


@pytest.mark.parametrize(
    ("option", "name", "text", "told"),
    [
        ("--locomo", "gone.json", None, "No such file or directory"),
        ("--locomo", ".", None, "Is a directory"),
        ("--locomo", "a.json", "[]", "holds no question that has an answer"),
        ("--locomo", "a.json", json.dumps(UNANSWERED), "holds no question that has an answer"),
        ("--locomo", "a.json", "no json", "is not LoCoMo's JSON"),
        ("--locomo", "a.json", '[{"a": 1}]', "is not LoCoMo's JSON"),
        ("--locomo", "a.json", '{"a": "b"}', "is not LoCoMo's JSON"),
        ("--locomo", "a.json", "7", "is not LoCoMo's JSON"),
        ("--beam", "gone", None, "holds no question that has an answer"),
        ("--beam", ".", None, "holds no question that has an answer"),
        ("--beam", "chat.json", "[]", "No such file or directory"),
        ("--sessions", ".", None, "No such file or directory"),
        ("--sessions", "gone", None, "No such file or directory"),
    ],
)
def test_what_the_data_lacks_is_told(
    option: str,
    name: str,
    text: str | None,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    if text is not None:
        (folder / name).write_text(text)
    place = folder if option == "--beam" and text is not None else folder / name
    with pytest.raises(SystemExit) as ended:
        main([option, str(place), "--quick"])
    said = capsys.readouterr()
    assert ended.value.code == 2 and said.out == ""
    assert str(folder) in said.err and told in said.err and "Traceback" not in said.err
