"""The transcript: a session's branch as plain text for a person or a pipe, calls with their results in short."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agentmem.domain.entry import Entry, Header
from agentmem.domain.message import Image, Message, Part, Text, ToolCall
from agentmem.domain.visible import settled, visible
from agentmem.terminal.gist import counted, first_line, gist, spell

_HEAD, _TAIL = 3, 5  # lines of a result that stay when it is folded: the end tells more than the start
_STOPS = {"user": "interrupted by the person", "error": "ended with an error", "limit": "stopped at a limit"}
_ORIGINS = {"stdin": "piped in", "file": "from a file", "harness": "from agentmem", "import": "imported"}


def transcript(header: Header, name: str, branch: Sequence[Entry]) -> Iterator[str]:
    """Its lines. Nothing in them can steer a terminal."""
    yield visible(f"session {header.id}" + (f" · {name}" if name else ""))
    yield visible(f"started {header.at or '?'} in {header.cwd or '?'}".replace("\n", " "))
    if header.forked_from is not None:
        yield visible(f"a fork of {header.forked_from.session} at {header.forked_from.entry}")
    if header.parent_session is not None:
        what = "goes on, after a reset, from" if header.reset else "a sub-session of"
        yield visible(f"{what} {header.parent_session}")
    open_calls: dict[str, ToolCall] = {}
    for entry in branch:
        message = entry.message()
        lines = list(_marks(entry, header.id) if message is None else _message(entry, message, open_calls))
        # An answer's results stand right below its calls.
        if lines and (message is None or message.role != "tool"):
            yield ""
        yield from lines


def _message(entry: Entry, message: Message, open_calls: dict[str, ToolCall]) -> Iterator[str]:
    if message.role == "tool":
        yield from _result(entry, message, open_calls.pop(message.call_id or "", None))
        return
    if not message.says:
        return
    said = list(_parts(message.parts))
    if message.role == "user":
        told = entry.body.get("notice") is True
        yield f"── {'agentmem tells the agent' if told else 'you'} · {_time(entry)}"
    elif said:
        yield f"── agent · {_time(entry)}"
    yield from said
    for call in message.calls:
        open_calls[call.id] = call
        yield _line(f"● {call.name}  {first_line(gist(call.name, call.arguments))}")


def _parts(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Text) and part.text.strip():
            if (label := _ORIGINS.get(part.origin)) is not None:
                yield f"[{label}]"
            yield from visible(part.text.strip("\n")).split("\n")
        elif isinstance(part, Image):
            yield f"[an image, {visible(part.media_type)}]"


def _result(entry: Entry, message: Message, call: ToolCall | None) -> Iterator[str]:
    if call is None:
        yield "● (a result whose call is not on this branch)"
    lines = settled(message.text).removesuffix("\n").split("\n") if message.text else []
    left = len(lines) - _HEAD - _TAIL
    if left > 1:
        lines = [*lines[:_HEAD], f"… {counted(left, 'line')} more", *lines[-_TAIL:]]
    for line in lines:
        yield f"  {line}".rstrip()
    yield _line(f"  └ {_outcome(entry.body, message.error)}")


def _outcome(body: Mapping[str, object], error: bool) -> str:
    exit_, ms, offload = body.get("exit"), body.get("ms"), body.get("offload")
    parts = [f"exit {exit_}"] if isinstance(exit_, int) else ["failed"] if error else ["done"]
    if isinstance(ms, int):
        parts.append(spell(ms / 1000))
    if isinstance(offload, str):
        parts.append(f"whole output in {offload}")
    return " · ".join(parts)


def _marks(entry: Entry, session: str) -> Iterator[str]:
    """What is no message and says something to a reader."""
    body = entry.body
    match entry.type:
        case "interrupt":
            yield f"-- {_STOPS.get(str(body.get('reason')), 'stopped')} --"
        case "move":
            yield _line(f"-- went on from here: {body.get('why') or 'no reason given'} --")
        case "unseen":
            yield _line(f"-- images left out from here on: {body.get('why')} --")
        case "label":
            yield _line(f"-- {body.get('of')} is labelled {body.get('label')!r} --")
        case "verdict":
            yield _line(f"-- memory: {body.get('outcome')} ({body.get('reason')}) --")
        case "compaction" | "strike" | "expand":
            yield from _account(entry, session)
        case "model":
            yield _line(f"-- model {body.get('model')} --")
        case "session_info" | "call" | "checkpoint" | "meta" | "message" | "state":
            return
        case other:
            yield _line(f"-- {other} --")


def _account(entry: Entry, session: str) -> Iterator[str]:
    from agentmem.memory.memory import account  # few sessions are compacted

    first, *rest = account(entry, session)
    yield _line(f"-- {first} --")
    yield from (_line(f"   {line}") for line in rest)
    if isinstance(summary := entry.body.get("summary"), str) and summary.strip():
        yield from (f"   │ {line}" for line in visible(summary.strip()).split("\n"))


def _time(entry: Entry) -> str:
    return visible(entry.at.replace("T", " ").removesuffix("Z")) or "?"


def _line(text: str) -> str:
    return visible(" ".join(text.split("\n")))
