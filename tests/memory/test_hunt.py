from __future__ import annotations

from pathlib import Path

from agentmem.memory.read.recall.asking import asked
from agentmem.memory.read.recall.hunt import FEW, SAID, STAND_INS, _letting_in, among, hunt, tail
from agentmem.memory.read.recall.passages import PERSON, Record
from agentmem.memory.stores.index import NAME, Index, Totals

SMALL, LARGE = Totals(FEW, 9 * FEW), Totals(100_000, 900_000)


def test_of_related_words_the_rarest_few_let_pieces_in() -> None:
    query = asked("which film did mother pick")
    holders = {"film": 9, "mother": 5, "movi": 7, "cinema": 1, "mom": 3, "mum": 2, "choos": 800, "decid": 900}
    assert _letting_in(query, holders, SMALL) == ["film", "mother", "cinema", "mum", "mom", "movi"]
    assert STAND_INS == 4


def test_in_a_large_room_common_words_let_nothing_in() -> None:
    query = asked("film tickets port gateway")
    holders = {"film": 60_000, "ticket": 10, "port": 20, "gateway": 30, "movi": 50_000, "cinema": 40}
    assert _letting_in(query, holders, LARGE) == ["ticket", "port", "gateway", "cinema"]
    common = {"film": 60_000, "ticket": 10, "port": 70_000, "gateway": 50_000}
    assert _letting_in(query, common, LARGE) == ["ticket", "gateway", "film"]
    assert _letting_in(query, {}, LARGE) == []


def test_what_only_a_related_word_tells_is_found_in_an_index_behind_it_and_among_facts(tmp_path: Path) -> None:
    record = Record("r1", "", PERSON, "the movie was long", 0, 0)
    index = Index(tmp_path / NAME)
    try:
        found = hunt(index, asked("film"), "said", tail({"x": [record]}))
        assert [one.turn.ref for one in found] == ["r1"] and found[0].matched == frozenset()
        assert hunt(index, asked("zebra"), "said", tail({"x": [record]})) == hunt(index, asked("film"), "said") == []
    finally:
        index.close()
    assert [one.turn.ref for one in among(asked("film"), [record])] == ["r1"]
    assert SAID.related == 0.5
