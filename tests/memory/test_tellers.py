from __future__ import annotations

from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.places import Places
from agentmem.memory.read import daymerge
from agentmem.memory.read.tellers import tellers
from agentmem.memory.write.gate import carry, chronicle

TEXT = "## 09:14 Own  ^e1\nsession s0, entries a..b\nWanted: x."


def test_who_told_a_section_of_a_day_file(places: Places) -> None:
    desk = Desk(places, Clock())
    assert tellers(places, "project")(TEXT) == "other"
    assert chronicle.episode("e1", "2026-11-30", TEXT, desk).outcome == "added"
    forged = TEXT.replace("x", "y")
    assert chronicle.hold([TEXT, forged], desk.level("project"), desk) == 1
    told = tellers(places, "project")
    assert told(TEXT) == told(TEXT.replace("\n", "\r\n") + "\r\n\r\n") == "harness"
    assert told(forged) == "tool"
    assert told(TEXT + "\nmore") == "other"
    assert tellers(places, "user")(TEXT) == "other"


def test_a_lost_file_of_seals_is_made_again_from_the_history(places: Places) -> None:
    desk = Desk(places, Clock())
    chronicle.episode("e1", "2026-11-30", TEXT, desk)
    (places.shared / "admitted").unlink()
    carry.mend_seals(desk.level("project"), desk)
    assert tellers(places, "project")(TEXT) == "harness"


def test_episodes_that_a_merge_moved_are_not_told_twice(places: Places) -> None:
    desk, day = Desk(places, Clock()), places.root / "memory" / "2026-11-30.md"
    other = "## 08:00 Another  ^e2\nsession s1, entries a..b\nWanted: z."
    assert chronicle.episode("e1", "2026-11-30", TEXT, desk).outcome == "added"
    ours = day.read_bytes()
    day.unlink()
    assert chronicle.episode("e2", "2026-11-30", other, desk).outcome == "added"
    merged = daymerge.merge(b"", ours, day.read_bytes())
    day.write_bytes(merged)
    assert merged.decode() == f"{other}\n\n{TEXT}\n"
    assert chronicle.episode("e1", "2026-11-30", TEXT, desk).outcome == "known"
    assert chronicle.episode("e2", "2026-11-30", other, desk).outcome == "known"
    assert day.read_bytes() == merged
