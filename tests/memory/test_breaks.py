"""What broke the cached prefix of a session is named, once, with what is sent anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentmem.domain.clock import Clock
from agentmem.domain.message import Reply, Text, Usage
from agentmem.domain.places import Places
from agentmem.domain.prompt import ToolSpec
from agentmem.memory import memory
from agentmem.memory.memory import Session
from agentmem.memory.read import manifest, parts
from agentmem.memory.stores import blobs, lines

LS = ToolSpec("ls", "List.", {"type": "object"})
BASH = ToolSpec("bash", "Run.", {"type": "object"})


def opened(places: Places, clock: Clock, name: str | None = None, tools: tuple[ToolSpec, ...] = (LS, BASH)) -> Session:
    session = memory.resume_session(places, clock, name) if name else memory.new_session(places, clock, "0")
    session.begin_epoch(tools, 200_000)
    return session


def step(session: Session, model: str = "m", usage: Usage | None = None, text: str = "go") -> str | None:
    session.record_user([Text(text, "person")])
    session.record_call(model, repr(session.prompt()).encode(), {"kind": "scripted"})
    told = session.broken()
    session.record_reply(Reply((Text("ok"),), "end", usage or Usage()))
    return told


@pytest.fixture
def first(places: Places, clock: Clock) -> str:
    """A session of one step, over two instruction files and a memory."""
    (places.root / "AGENT.md").write_text("profile")
    (places.root / "AGENTS.md").write_text("rules " * 200)
    places.memory_file.write_text("- a fact\n")
    session = opened(places, clock)
    assert step(session) is None
    assert step(session) is None
    session.close()
    return session.id


def resumed(places: Places, clock: Clock, name: str, tools: tuple[ToolSpec, ...] = (LS, BASH)) -> str | None:
    session = opened(places, clock, name, tools)
    told = step(session)
    assert step(session) is None, "told once"
    session.close()
    return told


def cause(told: str | None) -> str:
    assert told is not None
    return told.removeprefix("prompt cache: ").partition("; about ")[0]


def test_an_unchanged_resume_says_nothing(places: Places, clock: Clock, first: str) -> None:
    assert resumed(places, clock, first) is None


def test_each_part_is_named(places: Places, clock: Clock, first: str) -> None:
    (places.root / "AGENTS.md").write_text("other")
    assert cause(resumed(places, clock, first)) == "AGENTS.md changed"
    places.memory_file.write_text("- a fact\n- another\n")
    assert cause(resumed(places, clock, first)) == "MEMORY.md changed"
    (places.home / "MEMORY.md").write_text("- mine\n")
    assert cause(resumed(places, clock, first)) == f"{places.home}/MEMORY.md is new"
    (places.root / "AGENT.md").unlink()
    (places.root / "CLAUDE.md").write_text("more")
    assert cause(resumed(places, clock, first)) == "CLAUDE.md is new, AGENT.md is gone"
    assert cause(resumed(places, clock, first, (BASH,))) == "the tools changed (ls)"
    changed = (replace(BASH, description="Run it."),)
    assert cause(resumed(places, clock, first, changed)) == "the tools changed (bash)"
    elsewhere = replace(places, cwd=places.root / "sub")
    assert cause(resumed(elsewhere, clock, first, changed)) == "the working directory changed"


def test_the_order_of_tools_is_a_change_too(places: Places, clock: Clock, first: str) -> None:
    assert cause(resumed(places, clock, first, (BASH, LS))) == "the order of the tools changed"


def test_the_model_and_how_it_is_asked(places: Places, clock: Clock, first: str) -> None:
    session = opened(places, clock, first)
    assert cause(step(session, "n")) == "the model changed from m to n"
    session.record_call("n", b"", {"kind": "chat"})
    assert cause(session.broken()) == "the way the model is asked changed"
    session.prompt(500)
    session.record_call("n", b"", {"kind": "chat"})
    assert session.broken() is None  # how long a reply may be is no part of what is cached
    session.close()


def test_what_is_sent_anew_follows_the_providers_count(places: Places, clock: Clock) -> None:
    (places.root / "AGENTS.md").write_text("Use tabs.")
    session = opened(places, clock)
    step(session, usage=Usage(4_000, 10))
    told = step(session, "n") or ""
    assert 4_050 < int(told.partition("about ")[2].partition(" ")[0].replace(",", "")) < 4_400
    session.close()


def test_lost_parts_are_no_failure(places: Places, clock: Clock, first: str) -> None:
    for path in places.blobs.iterdir():
        path.unlink()
    (places.root / "AGENTS.md").write_text("other")
    assert cause(resumed(places, clock, first)) == "the parts of the prompt changed"


def test_tools_that_are_lost_are_named_without_their_names(places: Places, clock: Clock, first: str) -> None:
    (kept,) = [path for path in places.blobs.iterdir() if path.read_bytes().startswith(b'[{"name"')]
    kept.unlink()
    assert cause(resumed(places, clock, first, (LS,))) == "the tools changed"


def test_a_move_in_the_tree_is_told_with_what_follows_it(places: Places, clock: Clock, first: str) -> None:
    log = places.sessions / f"{first}.jsonl"
    call = next(value for _, value in lines.read(log)[0] if value["type"] == "call")
    reply = next(value for _, value in lines.read(log)[0] if value.get("role") == "assistant")
    assert reply["parent_id"] == call["id"]
    with log.open("ab") as file:
        file.write(lines.dump({"type": "move", "id": "m1", "parent_id": None, "to": reply["id"], "at": reply["at"]}))
    told = resumed(places, clock, first)
    assert cause(told) == "the conversation was moved"
    anew = int((told or "").partition("about ")[2].partition(" ")[0])
    assert 0 < anew < 60
    with log.open("ab") as file:
        file.write(lines.dump({"type": "move", "id": "m2", "parent_id": None, "to": None, "at": reply["at"]}))
    assert cause(resumed(places, clock, first)) == "the conversation was moved"


def test_many_causes_are_counted(places: Places, clock: Clock, first: str) -> None:
    for number in range(8):
        (places.root / f"f{number}.md").write_text("x")
    (places.root / "CLAUDE.md").write_text(" ".join(f"@f{number}.md" for number in range(8)))
    assert cause(resumed(places, clock, first)).endswith("f4.md is new, 3 more")


def test_a_manifest_in_another_form_is_lost(places: Places, clock: Clock, first: str) -> None:
    for data in (b"[]", b'{"parts":[{"kind":"rules"}]}', b"\xff"):
        path, _ = blobs.put(places.blobs, data)
        with pytest.raises(parts.PartLost, match="form this agentmem does not read"):
            parts.named(places.blobs, path.name)
    with pytest.raises(parts.PartLost, match="tools of the prompt"):
        parts.tools((manifest.Section("tools", "tools", '[{"name":"x"}]'),))
