"""A program for terminal tests: the real face on a talk that replays Events. Its first word picks the scene.

    python replay.py FOLDER [--first TEXT] [--slow-start SECONDS] [--no-start MESSAGE]

What the face sends is kept in FOLDER/sent.jsonl, the person's answers in FOLDER/answers, the history in FOLDER/past.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path

from agentmem.domain.cancel import Cancel
from agentmem.domain.event import (
    Answer,
    Asked,
    CallDelta,
    Event,
    Notice,
    Retrying,
    StepEnded,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolOutput,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from agentmem.domain.filling import Filling, Share
from agentmem.domain.message import Text, Usage
from agentmem.terminal.face import run
from agentmem.terminal.talk import CannotStart

Scene = Generator[Event, Answer | None, None]
DIFF = """--- a/tests/conftest.py
+++ b/tests/conftest.py
@@ -1,2 +1,2 @@
 import pytest
-DB = 'sqlite://'
+DB = 'postgresql://localhost/test'
"""
MARKDOWN = """# Plan

The suite runs on **SQLite**; `JSONB` needs *PostgreSQL*. See [the manual](https://www.postgresql.org/docs/15/).

1. Start the database
2. Change `tests/conftest.py`
   - the url
   - the fixture
3. Run the tests

```python
def url() -> str:
    \"\"\"Where the tests run.\"\"\"
    return "postgresql://localhost/test"  # 日本語
```

| what | where | why |
|---|:-:|--:|
| url | conftest.py | JSONB |
| image | compose.yaml | version 15 |

> Nothing is committed yet.
> - really

---
Done: 日本語の文字 and 🎉 at the end.
"""


class NewShelf:
    """The shelf of a talk whose session has not begun."""

    begun = False


class Replay:
    """A talk without a model."""

    shelf = NewShelf()
    skills = None

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model, self.session_id, self.mode = "scripted/demo", "2026-11-30T09-02-11-4f2a91", "ask"
        self.log = folder / ".agent" / "sessions" / f"{self.session_id}.jsonl"
        self.loaded, self.notices = ("AGENT.md", "AGENTS.md"), ("no price is known for scripted/demo",)

    def follow(self, tell: Callable[[list[str]], None]) -> None:
        return None

    def remembered(self, words: str) -> Sequence[str]:
        return [f"remembered: {words or 'all'}"]

    def recalled(self, query: str) -> Sequence[str]:
        if query == "fail":
            raise OSError(None, "the index cannot be used")
        return [f"recalled: {query}"]

    def set_mode(self, mode: str) -> None:
        self.mode = mode

    def context(self) -> tuple[int, int]:
        return 12_300, 200_000

    def filling(self) -> Filling:
        shares = (Share("rules", "agentmem's own rules", 2_300), Share("messages", "what the person said", 10_000))
        return Filling(None, None, shares, 200_000)

    def turn(self, parts: Sequence[Text], cancel: Cancel) -> Scene:
        message = "".join(part.text for part in parts)
        with (self.folder / "sent.jsonl").open("a") as file:
            file.write(json.dumps({"text": message, "origins": [part.origin for part in parts]}) + "\n")
        yield TurnStarted(self.session_id, "e1", self.model)
        yield StepStarted(1)
        scene = SCENES.get(message.split()[0] if message.split() else "", echo)
        answer: Answer | None = None
        playing = scene(message, cancel)
        while True:
            try:
                event = playing.send(answer)
            except StopIteration:
                break
            answer = yield event
            if isinstance(event, Asked):
                with (self.folder / "answers").open("a") as file:
                    file.write(f"{answer}\n")
        yield StepEnded(1, Usage(12_300, 420, 8_100), 0.0123)
        stop = "interrupted" if cancel.cancelled else "done"
        yield TurnEnded(self.session_id, stop, message, 1, Usage(12_300, 420, 8_100), 0.0123)


def echo(message: str, cancel: Cancel) -> Scene:
    yield TextDelta(f"You said: {message}")


def markdown(message: str, cancel: Cancel) -> Scene:
    for index in range(0, len(MARKDOWN), 7):
        yield TextDelta(MARKDOWN[index : index + 7])
        if cancel.wait(0.005):
            return


def slow(message: str, cancel: Cancel) -> Scene:
    yield TextDelta("Working on it.\n\n")
    for index in range(600):
        yield TextDelta(f"word{index} ")
        if cancel.wait(0.1):
            return


def deaf(message: str, cancel: Cancel) -> Scene:
    yield TextDelta("I do not listen.")
    time.sleep(30)


def tools(message: str, cancel: Cancel) -> Scene:
    yield ThinkingDelta("The user wants the tests to run.\n")
    yield ThinkingDelta("I look at the files first.")
    yield TextDelta("I look at the tests.")
    yield CallDelta(0, "read", '{"path":')
    yield CallDelta(0, "", '"tests/conftest.py"}')
    yield from call("c1", "read", {"path": "tests/conftest.py"}, "import pytest\nDB = 'sqlite://'\n", ms=4)
    yield from call("c2", "grep", {"pattern": "sqlite", "path": "src"}, "", ms=12)
    yield from call("c3", "edit", {"path": "tests/conftest.py"}, "edited", ms=3, diff=DIFF)
    yield ToolStarted("c4", "bash", {"command": "make test"})
    text = ""
    for index in range(30):
        text += f"tests/test_{index}.py ......\n"
        yield ToolOutput("c4", f"tests/test_{index}.py ......\n")
        if cancel.wait(0.02):
            break
    yield ToolEnded("c4", "bash", text, False, 0, 1234, None, ".agent/offload/x/c4.txt")
    yield from call("c5", "bash", {"command": "false"}, "no such thing\n", ms=2, exit=1)
    yield Notice("warning", "the window is half full")
    yield TextDelta("All **green**.")


def retry(message: str, cancel: Cancel) -> Scene:
    yield TextDelta("First try.\n\nMore of")
    yield Retrying(1, 1.0, "the server is overloaded (529)")
    if cancel.wait(1.0):
        return
    yield TextDelta("Second try.")


def ask(message: str, cancel: Cancel) -> Scene:
    always = "never" not in message
    if "late" in message and cancel.wait(0.7):
        return
    answer = yield Asked("c1", "bash", {"command": "rm -rf build\nmake"}, "mode ask: runs a command", None, always)
    yield TextDelta(f"answer: {answer}")


def change(message: str, cancel: Cancel) -> Scene:
    lines = "".join(f"+line {index}\n" for index in range(100))
    diff = DIFF if "long" not in message else f"--- a/x\n+++ b/x\n@@ -0,0 +1,100 @@\n{lines}"
    answer = yield Asked("c1", "edit", {"path": "tests/conftest.py"}, "mode ask: writes a file", diff, True)
    if answer != "no":
        yield from call("c1", "edit", {"path": "tests/conftest.py"}, "edited", ms=3, diff=diff)
    else:
        yield ToolEnded("c1", "edit", "the person said no", True, None, 0, None, None, "edits")


def hostile(message: str, cancel: Cancel) -> Scene:
    attack = "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[2J\x1b[H\x9b31mred\x1b[?1049h\rover\x08\x08\u202etxt"
    yield ThinkingDelta(f"think {attack}")
    yield TextDelta(f"text {attack} `code {attack}`\n\n```sh\nfence {attack}\n```\n")
    yield TextDelta(f"- [link {attack}](http://x/{attack})\n\n| {attack} |\n|---|\n| {attack} |\n\n&#27;[31m&#x9b;2J\n")
    yield ToolStarted("c1", "bash", {"command": f"echo {attack}"})
    yield ToolOutput("c1", f"out {attack}\n")
    if cancel.wait(0.3):
        return
    yield ToolEnded("c1", "bash", f"out {attack}\n", False, 0, 1, f"--- a\n+++ b\n@@ x @@\n+{attack}\n", attack)
    yield Notice("error", f"notice {attack}")
    yield Asked("c2", f"tool{attack}", {"command": attack}, f"reason {attack}", None, False)
    yield TextDelta("end of attack")


def crash(message: str, cancel: Cancel) -> Scene:
    yield TextDelta("before the crash")
    raise ZeroDivisionError("planned")


def call(
    name: str,
    tool: str,
    arguments: dict[str, str],
    text: str,
    *,
    ms: int,
    exit: int | None = None,
    diff: str | None = None,
) -> Iterator[Event]:
    yield ToolStarted(name, tool, arguments)
    yield ToolEnded(name, tool, text, False, exit, ms, diff, None)


SCENES: dict[str, Callable[[str, Cancel], Scene]] = {
    scene.__name__: scene for scene in (markdown, slow, deaf, tools, retry, ask, change, hostile, crash)
}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first")
    parser.add_argument("--slow-start", type=float, default=0.0)
    parser.add_argument("--no-start")
    options = parser.parse_args()

    def make() -> Replay:
        time.sleep(options.slow_start)
        if options.no_start:
            raise CannotStart(options.no_start, 4)
        return Replay(options.folder)

    return run(make, options.folder / "past", os.environ, first=options.first)


if __name__ == "__main__":
    sys.exit(main())
