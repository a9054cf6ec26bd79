"""Retelling: a span as the text that a summariser reads, long outputs cut, in chunks that fit its window."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from agentmem.domain.entry import Entry
from agentmem.domain.message import Image, Message, Text, ToolCall

OUTPUT_MOST = 1_600
ARGUMENT_MOST = 1_200
SAID_MOST = 16_000


def chunks(span: Sequence[Entry], most: int) -> list[tuple[tuple[Entry, ...], str]]:
    """The span in runs of entries whose text has at most `most` bytes, each with its text. A run ends before a message
    of the person or the agent, never between a call and its result; a step too long by itself is cut in the middle."""
    runs: list[tuple[list[Entry], list[str], int]] = []
    for entries in _steps(span):
        text = "\n\n".join(told for entry in entries if (told := tell(entry)))
        size = len(text.encode("utf-8", "replace")) + 2
        if size > most:
            text, size = _middle(text, most // 4), min(size, most)
        if runs and runs[-1][2] + size <= most:
            at, texts, length = runs[-1]
            runs[-1] = [*at, *entries], [*texts, text], length + size
        else:
            runs.append((list(entries), [text], size))
    return [(tuple(entries), "\n\n".join(text for text in texts if text)) for entries, texts, _ in runs]


def tell(entry: Entry) -> str:
    """One entry, "" for what says nothing."""
    message = entry.message()
    if message is None:
        return "[the turn was stopped here]" if entry.type == "interrupt" else ""
    return "\n".join(_rows(message, notice=entry.body.get("notice") is True, exit_=entry.body.get("exit")))


def _rows(message: Message, *, notice: bool, exit_: object) -> Iterator[str]:
    if message.role == "tool":
        ended = f"exit {exit_}" if isinstance(exit_, int) else "failed" if message.error else "done"
        yield f"[result: {ended}]"
    elif any(isinstance(part, Text) and part.text.strip() for part in message.parts):
        yield "[agent]" if message.role == "assistant" else "[harness]" if notice else "[person]"
    for part in message.parts:
        match part:
            case Text() if part.text.strip():
                yield _middle(part.text.strip(), OUTPUT_MOST if message.role == "tool" else SAID_MOST)
            case ToolCall():
                yield f"[call {part.name}] {_arguments(part)}"
            case Image():
                yield "[an image]"


def _arguments(call: ToolCall) -> str:
    if call.raw is not None:
        return _middle(call.raw, ARGUMENT_MOST)
    told = {
        key: _middle(value, ARGUMENT_MOST) if isinstance(value, str) else value for key, value in call.arguments.items()
    }
    return _middle(json.dumps(told, ensure_ascii=False, default=str), 4 * ARGUMENT_MOST)


def _middle(text: str, most: int) -> str:
    """The text without its middle where it is longer than `most` characters."""
    if len(text) <= most:
        return text
    half = max(1, most // 2)
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"


def _steps(span: Sequence[Entry]) -> Iterator[list[Entry]]:
    """The span in pieces that belong together: a message and the results that follow it."""
    step: list[Entry] = []
    for entry in span:
        message = entry.message()
        if step and message is not None and message.role != "tool":
            yield step
            step = []
        step.append(entry)
    if step:
        yield step
