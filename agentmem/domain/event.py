"""Events: what the terminal or a client is told while a turn runs. Faces listen; the core never calls them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agentmem.domain.begun import Notice, StepStarted, TurnStarted
from agentmem.domain.message import Usage

__all__ = [
    "Answer",
    "Asked",
    "CallDelta",
    "Compacted",
    "Event",
    "Notice",
    "Refusal",
    "Retrying",
    "StepEnded",
    "StepStarted",
    "TextDelta",
    "ThinkingDelta",
    "ToolEnded",
    "ToolOutput",
    "ToolStarted",
    "TurnEnded",
    "TurnStarted",
    "TurnStop",
]

TurnStop = Literal[
    "done",
    "interrupted",
    "max_turns",
    "max_cost",
    "repeated_call",
    "length",
    "overflow",
    "refusal",
    "model_error",
    "failed",
]
Answer = Literal["yes", "no", "always"]


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """A piece of the model's reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A piece of a tool call's arguments as they stream in; `index` tells calls of one reply apart."""

    index: int
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Retrying:
    """The model failed; what was streamed of this step is void and it is asked again after `wait` seconds."""

    attempt: int
    wait: float
    reason: str


@dataclass(frozen=True, slots=True)
class StepEnded:
    """The reply is on disk. `cost` is in USD, None when the price is unknown."""

    step: int
    usage: Usage
    cost: float | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A call needs a yes. The face answers by `generator.send("yes" | "no" | "always")`; no answer is a no."""

    call_id: str
    tool: str
    arguments: Mapping[str, Any]
    reason: str
    diff: str | None
    can_always: bool


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call begins to run."""

    call_id: str
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """Output of a running call, as it comes."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A call's result is on disk. `refused` names the permission mode that would allow a call that was not run."""

    call_id: str
    tool: str
    text: str
    error: bool
    exit: int | None
    ms: int
    diff: str | None
    offload: str | None
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A call that was not run for want of permission, and what would allow it."""

    tool: str
    target: str
    allowed_by: str


@dataclass(frozen=True, slots=True)
class Compacted:
    """Something left the prompt, by the log's `entry`; expanding that brings it back. `form` is offload, collapse,
    drop, window or summary; `before` and `after` are tokens in use; `text` says what was done, in a line."""

    entry: str
    form: str
    before: int
    after: int
    text: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over and on disk. `text` is the answer; `error` says what went wrong and what to do, else None."""

    session: str
    stop: TurnStop
    text: str
    steps: int
    usage: Usage
    cost: float | None
    refusals: tuple[Refusal, ...] = ()
    error: str | None = None


Event = (
    TurnStarted
    | StepStarted
    | TextDelta
    | ThinkingDelta
    | CallDelta
    | Retrying
    | StepEnded
    | Asked
    | ToolStarted
    | ToolOutput
    | ToolEnded
    | Notice
    | Compacted
    | TurnEnded
)
