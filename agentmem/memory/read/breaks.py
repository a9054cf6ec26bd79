"""Breaks: what in a request broke the prefix that the provider's cache holds of the one before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.domain.message import Message
from agentmem.memory.read import asked, manifest, parts, weight
from agentmem.memory.read.asked import Asked
from agentmem.memory.read.parts import Named, PartLost
from agentmem.memory.read.tally import Tally

_NAMED = 5
_TURNED = {"compaction": "compacted", "reset": "begun anew", "strike": "struck in", "expand": "expanded"}


@dataclass(frozen=True, slots=True)
class Break:
    """What broke it, in people's words, and how many bytes at the beginning of the new request still stand."""

    causes: tuple[str, ...]
    kept: int


def told(last: Entry, said: Mapping[str, Any] | None, now: Tally, blobs: Path) -> str | None:
    """A line for the person that names what kept the request at the end of `now` from extending the session's last one
    (its `call` entry, and what was said of the model before it), and how much is sent anew; None when it extends it."""
    messages, sent = now.replay.messages(), now.sent
    found = _found(last, None if said is None else asked.read(said), now, blobs)
    if found is None or sent is None:
        return None
    size = _prefix(sent.epoch, blobs) + weight.total(messages)
    anew = max(1, round((size - min(found.kept, size)) / _bytes_a_token(now, messages, blobs)))
    more = len(found.causes) - _NAMED
    causes = ", ".join((*found.causes[:_NAMED], *([f"{more} more"] if more > 0 else [])))
    return f"prompt cache: {causes}; about {anew:,} tokens are sent anew"


def _found(last: Entry, said: Asked | None, now: Tally, blobs: Path) -> Break | None:
    sent, shared = now.sent, now.before
    if sent is None:
        return None
    if said is not None and sent.asked is not None and not said.caches_like(sent.asked):
        return Break((_model(said, sent.asked),), 0)
    epoch = last.body.get("epoch")
    if epoch != sent.epoch:
        return _parts(epoch if isinstance(epoch, str) else "", sent.epoch, blobs)
    if shared is None or shared.id != last.id:
        stands = weight.total(now.replay.messages()[: shared.messages]) if shared else 0
        return Break((f"the conversation was {_TURNED.get(now.turned, 'moved')}",), _prefix(sent.epoch, blobs) + stands)
    return None


def _prefix(epoch: str, blobs: Path) -> int:
    """Bytes of all parts before the messages, 0 when they are lost."""
    try:
        return sum(one.bytes for one in parts.named(blobs, epoch))
    except PartLost:
        return 0


def _bytes_a_token(now: Tally, messages: Sequence[Message], blobs: Path) -> float:
    """By the provider's last count."""
    if now.counted is None:
        return weight.BYTES_A_TOKEN
    sent = now.counted.sent
    size = _prefix(sent.epoch, blobs) + weight.total(messages[: sent.messages])
    return max(size, 1) / now.counted.usage.input


def _model(before: Asked, now: Asked) -> str:
    if before.model != now.model:
        return f"the model changed from {before.model} to {now.model}"
    return "the way the model is asked changed"


def _parts(before: str, now: str, blobs: Path) -> Break:
    try:
        old, new = parts.named(blobs, before), parts.named(blobs, now)
    except PartLost:
        return Break(("the parts of the prompt changed",), 0)
    same = 0
    while same < min(len(old), len(new)) and old[same].sha256 == new[same].sha256:
        same += 1
    return Break(_causes(old, new, blobs), sum(one.bytes for one in new[:same]))


def _causes(old: Sequence[Named], new: Sequence[Named], blobs: Path) -> tuple[str, ...]:
    had, has = {_key(one): one for one in old}, {_key(one): one for one in new}
    causes = [
        _changed(had[key], one, blobs) if key in had else f"{one.name} is new"
        for key, one in has.items()
        if key not in had or had[key].sha256 != one.sha256
    ]
    causes += [f"{one.name} is gone" for key, one in had.items() if key not in has]
    return tuple(causes) or ("the parts stand in another order",)


def _key(part: Named) -> tuple[str, str, str | None]:
    return part.kind, part.name, part.path


def _changed(old: Named, new: Named, blobs: Path) -> str:
    if new.kind != manifest.TOOLS:
        return f"{new.name} changed"
    try:
        before, now = (
            Counter((tool.name, repr(tool)) for tool in parts.tools((parts.section(blobs, part),)))
            for part in (old, new)
        )
    except PartLost:
        return "the tools changed"
    differ = {name for name, _ in (before - now) + (now - before)}
    return f"the tools changed ({', '.join(sorted(differ))})" if differ else "the order of the tools changed"
