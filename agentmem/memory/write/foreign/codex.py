"""Codex's log, `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`, as drafts.

    {"timestamp":"…","type":"session_meta","payload":{"id":"…","cwd":"/w","cli_version":"0.104.0"}}
    {"timestamp":"…","type":"response_item","payload":{"type":"message","role":"user",
     "content":[{"type":"input_text","text":"Hi"}]}}

A list without ids; `event_msg` repeats what a `response_item` tells, and is read for tokens, aborts and turns that were
taken back alone. The legacy form has no envelope: a meta line, items, and `{"record_type":"state"}` lines between them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agentmem.memory.write.foreign import draft
from agentmem.memory.write.foreign.draft import About, Draft, Found, Kind, Passed, Record, Skip, word

_ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_ITEMS = frozenset({"message", "reasoning", "function_call", "function_call_output", "local_shell_call",
                    "custom_tool_call", "custom_tool_call_output", "web_search_call"})  # fmt: skip
# What Codex wrote into user messages by itself.
_INJECTED = (
    "<user_instructions>",
    "<environment_context>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<skill>",
    "<subagent_notification>",
    "# AGENTS.md instructions for ",
)


def recognise(value: Mapping[str, Any]) -> bool:
    """True for a record that only this format has."""
    kind = value.get("type")
    if isinstance(value.get("payload"), dict):
        return kind in _ENVELOPES
    legacy = kind is None and "id" in value and "timestamp" in value and ("instructions" in value or "git" in value)
    if legacy or value.get("record_type") == "state":
        return True
    return (kind in _ITEMS and "call_id" in value) or (kind == "message" and isinstance(value.get("content"), list))


def read(records: Iterable[Record]) -> Iterator[Found]:
    """The drafts of a file."""
    reader = _Reader()
    for line, value in records:
        yield from reader.take(line, value)


class _Reader:
    def __init__(self) -> None:
        self.told = False
        self.at = ""
        self.model = ""
        self.reply = 0
        self.open = False  # the reply may still grow
        self.total: object = None
        self.asked: list[str] = []  # the keys of what the person typed, newest last
        self.number = 0

    @property
    def key(self) -> str:
        """An id for the record at hand: the format has none."""
        return f"#{self.number}"

    def take(self, line: int, value: dict[str, Any]) -> Iterator[Found]:
        self.number += 1
        self.at = draft.stamp(value.get("timestamp")) or self.at
        payload = value.get("payload")
        if not isinstance(payload, dict):
            yield from self.bare(line, value)
            return
        match value.get("type"):
            case "session_meta":
                yield from self.about(line, payload)
            case "response_item":
                yield from self.item(line, payload)
            case "event_msg":
                yield from self.event(line, payload)
            case "turn_context":
                self.model = word(payload.get("model")) or self.model
                yield Passed("turn_context")
            case "compacted":
                yield from self.compacted(line, payload)
            case str() as kind:
                yield self.draft(line, "meta", draft.meta(kind, payload))
            case _:
                yield Skip(line, "an object that is no record")

    def bare(self, line: int, value: dict[str, Any]) -> Iterator[Found]:
        """A line of the legacy form."""
        if value.get("record_type") == "state":
            yield Passed("state")
        elif isinstance(value.get("type"), str):
            yield from self.item(line, value)
        elif isinstance(value.get("id"), str) and "timestamp" in value:
            yield from self.about(line, value)
        else:
            yield Skip(line, "an object that is no item")

    def about(self, line: int, payload: dict[str, Any]) -> Iterator[Found]:
        if not self.told:  # a fork repeats the one it was taken from
            self.told = True
            self.at = draft.stamp(payload.get("timestamp")) or self.at
            version, cwd = word(payload.get("cli_version")), word(payload.get("cwd"))
            yield About(word(payload.get("id")), version, cwd, self.at, _parent(payload.get("source")))
        yield self.draft(line, "meta", draft.meta("session_meta", payload))

    def draft(self, line: int, kind: Kind, body: Mapping[str, Any], **more: Any) -> Draft:
        orig = more.pop("orig", None)
        return Draft(line, kind, body, self.at, source={"orig_id": orig, **more.pop("source", {})}, **more)

    def item(self, line: int, item: dict[str, Any]) -> Iterator[Found]:
        own = word(item.get("id")) or None
        match item.get("type"):
            case "message":
                yield from self.message(line, item)
            case "reasoning":
                thoughts = [draft.thinking(text) for text in _texts(item.get("summary")) or _texts(item.get("content"))]
                yield self.part(line, [one for one in thoughts if one], own)
            case "function_call":
                parts = [draft.call(item.get("call_id"), item.get("name"), _arguments(item.get("arguments")), line)]
                yield self.part(line, parts, own)
            case "custom_tool_call":
                said = item.get("input")
                arguments = {"input": said} if isinstance(said, str) else said
                yield self.part(line, [draft.call(item.get("call_id"), item.get("name"), arguments, line)], own)
            case "local_shell_call":
                named = item.get("call_id") or item.get("id")
                yield self.part(line, [draft.call(named, "local_shell", item.get("action"), line)], own)
            case "function_call_output" | "custom_tool_call_output":
                self.open = False
                parts, error, code = _output(item.get("output"))
                body = draft.result(word(item.get("call_id")), parts, error=error, exit_code=code)
                yield self.draft(line, "message", body, key=self.key, orig=own)
            case kind:
                yield self.draft(line, "meta", draft.meta(word(kind), item))

    def part(self, line: int, parts: list[dict[str, Any]], own: str | None) -> Draft:
        """A piece of the model's reply: it ends where a result, a person or a count of tokens comes."""
        if not self.open:
            self.open, self.reply = True, self.reply + 1
        source = {"model": self.model} if self.model else {}
        body = {"role": "assistant", "content": parts}
        joins = f"reply {self.reply}"
        return self.draft(line, "message", body, key=self.key, joins=joins, source=source, orig=own)

    def message(self, line: int, item: dict[str, Any]) -> Iterator[Found]:
        parts = _content(item.get("content"))
        own = word(item.get("id")) or None
        if item.get("role") == "assistant":
            yield self.part(line, parts, own)
            return
        self.open = False
        typed = [part for part in parts if item.get("role") == "user" and not _is_injected(part)]
        injected = [part for part in parts if part not in typed]
        if injected or not typed:
            kept = draft.meta("injected", injected if typed else item, why=word(item.get("role")))
            yield self.draft(line, "meta", kept, key=self.key)
        if typed:
            yield self.draft(line, "message", draft.user(typed), key=self.key, orig=own, follows=bool(injected))
            self.asked.append(self.key)

    def event(self, line: int, payload: dict[str, Any]) -> Iterator[Found]:
        match payload.get("type"):
            case "token_count" if isinstance(info := payload.get("info"), dict):
                yield from self.tokens(line, info)
            case "turn_aborted":
                self.open = False
                yield self.draft(line, "interrupt", {"reason": "user"}, key=self.key)
            case "thread_rolled_back" if (
                isinstance(turns := payload.get("num_turns"), int) and turns > 0 and self.asked
            ):
                self.open = False
                back = self.asked[-min(turns, len(self.asked))]
                del self.asked[-turns:]
                yield self.draft(line, "meta", draft.meta("thread_rolled_back", payload), key=self.key, beside=back)
        yield Passed("event_msg")

    def tokens(self, line: int, info: Mapping[str, Any]) -> Iterator[Found]:
        """What a reply used; told again, with the same total, when only a rate limit changed."""
        total, last = info.get("total_token_usage"), info.get("last_token_usage")
        used = _usage(last) if isinstance(last, dict) and (total is None or total != self.total) else None
        self.total = total
        if used and self.reply:
            body = {"role": "assistant", "content": [], "usage": used}
            yield self.draft(line, "message", body, joins=f"reply {self.reply}")
        self.open = False

    def compacted(self, line: int, payload: dict[str, Any]) -> Iterator[Found]:
        self.open = False
        body = {"form": "summary", "summary": _summary(payload), "first_kept": None}
        yield self.draft(line, "compaction", body, key=self.key)


def _parent(source: object) -> str | None:
    """The session that spawned this one, None for one that a person began."""
    spawn = source.get("subagent") if isinstance(source, dict) else None
    thread = spawn.get("thread_spawn") if isinstance(spawn, dict) else None
    return word(thread.get("parent_thread_id")) or None if isinstance(thread, dict) else None


def _summary(payload: Mapping[str, Any]) -> str:
    """What stands for all before: the history that replaced it, as text, and the message where it is not in there."""
    message = word(payload.get("message")).strip()
    history = payload.get("replacement_history")
    told = []
    for item in history if isinstance(history, list) else ():
        if not isinstance(item, dict) or item.get("type") != "message" or item.get("role") not in ("user", "assistant"):
            continue
        texts = [
            part["text"] for part in _content(item.get("content")) if part["type"] == "text" and not _is_injected(part)
        ]
        told += [f"[{item['role']}]\n" + "\n".join(texts)] if texts else []
    if message and not any(message in text for text in told):
        told.append(message)
    return "\n\n".join(told)


def _content(content: object) -> list[dict[str, Any]]:
    parts = []
    for item in [content] if isinstance(content, str) else content if isinstance(content, list) else ():
        text = item if isinstance(item, str) else item.get("text") if isinstance(item, dict) else None
        if isinstance(text, str) and text.strip():
            parts.append(draft.imported(text))
        elif isinstance(item, dict) and (picture := _image(item.get("image_url"))):
            parts.append(picture)
    return parts


def _texts(items: object) -> list[str]:
    return [part["text"] for part in _content(items) if part["type"] == "text"]


def _image(url: object) -> dict[str, Any] | None:
    if not isinstance(url, str) or not url.startswith("data:") or ";base64," not in url:
        return None
    return draft.image(*url.removeprefix("data:").split(";base64,", 1))


def _is_injected(part: Mapping[str, Any]) -> bool:
    return part["type"] == "text" and word(part["text"]).lstrip().startswith(_INJECTED)


def _arguments(text: object) -> object:
    """The arguments of a call, which stand in the log as JSON in a string."""
    try:
        value = json.loads(text, parse_constant=str) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _output(output: object) -> tuple[list[dict[str, Any]], bool, object]:
    """A result's parts, whether it failed, and its exit code where it has one."""
    if isinstance(output, dict):
        failed = output.get("success") is False
        return _content(output.get("content")), failed, None
    told = _arguments(output) if isinstance(output, str) and output.startswith("{") else None
    if isinstance(told, dict) and isinstance(told.get("output"), str) and "metadata" in told:
        found = told["metadata"]
        code = found.get("exit_code") if isinstance(found, dict) else None
        return _content(told["output"]), code not in (0, None), code
    return _content(output), False, None


def _usage(found: Mapping[str, Any]) -> dict[str, int] | None:
    """Here the input counts what the cache served."""
    whole, cached = found.get("input_tokens"), found.get("cached_input_tokens")
    read = cached if isinstance(cached, int) else 0
    fresh = max(0, whole - read) if isinstance(whole, int) else 0
    return draft.usage(fresh=fresh, output=found.get("output_tokens"), cached=cached)
