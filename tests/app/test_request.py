"""A request that was sent is rebuilt from files alone, or what is missing is named."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from agent.scripts import call, make_agent, play

from agentmem.app.request import NotRebuilt, request
from agentmem.domain.places import Places
from agentmem.memory.memory import SessionMissing

SCRIPT = [
    {"text": "Looking.", "thinking": "hm", "tool_calls": [call("read", path="a.txt"), call("ls")]},
    {"tool_calls": [call("bash", command="echo out")]},
    {"text": "Done."},
    {"text": "Again."},
]


@pytest.fixture
def env(places: Places, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    (places.root / ".agent").mkdir()
    monkeypatch.chdir(places.root)
    return {"AGENTMEM_HOME": str(places.home)}


def spoken(places: Places) -> tuple[str, list[bytes]]:
    """A session of two turns, the second one resumed over a changed file; its id and the bodies of its four calls."""
    (places.root / "a.txt").write_text("one\n")
    (places.root / "AGENTS.md").write_text("Use tabs.")
    with make_agent(places, SCRIPT) as agent:
        play(agent, "go")
        bodies = [agent.door.body(prompt) for prompt in agent.door.requests]  # type: ignore[attr-defined]
    (places.root / "AGENTS.md").write_text("Use spaces.")
    with make_agent(places, SCRIPT[3:], resume=agent.session_id) as again:
        play(again, "and now?")
        bodies += [again.door.body(prompt) for prompt in again.door.requests]  # type: ignore[attr-defined]
    return agent.session_id, bodies


def test_every_call_is_rebuilt_byte_for_byte(places: Places, env: Mapping[str, str]) -> None:
    session, bodies = spoken(places)
    for number, body in enumerate(bodies, 1):
        assert request(session, str(number), env).body == body
        assert request(session, str(number - 5), env).body == body
    told = request(session[:18], "2", env).told
    assert told.startswith("call 2 of 4, ") and told.endswith(f": {len(bodies[1]):,} bytes, the hash is right")
    log = (places.sessions / f"{session}.jsonl").read_text().splitlines()
    calls = [json.loads(line) for line in log if '"type":"call"' in line]
    assert [one["sha256"] for one in calls] == [hashlib.sha256(body).hexdigest()[:32] for body in bodies]
    assert request(session, calls[2]["id"], env).body == bodies[2]


def test_parts_are_kept_once_whatever_names_them(places: Places, env: Mapping[str, str]) -> None:
    spoken(places)
    kept = [path.read_bytes() for path in places.blobs.iterdir()]
    # tools, rules, state; two versions of AGENTS.md, and two lists
    assert len(kept) == 3 + 2 + 2
    assert sum(b"Use tabs." in data for data in kept) == 1


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("0", "has no call 0: there are 4"),
        ("5", "has no call 5: there are 4"),
        ("-5", "has no call -5: there are 4"),
        ("last", "has no call 'last': give a number from 1 to 4, or -1 for the last"),
    ],
)
def test_a_call_that_is_not_there(places: Places, env: Mapping[str, str], wanted: str, said: str) -> None:
    session, _ = spoken(places)
    with pytest.raises(NotRebuilt, match=re.escape(said)):
        request(session, wanted, env)


def test_a_session_that_is_not_there(places: Places, env: Mapping[str, str]) -> None:
    with pytest.raises(SessionMissing):
        request("2020", "1", env)


def blob_of(places: Places, text: bytes) -> Path:
    (found,) = [path for path in places.blobs.iterdir() if text in path.read_bytes()]
    return found


def test_a_lost_part_is_named_and_comes_back_with_its_file(places: Places, env: Mapping[str, str]) -> None:
    session, bodies = spoken(places)
    blob = blob_of(places, b"Use tabs.")
    data = blob.read_bytes()
    blob.unlink()
    with pytest.raises(NotRebuilt, match=f"call 1 of {session} .* part AGENTS.md of the prompt is lost: .* is gone"):
        request(session, "1", env)
    assert request(session, "4", env).body == bodies[3]
    blob.write_bytes(data.replace(b"tabs", b"bats"))
    with pytest.raises(NotRebuilt, match=r"part AGENTS.md of the prompt is lost: .* is damaged"):
        request(session, "1", env)
    blob.write_bytes(data)
    assert request(session, "1", env).body == bodies[0]


def test_a_damaged_part_is_put_right_by_the_next_session(places: Places, env: Mapping[str, str]) -> None:
    session, bodies = spoken(places)
    rules = blob_of(places, b"You are agentmem")
    rules.write_bytes(b"")
    with make_agent(places, SCRIPT[3:]) as agent:
        play(agent, "hello")
    assert request(session, "1", env).body == bodies[0]


def test_a_lost_list_of_parts_is_told(places: Places, env: Mapping[str, str]) -> None:
    session, _ = spoken(places)
    for path in places.blobs.iterdir():
        if path.read_bytes().startswith(b'{"parts"'):
            path.unlink()
    with pytest.raises(NotRebuilt, match=r"the list of the prompt's parts cannot be read: .* not there"):
        request(session, "1", env)


def altered(places: Places, session: str, old: str, new: str) -> None:
    path = places.sessions / f"{session}.jsonl"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_changed_log_is_found_and_where(places: Places, env: Mapping[str, str]) -> None:
    session, bodies = spoken(places)
    altered(places, session, '"content":"out', '"content":"OUT')
    assert request(session, "2", env).body == bodies[1]
    for number in ("3", "4"):
        with pytest.raises(NotRebuilt) as caught:
            request(session, number, env)
        assert f"call {number} of {session} is not what was sent" in str(caught.value)
        assert "call 2 is still right, so what differs is among the entries" in str(caught.value)


def test_a_damaged_log_says_so(places: Places, env: Mapping[str, str]) -> None:
    session, _ = spoken(places)
    path = places.sessions / f"{session}.jsonl"
    rows = path.read_bytes().split(b"\n")
    rows[1] = rows[1][:40]
    path.write_bytes(b"\n".join(rows))
    with pytest.raises(NotRebuilt, match=r"the log is damaged: .*line 2 skipped"):
        request(session, "2", env)


def test_another_version_is_named(places: Places, env: Mapping[str, str]) -> None:
    session, _ = spoken(places)
    altered(places, session, '"agentmem":"', '"agentmem":"9.')
    altered(places, session, '"text":"go"', '"text":"stop"')
    with pytest.raises(NotRebuilt, match=r"no call before|it was made by agentmem 9\.\S+, and this is"):
        request(session, "3", env)
    with pytest.raises(NotRebuilt, match=r"it was made by agentmem 9\.\S+, and this is"):
        request(session, "1", env)


def test_a_door_that_is_not_known_and_none_at_all(places: Places, env: Mapping[str, str]) -> None:
    session, _ = spoken(places)
    altered(places, session, '"kind":"scripted"', '"kind":"telex","provider":"a","name":"b"')
    with pytest.raises(NotRebuilt, match="this agentmem has no door of the kind 'telex'"):
        request(session, "1", env)
    altered(places, session, '"type":"model"', '"type":"modal"')
    with pytest.raises(NotRebuilt, match="the log does not say which model was asked"):
        request(session, "1", env)


@pytest.mark.parametrize("epoch", ["../../../etc/passwd", "*", "", "0" * 16])
def test_a_log_cannot_name_a_file_elsewhere(places: Places, env: Mapping[str, str], epoch: str) -> None:
    session, _ = spoken(places)
    path = places.sessions / f"{session}.jsonl"
    path.write_text(re.sub(r'"epoch":"\w+"', f'"epoch":"{epoch}"', path.read_text()))
    with pytest.raises(NotRebuilt, match="the list of the prompt's parts cannot be read"):
        request(session, "1", env)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_log_that_cannot_be_read(places: Places, env: Mapping[str, str]) -> None:
    session, _ = spoken(places)
    (places.sessions / f"{session}.jsonl").chmod(0)
    with pytest.raises(NotRebuilt, match="cannot be read"):
        request(session, "1", env)
