from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

from agentmem.domain.event import Answer, Event, Notice
from agentmem.terminal.worker import Worker


def told() -> Generator[Event, Answer | None, None]:
    yield Notice("info", "one")
    yield Notice("info", "two")


def test_what_a_turn_tells_comes_in_order_and_then_it_is_over() -> None:
    worker = Worker(told())
    worker.start()
    events: list[Event] = []
    while not worker.over:
        events += worker.take()
    worker.close(1.0)
    assert events == [Notice("info", "one"), Notice("info", "two")]


def test_a_signal_behind_the_end_is_written_nowhere(tmp_path: Path) -> None:
    worker = Worker(told())
    worker.start()
    worker.close(1.0)
    files = [(tmp_path / str(number)).open("wb") for number in range(8)]  # they take the numbers of the pipe
    worker.wake()
    for file in files:
        file.close()
    assert [os.path.getsize(tmp_path / str(number)) for number in range(8)] == [0] * 8
