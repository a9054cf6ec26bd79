"""`agentmem prompt` and `agentmem context`, as a person runs them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from agent.scripts import call, make_agent, play

from agentmem.cli.typed import run
from agentmem.domain.places import Places

SCRIPT = [
    {"text": "Looking.", "tool_calls": [call("ls")], "usage": {"input": 2_000, "output": 20}},
    {"text": "Done.", "usage": {"input": 2_100, "output": 10, "cached": 1_900}},
]


def talked(places: Places) -> tuple[str, list[bytes]]:
    with make_agent(places, SCRIPT) as agent:
        play(agent, "go")
        return agent.session_id, [agent.door.body(one) for one in agent.door.requests]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "number"), [((), 1), (("--call", "1"), 0), (("--call=-2",), 0), (("--call", "-1"), 1)]
)
def test_a_prompt_and_nothing_else_on_stdout(
    here: Places, words: Sequence[str], number: int, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    session, bodies = talked(here)
    assert run(["prompt", session, *words]) == 0
    out, err = capfdbinary.readouterr()
    assert out == bodies[number]
    assert err.startswith(b"call %d of 2, " % (number + 1)) and err.endswith(b" bytes, the hash is right\n")


def test_a_prompt_that_is_not_there_exits_1(here: Places, capfd: pytest.CaptureFixture[str]) -> None:
    session, _ = talked(here)
    assert run(["prompt", session, "--call", "9"]) == 1
    assert run(["prompt", "2020"]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"agentmem: {session} has no call 9: there are 2\nagentmem: there is no session '2020'")


def test_the_context_of_the_last_session_and_of_a_named_one(here: Places, capfd: pytest.CaptureFixture[str]) -> None:
    session, _ = talked(here)
    for words in ([], [session[:19]]):
        assert run(["context", *words, "--json"]) == 0
        out, err = capfd.readouterr()
        found = json.loads(out)
        assert err == ""
        assert (found["session"], found["used"], found["window"], found["free"]) == (session, 2_110, 100_000, 97_890)
        assert sum(part["tokens"] for part in found["parts"]) == 2_110
        assert (found["source"], found["estimated_since"], found["reply"]) == ("provider", 0, None)
        counted = found["counted"]
        assert (counted["input"], counted["output"], counted["cached"], counted["written"]) == (2_100, 10, 1_900, 0)
        assert 0 <= counted["age_seconds"] < 60
        kinds = {part["kind"] for part in found["parts"]}
        assert kinds == {"tools", "rules", "state", "messages"}
        assert {"tool bash", "results of ls", "what the agent said"} <= {part["name"] for part in found["parts"]}
    assert run(["context"]) == 0
    assert capfd.readouterr().out.startswith(f"2,110 of 100,000 tokens in use (2%) · {session} · scripted:")


def test_without_a_session_it_is_what_a_new_one_starts_with(here: Places, capfd: pytest.CaptureFixture[str]) -> None:
    (here.root / "AGENTS.md").write_text("Use tabs.")
    here.memory_file.write_text("- a fact\n")
    (here.home / "config.yaml").write_text("model: anthropic/claude-x\nwindow: 50000\n")
    before = sorted(here.root.rglob("*"))
    assert run(["context", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert (found["session"], found["model"], found["window"]) == (None, "anthropic/claude-x", 50_000)
    assert (found["source"], found["counted"]) == ("estimate", None)
    names = [(part["kind"], part["name"]) for part in found["parts"] if part["kind"] != "tools"]
    assert names == [
        ("rules", "agentmem's own rules"),
        ("instructions", "AGENTS.md"),
        ("memory", "MEMORY.md"),
        ("state", "the working directory"),
        ("skills", "skill cards"),
    ]
    assert sorted(here.root.rglob("*")) == before


def test_a_session_whose_parts_are_lost_still_shows_its_messages(
    here: Places, capfd: pytest.CaptureFixture[str]
) -> None:
    session, _ = talked(here)
    for path in here.blobs.iterdir():
        path.unlink()
    log = here.sessions / f"{session}.jsonl"
    log.write_text(log.read_text().replace('"kind":"scripted"', '"kind":"telex"'))
    assert run(["context", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert {part["kind"] for part in found["parts"]} == {"messages"}
    assert found["used"] == 2_110


def test_a_session_that_asked_nobody_yet(here: Places, capfd: pytest.CaptureFixture[str]) -> None:
    session, _ = talked(here)
    log = here.sessions / f"{session}.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:2]))
    assert run(["context", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert (found["model"], found["window"], found["source"]) == (None, None, "estimate")
