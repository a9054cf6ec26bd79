"""Strike: a line that no later prompt shows, by the person's word; its record stays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentmem.domain.entry import Entry

STRUCK = "[The person struck this result out.]"


def targets(entries: Sequence[Entry], entry: Entry) -> list[dict[str, Any]]:
    """What goes with an entry: a reply takes the results of its calls along, a result leaves a mark where it was (its
    call needs one), everything else goes alone."""
    message = entry.message()
    if message is None:
        return []
    if message.role == "tool":
        return [{"entry": entry.id, "marker": STRUCK}]
    found = [{"entry": entry.id}]
    open_calls = {call.id for call in message.calls}
    after = next((number for number, one in enumerate(entries, 1) if one.id == entry.id), len(entries))
    for one in entries[after:]:
        said = one.message()
        if said is not None and said.role == "assistant":
            break
        if said is not None and said.role == "tool" and said.call_id in open_calls:
            open_calls.discard(said.call_id)
            found.append({"entry": one.id})
    return found
