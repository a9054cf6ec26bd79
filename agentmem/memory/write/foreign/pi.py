"""pi's log, `~/.pi/agent/sessions/--<cwd>--/<time>_<session>.jsonl`, as drafts.

    {"type":"session","version":3,"id":"…","timestamp":"…","cwd":"/w"}
    {"type":"message","id":"a1b2c3d4","parentId":null,"timestamp":"…","message":{"role":"user","content":"Hi"}}

Version 1 has neither `version` nor ids: its entries are a list, and a compaction names the first entry it kept by its
place in the file. Version 2 is a tree; version 3 calls `hookMessage` `custom`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agentmem.memory.write.foreign import draft
from agentmem.memory.write.foreign.draft import BEFORE, About, Before, Draft, Found, Kind, Record, Skip, word

_STOPS = {
    "stop": "end",
    "length": "length",
    "toolUse": "tool_use",
    "error": "interrupted",
    "aborted": "interrupted",
}
_ENTRIES = frozenset({"message", "compaction", "branch_summary", "custom_message", "model_change"})


def recognise(value: Mapping[str, Any]) -> bool:
    """True for a record that only this format has."""
    kind, message = value.get("type"), value.get("message")
    if kind == "session":
        return "timestamp" in value and "agentmem" not in value
    if kind == "message":
        return isinstance(message, dict) and "role" in message and "uuid" not in value
    return kind in _ENTRIES and "parentId" in value


def read(records: Iterable[Record]) -> Iterator[Found]:
    """The drafts of a file."""
    reader = _Reader()
    for place, (line, value) in enumerate(records):
        yield from reader.take(place, line, value)


class _Reader:
    def __init__(self) -> None:
        self.header = False
        self.place = 0

    def take(self, place: int, line: int, value: dict[str, Any]) -> Iterator[Found]:
        self.place = place
        match value.get("type"):
            case "session" if not self.header:
                self.header = True
                yield _about(value)
            case "session":
                yield Skip(line, "a second header")
            case "message" if isinstance(value.get("message"), dict):
                yield from self.message(line, value, value["message"])
            case "compaction" if word(value.get("summary")):
                yield self.compaction(line, value)
            case "branch_summary" if word(value.get("summary")):
                yield self.notice(
                    line, value, [draft.imported(f"[A branch was left. Its summary:]\n{value['summary']}")]
                )
            case "custom_message" if parts := _parts(value.get("content"), line)[0]:
                yield self.notice(line, value, parts)
            case "label" if isinstance(value.get("targetId"), str):
                body = {"of": value["targetId"], "label": word(value.get("label")) or None}
                yield self.draft(line, value, "label", body)
            case "session_info" if isinstance(value.get("name"), str):
                yield self.draft(line, value, "session_info", {"name": value["name"]})
            case str():
                yield self.meta(line, value)
            case _:
                yield Skip(line, "an object that is no entry")

    def draft(self, line: int, value: Mapping[str, Any], kind: Kind, body: Mapping[str, Any], **more: Any) -> Draft:
        own = word(value.get("id")) or None
        parent = value.get("parentId", BEFORE)
        known: str | Before | None = parent if own and (parent is None or isinstance(parent, str)) else BEFORE
        at = draft.stamp(value.get("timestamp"))
        # A list has places for ids: a compaction of version 1 names one.
        key = own or f"#{self.place}"
        source = {"orig_id": own, **more.pop("source", {})}
        return Draft(line, kind, body, at or draft.stamp(_time(value)), key, known, source=source, **more)

    def meta(self, line: int, value: dict[str, Any], why: str | None = None) -> Draft:
        return self.draft(line, value, "meta", draft.meta(word(value.get("type")), value, why=why))

    def notice(self, line: int, value: Mapping[str, Any], parts: list[dict[str, Any]]) -> Draft:
        """What the model was told, and no person typed."""
        return self.draft(line, value, "message", draft.user(parts, notice=True))

    def compaction(self, line: int, value: Mapping[str, Any]) -> Draft:
        first, index = value.get("firstKeptEntryId"), value.get("firstKeptEntryIndex")
        if not isinstance(first, str):
            first = f"#{index}" if isinstance(index, int) else None
        body = {"form": "summary", "summary": value["summary"], "first_kept": first}
        kept = {key: value[key] for key in ("tokensBefore", "details", "fromHook") if key in value}
        return self.draft(line, value, "compaction", body, source={"compaction": kept} if kept else {})

    def message(self, line: int, value: dict[str, Any], message: dict[str, Any]) -> Iterator[Found]:
        match message.get("role"):
            case "assistant":
                yield from self.assistant(line, value, message)
            case "user":
                parts, unread = _parts(message.get("content"), line)
                if parts:
                    yield self.draft(line, value, "message", {**draft.user(parts), **unread})
                else:
                    yield self.meta(line, value, "there is no text in it")
            case "toolResult":
                parts, unread = _parts(message.get("content"), line)
                error = message.get("isError") is True
                body = draft.result(word(message.get("toolCallId")), parts, error=error)
                yield self.draft(line, value, "message", {**body, **unread})
            case _:
                told = _told(message, line)
                yield self.notice(line, value, told) if told else self.meta(line, value)

    def assistant(self, line: int, value: dict[str, Any], message: dict[str, Any]) -> Iterator[Found]:
        parts, unread = _parts(message.get("content"), line)
        stop = word(message.get("stopReason"))
        body: dict[str, Any] = {"role": "assistant", "content": parts, **unread}
        found = message.get("usage")
        used = _usage(found) if isinstance(found, dict) else None
        body |= {"usage": used} if used else {}
        body |= {"stop": _STOPS[stop]} if stop in _STOPS else {}
        said = {"model": "/".join(filter(None, (word(message.get("provider")), word(message.get("model")))))}
        said |= {"error": message["errorMessage"]} if isinstance(message.get("errorMessage"), str) else {}
        yield self.draft(line, value, "message", body, source={key: text for key, text in said.items() if text})
        if stop == "aborted":
            yield self.draft(line, value, "interrupt", {"reason": "user"}, follows=True)


def _about(value: Mapping[str, Any]) -> About:
    version = value.get("version")
    number = str(version) if isinstance(version, int) else "1"
    return About(word(value.get("id")), number, word(value.get("cwd")), draft.stamp(value.get("timestamp")))


def _time(value: Mapping[str, Any]) -> object:
    message = value.get("message")
    return message.get("timestamp") if isinstance(message, dict) else None


def _told(message: Mapping[str, Any], line: int) -> list[dict[str, Any]]:
    """What the model is told by a message of one of pi's own roles; empty where that is nothing."""
    match message.get("role"):
        case "custom" | "hookMessage":
            return _parts(message.get("content"), line)[0]
        case "branchSummary" | "compactionSummary" if word(message.get("summary")):
            return [draft.imported(f"[A summary of what was said before:]\n{message['summary']}")]
        case "bashExecution" if message.get("excludeFromContext") is not True:
            command, output = word(message.get("command")), word(message.get("output"))
            code = message.get("exitCode")
            ended = f"exit {code}" if isinstance(code, int) else "no exit code"
            return [draft.imported(f"[The person ran a command ({ended}):]\n$ {command}\n{output}")]
    return []


def _parts(content: object, line: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The parts of a message, and under `unread` the blocks of kinds that have no place in ours."""
    if isinstance(content, str):
        return ([draft.imported(content)] if content.strip() else []), {}
    parts, unread = [], []
    for block in content if isinstance(content, list) else ():
        kind = block.get("type") if isinstance(block, dict) else None
        match kind:
            case "text" if isinstance(block.get("text"), str):
                part = draft.imported(block["text"]) if block["text"].strip() else None
            case "thinking":
                part = draft.thinking(block.get("thinking"))
            case "toolCall":
                part = draft.call(block.get("id"), block.get("name"), block.get("arguments"), line)
            case "image" if part := draft.image(block.get("mimeType"), block.get("data")):
                pass
            case _:
                part = None
                unread.append(block)
        if part is not None:
            parts.append(part)
    return parts, ({"unread": unread} if unread else {})


def _usage(found: Mapping[str, Any]) -> dict[str, int] | None:
    return draft.usage(
        fresh=found.get("input"),
        output=found.get("output"),
        cached=found.get("cacheRead"),
        written=found.get("cacheWrite"),
    )
