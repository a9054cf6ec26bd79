from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentmem.memory.read.recall.asking import asked
from agentmem.memory.read.recall.hunt import SAID
from agentmem.memory.read.recall.passages import AGENT, PERSON, Record, held
from agentmem.memory.read.recall.pool import Pool, Settings, worth
from agentmem.memory.read.recall.scoring import Scored, blended, scored
from agentmem.memory.stores.index import Totals, Turn


def between(query: str, *said: tuple[str, str], to: Settings = SAID) -> list[str]:
    """The ids of records 0, 1, … that were said far from each other by people with names."""
    return [one.turn.ref for one in _scores(query, [(10 * n, PERSON, *one) for n, one in enumerate(said)], to)]


def ranked(query: str, *said: tuple[int, str], to: Settings = SAID) -> list[str]:
    """The ids of records 0, 1, … that were said in a row."""
    return [one.turn.ref for one in scores(query, *said, to=to)]


def scores(query: str, *said: tuple[int, str], to: Settings = SAID) -> list[Scored]:
    return _scores(query, [(number, who, "", text) for number, (who, text) in enumerate(said)], to)


def _scores(query: str, said: Sequence[tuple[int, int, str, str]], to: Settings) -> list[Scored]:
    turns: dict[int, Turn] = {}
    pieces = []
    for place, (number, who, name, text) in enumerate(said):
        turn, cut = held(number, Record(str(place), "", who, text, 0, 0, name))
        turns[number] = turn
        pieces += cut
    wanted = asked(query)
    holders = {stem: sum(stem in piece.terms.split() for piece in pieces) for stem in wanted.terms}
    totals = Totals(len(pieces), sum(len(piece.terms.split()) for piece in pieces))
    shared = [piece for piece in pieces if set(wanted.terms) & set(piece.terms.split())]
    pool = Pool(shared, lambda ids: {own: turns[own] for own in ids if own in turns}, holders, totals)
    return scored(wanted, pool, to)


def test_what_is_said_by_whom_the_question_names_stands_first() -> None:
    said = (("Ann", "the garden of Ben"), ("Ben", "the garden is in bloom at last"))
    assert between("what did ben say about the garden?", *said) == ["1", "0"]
    assert between("what did ben say about the garden?", *said, to=replace(SAID, named=0.0)) == ["0", "1"]


def test_what_speaks_of_the_other_alone_stands_lower() -> None:
    said = (
        ("Ann", "your marathon is so great"),
        ("Ben", "I ran the marathon and it was quite hard for me on the hill"),
    )
    assert between("the marathon", *said) == ["1", "0"]
    assert between("the marathon", *said, to=replace(SAID, to_you=0.0)) == ["0", "1"]


def test_a_name_counts_where_one_is_asked_for() -> None:
    said = (("Ann", "the trip was fun"), ("Ben", "for the trip we went to Lisbon with all"))
    assert between("Where was the trip?", *said) == ["1", "0"]
    assert between("How was the trip?", *said) == ["0", "1"]
    assert between("Where was the trip?", *said, to=replace(SAID, naming=0.0)) == ["0", "1"]


def test_what_covers_more_of_the_question_stands_first() -> None:
    said = ((PERSON, "the port port port"), (PERSON, "the port of the gateway"), (PERSON, "lunch"))
    assert ranked("gateway port", *said)[0] == "1"


def test_an_answer_stands_beside_its_question() -> None:
    said = ((PERSON, "Where do we deploy the gateway?"), (PERSON, "To Frankfurt."), (PERSON, "Thanks."))
    assert ranked("gateway deployed", *said)[:2] == ["1", "0"]
    alone = replace(SAID, answers=0.0, before=0.0, before_last=0.0, after=0.0)
    assert "1" not in ranked("gateway deployed", *said, to=alone)


def test_a_question_stands_under_a_statement() -> None:
    assert (
        ranked("gateway port", (PERSON, "gateway port?"), (PERSON, "x y z"), (PERSON, "q"), (PERSON, "gateway port"))[0]
        == "3"
    )


def test_a_long_answer_counts_less_than_what_a_person_said() -> None:
    long = "gateway port " + "and so on and on with words\n" * 40
    assert (
        ranked("gateway port", (AGENT, long), (PERSON, "a"), (PERSON, "b"), (PERSON, "the gateway port, please"))[0]
        == "3"
    )


def test_nothing_in_common_is_no_hit() -> None:
    assert scores("zebra", (PERSON, "gateway")) == []
    assert scores("", (PERSON, "gateway")) == []


def test_how_well_a_hit_answers_is_from_0_to_1() -> None:
    (one, *_) = scores("gateway port", (PERSON, "gateway port"), (PERSON, "lunch"), (PERSON, "dinner"))
    assert 0.9 < one.alone <= 1.0 and one.covered() == 1.0 and one.matched == {"gateway", "port"}


def test_of_a_long_text_one_passage_must_hold_what_the_query_is_about() -> None:
    apart = "the gateway is up\n" + "and so on with words\n" * 60 + "the port is closed\n"
    (one,) = scores("gateway port", (PERSON, apart))
    assert one.matched == {"gateway", "port"} and 0.4 < one.covered() < 0.6


def test_a_name_counts_double_in_what_the_query_is_about() -> None:
    said = ((PERSON, "the port of it"), (PERSON, "Berlin"))
    found = scores("Which port in Berlin", *said)
    assert {one.turn.ref: round(one.covered(), 2) for one in found} == {"0": 0.33, "1": 0.67}
    assert {one.turn.ref: one.covered({"berlin"}) for one in found} == {"0": 1.0, "1": 0.0}
    assert found[0].covered({"berlin", "port"}) == 0.0


def test_it_is_told_whether_a_time_that_is_asked_for_is_named() -> None:
    said = ((PERSON, "deployed the gateway yesterday"), (PERSON, "deployed the gateway"))
    assert {one.turn.ref: one.timed for one in scores("When was the gateway deployed?", *said)} == {
        "0": True,
        "1": False,
    }
    assert all(one.timed for one in scores("Who deployed the gateway?", *said))


def test_a_rarer_word_is_worth_more() -> None:
    assert worth(100, 1) > worth(100, 50) > worth(100, 100) > 0


def test_another_scorer_is_mixed_in_by_weight() -> None:
    first = scores("gateway port", (PERSON, "gateway port"), (PERSON, "x"), (PERSON, "y"), (PERSON, "port"))
    assert [one.turn.ref for one in first][:1] == ["0"]
    other = {first[-1].turn.id: 9.0, first[0].turn.id: 1.0}
    assert blended(first, other, 0.0)[0].turn.ref == "0"
    assert blended(first, other, 0.9)[0].turn.ref == first[-1].turn.ref
