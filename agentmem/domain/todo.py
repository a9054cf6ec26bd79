"""Todo: a small list of what is to be done, as the agent keeps it: values, their JSON form and the words for it.

[{"text":"write the parser","state":"done"},{"text":"test it","state":"doing"},{"text":"document it","state":"open"}]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

State = Literal["open", "doing", "done"]
STATES: tuple[State, ...] = ("open", "doing", "done")
MOST = 40
"""Items of a list."""
LONGEST = 300
"""Characters of an item."""
_SIGNS = {"open": "[ ]", "doing": "[~]", "done": "[x]"}


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to do, in one line."""

    text: str
    state: State = "open"


def read(value: object) -> tuple[Item, ...]:
    """The list in a log or a call; what is no item is passed over."""
    found = []
    for one in value if isinstance(value, list | tuple) else ():
        text, state = (one.get("text"), one.get("state", "open")) if isinstance(one, dict) else (one, "open")
        if isinstance(text, str) and (line := " ".join(text.split())[:LONGEST]):
            found.append(Item(line, cast(State, state) if state in STATES else "open"))
    return tuple(found[:MOST])


def to_json(items: Sequence[Item]) -> list[dict[str, Any]]:
    """The log's form."""
    return [{"text": one.text, "state": one.state} for one in items]


def lines(items: Sequence[Item]) -> str:
    """The list, an item a line."""
    return "\n".join(f"{_SIGNS[one.state]} {one.text}" for one in items)


def told(items: Sequence[Item]) -> str:
    """The list as the model is told it anew."""
    return f"[Your todo list as you left it; `todo` changes it.]\n{lines(items)}"
