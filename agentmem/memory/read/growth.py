"""Growth: lines of a log become entries with sound parents, and what was wrong with them is kept to be told."""

from __future__ import annotations

from typing import Any

from agentmem.domain.entry import LOG_VERSION, Entry, Fork, Header

_FIXED = frozenset({"type", "id", "parent_id", "at"})
# The parent of an entry that belongs to whatever stands before the part that is read.
BEFORE = ""


class Growth:
    """Feed it the objects of a log in file order, all of them or those of its last part. `told` maps what was wrong to
    the numbers of the lines.

    In a `partial` one a parent that was not read stays as it is named, to be looked for in the rest of the file; `away`
    are the entries with such parents. Parents found nowhere are `lost`.
    """

    def __init__(self, session: str, *, partial: bool = False, lost: frozenset[str] = frozenset()) -> None:
        self.session = session
        self.header: Header | None = None
        self.entries: list[Entry] = []
        self.told: dict[str, list[int]] = {}
        self.away: set[str] = set()
        self._partial = partial
        self._lost = lost
        self._raw: dict[str, dict[str, Any]] = {}
        # The latest entry of each id as it stands in the file: a second one under the same id has another name here.
        self._latest: dict[str, str] = {}

    def tell(self, what: str, number: int) -> None:
        """Keep what is wrong with a line."""
        self.told.setdefault(what, []).append(number)

    def take(self, number: int, value: dict[str, Any]) -> None:
        """Take the next object; `number` is its line's."""
        kind, own = value.get("type"), value.get("id")
        if kind == "session":
            self._take_header(number, value)
        elif not (isinstance(kind, str) and kind and isinstance(own, str) and own):
            self.tell("skipped (an object that is no entry)", number)
        elif value in (self._raw.get(own), self._raw.get(self._latest.get(own, own))):
            self.tell("skipped (the same entry again)", number)
        else:
            self._take_entry(number, kind, own, value)

    def _take_header(self, number: int, value: dict[str, Any]) -> None:
        if self.header is not None:
            self.tell("skipped (a second header)", number)
            return
        if self.entries:
            self.tell("out of place (the header is not first)", number)
        texts: dict[str, str] = {key: text for key, text in value.items() if isinstance(text, str)}
        version = value.get("version")
        self.header = Header(
            self.session,
            texts.get("at", ""),
            texts.get("cwd", ""),
            texts.get("agentmem", ""),
            texts.get("parent_session"),
            version if isinstance(version, int) else LOG_VERSION,
            _fork(value.get("forked_from")),
            value.get("reset") is True,
        )
        if self.header.version > LOG_VERSION:
            self.tell(f"written by a newer agentmem (log version {self.header.version})", number)

    def _take_entry(self, number: int, kind: str, own: str, value: dict[str, Any]) -> None:
        name = own
        if own in self._latest:
            self.tell("kept under another name (an id that was used before)", number)
            again = 2
            while (name := f"{own}~{again}") in self._raw:
                again += 1
        if kind == "message" and (what := _unreadable(value)):
            self.tell(f"kept, but not readable (a message {what})", number)
        parent = self._parent(number, value, "to" if kind == "move" else "parent_id")
        if parent is not None and parent not in self._raw:
            self.away.add(name)
        self.entries.append(as_entry(value, name, parent))
        self._raw[name] = value
        self._latest[own] = name

    def _parent(self, number: int, value: dict[str, Any], key: str) -> str | None:
        named = value.get(key, "")
        if named is None or not (self.entries or self._partial):
            return None
        if isinstance(named, str) and (known := self._known(named)) is not None:
            return known
        if not self.entries:
            return BEFORE
        self.tell("joined to the entry before (its parent is not there)", number)
        return self.entries[-1].id

    def _known(self, named: str) -> str | None:
        """The entry meant by `named`, None for none."""
        if (latest := self._latest.get(named)) is not None:
            return latest
        # An entry recorded after one that has another name here, or one that stands before what is read.
        away = self._partial and named and named not in self._lost
        return named if away or named in self._raw else None


def _unreadable(value: dict[str, Any]) -> str | None:
    """Why a message can be read by nobody, None where it can."""
    if value.get("role") not in ("user", "assistant", "tool"):
        return "of an unknown role"
    return None if isinstance(value.get("content"), str | list) else "whose content is neither text nor a list"


def as_entry(value: dict[str, Any], name: str, parent: str | None) -> Entry:
    """An object of a log as the entry `name` below `parent`."""
    at = value.get("at")
    body = {key: item for key, item in value.items() if key not in _FIXED}
    return Entry(str(value.get("type")), name, parent, at if isinstance(at, str) else "", body)


def _fork(value: object) -> Fork | None:
    if not isinstance(value, dict):
        return None
    session, entry = value.get("session"), value.get("entry")
    return Fork(session, entry) if isinstance(session, str) and isinstance(entry, str) else None
