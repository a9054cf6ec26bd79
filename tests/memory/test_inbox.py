from __future__ import annotations

import json
from pathlib import Path

from agentmem.memory.stores import inbox

SESSION = "2026-11-30T09-02-11-4f2a91"


def event(leaf: str, **more: object) -> dict[str, object]:
    return {"event_id": inbox.event_id(SESSION, leaf), "session": SESSION, "at": "2026-11-30T09:14:03Z", **more}


def test_an_event_is_left_once_and_is_private(tmp_path: Path) -> None:
    box = tmp_path / "inbox"
    assert inbox.put(box, event("a", user_input="é\ud800"))
    assert not inbox.put(box, event("a", user_input="other"))
    (path,) = (box / "pending").iterdir()
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert json.loads(path.read_bytes())["user_input"] == "é\ufffd"


def test_a_consolidated_event_does_not_come_again(tmp_path: Path) -> None:
    inbox.put(tmp_path, event("a"))
    (path,) = (tmp_path / "pending").iterdir()
    (tmp_path / "consolidated").mkdir()
    path.rename(tmp_path / "consolidated" / path.name)
    assert not inbox.put(tmp_path, event("a"))
    assert inbox.names(tmp_path) == []


def test_events_are_told_in_the_order_they_were_left_and_damage_is_passed_over(tmp_path: Path) -> None:
    for leaf in ("z", "a", "m"):
        inbox.put(tmp_path, event(leaf, said=leaf))
    inbox.put(tmp_path, event("first", said="first") | {"at": "2026-11-30T08:00:00Z"})
    (tmp_path / "pending" / "vbad.json").write_text("{")
    (tmp_path / "pending" / "vother.json").write_text('{"event_id":"v1"}')
    found = inbox.pending(tmp_path, inbox.names(tmp_path))
    assert [one["said"] for one in found] == ["first", "z", "a", "m"]


def test_events_of_a_session_are_found_by_the_start_of_their_ids(tmp_path: Path) -> None:
    inbox.put(tmp_path, event("a"))
    other = {"event_id": inbox.event_id("another", "a"), "session": "another"}
    inbox.put(tmp_path, other)
    assert inbox.names(tmp_path, inbox.event_start(SESSION)) == [inbox.event_id(SESSION, "a")]
    assert [path.name for path in inbox.remove(tmp_path, "another")] == [f"{other['event_id']}.json"]
    assert inbox.names(tmp_path) == [inbox.event_id(SESSION, "a")]


def test_what_became_an_episode_is_told_and_a_torn_line_is_survived(tmp_path: Path) -> None:
    assert inbox.told(tmp_path) == inbox.Told(frozenset(), {})
    inbox.tell(tmp_path, {"session": SESSION, "events": ["v1", "v2"], "size": 10})
    with (tmp_path / inbox.EPISODES).open("a") as file:
        file.write('{"session":"torn')
    inbox.tell(tmp_path, {"session": SESSION, "events": ["v3", 4], "size": 20})
    assert inbox.told(tmp_path) == inbox.Told(frozenset({"v1", "v2", "v3"}), {SESSION: 20})
    assert inbox.episode_id(SESSION, None) != inbox.episode_id(SESSION, "v3")
