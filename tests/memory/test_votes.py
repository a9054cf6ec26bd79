from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.belief import fold
from agentmem.domain.claim import Claim
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.entry import Entry
from agentmem.domain.places import Places
from agentmem.memory.stores import ledger, votes
from agentmem.memory.stores.bullets import derived
from agentmem.memory.stores.votes import Ballot, Support
from agentmem.memory.write import gate

AT = "2026-11-30T12:02:11Z"


def test_a_voter_counts_once_with_the_last_vote(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    assert votes.read(path) == {}
    assert votes.cast(path, "m1", "confirmed", "s1", AT) == Support(3, AT)
    assert votes.cast(path, "m1", "confirmed", "s1", AT) == Support(3, AT)
    assert votes.cast(path, "m1", "contradicted", "s1", AT) == Support(1)
    assert votes.cast(path, "m1", "contradicted", "s2", AT) == Support(0)
    with path.open("a") as file:
        file.write('{"fact":"m1"}\n{"fact":"m1","by":"s","vote":"odd"}\n{"torn')
    assert votes.read(path) == {"m1": Support(0)}
    assert votes.cast(path, "m1", "confirmed", "s3", AT) == Support(1, AT)  # a torn line takes no other with it


CAST = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["confirmed", "contradicted"])), max_size=30)


@given(CAST)
def test_support_stays_within_bounds(tmp_path_factory: pytest.TempPathFactory, cast: list[tuple[str, Ballot]]) -> None:
    path = tmp_path_factory.mktemp("v") / "votes.jsonl"
    for voter, ballot in cast:
        assert 0 <= votes.cast(path, "m1", ballot, voter, AT).count <= votes.MOST


def test_at_zero_a_belief_expires_and_the_ledger_learns_only_that(places: Places, clock: Clock) -> None:
    desk = Desk(places, clock)
    fact = gate.propose(Claim("the port is 8080"), gate.Source(typed=True), desk).id or ""
    before = places.ledger.read_bytes()
    first = gate.vote(fact, "contradicted", desk, "s1")
    assert (first.outcome, first.reason) == ("known", "contradicted: support 1")
    assert places.ledger.read_bytes() == before
    last = gate.vote(fact, "contradicted", desk, "s2")
    assert (last.outcome, last.reason, last.diff) == (
        "expired",
        "contradicted: no support is left",
        f"-- the port is 8080 ^{fact}",
    )
    assert places.memory_file.read_text() == "## Facts\n"
    assert fold(ledger.records(places.ledger))[fact].closed_by == "contradicted: no support is left"
    assert gate.vote(fact, "confirmed", desk, "s1").outcome == "refused"


def test_what_a_vote_says_again_and_what_was_torn_changes_no_other(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    votes.cast(path, "m1", "confirmed", "s1", AT)
    held = path.read_bytes()
    assert votes.cast(path, "m1", "confirmed", "s1", "2026-12-24T12:00:00Z") == Support(3, AT)
    assert path.read_bytes() == held
    path.write_bytes(held + b'{"torn')
    assert votes.cast(path, "m1", "confirmed", "s2", AT) == Support(4, AT)
    assert votes.read(path) == {"m1": Support(4, AT)}


def test_a_line_that_is_written_again_after_its_end_begins_anew(places: Places, clock: Clock) -> None:
    desk = Desk(places, clock)
    places.memory_file.write_text("- the port is 8080\n")
    fact = derived("the port is 8080")
    assert [gate.vote(fact, "contradicted", desk, voter).outcome for voter in ("s1", "s2")] == ["known", "expired"]
    places.memory_file.write_text("- the port is 8080\n")
    assert gate.vote(fact, "contradicted", desk, "s3").reason == "contradicted: support 1"


def spoken(clock: Clock, session: str, text: str) -> gate.Source:
    content = [{"type": "text", "text": f"Please remember: {text}.", "origin": "person"}]
    entry = Entry("message", "c1", None, clock.stamp(), {"role": "user", "content": content})
    return gate.Source(typed=False, session=session, branch=(entry,))


def test_what_the_person_says_again_elsewhere_confirms_it_once(places: Places, clock: Clock) -> None:
    desk, claim = Desk(places, clock), Claim("the port is 8080", "fact")
    fact = gate.propose(claim, spoken(clock, "s1", claim.text), desk).id or ""
    path = desk.votes("project")
    outcomes = [gate.propose(claim, spoken(clock, session, claim.text), desk).outcome for session in ("s1", "s2", "s2")]
    assert outcomes == ["known"] * 3
    assert votes.read(path) == {fact: Support(3, AT)}
    gate.propose(claim, gate.Source(typed=True), desk)
    assert votes.read(path)[fact].count == 4
    gate.propose(claim, gate.Source(typed=False, by="agent"), desk)  # nobody's word but the person's confirms
    assert votes.read(path)[fact].count == 4


def test_running_a_command_twice_changes_nothing(places: Places, clock: Clock) -> None:
    desk, claim = Desk(places, clock), Claim("the port is 8080", "fact")
    gate.propose(claim, gate.Source(typed=True), desk)
    held = {path: path.read_bytes() for path in places.root.rglob("*") if path.is_file()}
    assert gate.propose(claim, gate.Source(typed=True), desk).outcome == "known"
    assert {path: path.read_bytes() for path in places.root.rglob("*") if path.is_file()} == held


def test_a_belief_of_the_persons_level_is_voted_on_there(places: Places, clock: Clock) -> None:
    desk = Desk(places, clock)
    fact = gate.propose(Claim("I like tabs"), gate.Source(typed=True), desk).id or ""
    assert gate.vote(fact, "confirmed", desk, "s1").reason == "confirmed: support 3"
    assert (places.home / "votes.jsonl").exists()
    assert not (places.shared / "votes.jsonl").exists()
