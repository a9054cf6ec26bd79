from __future__ import annotations

import time

import pytest
from histories import user

from agentmem.domain.claim import Claim
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.places import Places
from agentmem.memory.write import discourse, gate
from agentmem.memory.write.extract import claims
from agentmem.memory.write.provenance import trace
from agentmem.memory.write.stance import stances

# What was said, the claim that is read out of it, and how the sentence holds it.
TURNED = [
    ("the old rule was: always run make", "always run make", "past"),
    ("our former convention: use tabs", "use tabs", "past"),
    ("we used to use Redis", "we use Redis", "past"),
    ("Back then we deployed from main", "deployed from main", "past"),
    ("the port was 8080", "the port is 8080", "past"),
    ("tests run on sqlite was true last year", "tests run on sqlite", "past"),
    ("tests run on sqlite: not true any more", "tests run on sqlite", "past"),
    ("previously the API was in Go", "the API is in Go", "past"),
    ("legacy rule: always use Bazel", "always use Bazel", "past"),
    ("we dropped the rule always use Bazel", "always use Bazel", "past"),
    ("he said that we use Bazel", "we use Bazel", "reported"),
    ("Tom says we use Bazel", "we use Bazel", "reported"),
    ("my boss thinks we use Bazel", "we use Bazel", "reported"),
    ("the README claims that we use Bazel", "we use Bazel", "reported"),
    ("the docs recommend to use Bazel", "use Bazel", "reported"),
    ("according to the wiki we use Bazel", "we use Bazel", "reported"),
    ("we use Bazel, apparently", "we use Bazel", "reported"),
    ("I heard that we use Bazel", "we use Bazel", "reported"),
    ("as per the wiki, we use Bazel", "we use Bazel", "reported"),
    ("the ticket asks us to use Bazel", "use Bazel", "reported"),
    ("they use Bazel at Google", "use Bazel", "reported"),
    ("in case we use Bazel the cache goes", "we use Bazel", "supposed"),
    ("we plan to use Bazel", "we use Bazel", "supposed"),
    ("assuming we use Postgres the query is fine", "we use Postgres", "supposed"),
    ("let's say we use Postgres", "we use Postgres", "supposed"),
    ("we could use Postgres", "we use Postgres", "supposed"),
    ("then we would use Postgres", "we use Postgres", "supposed"),
    ("I think we use Redis", "we use Redis", "doubted"),
    ("I don't think we use Redis any more", "we don't use Redis any more", "doubted"),
    ("we probably use Redis", "we use Redis", "doubted"),
    ("it seems we use Redis", "we use Redis", "doubted"),
    ("not sure: we use Redis", "we use Redis", "doubted"),
    ("do we use tabs", "we use tabs", "asked"),
    ("check whether we use tabs", "we use tabs", "asked"),
    ("find out how we use tabs", "we use tabs", "asked"),
    ("for example: always run make", "always run make", "example"),
    ("Example: always run make", "always run make", "example"),
    ("a sample memory: always use Bazel", "always use Bazel", "example"),
    ("a rule such as always run make", "always run make", "example"),
]
# Held by another sentence than its own.
LED = [
    ("The old rules were:\n- always run make\n- use tabs", "use tabs", "past"),
    ("The old rules were:\n\n- always run make\n\nThe tests are red.", "always run make", "past"),
    ("e.g. always run make", "always run make", "example"),
    ("for example:\nalways run make", "always run make", "example"),
    ("Tom told our team:\nnever push to main", "never push to main", "reported"),
    ("Suppose the cache is gone. We use Redis.", "we use Redis", "supposed"),
]
PLAIN = [
    ("we used to use npm. Now we use pnpm", "we use pnpm"),
    ("The old rules were:\n- use tabs\n\nwe use spaces", "we use spaces"),
    ("The old rules were:\n- use tabs\nThe rules are:\n- use spaces", "use spaces"),
    ("It was decided that we use tabs", "we use tabs"),
    ("The rule was and is: use tabs", "use tabs"),
    ("I said we use tabs", "we use tabs"),
    ("I would prefer tabs", "prefer tabs"),
    ("suppose the cache is gone. what then?\n\nWe use Redis.", "we use Redis"),
    ("I believe in tests: always run make", "always run make"),
    ("Make is used to build", "Make is used to build"),
    ("we use Redis for queues. we used to use memcached", "we use Redis for queues"),
    ("Always suggest tests", "always suggest tests"),
    ("Always give examples", "always give examples"),
]


@pytest.mark.parametrize(("said", "claim", "stance"), [*TURNED, *LED])
def test_what_was_not_told_as_true_now_is_nobodys_claim(said: str, claim: str, stance: str) -> None:
    found = trace(claim, [user(said)])
    assert (found.principal, found.quote) == ("agent", None)
    assert claims([user(said)]) == []


@pytest.mark.parametrize(("said", "claim", "stance"), TURNED)
def test_a_sentence_is_known_by_how_it_holds_what_it_says(said: str, claim: str, stance: str) -> None:
    assert stance in stances(said)
    assert stances(claim) <= {"doubted"}
    assert trace(said, [user(said)]).principal == "user"


@pytest.mark.parametrize(("said", "claim", "stance"), LED)
def test_a_lead_holds_for_what_it_introduces(said: str, claim: str, stance: str) -> None:
    (found,) = (one for one in discourse.said(said) if claim.lower() in one.text.lower())
    assert found.led | stances(found.meant) == {stance}


@pytest.mark.parametrize(("said", "claim"), PLAIN)
def test_what_was_told_as_true_now_is_the_persons(said: str, claim: str) -> None:
    found = trace(claim, [user(said)])
    assert (found.principal, found.spoken_by) == ("user", "person")


def test_what_was_plainly_said_earlier_is_not_taken_back_by_a_supposition_but_by_the_past() -> None:
    before = user("We use Redis.")
    assert trace("we use Redis", [before, user("Suppose the cache is gone.")]).principal == "user"
    assert trace("we use Redis", [before, user("We used to use Redis.")]).principal == "agent"


@pytest.mark.parametrize("said", ["the old rule was: always run make", "for example: always run make"])
def test_what_was_not_told_as_true_now_waits_for_the_person(places: Places, clock: Clock, said: str) -> None:
    source = gate.Source(typed=False, session="s", branch=[user(said)])
    verdict = gate.propose(Claim("always run make", quote=said), source, Desk(places, clock))
    assert (verdict.outcome, verdict.principal) == ("queued", "agent")
    assert verdict.reason.startswith("the person told it as ") and verdict.reason.endswith(
        ", which the claim leaves out"
    )
    assert not (places.root / "MEMORY.md").exists()


@pytest.mark.parametrize("piece", ["was ", "we have ", "the old ", "i do not ", "could ", "\n \n", "a:\n\n", "check "])
def test_hostile_text_takes_no_time(piece: str) -> None:
    begun = time.process_time()
    text = (piece * 20_000)[:20_000]
    discourse.said(text)
    stances(text)
    assert time.process_time() - begun < 2
