"""Messages body: a prompt in the words of Anthropic's Messages protocol."""

from __future__ import annotations

import re
from typing import Any

from agentmem.domain.message import Image, Message, Part, Text, Thinking, ToolCall
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.model.callids import MESSAGES_IDS, CallIds
from agentmem.model.endpoint import Endpoint
from agentmem.model.rendering import EMPTY, Group, Renderer, dump, legal_name, text_of

MESSAGES_MARK = b',"cache_control":{"type":"ephemeral"}'
"""A prompt-cache mark as it stands in a body; without the marks one request is a prefix of the next."""

MOST_BY_DEFAULT = 32_000
"""Tokens asked for at most when nobody says: a reply's room counts against the window, whether it is used or not."""

# What models may write, from the provider's model overview; newer ones than these write at least 64,000.
_CEILINGS = (
    (r"claude-(instant|v?[12]\b|2\.)", 4096),
    (r"claude-3-(opus|sonnet|haiku)", 4096),
    (r"claude-3[.-]5", 8192),
    (r"claude-opus-4(-0|-1|-20\d{6}|$|@)", 32_000),
    (r"claude", 64_000),
)
_CEILING_UNKNOWN = 8192


class MessagesBody:
    """Writes request bodies for one endpoint: settings, tools, system, then messages, each serialised once."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._renderer = Renderer(self._group, MESSAGES_IDS)
        self._last: tuple[Prompt, bytes] | None = None

    def write(self, prompt: Prompt) -> bytes:
        """The body for a prompt, JSON in UTF-8, with at most four cache marks. That of the last prompt is kept: it is
        asked for twice, to be put on record and to be sent."""
        if self._last is None or self._last[0] is not prompt:
            self._last = (prompt, self._written(prompt))
        return self._last[1]

    def _written(self, prompt: Prompt) -> bytes:
        head: dict[str, Any] = {
            "model": self._endpoint.name,
            "max_tokens": output_limit(self._endpoint, prompt.max_output),
            "stream": True,
        }
        if prompt.tools:
            head["tools"] = [_tool(tool) for tool in prompt.tools]
        start = (_marked(dump(head)) if prompt.tools else dump(head))[:-1]
        if prompt.system.strip():
            block = dump({"system": [{"type": "text", "text": prompt.system}]})
            start += b"," + _marked(block)[1:-1]
        return start + b',"messages":[' + b",".join(self._messages(prompt)) + b"]}"

    def _messages(self, prompt: Prompt) -> list[bytes]:
        rendered = self._renderer.render(prompt.messages)
        parts = [body for _, body in rendered]
        asked = [index for index, (group, _) in enumerate(rendered) if group[0].role != "assistant"]
        for index in asked[-2:]:
            parts[index] = _marked(parts[index])
        return parts

    def _group(self, group: Group, ids: CallIds) -> bytes:
        if group[0].role == "tool":
            return dump({"role": "user", "content": [_result(message, ids) for message in group]})
        message = group[0]
        blocks = [block for part in message.parts if (block := self._block(part, ids)) is not None]
        if not blocks or blocks[-1]["type"] in ("thinking", "redacted_thinking"):
            blocks.append({"type": "text", "text": EMPTY})
        return dump({"role": message.role, "content": blocks})

    def _block(self, part: Part, ids: CallIds) -> dict[str, Any] | None:
        match part:
            case Text():
                return {"type": "text", "text": part.text} if part.text.strip() else None
            case Image():
                return _image(part)
            case ToolCall():
                arguments = {} if part.raw is not None else dict(part.arguments)
                return {"type": "tool_use", "id": ids.legal(part.id), "name": legal_name(part.name), "input": arguments}
            case Thinking():
                return self._thinking(part)

    def _thinking(self, part: Thinking) -> dict[str, Any] | None:
        """Only its maker takes a thought back, and only with the signature it gave."""
        if part.provider != self._endpoint.provider:
            return None
        if part.redacted:
            return {"type": "redacted_thinking", "data": part.redacted}
        return {"type": "thinking", "thinking": part.text, "signature": part.signature} if part.signature else None


def output_limit(endpoint: Endpoint, wanted: int | None) -> int:
    """Tokens a reply may have: what is wanted, else 32,000, and never more than the model can give."""
    ceiling = endpoint.max_output
    if ceiling is None:
        name = endpoint.name.lower()
        ceiling = next((most for pattern, most in _CEILINGS if re.search(pattern, name)), None)
        if ceiling is None:
            return wanted or _CEILING_UNKNOWN
    return max(min(wanted or MOST_BY_DEFAULT, ceiling), 1)


def _marked(rendered: bytes) -> bytes:
    """The mark goes into the last block of a list at the very end: before its closing ``}]}``."""
    return rendered[:-3] + MESSAGES_MARK + rendered[-3:]


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}


def _image(part: Image) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": part.media_type, "data": part.data}}


def _result(message: Message, ids: CallIds) -> dict[str, Any]:
    content: Any = text_of(message)
    if any(isinstance(part, Image) for part in message.parts):
        content = [
            _image(part) if isinstance(part, Image) else {"type": "text", "text": part.text}
            for part in message.parts
            if isinstance(part, Image) or (isinstance(part, Text) and part.text.strip())
        ]
    out: dict[str, Any] = {"type": "tool_result", "tool_use_id": ids.legal(message.call_id or "")}
    if message.error:
        out["is_error"] = True
    return {**out, "content": content}
