from __future__ import annotations

from dataclasses import replace

from agentmem.domain.claim import Claim
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.places import Places
from agentmem.memory.read.beliefs import beliefs
from agentmem.memory.stores.bullets import derived
from agentmem.memory.write import gate

TYPED = gate.Source(typed=True)
DAY = 86_400.0


def told(places: Places, day: str | None = None, *, trusted: bool = True) -> list[tuple[str, str, str, int | None]]:
    found = beliefs(places, day, trusted=trusted)
    return [(one.belief.text, one.word, one.scope, one.line) for one in found]


def test_what_is_believed_now_and_was_on_a_day(places: Places, clock: Clock) -> None:
    desk = Desk(places, clock)
    later = Desk(places, replace(clock, now=lambda: clock.now() + 3 * DAY))
    gate.propose(Claim("the port is 8080", "fact"), TYPED, desk)
    gate.propose(Claim("I like tabs"), TYPED, desk)
    gate.propose(Claim("the port is 9090", "fact"), TYPED, later)
    assert told(places) == [("I like tabs", "person", "user", 2), ("the port is 9090", "person", "project", 2)]
    assert told(places, "2026-11-29") == []
    assert told(places, "2026-12-02") == [
        ("I like tabs", "person", "user", 2),
        ("the port is 8080", "person", "project", None),
    ]
    assert [text for text, *_ in told(places, "2026-12-03")] == ["I like tabs", "the port is 9090"]


def test_a_line_by_hand_is_a_belief_under_its_heading(places: Places) -> None:
    places.memory_file.write_text("## Decisions\n- use tabs\n")
    (one,) = beliefs(places)
    assert (one.belief.fact, one.belief.category, one.word, one.section) == (
        derived("use tabs"),
        "decision",
        "person",
        "Decisions",
    )
    assert told(places, trusted=False) == [("use tabs", "project", "project", 2)]


def test_what_this_machine_did_not_let_in_is_the_projects_word(places: Places, clock: Clock) -> None:
    gate.propose(Claim("the port is 8080", "fact"), TYPED, Desk(places, clock))
    with places.memory_file.open("a") as file:
        file.write("- came by a merge ^m404404404404\n")
    expected = [("the port is 8080", "person"), ("came by a merge", "project")]
    for trusted in (True, False):
        assert [(text, word) for text, word, *_ in told(places, trusted=trusted)] == expected


def test_a_line_on_a_tools_word_waits_and_a_closed_one_is_none(places: Places, clock: Clock) -> None:
    places.ledger.parent.mkdir()
    places.ledger.write_text(
        '{"id":"l1","op":"ADD","fact":"m1","text":"a","principal":"tool","at":"2026-11-30T09:00:00Z"}\n'
        '{"id":"l2","op":"ADD","fact":"m2","text":"b","principal":"user","at":"2026-11-30T09:00:00Z"}\n'
        '{"id":"l3","op":"EXPIRE","fact":"m2","at":"2026-11-30T10:00:00Z"}\n'
    )
    places.memory_file.write_text("- a ^m1\n- b ^m2\n")
    assert told(places) == [("a", "waiting", "project", 1)]
