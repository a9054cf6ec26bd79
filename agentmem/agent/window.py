"""Window: what fills the model's window, by the provider's last count, shared out over the parts by their size."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agentmem.domain.filling import Filling, Share
from agentmem.domain.measure import since
from agentmem.domain.message import Image, Message, Part, Text, Thinking, ToolCall
from agentmem.domain.prompt import Prompt
from agentmem.memory.memory import Counted, Held, weight

Write = Callable[[Prompt], bytes]
Key = tuple[str, str]

_THOUGHTS = "thinking"
_HIDDEN = 2.0  # a reply that cost more than twice what its bytes explain holds thoughts that were not shown

_BODY = '<skill-body name="'

_ORIGINS: Mapping[str, str] = {
    "person": "what the person said",
    "stdin": "what was piped in",
    "file": "instruction files told later",
    "harness": "notes of agentmem",
    "agent": "what the agent said",
    "tool": "what tools gave",
    "import": "imported messages",
}


@dataclass(frozen=True, slots=True)
class Look:
    """Who is looking at what: `now` is in seconds since 1970, `window` in tokens (None: what the session was told).
    `write` makes a request's body, where the session's door is known."""

    session: str | None
    model: str | None
    window: int | None
    now: float
    write: Write | None = None


def filling(held: Held, look: Look) -> Filling:
    """What fills the window. It asks no model."""
    asked = held.asked
    window = look.window or (asked.window if asked else None)
    counted = held.counted if held.counted and _possible(held, held.counted, window) else None
    at = counted.sent.messages if counted else len(held.messages)
    answered = counted is not None and len(held.messages) > at and held.messages[at].role == "assistant"
    weights = _Weights(held.messages, _thoughts_kept(held.messages, look.write))
    sent = _sum((*_sections(held), *weights.of(held.messages[:at])))
    said = _sum(weights.of(held.messages[at : at + answered], whole=True))
    after = _sum(weights.of(held.messages[at + answered :]))
    if counted is None:
        tokens, late = _apportion(sent, round(sum(sent.values()) / (held.ratio or weight.BYTES_A_TOKEN))), 0
    else:
        ratio = max(sum(sent.values()), 1) / counted.usage.input
        late = round(sum(after.values()) / ratio)
        shared = (
            _apportion(sent, counted.usage.input),
            _replied(said, counted.usage.output, ratio),
            _apportion(after, late),
        )
        tokens = _sum(item for one in shared for item in one.items())
    return Filling(
        session=look.session,
        model=look.model,
        shares=tuple(Share(kind, name, count) for (kind, name), count in tokens.items() if count),
        window=window,
        reply=_reply(look.write, asked.door if asked else None),
        usage=counted.usage if counted else None,
        at=counted.at if counted else None,
        age=since(counted.at, look.now) if counted else None,
        after=late,
    )


def _possible(held: Held, counted: Counted, window: int | None) -> bool:
    """Whether a count can be of the request. What is more than the window, and more than a token for each byte that was
    sent, is another thing's count (of all requests so far, say); to go by it would end the session for good."""
    usage = counted.usage
    if window is None or max(usage.input, usage.output) <= window:
        return True
    sent = sum(len(section.data) for section in held.sections) + weight.total(held.messages[: counted.sent.messages])
    return usage.input <= sent and usage.output <= window


def _sections(held: Held) -> Iterator[tuple[Key, int]]:
    for tool in held.tools:
        size = len(json.dumps([tool.name, tool.description, tool.schema]))
        yield ("tools", f"tool {tool.name}"), size
    for section in held.sections:
        if section.kind != "tools":
            yield (section.kind, section.name), len(section.data)


@dataclass(frozen=True, slots=True)
class _Weights:
    """Bytes of messages by who or what they are from. Of its thoughts a provider gets the share `thoughts` back."""

    messages: Sequence[Message]
    thoughts: float

    def of(self, messages: Sequence[Message], whole: bool = False) -> Iterator[tuple[Key, int]]:
        """The bytes of each part; with `whole` those of thoughts too that are not sent back."""
        called = {call.id: call.name for message in self.messages for call in message.calls}
        for message in messages:
            for part in message.parts:
                name = _name(message, part, called)
                share = 1.0 if whole or not isinstance(part, Thinking) else self.thoughts
                yield ("messages", name), round(weight.of(part) * share)
            says = next((part for part in message.parts if not isinstance(part, Thinking)), message.parts[0])
            yield ("messages", _name(message, says, called)), weight.FRAME


def _name(message: Message, part: Part, called: Mapping[str, str]) -> str:
    match part:
        case Thinking():
            return _THOUGHTS
        case ToolCall():
            return "tool calls"
        case Text() | Image() if message.role == "tool" and part.origin in ("tool", "import"):
            return f"results of {called.get(message.call_id or '', 'a tool')}"
        case Image():
            return "images"
        case Text() if part.origin == "harness" and part.text.startswith(_BODY):
            name, _, rest = part.text[len(_BODY) :].partition('"')
            return f"skill {name} ({why})" if (why := _why(rest)) else f"skill {name}"
    return _ORIGINS[part.origin]


def _why(rest: str) -> str:
    """The rule by which a skill came, from the rest of its block's first line."""
    return rest.partition(' why="')[2].partition('"')[0] if rest.startswith(' why="') else ""


def _thoughts_kept(messages: Sequence[Message], write: Write | None) -> float:
    """The share of thoughts, by bytes, that the door sends back; found out by writing a request with and without."""
    bare = tuple(
        replace(one, parts=tuple(part for part in one.parts if not isinstance(part, Thinking))) for one in messages
    )
    size = sum(weight.of(part) for one in messages for part in one.parts if isinstance(part, Thinking))
    if write is None or not size:
        return 0.0
    difference = len(write(Prompt("", (), tuple(messages)))) - len(write(Prompt("", (), bare)))
    return min(max(difference / size, 0.0), 1.0)


def _replied(said: Mapping[Key, int], output: int, ratio: float) -> dict[Key, int]:
    """The tokens of a reply; what is far more than its text weighs was thought, and not shown. A reply that is not sent
    back, as it said nothing, takes none."""
    if not said:
        return {}
    shown = min(output, round(_HIDDEN * sum(said.values()) / ratio))
    tokens = _apportion(said, shown)
    hidden = ("messages", _THOUGHTS)
    return {**tokens, hidden: tokens.get(hidden, 0) + output - sum(tokens.values())}


def _apportion(weights: Mapping[Key, int], total: int) -> dict[Key, int]:
    """Whole numbers in proportion to the weights that add up to `total`; nothing where all weights are 0."""
    whole = sum(weights.values())
    if not whole:
        return {}
    out = {key: total * one // whole for key, one in weights.items()}
    rest = sorted(weights, key=lambda key: total * weights[key] % whole, reverse=True)
    for key in rest[: total - sum(out.values())]:
        out[key] += 1
    return out


def _sum(weights: Iterable[tuple[Key, int]]) -> dict[Key, int]:
    out: dict[Key, int] = {}
    for key, one in weights:
        out[key] = out.get(key, 0) + one
    return out


def _reply(write: Write | None, door: Mapping[str, object] | None) -> int | None:
    """The most tokens a reply may take: what a request says, else what is known of the model."""
    head = json.loads(write(Prompt("", (), ()))) if write else {}
    found = head.get("max_tokens") or head.get("max_completion_tokens") or (door or {}).get("max_output")
    return found if isinstance(found, int) else None
