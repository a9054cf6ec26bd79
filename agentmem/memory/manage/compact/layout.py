"""Layout: working memory as compaction sees it: what each entry takes in the prompt, and where a cut may fall.

A unit is what no cut parts: a message of the person, or a reply with the results of its calls and the notices that came
with them. Its first entry is where a prompt may begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agentmem.domain.entry import Entry
from agentmem.domain.message import Message, Thinking, ToolCall
from agentmem.memory.read import cut, edits, weight
from agentmem.memory.read.cut import Active

STEPS = 3
"""How many of the last steps no form touches."""
SHARE = 0.2
"""Of the window, what those steps may hold; the last one stays whatever it holds."""


@dataclass(frozen=True, slots=True)
class Room:
    """The window in tokens, how much of it is `used` and how much of that is `fixed` (all before the messages), and the
    bytes of messages that make a token."""

    window: int
    used: int
    fixed: int
    ratio: float = weight.BYTES_A_TOKEN

    def tokens(self, size: int) -> int:
        """Bytes of messages in tokens."""
        return round(size / self.ratio)

    def size(self, tokens: float) -> int:
        """Tokens in bytes of messages."""
        return round(tokens * self.ratio)

    def less(self, freed: int) -> Room:
        """With so many bytes of messages freed."""
        return replace(self, used=self.used - self.tokens(freed))


@dataclass(frozen=True, slots=True)
class Unit:
    """The entries from `start` to before `end`; `said` for a message of the person; `size` in bytes as it is shown,
    `raw` as it stands in the log."""

    start: int
    end: int
    said: bool
    size: int
    raw: int


@dataclass(frozen=True, slots=True)
class Change:
    """What one recoverable form does: the marker of each target (None: not shown), the bytes that frees, and the
    `files` (by path from the root) that must be there first."""

    form: str
    targets: Mapping[str, str | None]
    freed: int
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Layout:
    """`entries` as they stand in the log, the first `pinned` of them out of their place; `force` as `edits.in_force`
    gives it; `sizes` in bytes of each entry; `brought` are entries the person expanded. Whole outputs go to `folder`, a
    path from the root."""

    entries: tuple[Entry, ...]
    snapshot: Entry | None
    pinned: int
    force: Mapping[str, str | None]
    sizes: tuple[int, ...]
    units: tuple[Unit, ...]
    brought: frozenset[str]
    folder: str

    def after(self, change: Change) -> Layout:
        """With a form's change made."""
        force = {**self.force, **change.targets}
        sizes = tuple(
            _size(entry, force) if entry.id in change.targets else size
            for entry, size in zip(self.entries, self.sizes, strict=True)
        )
        units = (replace(unit, size=sum(sizes[unit.start : unit.end])) for unit in self.units)
        return replace(self, force=force, sizes=sizes, units=tuple(units))

    def messages(self, unit: Unit, *, shortened: bool = False) -> Iterator[tuple[Entry, Message]]:
        """The messages of a unit that are shown as they were said; also those of which only the ends are shown, where
        `shortened` ones are wanted."""
        for entry in self.entries[unit.start : unit.end]:
            ends = shortened and "\n" in (self.force.get(entry.id) or "")
            if (ends or entry.id not in self.force) and (message := entry.message()) is not None:
                yield entry, message

    def results(self, unit: Unit, *, shortened: bool = False) -> Iterator[tuple[Entry, Message, ToolCall]]:
        """The results of a step among them, each with its call."""
        calls: dict[str | None, ToolCall] = {}
        for entry, message in self.messages(unit, shortened=shortened):
            calls.update({call.id: call for call in message.calls})
            if message.role == "tool" and (call := calls.pop(message.call_id, None)) is not None:
                yield entry, message, call

    def protected(self, room: Room) -> int:
        """The number of the first unit that no form but the last resort touches; all after it are protected too. Of
        what goes beyond the share only the last step is, and the person's last message."""
        steps, held, last = 0, 0, True
        for number in range(len(self.units) - 1, -1, -1):
            unit = self.units[number]
            full = room.tokens(held + unit.size) > SHARE * room.window
            if unit.said:
                if full and not last:
                    return number + 1
                last = False
            else:
                if steps == STEPS or (steps and full):
                    return number + 1
                steps += 1
            held += unit.size
        return 0


def layout(active: Active, folder: str) -> Layout:
    """The layout of the active part of a branch."""
    entries, force = active.entries, edits.in_force(active.entries)
    raw = tuple(_size(entry, {}) for entry in entries)
    sizes = tuple(_size(one, force) if one.id in force else size for one, size in zip(entries, raw, strict=True))
    brought = frozenset(of for entry in entries if (of := cut.expanded(entry)) is not None)
    return Layout(
        entries,
        active.snapshot,
        _pinned(active),
        force,
        sizes,
        _units(entries, sizes, raw),
        _targets(entries, brought),
        folder,
    )


def _pinned(active: Active) -> int:
    """How many entries stand before the first kept one."""
    kept = active.snapshot.body.get("first_kept") if active.snapshot is not None else None
    return next((number for number, entry in enumerate(active.entries) if entry.id == kept), 0)


def _targets(entries: Sequence[Entry], brought: frozenset[str]) -> frozenset[str]:
    """What was brought back: the entries named, and those that a named edit had changed."""
    found = set(brought)
    for entry in entries:
        if entry.id in brought:
            found.update(own for own, _ in edits.targets(entry))
    return frozenset(found)


def _size(entry: Entry, force: Mapping[str, str | None]) -> int:
    if entry.id in force:
        marker = force[entry.id]
        return 0 if marker is None else weight.FRAME + len(marker.encode())
    message = entry.message()
    if message is None:
        return 0
    # Most doors do not send thoughts back; what freeing them would gain is not counted on.
    return weight.FRAME + sum(weight.of(part) for part in message.parts if not isinstance(part, Thinking))


def _units(entries: Sequence[Entry], sizes: Sequence[int], raw: Sequence[int]) -> tuple[Unit, ...]:
    starts = [number for number, entry in enumerate(entries) if _begins(entry)]
    ends = [*starts[1:], len(entries)][: len(starts)]
    return tuple(
        Unit(start, end, entries[start].body.get("role") == "user", sum(sizes[start:end]), sum(raw[start:end]))
        for start, end in zip(starts, ends, strict=True)
    )


def _begins(entry: Entry) -> bool:
    role, notice = entry.body.get("role"), entry.body.get("notice") is True
    return entry.type == "message" and (role == "assistant" or (role == "user" and not notice))
