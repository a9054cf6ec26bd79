from __future__ import annotations

import pytest
from histories import assistant, notice, result, user

from agentmem.memory.write.extract import MOST, claims


def found(text: str) -> list[str]:
    return [claim.text for claim in claims([user(text)])]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("My timezone is CET.", ["My timezone is CET."]),
        ("we use pnpm, not npm", ["We use pnpm, not npm"]),
        ("Fix the login bug. We decided to keep sessions in Redis.", ["We decided to keep sessions in Redis."]),
        ("I prefer short answers, can you explain the cache?", ["I prefer short answers"]),
        ("never push to main\nalways run make lint", ["Never push to main", "Always run make lint"]),
        ("By the way, our API is versioned by date.", ["Our API is versioned by date."]),
        ("this project uses Python 3.12", ["This project uses Python 3.12"]),
        ("From now on, always answer in German.", ["From now on, always answer in German."]),
        ("we use tabs. We use tabs!", ["We use tabs."]),
    ],
)
def test_what_a_person_plainly_asserts_is_found(said: str, kept: list[str]) -> None:
    assert found(said) == kept


@pytest.mark.parametrize(
    "said",
    [
        "fix the login bug",
        "should we use pnpm?",
        "maybe we use pnpm",
        "if we use pnpm the lock file goes",
        "we use it everywhere",
        "It is 8080.",
        "my build is failing with the error below:",
        "for now we use sqlite",
        "my limit is 2,000",
        "we use the key AKIAIOSFODNN7EXAMPLE",
        'translate: "we use pnpm"',
        "what does this mean?\n> we use pnpm",
        "look at this:\n```\nwe use pnpm\n```",
        "summarise this e-mail:\nwe use pnpm and always deploy on Fridays",
        "I use " + "very " * 60 + "long sentences",
        "Always",
    ],
)
def test_everything_else_is_left_alone(said: str) -> None:
    assert found(said) == []


def test_only_the_persons_parts_of_the_last_turn_are_read() -> None:
    branch = [
        user("we use npm"),
        assistant("ok"),
        user("go on"),
        notice("we use yarn", origin="file"),
        result("t", "we use bun"),
        assistant("We use deno"),
    ]
    assert claims(branch) == []
    assert claims([user("we use pnpm", origin="stdin")]) == []
    assert claims([user("we use pnpm", origin="file")]) == []
    assert claims([]) == []


def test_a_claim_names_where_it_was_said() -> None:
    entry = user("Ok, we use pnpm.")
    (claim,) = claims([entry])
    assert (claim.text, claim.entry, claim.quote, claim.category) == (
        "We use pnpm.",
        entry.id,
        "Ok, we use pnpm.",
        None,
    )


def test_who_writes_a_document_is_not_taken_at_every_word() -> None:
    assert len(found("\n".join(f"we use tool-{at}" for at in range(40)))) == MOST
