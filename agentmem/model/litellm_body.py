"""litellm body: a prompt as the arguments of litellm's `completion`, in JSON."""

from __future__ import annotations

from typing import Any

from agentmem.domain.message import Image, Message, Text, Thinking
from agentmem.domain.prompt import Prompt
from agentmem.model.callids import CHAT_IDS, MESSAGES_IDS, MISTRAL_IDS, CallIds, IdForm
from agentmem.model.chat_body import call_json, tool_json
from agentmem.model.dialect import Dialect, dialect_of
from agentmem.model.endpoint import Endpoint
from agentmem.model.messages_body import output_limit
from agentmem.model.rendering import EMPTY, Group, Renderer, body_of, dump, spoken, text_of

MARK = b',"cache_control":{"type":"ephemeral"}'
"""A prompt-cache mark as it stands in a body; without the marks one request is a prefix of the next."""

# Where litellm passes Claude's cache marks and signed thinking on; elsewhere it would send them to servers that refuse.
_CLAUDE_HOSTS = frozenset({"anthropic", "azure_ai", "bedrock", "bedrock_converse", "vertex_ai"})
# litellm's `ollama` asks for a completion, its `ollama_chat` for a turn with tools.
_SPOKEN_TO_AS = {"ollama": "ollama_chat"}
_NO_STREAM_OPTIONS = frozenset({"bytez", "oci"})
_BRIDGE = dump({"role": "assistant", "content": "Understood."})

# litellm keeps Gemini's signature of a call in the call's id: without it a newer Gemini refuses the call.
_GEMINI_IDS = IdForm("[A-Za-z0-9_-]{1,64}(__thought__[A-Za-z0-9+/=_-]+)?", CHAT_IDS.make)


class LitellmBody:
    """Writes the arguments for one endpoint: settings, tools, then messages, each serialised once.

    Without a `dialect` the endpoint says which it is.
    """

    def __init__(self, endpoint: Endpoint, dialect: Dialect | None = None) -> None:
        self._endpoint = endpoint
        self._dialect = dialect or dialect_of(endpoint)
        self._claude = endpoint.provider in _CLAUDE_HOSTS and "claude" in endpoint.model.lower()
        self._renderer = Renderer(self._group, self._ids())

    def write(self, prompt: Prompt) -> bytes:
        """The arguments for a prompt, without key and address, JSON in UTF-8."""
        return body_of(self._head(prompt), self._messages(prompt))

    def _ids(self) -> IdForm:
        name = self._endpoint.model.lower()
        if self._claude:
            return MESSAGES_IDS
        if "gemini" in name:
            return _GEMINI_IDS
        return MISTRAL_IDS if "mistral" in name or self._dialect.ids is MISTRAL_IDS else CHAT_IDS

    def _head(self, prompt: Prompt) -> bytes:
        endpoint = self._endpoint
        provider, slash, name = endpoint.model.partition("/")
        settings: dict[str, Any] = {"model": _SPOKEN_TO_AS.get(provider, provider) + slash + name, "stream": True}
        if endpoint.provider not in _NO_STREAM_OPTIONS:
            settings["stream_options"] = {"include_usage": True}
        if self._claude:
            settings["max_tokens"] = output_limit(endpoint, prompt.max_output)
        elif prompt.max_output is not None:
            settings["max_tokens"] = min(prompt.max_output, endpoint.max_output or prompt.max_output)
        if prompt.tools:
            settings["tools"] = [tool_json(tool) for tool in prompt.tools]
        return dump(settings)[:-1]

    def _messages(self, prompt: Prompt) -> list[bytes]:
        parts = [dump({"role": "system", "content": self._content([prompt.system])})] if prompt.system.strip() else []
        markable = [0] if parts else []
        last_role = "system"
        for group, rendered in self._renderer.render(prompt.messages):
            role = group[0].role
            if self._dialect.bridge and role == "user" and last_role == "tool":
                parts.append(_BRIDGE)
            if role != "assistant":
                markable.append(len(parts))
            parts.append(rendered)
            last_role = role
        if self._claude:
            for index in {*markable[:1], *markable[-2:]}:
                parts[index] = _marked(parts[index])
        return parts

    def _content(self, texts: list[str]) -> Any:
        """One string, or where a mark needs a place to stand a list of one text."""
        text = "\n\n".join(texts)
        return [{"type": "text", "text": text}] if self._claude else text

    def _group(self, group: Group, ids: CallIds) -> bytes:
        if group[0].role == "tool":
            return b",".join(dump(self._tool(message, ids)) for message in group)
        message = group[0]
        return dump(self._user(message) if message.role == "user" else self._assistant(message, ids))

    def _user(self, message: Message) -> dict[str, Any]:
        if not any(isinstance(part, Image) for part in message.parts):
            return {"role": "user", "content": self._content(_spoken(message) or [EMPTY])}
        return {"role": "user", "content": _blocks(message)}

    def _assistant(self, message: Message, ids: CallIds) -> dict[str, Any]:
        texts = _spoken(message)
        out: dict[str, Any] = {"role": "assistant"}
        if self._claude and (thoughts := self._thoughts(message)):
            out["thinking_blocks"] = thoughts
        elif self._dialect.reasoning_back:
            own = (part for part in message.parts if isinstance(part, Thinking))
            out["reasoning_content"] = "".join(part.text for part in own if part.provider == self._endpoint.provider)
        if calls := [call_json(part, ids.legal(part.id)) for part in message.calls]:
            out["tool_calls"] = calls
        return {**out, "content": "\n\n".join(texts) if texts else None if calls else EMPTY}

    def _thoughts(self, message: Message) -> list[dict[str, Any]]:
        """Only its maker takes a thought back, and only with the signature it gave."""
        blocks: list[dict[str, Any]] = []
        for part in message.parts:
            if not isinstance(part, Thinking) or part.provider != self._endpoint.provider:
                continue
            if part.redacted:
                blocks.append({"type": "redacted_thinking", "data": part.redacted})
            elif part.signature:
                blocks.append({"type": "thinking", "thinking": part.text, "signature": part.signature})
        return blocks

    def _tool(self, message: Message, ids: CallIds) -> dict[str, Any]:
        images = self._claude and any(isinstance(part, Image) for part in message.parts)
        content = _blocks(message) if images else text_of(message)
        return {"role": "tool", "tool_call_id": ids.legal(message.call_id or ""), "content": content}


def _marked(rendered: bytes) -> bytes:
    """The mark goes into the last block of a list, or into the message itself, before what closes them."""
    end = 3 if rendered.endswith(b"}]}") else 1
    return rendered[:-end] + MARK + rendered[-end:]


def _spoken(message: Message) -> list[str]:
    return spoken([part.text for part in message.parts if isinstance(part, Text)])


def _blocks(message: Message) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, Image):
            blocks.append({"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{part.data}"}})
        elif isinstance(part, Text) and part.text.strip():
            blocks.append({"type": "text", "text": part.text})
    return blocks
