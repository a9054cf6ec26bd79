"""Joining: the records that tell one reply piece by piece, as one; and whether it says anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentmem.memory.write.foreign import draft


def one(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The records (line, at, source, body) as one: contents in order, the usage once, the line and id of the first."""
    first = records[0]
    if len(records) == 1:
        return first
    bodies = [record["body"] for record in records]
    body = {key: value for each in reversed(bodies) for key, value in each.items()}
    if "content" in body:
        body["content"] = [part for each in bodies for part in each.get("content", ())]
    if "summary" in body:
        body["summary"] = "\n\n".join(each["summary"] for each in bodies if each["summary"])
    if unread := [block for each in bodies for block in each.get("unread", ())]:
        body["unread"] = unread
    # The usage grows while a reply is written down; its last state is the highest.
    if used := [each["usage"] for each in bodies if "usage" in each]:
        body["usage"] = max(used, key=lambda usage: int(usage["output"]))
    if stops := [each["stop"] for each in bodies if "stop" in each]:
        body["stop"] = stops[-1]
    return {**first, "body": body, "source": _source(records)}


def _source(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    merged = {key: value for each in reversed(records) for key, value in each["source"].items()}
    told = [each for each in records if each["body"].get("content") or each["body"].get("summary")]
    ids = [each["source"]["orig_id"] for each in told]
    lines = {"lines": [each["line"] for each in told]} if len(told) > 1 else {}
    return {
        **merged,
        "orig_id": records[0]["source"]["orig_id"],
        **lines,
        **({"orig_ids": ids} if any(ids[1:]) else {}),
    }


def calls(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls of a message."""
    return [part for part in body["content"] if part["type"] == "tool_call"]


def reply(body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Type and body of an assistant's message: one that says nothing is kept as meta, never sent."""
    if all(part["type"] == "thinking" for part in body["content"]):
        return "meta", draft.meta("empty reply", body)
    return "message", {**body, "stop": body.get("stop") or ("tool_use" if calls(body) else "end")}
