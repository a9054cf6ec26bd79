"""JSON lines: each Event as one JSON object on one line, by the schema in events.schema.json beside this file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, TextIO

from agentmem.domain.event import (
    Asked,
    CallDelta,
    Compacted,
    Event,
    Notice,
    Refusal,
    Retrying,
    StepEnded,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolOutput,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from agentmem.serve.exits import exit_code

_NAMES: dict[type[Event], str] = {
    TurnStarted: "turn_started",
    StepStarted: "step_started",
    TextDelta: "text_delta",
    ThinkingDelta: "thinking_delta",
    CallDelta: "call_delta",
    Retrying: "retrying",
    StepEnded: "step_ended",
    Asked: "asked",
    ToolStarted: "tool_started",
    ToolOutput: "tool_output",
    ToolEnded: "tool_ended",
    Notice: "notice",
    Compacted: "compacted",
    TurnEnded: "turn_ended",
}


def event_to_json(event: Event) -> dict[str, Any]:
    """One Event as a JSON object: ``type`` first, then its fields in order; times in the unit the field names.

    ``turn_ended`` also carries ``exit_code``. Strings hold no lone surrogates, numbers are finite.
    """
    out: dict[str, Any] = {"type": _NAMES[type(event)]}
    for name in event.__slots__:
        value = getattr(event, name)
        match name:
            case "usage":
                out[name] = value.to_json()
            case "refusals":
                out[name] = refusals_to_json(value)
            case _:
                out[name] = plain(value)
    if isinstance(event, TurnEnded):
        out["exit_code"] = exit_code(event.stop)
    return out


def refusals_to_json(refusals: tuple[Refusal, ...]) -> list[dict[str, str]]:
    """Refused calls: ``[{"tool", "target", "allowed_by"}]``."""
    return [
        {"tool": plain(got.tool), "target": plain(got.target), "allowed_by": plain(got.allowed_by)} for got in refusals
    ]


def plain(value: Any) -> Any:
    """`value` as strict JSON can hold it: lone surrogates become U+FFFD, numbers that are not finite become null.

    A pair of surrogates becomes the character it stands for.
    """
    match value:
        case str():
            return value if _sound(value) else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {plain(str(key)): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case bool() | int() | None:
            return value
        case _:
            return plain(str(value))


def write_line(out: TextIO, value: Mapping[str, Any]) -> None:
    """Write one object as one line and flush it. Raises `BrokenPipeError` when nobody reads any more."""
    out.write(json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n")
    out.flush()


def _sound(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
