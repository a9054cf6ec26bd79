from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentmem.domain.cancel import Cancel
from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools import bash

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs setsid")


class Disk:
    """What was put aside, by path."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def put(self, data: bytes, suffix: str) -> str:
        path = f".agent/offload/s/{len(self.files)}{suffix}"
        self.files[path] = data
        return path


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def call(context: ToolContext, disk: Disk) -> ToolContext:
    return dataclasses.replace(context, offload=disk.put, env={"PATH": os.environ["PATH"], "HOME": str(context.cwd)})


@pytest.fixture
def left(call: ToolContext) -> Iterator[Callable[[], list[int]]]:
    """The process ids that commands wrote into `*.pid`; they are ended after the test."""

    def pids() -> list[int]:
        return [int(file.read_text()) for file in sorted(call.cwd.glob("*.pid"))]

    yield pids
    for pid in pids():
        try:
            group = os.getpgid(pid)
            assert group != os.getpgid(0)
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            continue


def run(call: ToolContext, command: str, **more: Any) -> ToolResult:
    return bash.TOOL.run({"command": command, **more}, call)


@pytest.mark.parametrize(
    ("command", "result"),
    [
        ("echo hi", ToolResult("hi\n[exit 0]", exit=0)),
        ("printf hi", ToolResult("hi\n[exit 0]", exit=0)),
        ("true", ToolResult("[no output; exit 0]", exit=0)),
        ("echo out; echo err >&2; exit 3", ToolResult("out\nerr\n[exit 3]", error=True, exit=3)),
        ("kill -SEGV $$", ToolResult("[no output; exit 139, SIGSEGV]", error=True, exit=139)),
        ("exit 137", ToolResult("[no output; exit 137, SIGKILL]", error=True, exit=137)),
        ("exit 255", ToolResult("[no output; exit 255]", error=True, exit=255)),
        ("echo $AGENTMEM_AGENT $TERM $PAGER", ToolResult("1 dumb cat\n[exit 0]", exit=0)),
        ("[[ a == a ]] && echo bash", ToolResult("bash\n[exit 0]", exit=0)),
        ("printf 'a\\r\\nb\\r\\n'", ToolResult("a\r\nb\r\n[exit 0]", exit=0)),
    ],
)
def test_results(call: ToolContext, command: str, result: ToolResult) -> None:
    assert run(call, command) == result


def test_a_command_may_begin_with_a_dash(call: ToolContext) -> None:
    assert run(call, "-l --x").exit == 127


def test_it_runs_in_the_working_directory_and_cd_does_not_last(call: ToolContext) -> None:
    (call.cwd / "sub").mkdir()
    assert run(call, "cd sub && pwd; echo $PWD").text == f"{call.cwd}/sub\n{call.cwd}/sub\n[exit 0]"
    assert run(call, "pwd").text == f"{call.cwd}\n[exit 0]"


def test_what_a_call_touches(call: ToolContext) -> None:
    assert bash.TOOL.access({"command": "ls"}, call) == (Access("run", "ls", "ls"),)
    assert not bash.TOOL.reads_only


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"command": " "}, "bash: the command is empty"),
        ({"command": "a\0b"}, "bash: the command holds a NUL byte"),
        ({"command": "echo \ud83d"}, "bash: the command holds half a character (a lone surrogate)"),
        ({"command": "ls", "timeout": 0}, "bash: `timeout` must be more than 0 seconds"),
        ({"command": "ls", "timeout": float("nan")}, "bash: `timeout` must be more than 0 seconds"),
        (
            {"command": "echo " + "x" * 200_000},
            "bash: could not start the command: Argument list too long. "
            "Write the text to a file with `write` and name the file",
        ),
    ],
)
def test_what_cannot_be_run(call: ToolContext, arguments: dict[str, Any], why: str) -> None:
    assert bash.TOOL.run(arguments, call) == ToolResult(why, error=True)


def test_a_limit_above_the_most_is_cut_and_told(call: ToolContext) -> None:
    assert run(call, "echo hi", timeout=120_000).text == ("hi\n[the time limit is 600 s at most, not 120000]\n[exit 0]")


@pytest.mark.parametrize(
    "command", ["cat", f"{sys.executable} -c 'input()'", "read x; echo got", "git init -q; git commit"]
)
def test_nothing_waits_for_a_person(call: ToolContext, command: str) -> None:
    began = time.monotonic()
    run(call, command)
    assert time.monotonic() - began < 3


def test_a_commit_without_a_message_fails_with_words(call: ToolContext) -> None:
    identity = "-c user.name=a -c user.email=a@b"
    result = run(call, f"git init -q && git {identity} commit --allow-empty")
    assert result.exit == 1
    assert result.text.startswith("no editor here: give the text on the command line, as in git commit -m\n")


@pytest.mark.parametrize(
    "command",
    [
        "sleep 60 & echo $! >a.pid; echo done",
        pytest.param("setsid sleep 60 & echo $! >a.pid; echo done", marks=linux),
        f"{sys.executable} -m http.server 0 >/dev/null & echo $! >a.pid; echo done",
        "(sleep 5; echo late) & echo $! >a.pid; echo done",
    ],
)
def test_what_is_left_in_the_background(call: ToolContext, command: str, left: Callable[[], list[int]]) -> None:
    began = time.monotonic()
    result = run(call, command)
    assert time.monotonic() - began < 4
    assert (result.exit, result.error) == (0, False)
    assert result.text.startswith("done\n[exit 0; ")
    assert str(left()[0]) in result.text
    assert "still running in the background" in result.text
    assert run(call, "echo next").text == "next\n[exit 0]"
    os.kill(left()[0], 0)


def test_a_stubborn_pipeline_times_out(call: ToolContext, left: Callable[[], list[int]]) -> None:
    command = """echo so far; sh -c 'echo $$ >a.pid; trap "" TERM; while :; do sleep 0.1; done' | cat"""
    began = time.monotonic()
    result = run(call, command, timeout=0.5)
    assert time.monotonic() - began < 5
    assert result == ToolResult(
        "so far\n[timed out after 0.5 s; the command and all it started were killed]", error=True
    )
    group = subprocess.run(["ps", "-o", "stat=", "-p", str(left()[0])], capture_output=True, text=True, check=False)
    assert group.stdout.strip()[:1] in ("", "Z")


def test_an_interrupt_keeps_the_output_and_says_what_was(call: ToolContext, left: Callable[[], list[int]]) -> None:
    cancel = Cancel()

    def interrupt() -> None:
        end = time.monotonic() + 5
        while not (call.cwd / "started").exists() and time.monotonic() < end:
            time.sleep(0.01)
        cancel.cancel()

    thread = threading.Thread(target=interrupt)
    thread.start()
    began = time.monotonic()
    stopped = dataclasses.replace(call, cancel=cancel)
    result = run(stopped, "echo $$ >a.pid; echo so far; touch started; sleep 30; touch ended")
    thread.join()
    assert time.monotonic() - began < 3
    assert (result.error, result.exit) == (True, None)
    assert result.text.startswith("so far\n[interrupted while running, after 0.")
    assert result.text.endswith(" s, by the user; the command and all it started were killed]")
    assert not (call.cwd / "ended").exists()
    assert run(stopped, "touch again") == ToolResult("bash: interrupted before the command was run", error=True)
    assert not (call.cwd / "again").exists()


def test_a_deleted_working_directory_is_told(call: ToolContext) -> None:
    gone = call.cwd / "gone"
    gone.mkdir()
    there = dataclasses.replace(call, places=dataclasses.replace(call.places, cwd=gone))
    assert run(there, "rm -rf ../gone && echo removed").text == "removed\n[exit 0]"
    assert run(there, "pwd") == ToolResult(
        f"{call.cwd}\n[the working directory {gone} no longer exists; this ran in {call.cwd}]\n[exit 0]", exit=0
    )
    gone.mkdir()
    assert run(there, "pwd").text == f"{gone}\n[exit 0]"
    gone.rmdir()
    call.cwd.rmdir()
    assert run(there, "pwd") == ToolResult(
        f"bash: the working directory {gone} and the project no longer exist", error=True
    )


def test_without_bash_it_is_sh_and_told(call: ToolContext, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    os.symlink("/bin/sh", tmp_path / "bin" / "sh")
    bare = dataclasses.replace(call, env={"PATH": str(tmp_path / "bin")})
    assert run(bare, "echo hi").text == f"hi\n[bash is not installed; this ran in {tmp_path}/bin/sh]\n[exit 0]"


def test_a_shell_in_the_project_is_not_taken(call: ToolContext) -> None:
    (call.cwd / "bash").write_text("#!/bin/sh\necho taken\n")
    (call.cwd / "bash").chmod(0o755)
    tricked = dataclasses.replace(call, env={"PATH": f".:{os.environ['PATH']}"})
    assert run(tricked, "true").text == "[no output; exit 0]"


@pytest.mark.parametrize(
    ("command", "size"),
    [
        ("printf 'é%.0s' $(seq 40000)", 80_000),
        ("printf x; printf '🙂%.0s' $(seq 20000)", 80_001),
        ("printf xx; printf '🙂%.0s' $(seq 20000)", 80_002),
        ("printf xxx; printf '🙂%.0s' $(seq 20000)", 80_003),
    ],
)
def test_long_output_is_cut_between_characters(call: ToolContext, disk: Disk, command: str, size: int) -> None:
    result = run(call, command)
    data = result.text.encode()
    assert len(data) <= 50_000
    assert "\ufffd" not in result.text
    assert result.offload == ".agent/offload/s/0.txt"
    assert len(disk.files[result.offload]) == size
    middle = result.text[result.text.index("[…") : result.text.index("…]") + 2]
    shown = len(data) - len(middle.encode()) - len("\n\n\n[exit 0]")
    assert middle == (
        f"[… {size - shown:,} bytes, 0 lines left out; "
        "the whole output is in .agent/offload/s/0.txt: read or grep it …]"
    )


def test_the_tail_is_the_heavier_part(call: ToolContext) -> None:
    result = run(call, "seq 100000; echo ERROR at the end; exit 1")
    head, _, tail = result.text.partition("\n[… ")
    assert head.startswith("1\n2\n3\n")
    assert tail.endswith("99999\n100000\nERROR at the end\n[exit 1]")
    assert len(tail) > len(head) > 15_000
    assert " lines left out; the whole output is in .agent/offload/s/0.txt: read or grep it …]\n" in tail


def test_the_file_is_named_so_that_it_can_be_read_from_where_the_model_stands(call: ToolContext) -> None:
    (call.cwd / "sub").mkdir()
    below = dataclasses.replace(call, places=dataclasses.replace(call.places, cwd=call.cwd / "sub"))
    result = run(below, "printf '\\xff'")
    assert f"the whole output is in {call.cwd}/.agent/offload/s/0.txt: read or grep it" in result.text
    assert result.offload == ".agent/offload/s/0.txt"


def test_more_than_is_kept_is_told(call: ToolContext, disk: Disk) -> None:
    text = run(call, "yes | head -c 60000000").text
    assert "the first 50,000,000 bytes of 60,000,000 are in .agent/offload/s/0.txt: read or grep it" in text
    assert len(disk.files[".agent/offload/s/0.txt"]) == 50_000_000


def test_output_that_cannot_be_put_aside_is_still_shown(call: ToolContext) -> None:
    def full(data: bytes, suffix: str) -> str:
        raise OSError(28, "No space left on device")

    result = run(dataclasses.replace(call, offload=full), "seq 100000")
    assert "lines left out; it could not be kept: No space left on device …]" in result.text
    assert (result.exit, result.offload) == (0, None)


def test_bytes_that_are_no_text_are_marked_and_kept(call: ToolContext, disk: Disk) -> None:
    assert run(call, "printf 'a\\xff\\xfeb\\n'") == ToolResult(
        "a\ufffd\ufffdb\n"
        "[some bytes are not UTF-8 text and show as \ufffd]\n"
        "[the whole output is in .agent/offload/s/0.txt: read or grep it]\n"
        "[exit 0]",
        exit=0,
        offload=".agent/offload/s/0.txt",
    )
    assert disk.files == {".agent/offload/s/0.txt": b"a\xff\xfeb\n"}
    result = run(call, "head -c 300 /dev/urandom")
    assert result.text.endswith("\n[exit 0]")
    assert len(disk.files[".agent/offload/s/1.txt"]) == 300


def test_escape_codes_and_progress_are_left_out_and_kept(call: ToolContext, disk: Disk) -> None:
    assert run(call, "printf '\\e[31mred\\e[0m\\n1%%\\r100%%\\n'").text == (
        "red\n100%\n"
        "[escape codes and overwritten progress lines are left out]\n"
        "[the whole output is in .agent/offload/s/0.txt: read or grep it]\n"
        "[exit 0]"
    )
    assert disk.files == {".agent/offload/s/0.txt": b"\x1b[31mred\x1b[0m\n1%\r100%\n"}


def test_output_is_told_while_it_comes(call: ToolContext) -> None:
    told: list[str] = []

    def hear(text: str) -> None:
        told.append(text)
        (call.cwd / "heard").touch()

    heard = dataclasses.replace(call, emit=hear)
    result = run(heard, "echo one; while [ ! -e heard ]; do sleep 0.02; done; echo two", timeout=20)
    assert (result.exit, told[0], "".join(told)) == (0, "one\n", "one\ntwo\n")
