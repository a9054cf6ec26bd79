"""Review: a person looks at what waits in the queue, and lets it in, changes it, or turns it down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from agentmem.domain.claim import Verdict
from agentmem.domain.desk import Desk
from agentmem.domain.obstacle import NotWaiting
from agentmem.memory.stores import folder, lock, queue, seal
from agentmem.memory.write import gate, redact, withheld

_CHANGED = (
    "its file was not written by agentmem, or was changed since it began to wait: edit it in your own words, or turn it"
    " down"
)
_SETTLED = ("approved", "rejected")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A claim that waits, and what approving it would come to; `would.diff` is what it would change."""

    item: Mapping[str, Any]
    would: Verdict

    def text(self, key: str) -> str:
        """A text of the claim, or of its origin; "" for none."""
        origin = self.item.get("origin")
        value = self.item.get(key, origin.get(key) if isinstance(origin, Mapping) else None)
        return value if isinstance(value, str) else ""


def waiting(desk: Desk) -> list[Waiting]:
    """What waits, the oldest first. Raises `OSError`."""
    every = (item for item in queue.waiting(desk.places.queue) if isinstance(item.get("id"), str))
    found = [item for item in every if not _is_skill(item)]
    found.sort(key=lambda item: (str(item.get("at", "")), str(item["id"])))
    return [Waiting(item, _changed(item, desk) or gate.would(item, desk)) for item in found]


def approve(desk: Desk, called: str, text: str | None = None, why: str | None = None) -> Verdict:
    """Make a claim that waits a belief, on the person's word, with the `text` they made of it. One that is refused goes
    on waiting. Raises `NotWaiting`, `MemoryBusy`, `OSError`."""
    why = why and redact.without_secrets(why, desk.places.home)
    with _alone(desk):
        item = _one(desk, called)
        if (changed := _changed(item, desk)) is not None:
            if text is None:
                return changed
            item = {"id": item["id"]}  # of such a file nothing counts; words of the person's own do
        verdict = gate.approve({**item, "why": why}, desk, text)
        if verdict.outcome != "refused":
            more = {"approved_at": desk.clock.stamp(), "approved_by": "user", "fact": verdict.id, "why": why}
            own = {"text": text, "was": item.get("text")} if text is not None else {}
            queue.settle(desk.places.queue, {**item, **own, **more}, "approved")
    return verdict


def reject(desk: Desk, called: str, why: str | None = None) -> Mapping[str, Any]:
    """Turn a claim down: its words go, a mark stays by which they are known if they come again. Gives what is kept.
    Raises `NotWaiting`, `MemoryBusy`, `OSError`."""
    why = why and redact.without_secrets(why, desk.places.home)
    with _alone(desk):
        item = _one(desk, called)
        mark = item.get("withheld") or withheld.mark(str(item.get("text", "")), desk.places.home)
        kept = {key: value for key, value in item.items() if key not in ("text", "origin", "withheld")}
        origin = item.get("origin")
        if isinstance(origin, Mapping):
            kept["origin"] = {key: value for key, value in origin.items() if key not in ("quote", "said")}
        kept |= {"withheld": mark, "rejected_at": desk.clock.stamp(), "rejected_by": "user", "why": why}
        queue.settle(desk.places.queue, kept, "rejected")
        if isinstance(line := item.get("stands"), str):  # a tool had put it into MEMORY.md itself
            gate.expire(line, "the person rejected it", desk)
    return kept


def _changed(item: Mapping[str, Any], desk: Desk) -> Verdict | None:
    """The refusal of a claim whose file does not say what began to wait; None for any other."""
    return None if seal.intact(item, desk.places.home) else Verdict("refused", None, _CHANGED, "tool")


def _is_skill(item: Mapping[str, Any]) -> bool:
    """Skills wait in the same queue, and are decided on elsewhere: they are files, not beliefs."""
    return item.get("kind") == "skill"


@contextmanager
def _alone(desk: Desk) -> Iterator[None]:
    folder.make_agent_folder(desk.places.shared)
    with lock.held(desk.places.queue / "review.lock"):
        yield


def _one(desk: Desk, called: str) -> Mapping[str, Any]:
    """The claim that waits under an id, or the start of one. Raises `NotWaiting`."""
    found = queue.named(desk.places.queue, called) if called else []
    if len(found) == 1 and _is_skill(found[0][1]):
        raise NotWaiting(f"{found[0][1]['id']} is a skill, no claim: agentmem skills waiting")
    if len(found) == 1:
        return found[0][1]
    if found:
        ids = ", ".join(str(item["id"]) for _, item in found[:5])
        raise NotWaiting(f"{called!r} begins more than one claim: {ids}")
    before = queue.named(desk.places.queue, called, _SETTLED) if called else []
    if len(before) == 1:
        place, item = before[0]
        when = str(item.get(f"{place}_at", ""))[:16].replace("T", " ")
        raise NotWaiting(f"{item['id']} was {place} already{f' on {when}' if when else ''}")
    raise NotWaiting(f"nothing waits under {called!r}; `agentmem review` lists what does")
