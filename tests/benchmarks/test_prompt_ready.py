"""Readiness of a prompt: the program's own echo counts, the terminal's does not."""

from __future__ import annotations

import sys

import pytest

from benchmarks.process import Failed, workspace
from benchmarks.prompt_ready import ready

RAW = "import sys, termios, tty, time\n"


def test_the_programs_echo_is_awaited_and_early_keys_must_not_be_lost() -> None:
    program = RAW + (
        "time.sleep(0.05)\ntty.setraw(0, termios.TCSANOW)\nprint('> ', end='', flush=True)\ntime.sleep(0.1)\n"
        "while True:\n    print('\\x1b[1m' + sys.stdin.read(1) + '\\x1b[0m', end='', flush=True)\n"
    )
    with workspace() as place:
        shown, echoed = ready([sys.executable, "-c", program], place)
    assert 50 < shown < echoed
    assert echoed - shown > 90


def test_the_terminals_own_echo_is_not_readiness() -> None:
    with workspace() as place, pytest.raises(Failed, match="no echo of the keys"):
        ready([sys.executable, "-c", "print('> ', flush=True); input()"], place, limit=0.3)
