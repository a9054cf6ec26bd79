from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentmem.domain.cancel import Cancel, Cancelled
from agentmem.domain.event import Retrying, TextDelta
from agentmem.domain.message import Reply, Text
from agentmem.domain.prompt import Prompt
from agentmem.model.door import ModelError, Piece
from agentmem.model.retry import Patience, asking, duration

REPLY = Reply((Text("ok", "agent"),), "end")
PROMPT = Prompt("", (), ())


class Failing:
    """A door that fails with each error in turn, after a piece, and then replies."""

    def __init__(self, *errors: ModelError) -> None:
        self.errors = list(errors)
        self.asked = 0

    model = "test/failing"

    def body(self, prompt: Prompt) -> bytes:
        return b""

    def stream(self, prompt: Prompt, cancel: Cancel) -> Iterator[Piece]:
        self.asked += 1
        yield TextDelta("half")
        if self.errors:
            raise self.errors.pop(0)
        yield REPLY

    def close(self) -> None:
        pass


class Waits:
    """Records the waits and lets no time pass."""

    def __init__(self, cancel_in: int = 99) -> None:
        self.seconds: list[float] = []
        self._cancel_in = cancel_in

    def __call__(self, cancel: Cancel, seconds: float) -> bool:
        self.seconds.append(seconds)
        return len(self.seconds) >= self._cancel_in


def patience(waits: Waits, chance: float = 0.0) -> Patience:
    return Patience(wait=waits, chance=lambda: chance)


def server() -> ModelError:
    return ModelError("server", "busy")


def test_doubling() -> None:
    door, waits = Failing(server(), server(), server()), Waits()
    assert list(asking(door, PROMPT, Cancel(), patience(waits))) == [
        TextDelta("half"),
        Retrying(1, 2.0, "busy"),
        TextDelta("half"),
        Retrying(2, 4.0, "busy"),
        TextDelta("half"),
        Retrying(3, 8.0, "busy"),
        TextDelta("half"),
        REPLY,
    ]
    assert waits.seconds == [2.0, 4.0, 8.0]


def test_jitter_adds_a_share() -> None:
    waits = Waits()
    list(asking(Failing(server(), server()), PROMPT, Cancel(), patience(waits, chance=1.0)))
    assert waits.seconds == [2.5, 5.0]
    assert 0 <= Patience().chance() < 1


def test_given_up_after_three_retries() -> None:
    door, waits = Failing(*(server() for _ in range(9))), Waits()
    with pytest.raises(ModelError, match=r"busy Asked 4 times\.") as caught:
        list(asking(door, PROMPT, Cancel(), patience(waits)))
    assert (door.asked, caught.value.failure, len(waits.seconds)) == (4, "server", 3)


def test_what_cannot_heal_is_told_at_once() -> None:
    for error in (ModelError("refused_key", "no"), ModelError("network", "certificate", final=True)):
        door, waits = Failing(error), Waits()
        with pytest.raises(ModelError) as caught:
            list(asking(door, PROMPT, Cancel(), patience(waits)))
        assert (caught.value, door.asked, waits.seconds) == (error, 1, [])


def test_the_servers_wait_is_kept() -> None:
    errors = [ModelError("rate_limit", "later", retry_after=wait) for wait in (0.0, 60.0, 1.5)]
    waits = Waits()
    list(asking(Failing(*errors), PROMPT, Cancel(), patience(waits, chance=1.0)))
    assert waits.seconds == [0.0, 60.0, 1.5]


def test_a_longer_one_fails_at_once_and_is_told() -> None:
    waits = Waits()
    door = Failing(ModelError("rate_limit", "later.", status=429, retry_after=3700.0))
    with pytest.raises(ModelError, match=r"later\. It asks to wait 62 min, which is too long") as caught:
        list(asking(door, PROMPT, Cancel(), patience(waits)))
    assert (caught.value.failure, caught.value.status, caught.value.retry_after) == ("rate_limit", 429, 3700.0)
    assert (waits.seconds, caught.value.retryable) == ([], False)


def test_cancelled_while_waiting() -> None:
    door = Failing(server(), server())
    with pytest.raises(Cancelled):
        list(asking(door, PROMPT, Cancel(), patience(Waits(cancel_in=1))))
    assert door.asked == 1


def test_the_real_wait_ends_with_the_token() -> None:
    cancel = Cancel()
    pieces = asking(Failing(server()), PROMPT, cancel)
    assert [next(pieces), next(pieces)][0] == TextDelta("half")
    cancel.cancel()
    with pytest.raises(Cancelled):
        next(pieces)


def test_a_failure_by_cancelling_is_no_failure() -> None:
    cancel, waits = Cancel(), Waits()
    pieces = asking(Failing(server()), PROMPT, cancel, patience(waits))
    next(pieces)
    cancel.cancel()
    with pytest.raises(Cancelled):
        next(pieces)
    assert waits.seconds == []


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (60.1, "61 s"),
        (119.0, "119 s"),
        (120.0, "2 min"),
        (121.0, "3 min"),
        (7200.0, "2 h 0 min"),
        (12_000.0, "3 h 20 min"),
    ],
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words
