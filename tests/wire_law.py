"""What strict providers demand of a request, read off its JSON alone; the first thing they would refuse, or None.

Written from the protocols' own pages and error texts, without a look at how agentmem renders.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_MESSAGES_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def chat_refusal(body: bytes) -> str | None:
    """Chat completions: roles in order, each `tool_calls` answered by `tool` messages at once, nothing empty."""
    books = Books()
    for at, one in enumerate(_read(body)["messages"]):
        for found in (*_chat_order(at, one, books), *_chat_content(one), *_chat_calls(one, books)):
            return f"{at}: {found}"
        books.before = one["role"]
    return books.at_the_end()


@dataclass
class Books:
    """What was said so far: the role before, ids that wait for their result, all ids."""

    before: str = ""
    open_calls: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def at_the_end(self) -> str | None:
        if self.open_calls:
            return f"no results for {self.open_calls}"
        return None if self.before in ("user", "tool") else f"ends with {self.before or 'nothing'}"


def _chat_order(at: int, one: Mapping[str, Any], books: Books) -> Iterator[str]:
    role, before = one["role"], books.before
    if role == "tool":
        if one["tool_call_id"] in books.open_calls:
            books.open_calls.remove(one["tool_call_id"])
        else:
            yield "a result of no open call"
    elif books.open_calls:
        yield f"{role} before the results of {books.open_calls}"
    fits = {"system": not at, "user": before != "user", "assistant": before in ("user", "tool"), "tool": True}
    if not fits[role]:
        yield f"{role} after {before or 'nothing'}"


def _chat_content(one: Mapping[str, Any]) -> Iterator[str]:
    if "tool_calls" in one and not one["tool_calls"]:
        yield "an empty list of calls"
    if not one.get("tool_calls") and not _chat_text(one["content"]):
        yield f"an empty {one['role']} message"


def _chat_calls(one: Mapping[str, Any], books: Books) -> Iterator[str]:
    for call in one.get("tool_calls", []):
        if not 0 < len(call["id"]) <= 40 or call["id"] in books.used or not _NAME.fullmatch(call["function"]["name"]):
            yield f"a call with an id or a name that is not taken: {call}"
        if not isinstance(json.loads(call["function"]["arguments"]), dict):
            yield "arguments that are no object"
        books.used.add(call["id"])
        books.open_calls.append(call["id"])


def messages_refusal(body: bytes) -> str | None:
    """The Messages protocol: user and assistant take turns, results first and all of them in the very next message."""
    request = _read(body)
    if request["max_tokens"] < 1 or any(not block["text"].strip() for block in request.get("system", [])):
        return "max_tokens or an empty system block"
    if body.count(b'"cache_control"') > 4:
        return "more than four cache marks"
    books = Books()
    for at, one in enumerate(request["messages"]):
        for found in (*_turn(one, books), *_blocks(one, books)):
            return f"{at}: {found}"
        books.before = one["role"]
    return books.at_the_end()


def _turn(one: Mapping[str, Any], books: Books) -> Iterator[str]:
    role, kinds = one["role"], [block["type"] for block in one["content"]]
    if role == books.before or (not books.before and role != "user"):
        yield f"{role} after {books.before or 'nothing'}"
    if not kinds:
        yield "an empty message"
    results = [block["tool_use_id"] for block in one["content"] if block["type"] == "tool_result"]
    if sorted(results) != sorted(books.open_calls) or kinds[: len(results)] != ["tool_result"] * len(results):
        yield f"results {results} for the calls {books.open_calls}"
    if role == "assistant" and kinds[-1:] in (["thinking"], ["redacted_thinking"]):
        yield "ends with a thought"


def _blocks(one: Mapping[str, Any], books: Books) -> Iterator[str]:
    books.open_calls = []
    for block in one["content"]:
        if (found := _block_refusal(block, one["role"], books.used)) is not None:
            yield found
        if block["type"] == "tool_use":
            books.used.add(block["id"])
            books.open_calls.append(block["id"])


def _block_refusal(block: Mapping[str, Any], role: str, used: set[str]) -> str | None:
    kind = block["type"]
    if kind == "tool_use":
        fits = role == "assistant" and isinstance(block["input"], dict) and _NAME.fullmatch(block["name"])
        fits = fits and block["id"] not in used and _MESSAGES_ID.fullmatch(block["id"])
    elif kind == "tool_result":
        fits = role == "user" and _result_text(block["content"])
    elif kind == "thinking":
        fits = role == "assistant" and bool(block["signature"])
    else:
        fits = kind != "text" or bool(block["text"].strip())
    return None if fits else f"a {kind} that is not taken: {block}"


def _chat_text(content: object) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    return isinstance(content, list) and bool(content) and all(one.get("text", "x").strip() for one in content)


def _result_text(content: object) -> bool:
    return bool(content.strip()) if isinstance(content, str) else isinstance(content, list) and bool(content)


def _read(body: bytes) -> Any:
    """Strict JSON in valid UTF-8."""

    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    return json.loads(body.decode("utf-8"), parse_constant=refuse)
