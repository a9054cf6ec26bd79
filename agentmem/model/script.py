"""Scripts: replies written down beforehand, one JSON object a line.

    {"text":"Let me look.","tool_calls":[{"name":"read","arguments":{"path":"a.py"}}],"usage":{"input":900,"output":40}}
    {"text":"Done.","delay_ms":200}
    {"error":{"failure":"rate_limit","message":"slow down","retry_after":3}}

`raw` in place of a call's `arguments` is the text as it would stream in, whole or cut. An `error` beside content comes
after it, as a stream that breaks off. Blank lines are passed over; unknown keys too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from agentmem.domain.message import Stop, Usage
from agentmem.model.door import Failure, ModelError

_KEYS = frozenset({"text", "thinking", "tool_calls", "usage", "stop", "error", "delay_ms"})


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A call as the script gives it; `text` is its arguments as they stream in."""

    name: str
    text: str
    id: str | None


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """One line of a script. With `error` the line fails, after `delay` seconds and what else it holds."""

    text: str = ""
    thinking: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    stop: Stop | None = None
    error: ModelError | None = None
    delay: float = 0.0


def read_script(path: Path) -> tuple[ScriptedReply, ...]:
    """All replies of a script. Raises `ModelError` (bad_request) naming the file and, if there is one, the line."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as problem:
        raise ModelError("bad_request", f"the script {path} cannot be read: {problem.strerror or problem}") from None
    replies = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            replies.append(_reply(json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))))
        except (ValueError, RecursionError) as problem:
            raise ModelError("bad_request", f"{path}:{number}: no reply of a script: {problem}") from None
    return tuple(replies)


def _reply(line: object) -> ScriptedReply:
    if not isinstance(line, dict):
        raise ValueError("the line must be a JSON object")
    if line and not _KEYS & line.keys():
        raise ValueError(f"none of its keys is known: {', '.join(sorted(line))}")
    calls = _typed(line, "tool_calls", list, [])
    stop = line.get("stop")
    if stop is not None and stop not in get_args(Stop):
        raise ValueError(f"stop must be one of {', '.join(get_args(Stop))}")
    delay = _typed(line, "delay_ms", int | float, 0)
    if not 0 <= delay < 1e9:
        raise ValueError("delay_ms must be a number of milliseconds")
    return ScriptedReply(
        text=_typed(line, "text", str, ""),
        thinking=_typed(line, "thinking", str, ""),
        calls=tuple(_call(call) for call in calls),
        usage=Usage.from_json(_typed(line, "usage", dict, {})),
        stop=stop,
        error=_error(line.get("error")),
        delay=delay / 1000,
    )


def _call(call: object) -> ScriptedCall:
    if not isinstance(call, dict) or not isinstance(call.get("name"), str) or not call["name"]:
        raise ValueError("each of tool_calls must be an object with a name")
    given = call.get("raw", call.get("arguments", {}))
    if not isinstance(given, str | dict):
        raise ValueError("a call's arguments must be an object, its raw arguments a string")
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return ScriptedCall(call["name"], text, _typed(call, "id", str, "") or None)


def _error(error: object) -> ModelError | None:
    if error is None:
        return None
    if isinstance(error, str):
        return ModelError("server", error)
    if not isinstance(error, dict):
        raise ValueError("error must be a string or an object")
    failure: Failure = error.get("failure", "server")
    if failure not in get_args(Failure):
        raise ValueError(f"error.failure must be one of {', '.join(get_args(Failure))}")
    return ModelError(
        failure,
        _typed(error, "message", str, failure),
        status=_typed(error, "status", int, None),
        retry_after=_typed(error, "retry_after", int | float, None),
    )


def _typed(holder: Mapping[str, Any], key: str, kind: Any, default: Any) -> Any:
    value = holder.get(key)
    if value is None:
        return default
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{key} has the wrong type ({type(value).__name__})")
    return value
