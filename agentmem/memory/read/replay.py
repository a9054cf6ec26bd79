"""Replay: the fold from a branch's entries to the legal messages of the next request, whatever was cut or damaged.

What `messages` gives starts with a user message and ends with one, or with tool results; roles alternate (results count
with the assistant message they answer); each call has exactly one result, next to it; no message is empty; call ids are
unique. What a `call` entry says was sent never changes again, and keeps the same `Message` objects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from agentmem.domain.entry import Entry
from agentmem.domain.message import Image, Message, Part, Text, Thinking, ToolCall

UNKNOWN_OUTCOME = "interrupted; outcome unknown: it may or may not have run"
NO_OUTPUT = "(no output)"
NO_REPLY = "[No reply was recorded here.]"
EMPTY_REPLY = "[The reply recorded here was empty.]"
NO_USER = "[No user message was recorded here.]"
STOPPED = "[The turn was stopped here.]"
MARKS: Mapping[object, str] = {
    "user": "[The turn was interrupted by the user here.]",
    "error": "[The turn ended here with an error.]",
    "limit": "[The turn was stopped here: a limit was reached.]",
}

# What the messages so far end with. "answer" is an assistant message without calls; "results" are those of its calls.
Tail = Literal["nothing", "user", "answer", "results"]


class Replay:
    """Feed it a branch entry by entry, root first. Adding one and asking for the messages costs the same at any length
    but for one copy of the list."""

    def __init__(self, before: str = "") -> None:
        """`before` is told in place of what a cut took out of the branch; "" when it is whole."""
        self._settled: list[Message] = []
        self._open = _Open("nothing", user=[Text(before, "harness")] if before else [])
        self._shown: tuple[Message, ...] | None = None
        self._used: set[str] = set()
        self._again: dict[str, int] = {}
        self._unseen: frozenset[str] = frozenset()

    def add(self, entry: Entry) -> None:
        """Take the next entry of the branch. Types that say nothing to the model are passed over."""
        if entry.type == "call":
            if "purpose" not in entry.body:  # else it was asked aside, with another prompt
                self._settle()
        elif entry.type == "interrupt":
            self._interrupt(entry.body.get("reason"))
        elif entry.type == "unseen":
            self._leave_out(entry)
        elif (message := entry.message()) is None:
            return
        elif message.role == "assistant":
            self._assistant(message)
        elif message.role == "tool":
            self._open.take_result(self._sighted(message))
        else:
            self._open.take_user(self._sighted(message), notice=entry.body.get("notice") is True)
        self._shown = None

    def messages(self) -> tuple[Message, ...]:
        """What a request made now carries; empty while nothing was said. Settled messages are the same objects."""
        return (*self._settled, *self._rendered())

    def said(self) -> tuple[Message, ...]:
        """The messages without the line that stands in for a user message which is not there yet."""
        shown = self.messages()
        waits = len(shown) > len(self._settled) and shown[-1].parts == (Text(NO_USER, "harness"),)
        return shown[:-1] if waits else shown

    @property
    def settled(self) -> int:
        """How many of the messages never change again; right after a `call` entry those are all that it sent."""
        return len(self._settled)

    def _rendered(self) -> tuple[Message, ...]:
        if self._shown is None:
            self._shown = self._open.render()
        return self._shown

    def _settle(self) -> None:
        self._settled.extend(self._rendered())
        self._open = _Open(_tail(self._settled))
        self._shown = ()

    def _sighted(self, message: Message) -> Message:
        """The message with the images that can be sent; most histories have none."""
        if not any(isinstance(part, Image) for part in message.parts):
            return message
        from agentmem.memory.read import sight

        return sight.message(message, self._unseen)

    def _leave_out(self, entry: Entry) -> None:
        """From here on these images are not sent: the one change of what was sent before."""
        from agentmem.memory.read import sight

        self._unseen |= sight.refused(entry)
        self._settled = [self._sighted(one) for one in self._settled]
        self._open.change(self._sighted)

    def _interrupt(self, reason: object) -> None:
        self._close_user()
        if self._open.mark in (None, EMPTY_REPLY):
            self._open.mark = MARKS.get(reason, STOPPED) if isinstance(reason, str) else STOPPED

    def _close_user(self) -> None:
        """What the person said before a mark stays before it."""
        if self._open.user:
            self._settle()

    def _assistant(self, message: Message) -> None:
        parts = tuple(part for part in message.parts if isinstance(part, (Thinking, ToolCall)) or _says(part, Text))
        if all(isinstance(part, Thinking) for part in parts):  # providers drop it, which would leave nothing
            self._close_user()
            self._open.mark = self._open.mark or EMPTY_REPLY
            return
        self._settle()
        if self._open.tail == "nothing":
            self._settled.append(Message("user", (Text(NO_USER, "harness"),)))
        self._open = _Open(self._open.tail, Message("assistant", tuple(map(self._unique, parts))), list(message.calls))

    def _unique(self, part: Part) -> Part:
        """Calls under an id that is still free: some providers count from 1 in every reply."""
        if not isinstance(part, ToolCall):
            return part
        base = name = part.id or "call"
        count = self._again.get(base, 1)
        while name in self._used:
            count += 1
            name = f"{base}-{count}"
        self._again[base] = count
        self._used.add(name)
        return part if name == part.id else ToolCall(name, part.name, part.arguments, part.raw, part.origin)


@dataclass(slots=True)
class _Open:
    """What may still change: all since the last assistant message, or since the last request if that is later."""

    tail: Tail
    assistant: Message | None = None
    calls: list[ToolCall] = field(default_factory=list)
    results: dict[int, Message] = field(default_factory=dict)
    notices: list[Part] = field(default_factory=list)
    user: list[Part] = field(default_factory=list)
    mark: str | None = None

    def take_result(self, message: Message) -> None:
        """A result answers the first call of its id in this step that has none yet; without one it is passed over."""
        for number, call in enumerate(self.calls):
            if call.id == message.call_id and number not in self.results:
                self.results[number] = message
                return

    def take_user(self, message: Message, *, notice: bool) -> None:
        """What the person said, or a notice: that one joins what is there, so that it never breaks the order."""
        parts = [part for part in message.parts if _says(part, Text, Image)]
        mild = notice and all(part.origin in ("harness", "file", "tool") for part in parts)
        (self.notices if mild and self.calls and not self.user else self.user).extend(parts)

    def change(self, as_sent: Callable[[Message], Message]) -> None:
        """What was taken, as it is to be sent now."""
        self.results = {number: as_sent(message) for number, message in self.results.items()}
        self.user = list(as_sent(Message("user", tuple(self.user))).parts)

    def render(self) -> tuple[Message, ...]:
        """The messages, ending with the user or with results."""
        out = [] if self.assistant is None else self._step(self.assistant)
        tail = _tail(out) if out else self.tail
        # After an empty reply the model may just be asked again, with the same messages.
        if tail in ("user", "results") and (self.user or self.mark not in (None, EMPTY_REPLY)):
            out.append(Message("assistant", (Text(self.mark or NO_REPLY, "harness"),)))
            tail = "answer"
        if self.user:
            out.append(Message("user", tuple(self.user)))
        elif tail == "answer":
            out.append(Message("user", (Text(NO_USER, "harness"),)))
        return tuple(out)

    def _step(self, assistant: Message) -> list[Message]:
        if not self.calls:
            if self.mark is not None:
                assistant = Message("assistant", (*assistant.parts, Text(self.mark, "harness")))
            return [assistant]
        out = [assistant, *map(self._result, range(len(self.calls)), assistant.calls)]
        if self.notices:
            last = out[-1]
            out[-1] = Message("tool", (*last.parts, *self.notices), last.call_id, last.error)
        return out

    def _result(self, number: int, call: ToolCall) -> Message:
        if (message := self.results.get(number)) is None:
            return Message("tool", (Text(UNKNOWN_OUTCOME, "harness"),), call.id, error=True)
        parts = tuple(part for part in message.parts if _says(part, Text, Image))
        return Message("tool", parts or (Text(NO_OUTPUT, "harness"),), call.id, message.error)


def _says(part: Part, *kinds: type[Text] | type[Image]) -> bool:
    """True for a part of one of these kinds that is not blank (providers refuse blank ones)."""
    return isinstance(part, kinds) and (not isinstance(part, Text) or bool(part.text.strip()))


def _tail(messages: list[Message]) -> Tail:
    if not messages:
        return "nothing"
    last = messages[-1]
    return "results" if last.role == "tool" else "user" if last.role == "user" else "answer"
