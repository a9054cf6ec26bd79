from __future__ import annotations

import os
import time
from pathlib import Path

from agentmem.domain.places import Places
from agentmem.memory.manage import skillwatch


def skill(folder: Path, text: str) -> str:
    path = folder / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def came(places: Places, before: skillwatch.Books) -> list[str]:
    return [path for path, _ in skillwatch.by_tool(places, before)[0]]


def test_what_came_or_changed_is_found_at_both_levels_and_what_stood_there_is_not(places: Places) -> None:
    kept = skill(places.root / "skills" / "kept", "kept")
    changed = skill(places.root / ".claude" / "skills" / "changed", "old")
    before = skillwatch.look(places)
    assert came(places, before) == []
    mine = skill(places.home / "skills" / "mine", "new")
    skill(places.root / ".claude" / "skills" / "changed", "new")
    os.utime(kept)
    assert sorted(came(places, before)) == sorted([changed, mine])


def test_what_was_put_back_as_it_was_did_not_come(places: Places) -> None:
    path = skill(places.root / "skills" / "a", "one")
    before = skillwatch.look(places)
    os.unlink(path)
    found, now = skillwatch.by_tool(places, before)
    assert found == []
    skill(places.root / "skills" / "a", "one")
    assert came(places, now) == []
    skill(places.root / "skills" / "a", "other")
    found, now = skillwatch.by_tool(places, now)
    assert [one for one, _ in found] == [path]
    assert came(places, now) == [path]  # it does not become known by being seen


def test_what_was_touched_since_a_moment_counts_as_come(places: Places) -> None:
    old = skill(places.root / "skills" / "old", "one")
    when = time.time_ns() + 10_000_000
    time.sleep(0.03)
    new = skill(places.root / "skills" / "new", "two")
    assert came(places, skillwatch.since(places, when)) == [new]
    assert sorted(came(places, skillwatch.since(places, 0))) == sorted([new, old])


def test_a_place_without_skills(places: Places) -> None:
    assert skillwatch.look(places) == skillwatch.Books({}, frozenset())
