"""What has a log's name and is none: a list tells it, the doctor too, and `-c` does not go past it in silence."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from agent.scripts import make_agent, play

from agentmem.app.listing import offer
from agentmem.app.wiring import NothingToContinue, Options
from agentmem.app.wiring import make_agent as wire
from agentmem.cli.typed import run
from agentmem.domain.places import Places
from agentmem.memory import memory
from agentmem.memory.read import fsck


def a_link(path: Path) -> None:
    other = path.with_name("elsewhere.txt")
    other.write_text('{"type":"session","id":"x"}\n')
    path.symlink_to(other)


def a_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


def a_directory(path: Path) -> None:
    path.mkdir()


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


STRANGERS = [
    (a_link, "it is a link, no file"),
    (a_dangling_link, "it is a link, no file"),
    (a_directory, "Is a directory"),
    (a_pipe, "it is a pipe, no file"),
]
Put = Callable[[Path], None]


def talked(places: Places) -> str:
    with make_agent(places, [{"text": "Done."}]) as agent:
        play(agent, "hello")
        return agent.session_id


def options(places: Places) -> Options:
    script = places.home / "script.jsonl"
    script.write_text('{"text":"on"}\n')
    return Options(model=f"scripted:{script}", continue_last=True)


@pytest.mark.parametrize(("put", "why"), STRANGERS)
def test_the_list_tells_it(here: Places, put: Put, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    session = talked(here)
    path = here.sessions / "2026-12-01T00-00-00-aaaaaa.jsonl"
    put(path)
    assert run(["sessions", "list", "--json"]) == 0
    out, err = capsys.readouterr()
    assert [one["id"] for one in json.loads(out)] == [session]
    assert err == f"agentmem: {path} cannot be read: {why}\n"


@pytest.mark.parametrize(("put", "why"), STRANGERS)
def test_the_doctor_tells_it(here: Places, put: Put, why: str) -> None:
    talked(here)
    path = here.sessions / "2026-12-01T00-00-00-aaaaaa.jsonl"
    put(path)
    (found,) = (one for one in fsck.check(here).troubles if one.what.startswith("is no log"))
    assert (found.where, found.what, found.wrong) == (str(path), f"is no log: {why}", True)
    assert str(path) in found.mend


@pytest.mark.parametrize(("put", "why"), STRANGERS)
def test_going_on_with_an_older_session_is_told(here: Places, put: Put, why: str) -> None:
    session = talked(here)
    past, later = here.sessions / "a.jsonl", here.sessions / "b.jsonl"
    put(past)
    put(later)
    log = here.sessions / f"{session}.jsonl"
    for path, age in ((past, 100), (log, 50), (later, 10)):
        os.utime(path, ns=(1_796_040_131_000_000_000 - age * 10**9,) * 2, follow_symlinks=False)
    with wire(options(here), {"AGENTMEM_HOME": str(here.home), "PATH": os.environ["PATH"]}) as agent:
        assert agent.session_id == session
        told = [notice for notice in agent.notices if "cannot be read" in notice]
    assert told == [f"{later} is newer than the session that goes on here, and cannot be read: {why}"]


@pytest.mark.parametrize(("put", "why"), STRANGERS)
def test_with_nothing_else_to_go_on_with_it_is_no_empty_project(here: Places, put: Put, why: str) -> None:
    here.sessions.mkdir(parents=True)
    put(here.sessions / "a.jsonl")
    with pytest.raises(OSError) as caught:
        wire(options(here), {"AGENTMEM_HOME": str(here.home)})
    assert caught.value.strerror == why
    told = f"{here.sessions / 'a.jsonl'} cannot be read: {why}; `agentmem doctor` says more"
    assert offer({"AGENTMEM_HOME": str(here.home)}, 0) == told


def test_a_file_in_place_of_the_sessions_is_told(here: Places, capsys: pytest.CaptureFixture[str]) -> None:
    here.sessions.write_text("")
    assert run(["sessions"]) == 0
    assert capsys.readouterr().err == f"agentmem: {here.sessions} cannot be read: Not a directory\n"
    assert [one.what for one in fsck.check(here).troubles] == ["is no log: Not a directory"]


def test_without_any_session_there_is_nothing_to_continue(here: Places) -> None:
    with pytest.raises(NothingToContinue):
        wire(options(here), {"AGENTMEM_HOME": str(here.home)})
    assert memory.survey_sessions(here) == ([], [])
