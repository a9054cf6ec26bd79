"""Messages: what a person, a model or a tool said, in parts that carry their origin.

On disk a part is one JSON object, e.g. ``{"type":"text","text":"Hi","origin":"person"}``. Role is for the
provider, origin for the gate: only ``person`` is the person's word. A part without origin is an import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

Role = Literal["user", "assistant", "tool"]
Origin = Literal["person", "stdin", "file", "harness", "agent", "tool", "import"]
Stop = Literal["end", "tool_use", "length", "refusal", "interrupted"]

ORIGINS: frozenset[str] = frozenset({"person", "stdin", "file", "harness", "agent", "tool", "import"})


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text."""

    text: str
    origin: Origin = "import"


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning a model showed; `signature` is opaque and only valid at the `provider` that made it.

    `redacted` holds the opaque block of a provider that hides the text (Anthropic's `redacted_thinking`).
    """

    text: str
    signature: str | None = None
    provider: str | None = None
    redacted: str | None = None
    origin: Origin = "agent"


@dataclass(frozen=True, slots=True)
class Image:
    """An image; `data` is base64."""

    media_type: str
    data: str
    origin: Origin = "import"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool the model asks to run. `raw` is set when its arguments were no JSON object; then `arguments` is empty."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    raw: str | None = None
    origin: Origin = "agent"


Part = Text | Thinking | Image | ToolCall


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call. `input` counts all of the prompt; `cached` and `written` are the shares of it that were
    read from and written to the provider's cache, so nothing is counted twice."""

    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.written + other.written,
        )

    def to_json(self) -> dict[str, int]:
        """The log's form; zero cache shares are left out."""
        out = {"input": self.input, "output": self.output}
        if self.cached:
            out["cached"] = self.cached
        if self.written:
            out["written"] = self.written
        return out

    @staticmethod
    def from_json(value: object) -> Usage:
        """Read the log's form leniently: what is no whole number counts as 0."""
        got = value if isinstance(value, Mapping) else {}

        def count(key: str) -> int:
            number = got.get(key)
            return number if isinstance(number, int) and not isinstance(number, bool) and number > 0 else 0

        return Usage(count("input"), count("output"), count("cached"), count("written"))


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt. A tool message answers `call_id`; `error` marks a failed result."""

    role: Role
    parts: tuple[Part, ...]
    call_id: str | None = None
    error: bool = False

    @property
    def text(self) -> str:
        """All text parts, joined by a blank line."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def says(self) -> bool:
        """Whether there is anything in it; a message that says nothing is shown nowhere."""
        return any(not isinstance(part, Text | Thinking) or bool(part.text.strip()) for part in self.parts)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls of an assistant message, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


@dataclass(frozen=True, slots=True)
class Reply:
    """What one model call gave."""

    parts: tuple[Part, ...]
    stop: Stop
    usage: Usage = Usage()

    @property
    def text(self) -> str:
        """All text parts, joined as they came."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls of the reply, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


def part_to_json(part: Part) -> dict[str, Any]:
    """The log's form of a part."""
    match part:
        case Text():
            return {"type": "text", "text": part.text, "origin": part.origin}
        case Thinking():
            out: dict[str, Any] = {"type": "thinking", "text": part.text}
            for key in ("signature", "provider", "redacted"):
                if (value := getattr(part, key)) is not None:
                    out[key] = value
            return {**out, "origin": part.origin}
        case Image():
            return {"type": "image", "media_type": part.media_type, "data": part.data, "origin": part.origin}
        case ToolCall():
            out = {"type": "tool_call", "id": part.id, "name": part.name, "arguments": dict(part.arguments)}
            if part.raw is not None:
                out["raw"] = part.raw
            return {**out, "origin": part.origin}


def parts_from_json(content: object, origin: object = None) -> tuple[Part, ...]:
    """Read the content of a logged message: a string with the entry's `origin`, or a list of parts. What is not
    understood becomes nothing: an object that is no part is passed over, a wrong field falls back to an empty one."""
    if isinstance(content, str):
        return (Text(content, _origin(origin)),) if content else ()
    if not isinstance(content, Sequence):
        return ()
    return tuple(part for item in content if (part := _part(item)) is not None)


def _part(item: object) -> Part | None:
    if isinstance(item, str):
        return Text(item)
    if not isinstance(item, Mapping):
        return None
    kind = item.get("type")
    # Only an agent makes calls: there the log leaves its origin out.
    origin = _origin(item.get("origin", "agent" if kind == "tool_call" else None))
    return _PARTS[kind](item, origin) if isinstance(kind, str) and kind in _PARTS else None


def _origin(value: object) -> Origin:
    return cast(Origin, value) if isinstance(value, str) and value in ORIGINS else "import"


def _text(item: Mapping[str, Any], origin: Origin) -> Part:
    return Text(_string(item.get("text")), origin)


def _thinking(item: Mapping[str, Any], origin: Origin) -> Part:
    signature, provider, redacted = (_optional(item.get(key)) for key in ("signature", "provider", "redacted"))
    return Thinking(_string(item.get("text")), signature, provider, redacted, origin)


def _image(item: Mapping[str, Any], origin: Origin) -> Part:
    return Image(_string(item.get("media_type")), _string(item.get("data")), origin)


def _call(item: Mapping[str, Any], origin: Origin) -> Part:
    arguments = item.get("arguments")
    return ToolCall(
        _string(item.get("id")),
        _string(item.get("name")),
        arguments if isinstance(arguments, Mapping) else {},
        _optional(item.get("raw")),
        origin,
    )


_PARTS: Mapping[str, Callable[[Mapping[str, Any], Origin], Part]] = {
    "text": _text,
    "thinking": _thinking,
    "image": _image,
    "tool_call": _call,
}


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _optional(value: object) -> str | None:
    return value if isinstance(value, str) else None
