"""The scripted door: plays the replies of a file, for demos, bug reports and tests. It needs no key and no network."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agentmem.domain.cancel import Cancel
from agentmem.domain.event import CallDelta, TextDelta, ThinkingDelta
from agentmem.domain.message import Part, Reply, Text, Thinking, ToolCall, part_to_json
from agentmem.domain.prompt import Prompt
from agentmem.model.door import ModelError, Piece
from agentmem.model.legal import fault
from agentmem.model.script import ScriptedCall, ScriptedReply, read_script
from agentmem.model.shape import SCRIPTED_SHAPE

PREFIX = "scripted:"

_WORDS = re.compile(r"\s*\S+\s*|\s+")


def scripted_body(model: str, prompt: Prompt) -> bytes:
    """The prompt as JSON, messages last and one by one, so that a prompt that only grew has it as a prefix."""
    head = {
        "model": model,
        "max_output": prompt.max_output,
        "system": prompt.system,
        "tools": [{"name": tool.name, "description": tool.description, "schema": tool.schema} for tool in prompt.tools],
    }
    messages = [
        {
            "role": message.role,
            "content": [part_to_json(part) for part in message.parts],
            **({"call_id": message.call_id, "error": message.error} if message.role == "tool" else {}),
        }
        for message in prompt.messages
    ]
    return json.dumps({**head, "messages": messages}, separators=(",", ":")).encode()


class ScriptedDoor:
    """Plays one reply a request. It refuses an illegal prompt, as a strict provider would, and playing on when dry.

    `requests` are the prompts it was asked with, for tests. Raises `ModelError` (bad_request) for a script that cannot
    be read, naming file and line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._replies = deque(read_script(path))
        self._total = len(self._replies)
        self._last_error: str | None = None
        self.requests: list[Prompt] = []

    @property
    def model(self) -> str:
        """``scripted:FILE.jsonl``."""
        return f"{PREFIX}{self._path}"

    @property
    def shape(self) -> Mapping[str, Any]:
        """What of the settings decides how a body looks; see `agentmem.model.shape`."""
        return SCRIPTED_SHAPE

    def body(self, prompt: Prompt) -> bytes:
        """The prompt as JSON; see `scripted_body`."""
        return scripted_body(self.model, prompt)

    def stream(self, prompt: Prompt, cancel: Cancel) -> Iterator[Piece]:
        """Play the next line, in pieces."""
        self.requests.append(prompt)
        cancel.check()
        if (illegal := fault(prompt)) is not None:
            raise ModelError("bad_request", f"the prompt is illegal: {illegal}", status=400)
        if not self._replies:
            raise ModelError("dry", self._dry())
        reply = self._replies.popleft()
        self._last_error = str(reply.error) if reply.error else None
        if reply.delay and cancel.wait(reply.delay):
            cancel.check()
        calls = _named(reply.calls, prompt)
        for piece in _pieces(reply, calls):
            cancel.check()
            yield piece
        cancel.check()
        if (error := reply.error) is not None:
            raise ModelError(error.failure, str(error), status=error.status, retry_after=error.retry_after)
        yield _whole(reply, calls)

    def close(self) -> None:
        """Nothing is held."""

    def _dry(self) -> str:
        said = f"the script {self._path} has no reply left: all {self._total} were played"
        return f"{said} (the last one was the error: {self._last_error})" if self._last_error else said


def _named(calls: tuple[ScriptedCall, ...], prompt: Prompt) -> tuple[ToolCall, ...]:
    """The calls with ids: those given, else counted on past every id that the prompt holds."""
    taken = {call.id for message in prompt.messages for call in message.calls} | {call.id for call in calls if call.id}
    number = len(taken)
    named = []
    for call in calls:
        call_id = call.id
        while call_id is None or (call.id is None and call_id in taken):
            number += 1
            call_id = f"call_{number}"
        taken.add(call_id)
        named.append(_parsed(call_id, call))
    return tuple(named)


def _parsed(call_id: str, call: ScriptedCall) -> ToolCall:
    try:
        arguments = json.loads(call.text)
    except (ValueError, RecursionError):
        arguments = None
    if isinstance(arguments, dict):
        return ToolCall(call_id, call.name, arguments)
    return ToolCall(call_id, call.name, raw=call.text)


def _pieces(reply: ScriptedReply, calls: tuple[ToolCall, ...]) -> Iterator[TextDelta | ThinkingDelta | CallDelta]:
    for word in _WORDS.findall(reply.thinking):
        yield ThinkingDelta(word)
    for word in _WORDS.findall(reply.text):
        yield TextDelta(word)
    for index, (call, script) in enumerate(zip(calls, reply.calls, strict=True)):
        for start in range(0, len(script.text) or 1, 40):
            yield CallDelta(index, call.name, script.text[start : start + 40])


def _whole(reply: ScriptedReply, calls: tuple[ToolCall, ...]) -> Reply:
    parts: list[Part] = []
    if reply.thinking:
        parts.append(Thinking(reply.thinking, provider="scripted"))
    if reply.text:
        parts.append(Text(reply.text, origin="agent"))
    parts += calls
    return Reply(tuple(parts), reply.stop or ("tool_use" if calls else "end"), reply.usage)
