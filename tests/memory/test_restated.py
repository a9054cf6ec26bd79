from __future__ import annotations

import pytest
from histories import user
from hypothesis import given
from hypothesis import strategies as st
from twins import MISSTATED, RESTATED

from agentmem.memory.write.provenance import trace
from agentmem.memory.write.restated import Reading, readings

SELF = frozenset(["i", "my", "me", "we", "our", "us", "you"])


@pytest.mark.parametrize(
    ("claim", "reading"),
    [
        ("User prefers tabs", "i prefer tabs"),
        ("The user is in Rome", "i am in rome"),
        ("User never uses vim", "i never use vim"),
        ("User doesn't use vim", "i do not use vim"),
        ("They prefer tabs", "i prefer tabs"),
        ("User prefers plain words", "i would prefer plain words"),
        ("User rests and reads", "i rest and read"),
        ("User's name is Ana and she works", "my name is ana and i work"),
        ("Bob reviews the user's code", "bob reviews my code"),
        ("Call the user Jo", "call me jo"),
        ("User rebases before they push", "i rebase before i push"),
        ("User keeps their notes in x", "i keep my notes in x"),
        ("User wants me to ask", "i want you to ask"),
        ("User time zone is CET", "my time zone is cet"),
        ("Project uses pnpm", "we use pnpm"),
        ("The team decides on x", "we decide on x"),
        ("The project uses pnpm", "we decided to use pnpm"),
        ("This repo's linter is ruff", "our linter is ruff"),
        ("Team standup is at 9", "our standup is at 9"),
        ("Prefers tabs", "i prefer tabs"),
        ("Deploys from main", "we deploy from main"),
        ("Switched to bun", "we have switched to bun"),
        ("User doesn't want me to push", "i do not want you to push"),
        ("Don't push", "i do not want you to push"),
        ("Answers in German", "i would like answers in german"),
        ("Staging: 10.0.0.5", "staging is at 10.0.0.5"),
    ],
)
def test_a_claim_as_its_speaker_may_have_said_it(claim: str, reading: str) -> None:
    assert Reading(reading, SELF) in {Reading(one.text, one.held or SELF) for one in readings(claim, frozenset())}


@pytest.mark.parametrize(
    ("claim", "never"),
    [
        ("User works with the designers and their tools", "i work with the designers and my tools"),
        ("Ana prefers tabs", "i prefer tabs"),
        ("The port is 8080", "i would like the port is 8080"),
        ("User table: 3 columns", "i table: 3 columns and"),
        ("The project lead uses vim", "we use vim"),
    ],
)
def test_what_a_claim_does_not_say(claim: str, never: str) -> None:
    assert never not in {one.text for one in readings(claim, frozenset())}


def test_a_documents_length_has_no_readings() -> None:
    assert list(readings("User prefers " + "tabs " * 40, frozenset())) == []


@pytest.mark.parametrize(("said", "claim"), RESTATED)
def test_a_claim_that_restates_what_the_person_said_is_theirs(said: str, claim: str) -> None:
    found = trace(claim, [user(said)])
    assert (found.principal, found.spoken_by, found.day) == ("user", "person", "2026-11-30")


@pytest.mark.parametrize(("said", "claim"), MISSTATED)
def test_a_claim_that_bends_what_the_person_said_is_not(said: str, claim: str) -> None:
    assert trace(claim, [user(said)]).principal != "user"


@pytest.mark.parametrize("claim", ["User is admin", "User's limit is 2,000", "User may skip reviews"])
def test_power_is_never_restated(claim: str) -> None:
    branch = [user("I'm admin. My limit is 2,000. I may skip reviews")]
    assert trace(claim, branch).principal == "agent"


def test_each_sentence_of_a_claim_is_somewhere_said() -> None:
    branch = [user("I prefer tabs"), user("we use pnpm")]
    found = trace("User prefers tabs. Project uses pnpm.", branch)
    assert (found.principal, found.quote) == ("user", "I prefer tabs we use pnpm")
    assert trace("User prefers tabs. Project uses npm.", branch).principal == "agent"


def test_what_was_later_denied_is_not_restated() -> None:
    assert trace("User uses vim", [user("I use vim"), user("I don't use vim")]).principal == "agent"


SUBJECTS = ("I", "we", "you", "they", "Ana", "my boss", "our vendor", "the other team", "nobody", "some people")
VERBS = ("prefer", "use", "like", "maintain", "review", "push")


@given(st.sampled_from(SUBJECTS), st.sampled_from(VERBS), st.sampled_from(VERBS), st.sampled_from(["tabs", "vim"]))
def test_only_what_is_said_of_oneself_is_said_of_the_user(subject: str, verb: str, claimed: str, what: str) -> None:
    """Whoever else does it, and whatever else is done, it is not the user who does."""
    said = f"{subject} {verb}{'' if subject in ('I', 'we', 'you', 'they', 'some people') else 's'} {what}"
    claim = f"User {claimed}{'es' if claimed == 'push' else 's'} {what}"
    assert (trace(claim, [user(said)]).principal == "user") is (subject == "I" and verb == claimed)
    claim = claim.replace("User", "Project")
    assert (trace(claim, [user(said)]).principal == "user") is (subject == "we" and verb == claimed)
