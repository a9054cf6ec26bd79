"""Legality: whether a strict provider would take a prompt, and if not, what in it is illegal."""

from __future__ import annotations

from agentmem.domain.message import Image, Message, Part, Role, Text, Thinking, ToolCall
from agentmem.domain.prompt import Prompt

_PARTS: dict[Role, tuple[type[Part], ...]] = {
    "user": (Text, Image),
    "assistant": (Text, Thinking, ToolCall),
    "tool": (Text, Image),
}


def fault(prompt: Prompt) -> str | None:
    """The first thing in the prompt that a strict provider refuses, naming the message; None for a legal prompt.

    The rules are those of `Prompt`: user first, roles in order, each call answered once and at once by its result,
    call ids unique, no message empty, the model's turn at the end.
    """
    return _fault_of_tools(prompt) or _fault_of_messages(prompt.messages)


def _fault_of_tools(prompt: Prompt) -> str | None:
    if prompt.max_output is not None and prompt.max_output < 1:
        return f"max_output is {prompt.max_output}"
    seen: set[str] = set()
    for tool in prompt.tools:
        if not tool.name or tool.name in seen:
            return f"the tool name {tool.name!r} is {'given twice' if tool.name else 'empty'}"
        seen.add(tool.name)
    return None


def _fault_of_messages(messages: tuple[Message, ...]) -> str | None:
    open_calls: dict[str, str] = {}
    used: set[str] = set()
    before: Role | None = None
    for number, message in enumerate(messages):
        found = _fault_of_content(message) or _fault_of_order(message, before, open_calls)
        found = found or _fault_of_calls(message, open_calls, used)
        if found is not None:
            return f"message {number} ({message.role}): {found}"
        before = message.role
    if not messages:
        return "there is no message"
    if open_calls:
        return f"the prompt ends without a result for {_calls(open_calls)}"
    return "the prompt ends with an assistant message" if before == "assistant" else None


def _fault_of_content(message: Message) -> str | None:
    for part in message.parts:
        if not isinstance(part, _PARTS[message.role]):
            return f"holds a {type(part).__name__}, which this role cannot"
    if message.role == "tool":
        full = any(isinstance(part, Image) or (isinstance(part, Text) and part.text) for part in message.parts)
    else:
        full = any(
            part.text.strip() if isinstance(part, Text) else not isinstance(part, Thinking) for part in message.parts
        )
    return None if full else "is empty"


def _fault_of_order(message: Message, before: Role | None, open_calls: dict[str, str]) -> str | None:
    if message.role == "tool":
        return None
    if open_calls:
        return f"comes before the result of {_calls(open_calls)}"
    if before is None and message.role != "user":
        return "comes first; the first message must be the user's"
    return f"follows another {before} message" if message.role == before else None


def _fault_of_calls(message: Message, open_calls: dict[str, str], used: set[str]) -> str | None:
    """Check the pairing and keep the books: `open_calls` are asked and not answered yet, `used` all ids so far."""
    if message.role == "tool":
        if message.call_id not in open_calls:
            return f"answers {message.call_id!r}, which is no open call of the assistant message before it"
        del open_calls[message.call_id]
        return None
    for call in message.calls:
        if not call.id or not call.name:
            return "has a call without an id or a name"
        if call.id in used:
            return f"uses the call id {call.id!r} again"
        used.add(call.id)
        open_calls[call.id] = call.name
    return None


def _calls(open_calls: dict[str, str]) -> str:
    return ", ".join(f"{name} ({call_id})" for call_id, name in open_calls.items())
