"""Chat body: a prompt in the words of chat completions."""

from __future__ import annotations

from typing import Any

from agentmem.domain.message import Image, Message, Text, Thinking, ToolCall
from agentmem.domain.prompt import Prompt, ToolSpec
from agentmem.model.callids import CallIds
from agentmem.model.dialect import Dialect, dialect_of
from agentmem.model.endpoint import Endpoint
from agentmem.model.rendering import EMPTY, Group, Renderer, body_of, dump, legal_name, spoken, text_of

CHAT_MARK = b',"cache_control":{"type":"ephemeral"}'
"""A prompt-cache mark as it stands in a body; without the marks one request is a prefix of the next."""

_BRIDGE = dump({"role": "assistant", "content": "Understood."})


class ChatBody:
    """Writes request bodies for one endpoint: settings, tools, system, then messages, each serialised once.

    Without a `dialect` the endpoint says which it is.
    """

    def __init__(self, endpoint: Endpoint, dialect: Dialect | None = None) -> None:
        self._endpoint = endpoint
        self._dialect = dialect or dialect_of(endpoint)
        self._renderer = Renderer(self._group, self._dialect.ids)
        self._last: tuple[Prompt, bytes] | None = None

    def write(self, prompt: Prompt) -> bytes:
        """The body for a prompt, JSON in UTF-8. That of the last prompt is kept: it is asked for twice, to be put on
        record and to be sent."""
        if self._last is None or self._last[0] is not prompt:
            body = body_of(self._head(prompt), self._messages(prompt))
            self._last = (prompt, body)
        return self._last[1]

    def _head(self, prompt: Prompt) -> bytes:
        settings: dict[str, Any] = {"model": self._endpoint.name, "stream": True}
        if self._dialect.ask_usage:
            settings["stream_options"] = {"include_usage": True}
        if prompt.max_output is not None:
            ceiling = self._endpoint.max_output or prompt.max_output
            settings[self._dialect.limit_key] = min(prompt.max_output, ceiling)
        if prompt.tools:
            settings["tools"] = [tool_json(tool) for tool in prompt.tools]
        return dump(settings)[:-1]

    def _messages(self, prompt: Prompt) -> list[bytes]:
        parts = [dump({"role": "system", "content": self._content([prompt.system])})] if prompt.system.strip() else []
        if not (self._dialect.bridge or self._dialect.marks):
            return parts + [rendered for _, rendered in self._renderer.render(prompt.messages)]
        markable = [0] if parts else []
        last_role = "system"
        for group, rendered in self._renderer.render(prompt.messages):
            role = group[0].role
            if self._dialect.bridge and role == "user" and last_role == "tool":
                parts.append(_BRIDGE)
            if role != "tool" and rendered.endswith(b'"}]}'):
                markable.append(len(parts))
            parts.append(rendered)
            last_role = role
        if self._dialect.marks:
            for index in {*markable[:1], *markable[-2:]}:
                parts[index] = parts[index][:-3] + CHAT_MARK + parts[index][-3:]
        return parts

    def _content(self, texts: list[str]) -> Any:
        """One string, or where marks need a place to stand a list of one text."""
        text = "\n\n".join(texts)
        return [{"type": "text", "text": text}] if self._dialect.marks else text

    def _group(self, group: Group, ids: CallIds) -> bytes:
        if group[0].role == "tool":
            return b",".join(dump(_tool(message, ids)) for message in group)
        message = group[0]
        return dump(self._user(message) if message.role == "user" else self._assistant(message, ids))

    def _user(self, message: Message) -> dict[str, Any]:
        texts = spoken([part.text for part in message.parts if isinstance(part, Text)])
        if not any(isinstance(part, Image) for part in message.parts):
            return {"role": "user", "content": self._content(texts or [EMPTY])}
        content = [_block(part) for part in message.parts if isinstance(part, Image) or _speaks(part)]
        return {"role": "user", "content": content}

    def _assistant(self, message: Message, ids: CallIds) -> dict[str, Any]:
        texts = spoken([part.text for part in message.parts if isinstance(part, Text)])
        calls = [call_json(part, ids.legal(part.id)) for part in message.calls]
        content = self._content(texts) if texts else (None if calls else self._content([EMPTY]))
        out: dict[str, Any] = {"role": "assistant"}
        if self._dialect.reasoning_back:
            # These servers refuse a history in which one assistant message lacks the field, even an empty one.
            out["reasoning_content"] = self._reasoning(message)
        if calls:
            out["tool_calls"] = calls
        return {**out, "content": content}

    def _reasoning(self, message: Message) -> str:
        own = self._endpoint.provider
        return "".join(part.text for part in message.parts if isinstance(part, Thinking) and part.provider == own)


def tool_json(tool: ToolSpec) -> dict[str, Any]:
    """A tool as chat completions are told of it."""
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)},
    }


def call_json(call: ToolCall, call_id: str) -> dict[str, Any]:
    """A past call; arguments that were no JSON object are sent as an empty one."""
    arguments = dump({} if call.raw is not None else dict(call.arguments)).decode()
    return {"id": call_id, "type": "function", "function": {"name": legal_name(call.name), "arguments": arguments}}


def _tool(message: Message, ids: CallIds) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": ids.legal(message.call_id or ""), "content": text_of(message)}


def _speaks(part: object) -> bool:
    return isinstance(part, Text) and bool(part.text.strip())


def _block(part: object) -> dict[str, Any]:
    if isinstance(part, Image):
        return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{part.data}"}}
    return {"type": "text", "text": part.text if isinstance(part, Text) else EMPTY}
