"""The envelope: what `--output json` prints, one JSON object for a whole run, on failure too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agentmem.domain.event import Refusal, TurnEnded, TurnStop
from agentmem.domain.message import Usage
from agentmem.serve.exits import exit_code
from agentmem.serve.stream import refusals_to_json


@dataclass(frozen=True, slots=True)
class Envelope:
    """A run's outcome. `cost` is in USD, None when unknown; `session` and `model` are None when none was reached."""

    result: str
    session: str | None
    model: str | None
    stop: TurnStop
    exit_code: int
    steps: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    refusals: tuple[Refusal, ...] = ()
    error: str | None = None

    @staticmethod
    def of(ended: TurnEnded, model: str | None) -> Envelope:
        """The envelope of a turn that ended."""
        return Envelope(
            ended.text,
            ended.session,
            model,
            ended.stop,
            exit_code(ended.stop),
            ended.steps,
            ended.usage,
            ended.cost,
            ended.refusals,
            ended.error,
        )

    def to_json(self) -> dict[str, Any]:
        """The printed form; every key is always there."""
        return {
            "result": self.result,
            "session": self.session,
            "model": self.model,
            "stop": self.stop,
            "exit_code": self.exit_code,
            "steps": self.steps,
            "usage": self.usage.to_json(),
            "cost": self.cost,
            "refusals": refusals_to_json(self.refusals),
            "error": self.error,
        }
