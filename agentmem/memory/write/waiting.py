"""Waiting: a claim that nobody with the right to has made a belief goes to the queue, unless it was there before."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from agentmem.domain.claim import Scope, Verdict
from agentmem.domain.desk import Desk
from agentmem.memory.stores import folder, queue, seal
from agentmem.memory.write import withheld
from agentmem.memory.write.case import Case, origin


def wait(case: Case, old: str | None, desk: Desk) -> Verdict:
    """Let the claim wait for a person; `old` is the fact it would replace. What a person rejected before is refused.
    Raises `OSError`."""
    mark = withheld.mark(case.claim.text, desk.places.home)
    for item in queue.rejected(desk.places.queue):
        if item.get("withheld") == mark:
            told = f"the person rejected it on {str(item.get('rejected_at', item.get('at', '')))[:10]}"
            return Verdict("refused", None, told, case.principal, withheld=mark)
    for item in queue.waiting(desk.places.queue):
        if item.get("text") == case.text and isinstance(own := item.get("id"), str):
            path = _named(desk, own)
            return Verdict(
                "queued", own, "it waits already: " + case.ruling.reason, case.principal, path, withheld=mark
            )
    item = {
        "id": "q" + desk.clock.new_id(),
        "at": desk.clock.stamp(),
        "category": case.category,
        "text": case.text,
        "scope": case.level.scope,
        "replaces": old,
        "principal": case.principal,
        "confidence": case.ruling.confidence,
        "reason": case.ruling.reason,
        "withheld": mark,
        "origin": origin(case) | {"spoken_by": case.whose.spoken_by},
    }
    folder.make_agent_folder(desk.places.shared)
    queue.put(desk.places.queue, seal.sealed(item, desk.places.home))
    own = item["id"]
    return Verdict("queued", own, case.ruling.reason, case.principal, _named(desk, own), replaced=old, withheld=mark)


def hold(verdict: Verdict, scope: Scope, origin: Mapping[str, Any], desk: Desk) -> None:
    """Let a line wait that stands in MEMORY.md already, on a tool's word. Raises `OSError`."""
    mark = withheld.mark(verdict.text or "", desk.places.home)
    if any(item.get("withheld") == mark for item in queue.waiting(desk.places.queue)):
        return
    item = {
        "id": "q" + desk.clock.new_id(),
        "at": desk.clock.stamp(),
        "category": verdict.category or "fact",
        "text": verdict.text,
        "scope": scope,
        "replaces": None,
        "principal": verdict.principal,
        "confidence": 0.5,
        "reason": f"{verdict.reason}; it stands in {verdict.path}",
        "withheld": mark,
        "stands": verdict.id,
        "origin": {**origin, "entry": origin.get("entry"), "quote": None, "spoken_by": "tool"},
    }
    folder.make_agent_folder(desk.places.shared)
    queue.put(desk.places.queue, seal.sealed(item, desk.places.home))


def _named(desk: Desk, own: str) -> str:
    path = desk.places.queue / "waiting" / f"{own}.json"
    return os.path.relpath(path, desk.places.root) if path.is_relative_to(desk.places.root) else str(path)
