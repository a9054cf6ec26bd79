from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from replay import Replay

from agentmem.terminal.blocks import Block, Whole
from agentmem.terminal.slash import COMMANDS, Desk, exact, find, read, unknown


def nowhere(path: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/help", ("help", "")),
        ("/mode  edits ", ("mode", "edits")),
        ("/MODE ask", ("MODE", "ask")),
        ("/", ("help", "")),
        ("/?", ("?", "")),
        ("/nonsense", ("nonsense", "")),
        ("/ divides", None),
        ("//", None),
        ("// a comment", None),
        ("/usr/bin/env is missing", None),
        ("/etc/", None),
        ("/mode\nask", None),
        (" /help", None),
        ("/* comment */", None),
        ("/path.py is broken", None),
        ("hello", None),
        ("", None),
    ],
)
def test_only_a_single_line_that_looks_like_one_is_a_command(text: str, command: tuple[str, str] | None) -> None:
    assert read(text, nowhere) == command


def test_a_path_that_is_there_is_a_message_unless_it_is_a_command() -> None:
    assert read("/tmp is full", lambda path: path == "/tmp") is None
    assert read("/help", lambda path: True) == ("help", "")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("help", "help"),
        ("?", "help"),
        ("exit", "quit"),
        ("QUIT", "quit"),
        ("q", "quit"),
        ("mo", None),
        ("", None),
        ("x", None),
    ],
)
def test_commands_are_found_by_name_or_a_beginning_that_is_theirs_alone(name: str, found: str | None) -> None:
    command = find(name)
    assert (command.name if command else None) == found


def shown(blocks: Sequence[Block], width: int = 200) -> str:
    return "\n".join(line.plain for block in blocks for line in block.lines(width))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    talk = Replay(tmp_path)
    talk.log = Path("/w/my project/.agent/sessions/s.jsonl")
    return Desk(talk, [Whole("bash  one", "1\n"), Whole("bash  two", "2\n")])


@pytest.mark.parametrize(
    ("name", "rest", "text"),
    [
        ("model", "", "model scripted/demo"),
        ("mode", "", "permission mode ask; there are plan, ask, edits, auto, full"),
        ("mode", "none", "There is no mode none; there are plan, ask, edits, auto, full."),
        ("mode", "Plan", "permission mode plan: reads only"),
        ("mode", "ed", "permission mode edits: writes in the workspace without asking"),
        (
            "context",
            "",
            "12,300 of 200,000 tokens in use (6%)\n"
            "   2,300   19%  agentmem's own rules\n"
            "  10,000   81%  what the person said\n"
            "187,700 tokens are free\n"
            "an estimate by size: no provider has counted here yet",
        ),
        ("session", "", "session 2026-11-30T09-02-11-4f2a91\nits log: cat '/w/my project/.agent/sessions/s.jsonl'"),
        ("show", "", "bash  two\n2"),
        ("show", "2", "bash  one\n1"),
        ("show", "3", "There is no such output."),
        ("show", "0", "There is no such output."),
        ("show", "last", "bash  two\n2"),
    ],
)
def test_what_a_command_says(desk: Desk, name: str, rest: str, text: str) -> None:
    command = find(name)
    assert command and command.run
    assert shown(command.run(desk, rest)) == text


def test_the_mode_is_set(desk: Desk) -> None:
    command = find("mode")
    assert command and command.run
    command.run(desk, "full")
    assert desk.talk.mode == "full"


def test_nothing_to_show_is_said(desk: Desk) -> None:
    command = find("show")
    assert command and command.run
    assert shown(command.run(Desk(desk.talk, []), "")) == "Nothing was folded yet."


def test_help_lists_every_command(desk: Desk) -> None:
    command = find("help")
    assert command and command.run
    lines = shown(command.run(desk, "")).split("\n")
    assert [line.split()[0] for line in lines[: len(COMMANDS)]] == [f"/{command.name}" for command in COMMANDS]


def test_an_unknown_command_names_the_nearest() -> None:
    assert shown(unknown("sesion")) == (
        "There is no command /sesion. Did you mean /session? To send it as a message put a space in front."
    )
    assert shown(unknown("zzz")) == (
        "There is no command /zzz. /help lists the commands. To send it as a message put a space in front."
    )


def test_without_skills_it_is_said(desk: Desk) -> None:
    for name in ("skills", "trust"):
        command = find(name)
        assert command and command.run
        assert shown(command.run(desk, "")).startswith("There ")


def test_a_command_of_that_very_name() -> None:
    assert [bool(exact(name)) for name in ("help", "HELP", "?", "hel", "")] == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("rest", "text"),
    [
        ("gateway port", "recalled: gateway port"),
        ("fail", "Memory could not be searched: the index cannot be used"),
        (" ", "What is to be recalled? e.g. /recall which database do the tests use"),
    ],
)
def test_recall_searches_and_says_what_it_wants(desk: Desk, rest: str, text: str) -> None:
    command = find("recall")
    assert command is not None and command.run is not None
    assert shown(command.run(desk, rest)) == text
