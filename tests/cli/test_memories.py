from __future__ import annotations

import json

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
