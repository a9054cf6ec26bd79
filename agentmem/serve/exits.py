"""Exit codes: the one table from how a turn ended to what the process says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentmem.domain.event import TurnStop

DONE, FAILED, MODEL, LIMIT, INTERRUPTED = 0, 1, 4, 5, 130

_CODES: dict[TurnStop, int] = {
    "done": DONE,
    "interrupted": INTERRUPTED,
    "model_error": MODEL,
    "max_turns": LIMIT,
    "max_cost": LIMIT,
    "repeated_call": LIMIT,
    "length": LIMIT,
    "overflow": LIMIT,
    "refusal": FAILED,
    "failed": FAILED,
}


def exit_code(stop: TurnStop) -> int:
    """The exit code of a turn: 0 done, 1 failed, 4 the model could not be asked, 5 a limit, 130 interrupted."""
    return _CODES[stop]
