"""The real command on a real terminal: the picker, and the slash commands that go to other sessions and branches."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pyte
import pytest
import talking

from agentmem.domain.places import Places

ROOT = Path(__file__).resolve().parents[2]
UP, DOWN, ESC, ENTER = "\x1b[A", "\x1b[B", "\x1b", "\r"


class Terminal:
    """A program on a terminal of `columns` by `rows`, and what is on its screen."""

    def __init__(self, places: Places, words: list[str], columns: int, rows: int) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self._screen)
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "agentmem", *words],
            cwd=str(places.cwd),
            env={
                **{key: value for key, value in os.environ.items() if key.startswith(("PATH", "COV"))},
                "HOME": str(places.home),
                "AGENTMEM_HOME": str(places.home),
                "PYTHONPATH": str(ROOT),
                "TERM": "xterm-256color",
                "LANG": "C.UTF-8",
            },
            dimensions=(rows, columns),
            encoding="utf-8",
            timeout=20,
        )

    def lines(self) -> list[str]:
        try:
            while data := self.child.read_nonblocking(65536, timeout=0.02):
                self._stream.feed(data)
                if "\x1b[6n" in data:
                    self.child.send(f"\x1b[{self._screen.cursor.y + 1};{self._screen.cursor.x + 1}R")
        except (pexpect.TIMEOUT, pexpect.EOF):
            pass
        return [line.rstrip() for line in self._screen.display]

    def until(self, true: Callable[[list[str]], bool], seconds: float = 15.0) -> list[str]:
        end = time.monotonic() + seconds
        while not true(lines := self.lines()):
            assert time.monotonic() < end, "\n".join(lines)
        return lines

    def shows(self, text: str) -> list[str]:
        return self.until(lambda lines: any(text in line for line in lines))

    def type(self, keys: str) -> None:
        self.child.send(keys)

    def ends(self) -> int:
        self.child.expect(pexpect.EOF)
        self.child.close()
        return int(self.child.exitstatus)


@pytest.fixture
def terminal(places: Places) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []
    file = places.home / "model.jsonl"
    file.write_text("".join(json.dumps({"text": f"answer {number}"}) + "\n" for number in range(1, 9)))

    def start(*words: str, columns: int = 80, rows: int = 24) -> Terminal:
        opened.append(Terminal(places, [*words, "--model", f"scripted:{file}"], columns, rows))
        return opened[-1]

    yield start
    for one in opened:
        one.child.close(force=True)


def talked(places: Places, asked: str, answered: str, name: str = "", at: float = 0.0) -> str:
    session = talking.talked(places, [(asked, answered)], name)
    os.utime(session.path, (time.time() - at, time.time() - at))
    return session.id


def records(places: Places, session: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (places.sessions / f"{session}.jsonl").read_text().splitlines()]


def test_a_session_is_picked_by_typing_at_forty_columns(places: Places, terminal: Callable[..., Terminal]) -> None:
    talked(places, "write docs", "done", at=7300)
    own = talked(places, "mend it \x1b]0;owned\x07\x1b[2J now", "mended", "the \x1b[31mbug", at=100_000)
    talked(places, "something else", "yes")
    screen = terminal("-r", columns=40, rows=16)
    lines = screen.shows("resume (3/3)")
    assert [line[:15].rstrip() for line in lines[1:4]] == ["▸ something els", "  write docs", "  the ␛[31mbug"]
    screen.type("mend")
    lines = screen.shows("resume (1/3): mend")
    assert lines[1].startswith("▸ the ␛[31mbug")
    assert any(line.startswith("first: mend it ␛]0;owned␇␛[2J now") for line in lines)
    assert any("1 d ago" in line for line in lines)
    assert len(lines) == 16
    screen.type(ENTER)
    screen.shows("mended")
    screen.type("go on")
    screen.shows("❯ go on")
    screen.type(ENTER)
    screen.shows("answer 1")
    screen.type("/quit\r")
    assert screen.ends() == 0
    said = [record for record in records(places, own) if record.get("role") == "user"]
    assert said[-1]["content"][0]["text"] == "go on"


@pytest.mark.parametrize("key", [ESC, "\x03"])
def test_leaving_the_picker_resumes_nothing(places: Places, terminal: Callable[..., Terminal], key: str) -> None:
    talked(places, "one", "ONE")
    screen = terminal("-r")
    screen.shows("resume (1/1)")
    screen.type(key)
    assert screen.ends() == 0


def test_no_session_to_pick(terminal: Callable[..., Terminal]) -> None:
    screen = terminal("-r")
    screen.shows("there are no sessions here yet")
    assert screen.ends() == 1


def test_the_last_session_is_offered_at_the_start(places: Places, terminal: Callable[..., Terminal]) -> None:
    talked(places, "one", "ONE", "the bug", at=7300)
    screen = terminal()
    screen.shows("last session here: the bug (2 h ago): agentmem -c continues it")
    screen.type("/quit\r")
    assert screen.ends() == 0
    screen = terminal("-c")
    lines = screen.shows("ONE")
    assert not any("last session here" in line for line in lines)


def test_going_back_to_a_message_of_ones_own_puts_it_into_the_input(
    places: Places, terminal: Callable[..., Terminal]
) -> None:
    own = talked(places, "one", "ONE")
    screen = terminal("-c")
    screen.shows("ONE")
    screen.type("two\r")
    screen.shows("answer 1")
    before = records(places, own)
    screen.type("/tree sqlite is wrong\r")
    lines = screen.shows("go on from (4/4)")
    assert [line[:12].rstrip() for line in lines[1:5]] == ["  ❯ one", "  ● ONE", "  ❯ two", "▸ ● answer 1"]
    screen.type(UP + ENTER)
    screen.until(
        lambda lines: any("moved" in line for line in lines) and "❯ two" in [line for line in lines if line][-2]
    )
    screen.type(" differently\r")
    screen.shows("answer 2")
    after = records(places, own)
    assert after[: len(before)] == before
    move, said = after[len(before)], after[len(before) + 1]
    assert (move["type"], move["why"]) == ("move", "sqlite is wrong")
    assert (said["content"][0]["text"], said["parent_id"]) == ("two differently", move["id"])
    screen.type("/tree\r")
    lines = screen.shows("go on from (6/6)")
    assert [line[:24].rstrip() for line in lines[3:7]] == [
        "  ├─ ❯ two",
        "  │  ● answer 1",
        "  └─ ❯ two differently",
        "▸    ● answer 2",
    ]
    screen.type(UP + UP + ENTER)
    screen.shows("moved")
    screen.type("/tree\r")
    screen.shows("go on from (6/6)")
    screen.type(ESC)
    screen.until(lambda lines: "❯" in lines)
    screen.type("/quit\r")
    assert screen.ends() == 0
    assert records(places, own)[-1]["to"] == after[len(before) - 1]["id"]


def test_sessions_are_changed_named_forked_and_begun_anew(places: Places, terminal: Callable[..., Terminal]) -> None:
    own = talked(places, "one", "ONE", at=60)
    screen = terminal(columns=120)
    screen.shows("agentmem -c continues it")
    for words, told in (
        ("/tree", "Nothing was said yet."),
        ("/label x", "There is no message to label yet."),
        ("/fork", "There is nothing to fork yet."),
        ("/name", "this session has no name: /name NAME"),
        ("/sessions nope", "there is no session 'nope'"),
    ):
        screen.type(f"{words}\r")
        screen.shows(told)
    screen.type("/sessions\r")
    screen.shows("go on with (1/1)")
    screen.type(ENTER)
    screen.shows(f"session {own}")
    screen.shows("❯ one")
    screen.type("/name the bug\r")
    screen.shows("this session is called 'the bug'")
    screen.type("/label good\r")
    screen.shows("labelled 'good'")
    screen.type("/fork\r")
    lines = screen.shows(f"{own} stays as it is")
    fork = next(line for line in lines if "a fork, session " in line).split("session ")[1].split(";")[0]
    screen.type("two\r")
    screen.shows("answer 1")
    screen.type("/clear\r")
    screen.shows(f"a new session; the one before: agentmem -r {fork}")
    screen.type("/sessions the bug\r")
    screen.shows("session the bug")
    screen.type("/sessions the bug\r")
    screen.shows("You are in this session already.")
    screen.type("/quit\r")
    assert screen.ends() == 0
    assert [record["type"] for record in records(places, own)][-2:] == ["session_info", "label"]
    assert [record["content"][0]["text"] for record in records(places, fork) if record.get("role") == "user"] == [
        "one",
        "two",
    ]
    assert records(places, fork)[0]["forked_from"]["session"] == own
