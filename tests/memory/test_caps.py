from __future__ import annotations

from agentmem.domain.claim import Claim
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.places import Places
from agentmem.memory.write import caps, gate

TYPED = gate.Source(typed=True)
CAPS = {"Facts": 2000}


def test_what_a_section_holds_and_may_hold() -> None:
    assert caps.cap("facts", CAPS) == 2000
    assert caps.cap("Decisions", CAPS) is None
    assert caps.used(["abc", "de"]) == 11
    assert caps.full("Facts", ["x" * 1947], "y" * 47, CAPS) is None
    assert caps.full("Facts", ["x" * 1947], "y" * 48, CAPS) == (
        "not stored: Facts is capped at 2,000 characters, 1,950 of 2,000 are used and this takes 51; merge or remove "
        "lines there, say it shorter, or raise memory.blocks.Facts in config.yaml"
    )


def test_a_full_block_takes_nothing_and_says_what_to_do(places: Places, clock: Clock) -> None:
    """Used 1,950 of 2,000; the model writes 120 characters more."""
    desk = Desk(places, clock, CAPS)
    before = "## Facts\n- " + "a" * 969 + "\n- " + "b" * 975 + "\n"
    places.memory_file.write_text(before)
    claim = Claim("the cache lives in " + "c" * 101, "fact")
    verdict = gate.propose(claim, TYPED, desk)
    assert verdict.outcome == "refused"
    assert "1,950 of 2,000 are used and this takes 123" in verdict.reason
    assert places.memory_file.read_text() == before
    assert not places.ledger.exists()
    short = gate.propose(Claim("the cache lives in tmp", "fact"), TYPED, desk)
    assert short.outcome == "added"
    assert gate.propose(Claim("we decided on redis " + "d" * 500), TYPED, desk).outcome == "added"


def test_a_new_value_may_take_the_room_of_the_old_one(places: Places, clock: Clock) -> None:
    desk = Desk(places, clock, {"Facts": 30})
    places.memory_file.write_text("## Facts\n- the database port is 8080\n")
    assert gate.propose(Claim("the database port is 9090", "fact"), TYPED, desk).outcome == "updated"
    assert gate.propose(Claim("the host is h1", "fact"), TYPED, desk).outcome == "refused"
