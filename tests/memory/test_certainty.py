from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory.remembered import log, message

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory.read.recall.certainty import SURE, sure, sureness
from agentmem.memory.read.recall.finder import Finder, Wanted
from agentmem.memory.read.recall.hit import Fit, Hit
from agentmem.memory.read.recall.reminding import Turned, remind


def hit(own: str = "m1", session: str | None = "s1", **fit: object) -> Hit:
    fields: dict[str, object] = {"relevance": 0.5, "covered": 1.0}
    return Hit("session", own, "x", "2026-11-01", "person", "s1.jsonl", 0.5, Fit(**(fields | fit)), {}, session)  # type: ignore[arg-type]


def rounded(*hits: Hit) -> float:
    return round(sureness(hits), 4)


def test_without_hits_nothing_is_sure() -> None:
    assert (sureness([]), sure([])) == (0.0, [])


def test_it_is_the_share_that_one_hit_holds() -> None:
    assert rounded(hit()) == 0.65
    assert rounded(hit(covered=0.4)) == 0.26
    assert rounded(hit(covered=0.4), hit(covered=1.0)) == 0.65


def test_only_the_first_five_are_asked() -> None:
    assert rounded(*[hit(covered=0.1)] * 5, hit(covered=1.0)) == 0.065


def test_hits_that_are_strewn_over_sessions_are_less_sure() -> None:
    assert rounded(hit(), hit()) == 0.65
    assert rounded(hit(), hit(session="s2")) == 0.4926
    assert rounded(*(hit(session=f"s{number}") for number in range(10))) == 0.2588


def test_what_is_kept_stands_for_itself() -> None:
    fact = hit(session=None)
    assert rounded(fact) == rounded(fact, fact) == rounded(fact, *[hit(covered=0.1)] * 9) == 0.3414
    assert rounded(hit(), fact, fact, fact) == 0.65


def test_who_is_asked_about_says_it() -> None:
    hers, his = hit(named=True), hit(named=False)
    assert rounded(hers, hers) == 1.0
    assert rounded(hers, his) == 0.5
    assert rounded(hit(named=True, covered=0.2), his) == 0.25  # his counts a half, and hers are a half of all
    assert rounded(his, his) == 0.65  # whom the question names does not speak here


def test_those_without_a_name_do_not_count_among_those_who_speak() -> None:
    assert rounded(hit(named=True), hit(), hit()) == 1.0


def test_what_names_no_time_is_less_sure_where_one_is_asked_for() -> None:
    assert rounded(hit(timed=False)) == 0.39


def test_a_page_that_mentions_much_is_less_sure_than_a_word_of_a_person() -> None:
    assert rounded(hit(wordy=True)) == 0.39


def test_others_come_with_the_surest_where_they_answer_nearly_as_well() -> None:
    best, near, far = hit("a"), hit("b", covered=0.6), hit("c", covered=0.59)
    assert [one.id for one in sure([far, best, near])] == ["a", "b"]
    assert [one.id for one in sure([hit("a", named=True), hit("b", named=False)])] == ["a"]
    assert sure([hit(covered=0.23)]) == [] and len(sure([hit(covered=0.24)])) == 1


fits = st.builds(
    Fit, st.floats(0, 1), st.floats(0, 1), st.sampled_from([None, True, False]), st.booleans(), st.booleans()
)
several = st.lists(
    st.builds(lambda fit, session: replace(hit(session=session), fit=fit), fits, st.sampled_from(["a", "b", None]))
)


@given(several)
def test_it_lies_between_0_and_1_and_decides_whether_any_comes(hits: list[Hit]) -> None:
    assert 0.0 <= sureness(hits) <= 1.0
    chosen = sure(hits)
    assert bool(chosen) == (sureness(hits) >= SURE)
    assert chosen == [one for one in hits if any(one is other for other in chosen)]


@given(several, st.integers(0, 4), st.floats(0, 1))
def test_a_hit_that_covers_more_never_makes_it_less_sure(hits: list[Hit], at: int, covered: float) -> None:
    if at < len(hits) and hits[at].fit.covered <= covered:
        more = [*hits[:at], replace(hits[at], fit=replace(hits[at].fit, covered=covered)), *hits[at + 1 :]]
        assert sureness(more) >= sureness(hits)


TALK = (
    ("c1", "Caroline", "I finally finished my sunflower painting for the exhibition"),
    ("m1", "Melanie", "Wow, Caroline, that painting sounds amazing! I am proud of you"),
    ("m2", "Melanie", "The kids and I went camping at the lake, and I bought a red canoe"),
    ("c2", "Caroline", "That canoe looks amazing, Melanie!"),
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("What did Caroline finish for the exhibition?", "c1"), ("What did Melanie buy for camping at the lake?", "m2")],
)
def test_where_the_answer_is_gone_the_talk_about_it_does_not_come(
    places: Places, clock: Clock, question: str, answer: str
) -> None:
    for session, without in (("whole", ""), ("gone", answer)):
        root = Places(places.root / session, places.root / session, places.home, places.root / session / ".agent")
        log(root, session, *(message(own, text, name=name) for own, name, text in TALK if own != without))
        finder = Finder(root, clock)
        entries = remind(finder, Turned(question, 100_000)).about.get("entries", [])
        finder.close()
        assert [entry["entry"] for entry in entries][:1] == ([answer] if session == "whole" else [])


def test_a_hit_tells_whether_the_question_names_who_says_it(places: Places, clock: Clock) -> None:
    log(places, "s1", *(message(own, text, name=name) for own, name, text in TALK), message("p1", "a painting"))
    finder = Finder(places, clock)
    page = finder.find(Wanted("When did Caroline paint?", "sessions"))
    finder.close()
    named = {"c1": True, "m1": False, "m2": False, "c2": True, "p1": None}
    assert {one.id: one.fit.named for one in page.hits} == named
    covered = {one.id: round(one.fit.covered, 2) for one in page.hits}
    assert covered == {"c1": 1.0, "m1": 1.0, "m2": 0.0, "c2": 0.0, "p1": 0.33}
    assert not any(one.fit.timed for one in page.hits)


def test_a_hit_tells_whether_it_is_a_page_or_what_a_tool_gave(places: Places, clock: Clock) -> None:
    page = "the gateway listens\n" * 40
    log(
        places,
        "s1",
        message("a", "the gateway listens", role="assistant"),
        message("b", f"{page} on 8080", role="assistant"),
        message("c", f"{page} on 9090", role="user"),
        message("d", "gateway: listens on 7070", role="tool"),
    )
    finder = Finder(places, clock)
    page_of = finder.find(Wanted("gateway listens", "sessions"))
    finder.close()
    assert {one.id: one.fit.wordy for one in page_of.hits} == {"a": False, "b": True, "c": False, "d": True}
