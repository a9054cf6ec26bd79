from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.memory.read.recall import altered
from agentmem.memory.read.recall.altered import read, states
from agentmem.memory.read.recall.passages import (
    AGENT,
    DATED,
    LONG,
    NAMING,
    PERSON,
    SPEAKER,
    TO_YOU,
    Record,
    asking,
    day_terms,
    held,
    passages,
    speaker,
)


def test_a_record_is_held_by_its_stems_with_day_and_speaker() -> None:
    record = Record("a1", "2026-11-30T09:00:00Z", PERSON, "I adopted a dog last week", 7, 90, "Melanie")
    turn, (piece,) = held(5, record)
    assert piece.terms == "30 novemb 2026 melani adopt dog last week"
    assert (turn.id, turn.ref, turn.place, turn.size, turn.terms, turn.flags) == (5, "a1", 7, 90, 8, DATED | SPEAKER)


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("Wow, you did so well!", TO_YOU),
        ("YOUR garden is lovely", TO_YOU),
        ("You know that I did well", 0),
        ("we saw your garden", 0),
        ("the youth of it", 0),
        ("the trip to Lisbon was long", NAMING),
        ("so you went to Émile", TO_YOU | NAMING),
        ("Hey Caroline, good to see it", 0),
        ("And then I said so. The rest is known", 0),
        ("", 0),
    ],
)
def test_talk_between_people_with_names(text: str, flags: int) -> None:
    assert held(1, Record("a", "", PERSON, text, 0, 0, "Ann Lee"))[0].flags == flags + 2 * SPEAKER
    assert held(1, Record("a", "", PERSON, text, 0, 0))[0].flags == 0


@pytest.mark.parametrize("at", ["2026-11-30T09:00:00Z", "", "no day"])
@pytest.mark.parametrize(("name", "stems"), [("Ann Lee", ["ann", "lee"]), ("Melanie", ["melani"]), ("", [])])
def test_who_says_it_is_read_off_a_piece(at: str, name: str, stems: list[str]) -> None:
    turn, (piece,) = held(1, Record("a", at, PERSON, "melanie went", 0, 0, name))
    assert speaker(turn, piece.terms) == stems


def test_a_long_text_is_cut_at_line_ends_and_marked() -> None:
    text = "\n".join(f"line {number} " + "word " * 30 for number in range(12))
    turn, pieces = held(1, Record("a", "", AGENT, text, 0, 0))
    assert turn.flags & LONG and len(pieces) == 4 and all(piece.long and piece.column == "other" for piece in pieces)
    assert passages("short") == ["short"]


@given(st.text(max_size=3_000))
def test_passages_lose_nothing_but_blanks(text: str) -> None:
    assert "".join("".join(passages(text)).split()) == "".join(text.split())


def test_a_statement_that_ends_in_a_question_mark_asks_less() -> None:
    assert asking("What did you buy?") == 1.0
    assert asking("It is done.") == 0.0
    assert (
        asking("I moved the server to the new rack and I wonder whether the old cables will still do, what now?") < 0.5
    )


def test_a_day_is_said_as_people_say_it() -> None:
    assert day_terms("2026-03-05T10:00:00Z") == ["5", "march", "2026"]
    assert day_terms("") == day_terms("no day at all") == day_terms("2026-99-01") == []


def test_the_changes_that_a_text_states() -> None:
    (one,) = read(states("Hello. The deadline has been moved to April 5. Thanks"))
    assert one == (frozenset({"time", "count"}), frozenset({"deadlin", "move", "april", "5"}))
    assert states("The deadline is April 5.") == ""
    assert read(states("We switched the cache to Redis")) == [(frozenset(), frozenset({"switch", "cach", "redi"}))]
    assert read("") == []


TALK = st.sampled_from(
    [
        *("now", "moved", "the deadline", "to", "from", "April 5", "2024", "switched", "instead of", "up to", "$30"),
        *(".", "?", "\n", "a", "no longer", "know", "ſwitched", "KNOW", "since then", "3", "changing", "as of"),
    ]
)


@given(st.lists(TALK, max_size=14).map(" ".join))
def test_what_is_passed_over_unseen_states_nothing(text: str) -> None:
    """The form that all of it once was, looked for in every sentence."""
    whole = re.compile(
        "|".join(form.pattern for form in (altered._TO_FIGURE, altered._SHIFTED, altered._ENDED_WORD)), re.I
    )
    assert len(read(states(text))) == sum(whole.search(one) is not None for one in altered._SENTENCE.findall(text))


def test_a_record_s_flags_and_counts() -> None:
    turn, pieces = held(3, Record("a", "2026-03-05", PERSON, "as of now the port is 9090, since 2019", 1, 2, "Ann"))
    assert [piece.terms for piece in pieces] == ["5 march 2026 ann port 9090 sinc 2019"]
    assert (turn.terms, turn.flags, turn.states) == (8, DATED | SPEAKER, "count|port 9090 sinc 2019")
    nothing, none = held(4, Record("b", "2026-03-05", PERSON, "as it was", 1, 2))
    assert none == [] and (nothing.terms, nothing.flags, nothing.states) == (0, 0, "")
