"""Ending: what a process says and leaves when a signal, a stream or a folder ends its work."""

from __future__ import annotations

import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SAID = {"text": "fine", "usage": {"input": 1, "output": 1}}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path


def script(place: Path, *replies: dict[str, Any]) -> str:
    file = place / "model.jsonl"
    file.write_text("".join(json.dumps(reply) + "\n" for reply in replies), encoding="utf-8")
    return f"--model {shlex.quote(f'scripted:{file}')}"


def env(place: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(place),
        "AGENTMEM_HOME": str(place / "home"),
        "PYTHONPATH": str(ROOT),
    }


def shell(place: Path, words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `agentmem WORDS` as a shell reads them."""
    line = f"{shlex.quote(sys.executable)} -m agentmem {words}"
    return subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=place / "w",
        env={**env(place), **more},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def begin(place: Path, words: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "agentmem", *shlex.split(words)],
        cwd=place / "w",
        env=env(place),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def until(path: Path) -> None:
    """Wait for a file that a command writes."""
    end = time.monotonic() + 20
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < end, f"{path} was not written"
        time.sleep(0.01)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").exists() and ") Z" in Path(f"/proc/{pid}/stat").read_text()


def test_two_signals_at_once_are_one_and_end_what_runs(place: Path) -> None:
    command = "echo $$ > pid; trap '' TERM; while :; do sleep 0.1; done"
    model = script(
        place, {"tool_calls": [{"name": "bash", "arguments": {"command": command}}], "usage": {"input": 7, "output": 2}}
    )
    run = begin(place, f"-p go --permission full --output json {model}")
    until(place / "w" / "pid")
    run.send_signal(signal.SIGTERM)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=20)
    assert run.returncode == 130, err
    envelope = json.loads(out)
    assert (envelope["stop"], envelope["exit_code"], envelope["error"]) == ("interrupted", 130, None)
    assert (envelope["steps"], envelope["usage"]) == (1, {"input": 7, "output": 2})
    assert "KeyboardInterrupt" not in err
    assert gone(int((place / "w" / "pid").read_text()))


def test_a_signal_while_stdin_is_read_ends_the_run(place: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"begun")
    run = begin(place, f"-p go --output json {script(place, SAID)}", reader)
    time.sleep(0.8)
    run.send_signal(signal.SIGTERM)
    out, err = run.communicate(timeout=20)
    os.close(reader)
    os.close(writer)
    assert run.returncode == 130, err
    assert json.loads(out)["stop"] == "interrupted"
    assert err == "error: interrupted before the task began\n"


@pytest.mark.parametrize("wait", [0.03, 0.06, 0.1, 0.2])
def test_an_interrupt_of_the_start_leaves_no_traceback(wait: float, place: Path) -> None:
    code = (
        "import os, signal, threading\n"
        "from agentmem.__main__ import main\n"
        f"threading.Timer({wait}, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "raise SystemExit(main())"
    )
    reader, writer = os.pipe()
    ran = subprocess.run(
        [sys.executable, "-c", code, "-p", "go"], cwd=place / "w", env=env(place), stdin=reader, capture_output=True
    )
    os.close(reader)
    os.close(writer)
    assert ran.returncode == 130
    assert b"Traceback" not in ran.stderr


IN_AN_IMPORT = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
from agentmem.__main__ import main
raise SystemExit(main())
"""


@pytest.mark.parametrize(
    "module", ["agentmem.quick", "agentmem.run", "agentmem.app.interrupt", "agentmem.model.choice"]
)
@pytest.mark.parametrize("output", ["json", "stream-json", "text"])
def test_an_interrupt_in_the_midst_of_an_import_is_told_in_the_form_asked_for(
    module: str, output: str, place: Path
) -> None:
    ran = interrupted(place, module, "-p", "go", "--output", output, "--model", "scripted:x")
    assert ran.returncode == 130
    assert ran.stderr == b"error: interrupted before the task began\n"
    assert ran.stdout == expected(output)


def expected(output: str) -> bytes:
    """What is printed when a run is interrupted later on."""
    from agentmem.serve.headless import write_failure

    out = io.StringIO()
    write_failure(out, output, io.StringIO(), "interrupted before the task began", 130)  # type: ignore[arg-type]
    return out.getvalue().encode()


@pytest.mark.parametrize("module", ["agentmem.quick", "typer", "agentmem.cli.transfer", "agentmem.app.listing"])
def test_an_interrupted_command_gives_the_document_asked_for(module: str, place: Path) -> None:
    ran = interrupted(place, module, "sessions", "list", "--json")
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, b'{"error": "interrupted"}\n', b"")
    assert interrupted(place, module, "sessions", "list").stdout == b""


def test_a_task_that_typer_reads_tells_an_interrupt_once(place: Path) -> None:
    ran = interrupted(place, "agentmem.app.wiring", "--output=json", "-p", "go", "--model", "scripted:x")
    assert (ran.returncode, ran.stdout) == (130, expected("json"))


def interrupted(place: Path, module: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run `agentmem WORDS`, interrupted when it begins to load the module."""
    return subprocess.run(
        [sys.executable, "-c", IN_AN_IMPORT.format(module=module), *words],
        cwd=place / "w",
        env=env(place),
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("words", "unbuffered"),
    [
        ("--version", ""),
        ("--version", "1"),
        ("--help", ""),
        ("sessions --json", ""),
        ("sessions --json", "1"),
        ("doctor", ""),
        ("-p go", ""),
        ("-p go --output json", "1"),
    ],
)
def test_a_full_stdout_is_told(words: str, unbuffered: str, place: Path) -> None:
    model = script(place, SAID) if words.startswith("-p") else ""
    ran = shell(place, f"{words} {model} >/dev/full", PYTHONUNBUFFERED=unbuffered)
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1
    assert ran.stderr.endswith("standard output cannot be written: No space left on device\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_disk_that_is_full_is_not_taken_for_stdout(unbuffered: str, place: Path) -> None:
    assert shell(place, "remember 'the port of the office is 8080' --project").returncode == 0
    limited = f"ulimit -f 0; exec {shlex.quote(sys.executable)} -m agentmem forget 'port of the office' --yes"
    more = {**env(place), "PYTHONUNBUFFERED": unbuffered}
    ran = subprocess.run(["/bin/sh", "-c", limited], cwd=place / "w", env=more, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.endswith("agentmem: File too large; make room for it, then run this again\n")


@pytest.mark.parametrize("words", ["--version", "sessions", "-p go"])
def test_a_closed_stdout_is_told(words: str, place: Path) -> None:
    model = script(place, SAID) if words.startswith("-p") else ""
    ran = shell(place, f"{words} {model} >&-")
    assert ran.returncode == 1
    assert ran.stderr.endswith("standard output cannot be written: it is closed\n")


def test_a_closed_stdin_is_an_empty_one(place: Path) -> None:
    ran = shell(place, f"-p go {script(place, SAID)} <&-")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "fine\n", "")
    ran = shell(place, "<&-")
    assert (ran.returncode, ran.stderr.count("needs a terminal")) == (2, 1)


def test_a_wrong_command_line_still_gives_the_json_asked_for(place: Path) -> None:
    ran = shell(place, "-p go --max-cost nan --output json")
    assert ran.returncode == 2
    envelope = json.loads(ran.stdout)
    assert (envelope["stop"], envelope["exit_code"]) == ("failed", 2)
    assert "--max-cost" in envelope["error"]
    assert "Usage:" in ran.stderr
    ran = shell(place, "-p go --bogus --output=stream-json")
    assert json.loads(ran.stdout) == {"type": "failed", "exit_code": 2, "error": "No such option: --bogus"}
    ran = shell(place, "--bogus")
    assert (ran.returncode, ran.stdout) == (2, "")
    ran = shell(place, "sessions show nope --json")
    assert (ran.returncode, json.loads(ran.stdout)) == (1, {"error": "there is no session 'nope'"})


BOUND = """
import ctypes, os, sys
if os.geteuid() == 0:
    libc, head, sets = ctypes.CDLL(None), (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(head, sets) == 0
    sets[0] &= ~0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
    assert libc.capset(head, sets) == 0
from agentmem.__main__ import main
raise SystemExit(main())
"""


def bound(place: Path, words: str) -> subprocess.CompletedProcess[str]:
    """Run `agentmem WORDS` as somebody whom file modes bind: they do not bind root."""
    if os.geteuid() == 0 and sys.platform != "linux":
        pytest.skip("file modes do not bind root")
    return subprocess.run(
        [sys.executable, "-c", BOUND, *shlex.split(words)],
        cwd=place / "w",
        env=env(place),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def test_a_folder_that_may_not_be_written_is_named(place: Path) -> None:
    os.chmod(place / "w", 0o555)
    ran = bound(place, "init")
    os.chmod(place / "w", 0o755)
    assert (ran.returncode, ran.stderr) == (1, f"agentmem: {place / 'w' / 'AGENT.md'}: Permission denied\n")


def test_sessions_that_may_not_be_read_are_named(place: Path) -> None:
    model = script(place, SAID)
    shell(place, f"-p go {model}")
    sessions = place / "w" / ".agent" / "sessions"
    (log,) = sessions.glob("*.jsonl")
    os.chmod(log, 0)
    ran = bound(place, "sessions --json")
    assert (ran.returncode, ran.stdout) == (0, "[]\n")
    assert ran.stderr == f"agentmem: {log} cannot be read: Permission denied\n"
    ran = bound(place, f"-c -p more {model}")
    assert (ran.returncode, ran.stderr) == (1, f"error: {log}: Permission denied\n")
    os.chmod(sessions, 0)
    for words, begins in (("sessions", "agentmem"), (f"-c -p more {model}", "error")):
        ran = bound(place, words)
        assert (ran.returncode, ran.stderr) == (1, f"{begins}: {sessions}: Permission denied\n")
    os.chmod(sessions, 0o755)
