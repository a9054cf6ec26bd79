"""Retry: ask a door again when asking again can help, and say so."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmem.domain.cancel import Cancel, Cancelled
from agentmem.domain.prompt import Prompt
from agentmem.model.door import Door, ModelError, Piece

if TYPE_CHECKING:
    from agentmem.domain.event import Retrying


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long. Waits are in seconds: `first_wait` doubles with each retry and grows by a random share of
    at most `jitter`. A server that asks for more than `longest` is not waited for.

    `wait(cancel, seconds)` sleeps and gives True when cancelled meanwhile; `chance` gives a number from 0 to 1.
    """

    retries: int = 3
    first_wait: float = 2.0
    longest: float = 60.0
    jitter: float = 0.25
    wait: Callable[[Cancel, float], bool] = Cancel.wait
    chance: Callable[[], float] = lambda: int.from_bytes(os.urandom(4)) / 2**32


PATIENT = Patience()


def asking(door: Door, prompt: Prompt, cancel: Cancel, patience: Patience = PATIENT) -> Iterator[Piece | Retrying]:
    """What the door yields, asked again after failures that may heal. After a `Retrying` all that was yielded before is
    void. Raises the last `ModelError` when it keeps failing or cannot heal, and `Cancelled`, at once in a wait too."""
    attempt = 0
    while True:
        try:
            yield from door.stream(prompt, cancel)
            return
        except ModelError as error:
            cancel.check()
            wait = _wait(error, attempt, patience)
            reason = str(error)
        from agentmem.domain.event import Retrying

        attempt += 1
        yield Retrying(attempt, wait, reason)
        if patience.wait(cancel, wait):
            raise Cancelled


def _wait(error: ModelError, attempt: int, patience: Patience) -> float:
    """Seconds until the next attempt; raises the error when there is none."""
    if not error.retryable:
        raise error
    asked = error.retry_after
    if asked is not None and asked > patience.longest:
        raise _told(error, f"It asks to wait {duration(asked)}, which is too long to wait here: try again then.")
    if attempt >= patience.retries:
        raise _told(error, f"Asked {attempt + 1} times.") if attempt else error
    if asked is not None:
        return asked
    return patience.first_wait * 2.0**attempt * (1 + patience.jitter * patience.chance())


def _told(error: ModelError, more: str) -> ModelError:
    said = ModelError(
        error.failure, f"{str(error).rstrip()} {more}", status=error.status, retry_after=error.retry_after
    )
    said.final = True
    return said


def duration(seconds: float) -> str:
    """Seconds in people's words, rounded up: ``90 s``, ``12 min``, ``3 h 20 min``."""
    whole = int(-(-seconds // 1))
    if whole < 120:
        return f"{whole} s"
    minutes = -(-whole // 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
