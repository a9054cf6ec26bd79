from __future__ import annotations

from agentmem.workspace.live import MOST, Live


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_pieces_are_told_in_a_calm_rhythm() -> None:
    told: list[str] = []
    clock = Clock()
    live = Live(told.append, clock)
    live.add(b"a")
    live.add(b"b")
    clock.now = 0.1
    live.add(b"")
    assert told == ["ab"]
    live.add(b"c\xc3")
    clock.now = 0.25
    live.add(b"")
    clock.now = 0.4
    live.add(b"\xa9\x1b[31md")
    assert told == ["ab", "c", "éd"]
    live.add(b"\xc3")
    live.finish()
    live.finish()
    assert told == ["ab", "c", "éd", "\ufffd"]


def test_of_a_flood_only_the_end_is_told() -> None:
    told: list[str] = []
    live = Live(told.append, Clock())
    live.add(b"x" * 100_000)
    live.add(b"end")
    live.finish()
    assert told == ["…\n" + "x" * (MOST - 3) + "end"]
