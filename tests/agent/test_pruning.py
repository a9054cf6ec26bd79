"""A session's end lets old checkpoints go once a day, and the doctor when it is told to."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from keeping import calls, keeping, turns
from scripts import call

from agentmem.agent.agent import Agent
from agentmem.agent.keeper import Keeper
from agentmem.cli.typed import run
from agentmem.domain.bounds import Bounds
from agentmem.domain.places import Places

DAY = 86_400
WRITE = call("write", path="a.txt", content="a\n")


def bounded(places: Places) -> Agent:
    agent = keeping(places, calls(WRITE))
    assert agent.keeper is not None
    env = dict(agent.keeper.env)
    agent.keeper = Keeper(agent.session, agent.clock, env, 30.0, lambda: Bounds(30, 10**9))
    return agent


def old_session(places: Places, days: float) -> Path:
    """The ref of a session that kept something so many days ago."""
    (places.root / "a.txt").write_text("old\n")
    with keeping(places, calls(call("read", path="a.txt"), WRITE)) as agent:
        turns(agent, "go")
        now = agent.clock.now()
    (ref,) = refs(places)
    for path in (places.shared / "checkpoints.git").rglob("*"):
        if path.is_file():
            os.utime(path, (now - days * DAY,) * 2)
    return ref


def refs(places: Places) -> list[Path]:
    return sorted((places.shared / "checkpoints.git").glob("refs/agentmem/*/*"))


def test_the_end_of_a_session_lets_old_ones_go_once_a_day(places: Places) -> None:
    ref = old_session(places, 31)
    with bounded(places) as agent:
        turns(agent, "go")
        assert ref.exists()
    assert not ref.exists()
    assert len(refs(places)) == 1
    another = ref.with_name("another")
    another.write_bytes(refs(places)[0].read_bytes())
    os.utime(another, (1, 1))
    with bounded(places) as agent:
        turns(agent, "go")
    assert another.exists()


def test_a_session_that_kept_nothing_does_not_look(places: Places) -> None:
    ref = old_session(places, 31)
    with bounded(places):
        pass
    assert ref.exists()


def test_without_bounds_nothing_goes(places: Places) -> None:
    ref = old_session(places, 31)
    with keeping(places, calls(WRITE)) as agent:
        turns(agent, "go")
    assert ref.exists()


def test_a_failure_at_the_end_is_survived(places: Places) -> None:
    ref = old_session(places, 31)
    away = places.home / "away"
    away.write_text("theirs")
    os.utime(away, (1, 1))
    (places.shared / "checkpoints.git" / "pruned").symlink_to(away)
    os.utime(places.shared / "checkpoints.git" / "pruned", (1, 1), follow_symlinks=False)
    with bounded(places) as agent:
        turns(agent, "go")
    assert ref.exists()
    assert away.stat().st_mtime == 1


@pytest.fixture
def here(places: Places, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.chdir(places.root)
    monkeypatch.setenv("AGENTMEM_HOME", str(places.home))
    monkeypatch.delenv("AGENTMEM_AGENT", raising=False)
    return places


def findings(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, tuple[str, str]]:
    run(["doctor", "--json", *words])
    return {one["about"]: (one["state"], one["text"]) for one in json.loads(capsys.readouterr().out)}


def test_the_doctor_lets_go_when_told(here: Places, capsys: pytest.CaptureFixture[str]) -> None:
    ref = old_session(here, 31)
    state, text = findings(capsys)["checkpoints"]
    assert (state, text.endswith(" of 1 session")) == ("ok", True)
    assert ref.exists()
    found = findings(capsys, "--prune")
    assert found["pruned"][0] == "ok"
    assert " of 1 old sessions; " in found["pruned"][1]
    assert "checkpoints" not in found
    assert not ref.exists()


def test_the_doctor_tells_when_there_is_too_much(here: Places, capsys: pytest.CaptureFixture[str]) -> None:
    old_session(here, 2)
    big = here.shared / "checkpoints.git" / "objects" / "aa" / ("0" * 38)
    big.parent.mkdir(exist_ok=True)
    big.write_bytes(os.urandom(1_100_000))
    (here.home / "config.yaml").write_text("checkpoint_megabytes: 1\n")
    state, text = findings(capsys)["checkpoints"]
    assert (state, text.endswith("more than 1.0 MB")) == ("note", True)


def test_an_agents_command_may_not(here: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = old_session(here, 31)
    monkeypatch.setenv("AGENTMEM_AGENT", "1")
    assert run(["doctor", "--prune"]) == 3
    assert ref.exists()


def test_what_hinders_is_told(
    here: Places, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = old_session(here, 31)
    monkeypatch.setenv("PATH", "/nowhere")
    state, text = findings(capsys, "--prune")["pruned"]
    assert (state, text.split("; ")[-1]) == ("note", "not all of it: git is not installed")
    assert ref.exists()
