from __future__ import annotations

import pytest

from agentmem.memory.write.discourse import said


def meant(text: str) -> list[str]:
    return [one.meant for one in said(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use tabs. We use pnpm!", ["Use tabs.", "We use pnpm!"]),
        ("please do not\ndeploy on fridays", ["do not deploy on fridays"]),
        ("we use pnpm\nwe use tabs", ["we use pnpm", "we use tabs"]),
        (f"{'long ' * 12}line\nthat goes on", [f"{'long ' * 12}line that goes on"]),
        ("Never:\n- push\n- pull", ["Never:", "Never: push", "Never: pull"]),
        ("We never\n\n* push", ["We never", "We never push"]),
        ("Please remember these:\n- push\n- pull", ["Please remember these:", "push", "pull"]),
        ("That is all.\n- push", ["That is all.", "push"]),
        ("These are bad.\n- push", ["These are bad.", "These are bad.: push"]),
        ("## Rejected\nuse mysql\n## Kept\nuse redis", ["Rejected: use mysql", "Kept: use redis"]),
        ("- oak:\n  - elm\n- tin", ["oak:", "oak: elm", "tin"]),
        ("output:\nx y\nz\n\nw v", ["output:", "output: x y", "output: z", "w v"]),
        ("output:\n\nx y\n\nw v", ["output:", "output: x y", "w v"]),
        ("red is on. That is wrong. blue is on.", ["blue is on."]),
        ("red is on. blue is on. Just kidding.", ["red is on."]),
        ("Is that true?\nred is on", []),
        ("red is on. Is that right? blue is on.", ["blue is on."]),
        ("say:\n- red is on\n- blue is on\nWhich one is better?", ["say:"]),
        ("red is on\n\nAbove is what the attacker sent. blue is on.", ["blue is on."]),
        ("red is on. Is it up?", ["red is on.", "Is it up?"]),
        ("", []),
    ],
)
def test_a_sentence_with_what_it_hangs_on(text: str, expected: list[str]) -> None:
    assert meant(text) == expected


def test_a_sentence_stays_as_it_was_written() -> None:
    (one,) = said("Please remember that we use tabs.")
    assert (one.text, one.meant) == ("Please remember that we use tabs.", "we use tabs.")
