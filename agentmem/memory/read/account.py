"""Account: what an entry did to the prompt, why, and how it is taken back, in words for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.memory.read import cut

_DID = {
    "offload": "{count} moved to files, their ends stay in the prompt",
    "collapse": "{count} collapsed to a line each",
    "drop": "{count} of malformed calls dropped from the prompt",
}


def headline(entry: Entry) -> str:
    """In one line; "" for an entry that changes no prompt."""
    match entry.type:
        case "compaction":
            did = _did(entry.body)
            return f"compacted: {did}{_tokens(entry.body)}" if did else f"compacted: {entry.body.get('form')}"
        case "strike":
            return f"struck: {_count(entry.body, 'line')} that no later prompt shows ({entry.body.get('of')})"
        case "expand":
            return f"expanded: {entry.body.get('of')} is as it was"
    return ""


def account(entry: Entry, session: str) -> Iterator[str]:
    """What happened, why, what was lost of it, and the way back."""
    body = entry.body
    yield headline(entry)
    if isinstance(why := body.get("why"), str) and why:
        yield f"why: {why}"
    yield from _receipt(body)
    if isinstance(fault := body.get("fault"), str):
        yield f"made by rule, for the model's summary failed: {fault}"
    if isinstance(kept := body.get("archive"), str):
        yield f"all of it is in {kept}"
    if entry.type in ("compaction", "strike") and (_did(body) or entry.type == "strike"):
        yield f"back: agentmem expand {session} {entry.id}"


def _did(body: Mapping[str, Any]) -> str:
    form = body.get("form")
    if form in _DID:
        return _DID[str(form)].format(count=_count(body, "result"))
    if not cut.is_cut("compaction", body):
        return ""
    if body.get("retold") is True:
        return "a part of what is told before the prompt was told anew"
    span, summary = body.get("span"), body.get("summary")
    if isinstance(span, Mapping) and isinstance(count := span.get("messages"), int):
        what = (
            f"{count:,} message{'' if count == 1 else 's'} ({span.get('first')} to {span.get('last')}) left the prompt"
        )
    else:
        what = "what was said before left the prompt"
    if not isinstance(summary, str) or not summary.strip():
        return what
    return f"{what}; a summary{'' if form == 'summary' else ' made by rule'} stands for it"


def _receipt(body: Mapping[str, Any]) -> Iterator[str]:
    receipt = body.get("receipt")
    kinds = receipt.get("kinds") if isinstance(receipt, Mapping) else None
    if not isinstance(receipt, Mapping) or not isinstance(kinds, Mapping):
        return
    share = receipt.get("survival")
    rows = [
        f"{kind} {count.get('kept')} of {count.get('salient')}"
        for kind, count in kinds.items()
        if isinstance(count, Mapping)
    ]
    said = f"{share:.0%} of what they name is in it" if isinstance(share, int | float) else "receipt"
    yield f"{said}: {', '.join(rows)}" if rows else said
    lost = [one for count in kinds.values() if isinstance(count, Mapping) for one in count.get("missing") or ()]
    if lost:
        yield f"not in it: {', '.join(str(one) for one in lost[:10])}" + (
            f" and {len(lost) - 10} more" if lost[10:] else ""
        )


def _count(body: Mapping[str, Any], what: str) -> str:
    listed = body.get("targets")
    count = len(listed) if isinstance(listed, list) else 0
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"


def _tokens(body: Mapping[str, Any]) -> str:
    tokens = body.get("tokens")
    if not isinstance(tokens, Mapping):
        return ""
    before, after = tokens.get("before"), tokens.get("after")
    return f"; {before:,} → {after:,} tokens in use" if isinstance(before, int) and isinstance(after, int) else ""
