"""Limits: how many steps, how much money and how many equal calls a turn may take."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentmem.domain.message import Usage

if TYPE_CHECKING:
    from agentmem.domain.event import Refusal, TurnStop
    from agentmem.domain.message import ToolCall
    from agentmem.domain.tool import ToolResult

EQUAL_CALLS = 5  # in a row, equal call and equal result: told to the model; one more stops the turn
CUT_REPLIES = 3  # replies in a row whose calls were cut off by the length limit


@dataclass(frozen=True, slots=True)
class Limits:
    """What one turn may take, and how full the window may get. `max_turns` counts steps (model calls), `max_cost` is in
    USD, None is no limit.

    Shares of the window: from `trigger` on it is compacted to `target`; at `warn` the model is told. Without `compacts`
    nothing is compacted unasked; without `written` no model is asked for summaries. After so many compactions that took
    steps out of the prompt `resets` ends the session with a reset; 0 is never.
    """

    max_turns: int = 200
    max_cost: float | None = None
    trigger: float = 0.5
    target: float = 0.35
    warn: float = 0.7
    compacts: bool = True
    written: bool = True
    resets: int = 0


class Spent:
    """What a turn has taken so far, sub-sessions included, and which calls were refused in it. `cost` is in USD,
    None until a step was priced and as soon as one step's price is unknown."""

    def __init__(self) -> None:
        self.steps = 0
        self.usage = Usage()
        self.cost: float | None = None
        self._unpriced = False
        self.cut = 0
        self.equal = 0
        self.last_call = ""
        self.refusals: list[Refusal] = []
        self.summaries = 0  # model calls for summaries
        self.wish: str | None = None  # what the model asked a compaction to keep, "" for nothing in particular
        self.overflow: str | None = None  # what the provider said when the request did not fit, while it is not heeded
        self.overflows = 0

    def add(self, usage: Usage, cost: float | None) -> None:
        """Count one step's tokens and price."""
        self.usage = self.usage + usage
        self._unpriced |= cost is None
        self.cost = None if cost is None or self._unpriced else (self.cost or 0.0) + cost

    def add_turn(self, other: Spent) -> None:
        """Count what a sub-session took."""
        self.steps += other.steps
        if other.cost is not None or other._unpriced:  # else none of its steps came to a reply
            self.add(other.usage, other.cost)
        for refusal in other.refusals:
            self.refuse(refusal)

    def refuse(self, refusal: Refusal) -> None:
        """Keep a refusal, each once."""
        if refusal not in self.refusals:
            self.refusals.append(refusal)

    def overflowed(self, said: str, limits: Limits) -> bool:
        """Note that the provider found a request too large; True where room may be made and it is asked again, once in
        a turn."""
        self.overflows += 1
        self.overflow = said
        return limits.compacts and self.overflows == 1

    def left(self, limits: Limits) -> Limits | None:
        """What a sub-session may take: what is left, less the step in which its answer is read; None for nothing."""
        steps = limits.max_turns - self.steps - 1
        cost = limits.max_cost
        if cost is not None:
            cost -= self.cost or 0.0
        return replace(limits, max_turns=steps, max_cost=cost) if steps > 0 and (cost is None or cost > 0) else None

    def saw(self, call: ToolCall, result: ToolResult) -> None:
        """Count equal calls with equal results in a row."""
        shape = json.dumps([call.name, dict(call.arguments), call.raw, result.text, result.exit], sort_keys=True)
        digest = hashlib.sha256(shape.encode("utf-8", "surrogatepass")).hexdigest()
        self.equal = self.equal + 1 if digest == self.last_call else 1
        self.last_call = digest

    def over(self, limits: Limits) -> tuple[TurnStop, str] | None:
        """The limit that forbids one more step, with what to tell the person; None when there is room."""
        if self.equal > EQUAL_CALLS:
            return "repeated_call", (
                f"Stopped: the model made the same call {self.equal} times in a row and always got the same result. "
                "Tell it what to do differently and send again."
            )
        if self.cut >= CUT_REPLIES:
            return "length", (
                f"Stopped: {self.cut} replies in a row were cut off by the model's output limit before their calls "
                "were complete. Ask for smaller steps, or use a model with a larger output limit."
            )
        if self.steps >= limits.max_turns:
            steps = "1 step" if limits.max_turns == 1 else f"{limits.max_turns} steps"
            return "max_turns", (
                f"Stopped at the limit of {steps}. Continue with `agentmem -c`, or raise it with --max-turns."
            )
        cost = self.cost or 0.0
        if limits.max_cost is not None and not self._unpriced and cost >= limits.max_cost:
            return "max_cost", (
                f"Stopped at the cost limit: {cost:.4f} of {limits.max_cost:.4f} USD are spent. "
                "Continue with `agentmem -c`, or raise it with --max-cost."
            )
        return None
