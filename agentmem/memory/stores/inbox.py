"""The inbox, `.agent/inbox/pending/<event>.json`: what happened in each turn, waiting for a dream, one file a turn.

{"event_id":"v4c1f09…","session":"2026-11-30T09-02-11-4f2a91","at":"…","entries":["a1…","c3…"],"user_input":"…",
 "answer":"…","actions":[{"tool":"bash","target":"make test","exit":0}],"observations":["…"],
 "signals":[{"kind":"command","value":"make test","scope":"project"}],"scope":"project","interrupted":false,
 "consolidated_at":null}

`inbox/episodes.jsonl` says which events an episode was made of:

{"at":"…","session":"2026-11-30T09-02-11-4f2a91","episode":"e51b20d77f2ac","events":["v4c1f09…"],"size":18233}
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem import regular
from agentmem.memory.stores import folder, lines

EPISODES = "episodes.jsonl"
_MOST = 1 << 20


@dataclass(frozen=True, slots=True)
class Told:
    """What `episodes.jsonl` says: the `events` that episodes were made of, and how long a session's log was in bytes
    when its last one was (`sizes`)."""

    events: frozenset[str]
    sizes: Mapping[str, int]


def event_id(session: str, leaf: str) -> str:
    """The id of the event that ends with the entry `leaf`: events of one session begin with the same seven signs."""
    return event_start(session) + _hex(f"{session}\n{leaf}", 12)


def event_start(session: str) -> str:
    """What the ids of a session's events begin with."""
    return "v" + _hex(session, 6)


def episode_id(session: str, first_event: str | None) -> str:
    """The id of a session's episode; of a later one, made after the session went on, by its first event."""
    return "e" + _hex(session if first_event is None else f"{session}\n{first_event}", 12)


def put(inbox: Path, event: Mapping[str, Any]) -> bool:
    """Leave an event; False where it lies there already, or was consolidated. Raises `OSError`."""
    own = str(event["event_id"])
    if is_there(inbox, own):
        return False
    folder.make_private(inbox / "pending")
    data = json.dumps(lines.sound(event), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    folder.write_private(inbox / "pending" / f"{own}.json", data)
    return True


def is_there(inbox: Path, own: str) -> bool:
    """Whether an event lies there already, or was consolidated."""
    return any((inbox / place / f"{own}.json").exists() for place in ("pending", "consolidated"))


def names(inbox: Path, start: str = "v") -> list[str]:
    """The ids of the events that wait, or of those whose id begins so; sorted."""
    with suppress(FileNotFoundError):
        listed = os.listdir(inbox / "pending")
        return sorted(name[:-5] for name in listed if name.startswith(start) and name.endswith(".json"))
    return []


def pending(inbox: Path, wanted: Iterable[str]) -> list[Mapping[str, Any]]:
    """These events, in the order in which they were left; a file that is none is passed over."""
    found = []
    for name in wanted:
        path = inbox / "pending" / f"{name}.json"
        with suppress(OSError, ValueError, RecursionError):
            event = json.loads(regular.read(path, _MOST))
            if isinstance(event, dict) and event.get("event_id") == name:
                found.append((str(event.get("at", "")), path.stat().st_mtime_ns, event))
    return [event for _, _, event in sorted(found, key=lambda one: one[:2])]


def remove(inbox: Path, session: str) -> list[Path]:
    """Remove what waits of a session that is removed itself; gives what went. Raises `OSError`."""
    gone = [inbox / "pending" / f"{name}.json" for name in names(inbox, event_start(session))]
    for path in gone:
        path.unlink(missing_ok=True)
    return gone


def told(inbox: Path) -> Told:
    """Which events became episodes; none where the file is gone or cannot be read."""
    events: set[str] = set()
    sizes: dict[str, int] = {}
    with suppress(OSError):
        for _, record in lines.read(inbox / EPISODES)[0]:
            listed = record.get("events")
            events.update(one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, str))
            if isinstance(session := record.get("session"), str) and isinstance(size := record.get("size"), int):
                sizes[session] = size
    return Told(frozenset(events), sizes)


def tell(inbox: Path, record: Mapping[str, Any]) -> None:
    """Add what became an episode. Raises `OSError`."""
    folder.make_private(inbox)
    folder.append_private(inbox / EPISODES, lines.dump(lines.sound(record)))


def _hex(text: str, digits: int) -> str:
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
