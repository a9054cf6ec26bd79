from __future__ import annotations

import pytest

from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.places import Places
from agentmem.memory.manage.checkup import Found, check

LINES = "## Preferences\n- tabs here\n- no semicolons\n\n## Facts\n- a fact\n"


@pytest.mark.parametrize("heading", ["Preferences", "preferences"])
def test_a_section_that_an_edit_brought_over_its_cap_is_told(places: Places, clock: Clock, heading: str) -> None:
    places.memory_file.write_text(LINES)
    assert check(Desk(places, clock, {heading: 27, "Facts": 100})) == [
        Found(
            "full",
            "MEMORY.md:2",
            "Preferences takes 28 characters, and is capped at 27: nothing more is stored there",
            "merge or remove lines there, or raise memory.blocks.Preferences in config.yaml",
        )
    ]


def test_sections_that_keep_to_their_caps_or_have_none_are_well(places: Places, clock: Clock) -> None:
    places.memory_file.write_text(LINES)
    assert check(Desk(places, clock, {"Preferences": 28, "Nothing": 1})) == []
