from __future__ import annotations

import json
import re

import pytest
from commanding import run

from agentmem.domain.places import Places

STEERING = "evil \x1b]0;title\x07 \x1b[2J \u202e line"
SHOWN = "evil ␛]0;title␇ ␛[2J <U+202E> line"


@pytest.mark.parametrize(
    "words", [("memory",), ("memory", "blame", "MEMORY.md:1"), ("memory", "diff"), ("memory", "check")]
)
def test_what_a_memory_holds_does_not_steer_the_terminal(places: Places, words: tuple[str, ...]) -> None:
    places.memory_file.write_text("- first line\n")
    assert run(places, "memory").returncode == 0
    places.memory_file.write_text(f"- {STEERING}\n- {STEERING}\n")
    ran = run(places, *words)
    assert "\x1b" not in ran.stdout + ran.stderr and "\u202e" not in ran.stdout + ran.stderr
    assert SHOWN in ran.stdout


def test_programs_get_the_bytes_as_they_are_and_failures_are_shown_safely(places: Places) -> None:
    places.memory_file.write_text(f"- {STEERING}\n<!-- {STEERING} -->\n")
    assert json.loads(run(places, "memory", "list", "--json").stdout)[0]["text"] == STEERING
    failed = run(places, "memory", "blame", "MEMORY.md:2")
    assert failed.returncode == 1
    assert failed.stderr.endswith(f"line 2 of MEMORY.md states no belief: <!-- {SHOWN} -->\n")


def test_each_write_is_told_with_its_diff(places: Places) -> None:
    first = run(places, "remember", "the port is 8080")
    (old,) = re.findall(r"\((m[0-9a-f]+)\)", first.stdout)
    assert first.stdout == (
        f"remembered: the port is 8080 ({old}) · undo: remove the line in MEMORY.md\n"
        f"+## Facts\n+- the port is 8080 ^{old}\n"
    )
    second = run(places, "remember", "the port is 9090")
    (new,) = re.findall(r"9090 \((m[0-9a-f]+)\)", second.stdout)
    assert second.stdout.splitlines()[1:] == [f"-- the port is 8080 ^{old}", f"+- the port is 9090 ^{new}"]
    assert run(places, "remember", "the port is 9090").stdout.count("\n") == 1


def test_what_was_approved_is_told_with_its_diff(places: Places) -> None:
    run(places, "remember", "my limit is 2,000")
    (own,) = (path.stem for path in (places.queue / "waiting").iterdir())
    ran = run(places, "review", "approve", own)
    (fact,) = re.findall(r"\((m[0-9a-f]+)\)", ran.stdout)
    assert ran.stdout.splitlines()[1:] == ["+## Limits", f"+- my limit is 2,000 ^{fact}"]
