"""How long ``agentmem`` takes to show its prompt and echo a key, against the import of prompt_toolkit."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Sequence

from benchmarks.command import main
from benchmarks.line import Line, in_turns
from benchmarks.process import Failed, Workspace, agentmem, milliseconds, workspace

RUNS = 11
KEYS = "zqj"
WHERE = b"\x1b[6n"
ESCAPE = re.compile(
    rb"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>()][0-9A-Z]?|[\r\n\x07\x0e\x0f]"
)


def ready(argv: Sequence[str], place: Workspace, limit: float = 20.0) -> tuple[float, float]:
    """(prompt shown, keys echoed) in milliseconds since the start, on a terminal of 80 by 24.

    Keys are typed the moment the program has switched the terminal's own echo off, so that what comes back is the
    program's echo; a program must keep what is typed while it is still starting.
    """
    start = time.perf_counter()
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(place.cwd)
        os.execve(argv[0], list(argv), dict(place.env))
    try:
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        return _watch(master, start, limit)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(master)


def _watch(master: int, start: float, limit: float) -> tuple[float, float]:
    output, shown, typed_at = b"", 0.0, -1
    while time.perf_counter() - start < limit:
        if typed_at < 0 and not termios.tcgetattr(master)[3] & termios.ECHO:
            os.write(master, KEYS.encode())
            typed_at = len(output)
        if not select.select([master], [], [], 0.001)[0]:
            continue
        try:
            got = os.read(master, 65536)
        except OSError:
            break
        now = (time.perf_counter() - start) * 1000
        if WHERE in got:
            os.write(master, b"\x1b[1;1R")
        output += got
        if not shown and ESCAPE.sub(b"", output).strip():
            shown = now
        if typed_at >= 0 and KEYS.encode() in ESCAPE.sub(b"", output[typed_at:]):
            return shown, now
    raise Failed(f"no echo of the keys on the terminal; it showed {ESCAPE.sub(b'', output)[-500:]!r}")


def measure(runs: int) -> list[Line]:
    """Echo of the first keys, in milliseconds since the start of the process."""
    prompts: list[float] = []

    def ours() -> float:
        with workspace() as place:
            options = ["--model", "openai/bench", "--api-base", "http://127.0.0.1:9/v1"]
            shown, echoed = ready([agentmem(), *options], place)
        prompts.append(shown)
        return echoed

    samples, floor = in_turns(runs, ours, lambda: milliseconds([sys.executable, "-c", "import prompt_toolkit"]))
    detail = f"first output after {sorted(prompts)[len(prompts) // 2]:.0f} ms"
    return [Line("prompt shown and keys echoed", "ms", 1.6, samples, "`import prompt_toolkit`", floor, detail)]


if __name__ == "__main__":
    sys.exit(main("prompt_ready", measure, RUNS))
