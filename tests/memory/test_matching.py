from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.memory.read.recall.asking import asked
from agentmem.memory.read.recall.hunt import SAID
from agentmem.memory.read.recall.matching import Match, matches
from agentmem.memory.read.recall.passages import AGENT, PERSON, Record, held
from agentmem.memory.read.recall.pool import Pool, Settings
from agentmem.memory.stores.index import Totals

LONG = "and so on and on with words\n" * 40


def matched(query: str, *said: tuple[int, str], to: Settings = SAID) -> dict[int, Match]:
    """How records 0, 1, … that were said in a row answer."""
    pieces = [piece for number, (who, text) in enumerate(said) for piece in
              held(number, Record(str(number), "", who, text, 0, 0))[1]]  # fmt: skip
    wanted = asked(query)
    stems = (*wanted.terms, *wanted.stand_ins)
    holders = {stem: sum(stem in piece.terms.split() for piece in pieces) for stem in stems}
    totals = Totals(len(pieces), sum(len(piece.terms.split()) for piece in pieces))
    return matches(wanted, Pool(pieces, lambda ids: {}, holders, totals), to).best


def test_a_related_word_stands_in_for_one_that_is_missing() -> None:
    found = matched("cat photo", (PERSON, "a photo of a cat"), (PERSON, "a"), (PERSON, "a picture of a kitten"))
    assert found[0].covers == {"cat": 1.0, "photo": 1.0}
    assert found[2].covers == {"cat": 0.5, "photo": 0.5} and found[2].held == []
    assert found[0].alone > 2 * found[2].alone > 0
    assert 2 not in matched("cat", (PERSON, "cat"), (PERSON, "a"), (PERSON, "kitten"), to=replace(SAID, related=0.0))


def test_a_common_word_that_stands_for_a_rare_one_tells_no_more_than_itself() -> None:
    common = [(PERSON, f"kitten {number}") for number in range(60)]
    found = matched("cat", (PERSON, "cat"), *common)
    assert 0 < found[1].covers["cat"] < 0.01


def test_where_only_a_related_word_is_there_it_is_found() -> None:
    assert round(matched("cat", (PERSON, "my kitten sleeps"))[0].covers["cat"], 2) == 0.38


def test_short_records_are_read_together() -> None:
    said = ((PERSON, "the harbour concert"), (PERSON, "the tickets sold out"), (PERSON, "x"), (PERSON, "x"))
    far = ((PERSON, "x"), (PERSON, "x"), (PERSON, "tickets for something else"))
    found = matched("tickets harbour concert", *said, *far)
    assert found[1].score > 1.5 * found[1].alone and found[6].score == found[6].alone
    assert found[1].score < found[1].bare
    apart = matched("tickets harbour concert", *said, *far, to=replace(SAID, context=0.0))
    assert apart[1].score == apart[1].alone == found[1].alone


def test_long_records_neither_give_nor_take() -> None:
    said = ((PERSON, "the harbour concert"), (AGENT, f"tickets {LONG}"), (PERSON, "tickets"))
    found = matched("tickets harbour concert", *said)
    assert found[1].long and found[1].score == found[1].alone
    alone = matched("tickets harbour concert", (AGENT, f"harbour concert {LONG}"), (PERSON, "tickets"))
    assert alone[1].score == alone[1].alone


@pytest.mark.parametrize(("query", "counts"), [("What did you recommend for it?", 1.0), ("Is it recommended?", 0.35)])
def test_what_the_agent_said_counts_in_full_where_it_is_asked_for(query: str, counts: float) -> None:
    text = f"I recommend this\n{LONG}"
    (found,) = matched(query, (AGENT, text)).values()
    (person,) = matched(query, (PERSON, text)).values()
    assert round(found.alone / person.alone, 6) == counts


@given(st.lists(st.text(alphabet="abc ", max_size=12), max_size=8))
def test_what_stands_around_never_takes_away(texts: list[str]) -> None:
    for one in matched("aa bb cc", *((PERSON, text) for text in texts)).values():
        assert 0 < one.alone <= one.score <= one.bare + 1e-9
