"""Interrupt: which signals count, and what a second one waits for."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from agentmem.app.interrupt import interruptible
from agentmem.domain.cancel import Cancel


def test_signals_close_together_are_one() -> None:
    cancel = Cancel()
    with interruptible(cancel):
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            os.kill(os.getpid(), number)
        assert cancel.cancelled


def test_a_later_second_signal_leaves_once_the_tools_have_ended() -> None:
    cancel, ended = Cancel(), threading.Event()

    def tool() -> None:
        cancel.wait(10)
        threading.Event().wait(0.2)
        ended.set()

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), interruptible(cancel, as_one=0.0):
        threading.Thread(target=tool, name="tool-bash", daemon=True).start()
        os.kill(os.getpid(), signal.SIGTERM)
        assert cancel.cancelled
        os.kill(os.getpid(), signal.SIGTERM)
    assert ended.is_set()
    assert signal.getsignal(signal.SIGTERM) == before


def test_what_has_not_begun_ends_at_the_first_signal() -> None:
    cancel = Cancel()
    with pytest.raises(KeyboardInterrupt), interruptible(cancel, begun=False):
        os.kill(os.getpid(), signal.SIGHUP)
    assert cancel.cancelled
    with interruptible(Cancel(), begun=False) as interrupts:
        interrupts.begin()
        os.kill(os.getpid(), signal.SIGINT)
