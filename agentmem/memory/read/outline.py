"""Outline: a session's tree as rows, one for each message that a person would go back to, with names and labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from agentmem.domain.entry import Entry
from agentmem.domain.message import Text
from agentmem.memory.read.tree import Tree

Who = Literal["you", "agent", "mark"]

_TEXT = 200  # characters of a row's text
# What was recorded for the next request belongs to it, not to the message before.
_AHEAD = ("call", "model")
_MARKS = frozenset({"interrupt", "compaction", "reset", "strike", "expand"})


@dataclass(frozen=True, slots=True)
class Twig:
    """A row. It stands for the entries from `id`'s message to the next row; `end` is where the conversation goes on
    when it is chosen, None before the first entry; `text` is one line.

    `rails` are the lines drawn before it; `calls` counts tool calls; `here` marks the row that holds the leaf and
    `on_path` those that lead to it. `again` is what the person said, whole, for a message of theirs, else None.
    """

    id: str
    end: str | None
    rails: str
    who: Who
    text: str
    at: str
    calls: int = 0
    label: str | None = None
    here: bool = False
    on_path: bool = False
    again: str | None = None


def name_of(entries: Iterable[Entry]) -> str:
    """What the session is called, "" without a name. The last naming counts, on any branch."""
    found = ""
    for entry in entries:
        if entry.type == "session_info" and isinstance(name := entry.body.get("name"), str):
            found = name
    return found


def labels_of(entries: Iterable[Entry]) -> dict[str, str]:
    """Entry id -> its label. The last one counts, on any branch; an empty one takes it away."""
    found: dict[str, str] = {}
    for entry in entries:
        of, label = entry.body.get("of"), entry.body.get("label")
        if entry.type != "label" or not isinstance(of, str):
            continue
        found.pop(of, None)
        if isinstance(label, str) and label:
            found[of] = label
    return found


def said(entry: Entry) -> str | None:
    """What the person said in an entry, None for anything else; what the harness added is left out, and so are blanks
    alone."""
    message = entry.message()
    if message is None or message.role != "user" or entry.body.get("notice") is True:
        return None
    text = "\n\n".join(part.text for part in message.parts if isinstance(part, Text) and part.origin != "harness")
    return text if text.strip() else ""


def last_exchange(branch: Sequence[Entry]) -> tuple[str, str]:
    """What the person said last on a branch, and the last text of the agent since then; "" for nothing."""
    answer = ""
    for entry in reversed(branch):
        if asked := said(entry):
            return asked, answer
        message = entry.message()
        if message is not None and message.role == "assistant":
            answer = answer or message.text
    return "", answer


def place(branch: Sequence[Entry]) -> str | None:
    """The entry that a person means by "here": the last message that says something, else the last entry."""
    told = (entry.id for entry in reversed(branch) if _tells(entry))
    return next(told, branch[-1].id if branch else None)


def outline(tree: Tree) -> list[Twig]:
    """The rows of a tree, top down, each branch under the row it leaves."""
    below: dict[str | None, list[Entry]] = {}
    for entry in tree.entries:
        below.setdefault(entry.parent_id, []).append(entry)
    labels = labels_of(tree.entries)
    path = {entry.id for entry in tree.branch()}
    leaf = tree.entries[-1].id if tree.entries else None
    rows: list[Twig] = []
    # (first entry of a chain, rails of its first row, rails of what is below that)
    waiting = _forked(below.get(None, []), "")
    while waiting:
        start, first, rest = waiting.pop()
        chain = _chain(start, below)
        for number, run in enumerate(_runs(chain, labels)):
            here = leaf is not None and any(entry.id == leaf for entry in run)
            rows.append(_twig(run, labels, rest if number else first, here=here, on_path=run[-1].id in path or here))
        waiting += _forked(below.get(chain[-1].id, []), rest)
    return rows


def _forked(children: Sequence[Entry], rails: str) -> list[tuple[Entry, str, str]]:
    """The chains that begin here, the first one last, as a stack wants them."""
    if len(children) < 2:
        return [(child, rails, rails) for child in children]
    out = [(child, f"{rails}├─ ", f"{rails}│  ") for child in children[:-1]]
    out.append((children[-1], f"{rails}└─ ", f"{rails}   "))
    return out[::-1]


def _chain(start: Entry, below: dict[str | None, list[Entry]]) -> list[Entry]:
    chain = [start]
    while len(following := below.get(chain[-1].id, [])) == 1:
        chain.append(following[0])
    return chain


def _runs(chain: Sequence[Entry], labels: dict[str, str]) -> list[list[Entry]]:
    """The chain cut before each entry that gets a row of its own. What comes before the first belongs to that one."""
    runs: list[list[Entry]] = [[]]
    begun = False
    for entry in chain:
        if _tells(entry) or entry.id in labels:
            if begun:
                runs.append([])
            begun = True
        runs[-1].append(entry)
    return runs


def _tells(entry: Entry) -> bool:
    message = entry.message()
    if message is None:
        return entry.type in _MARKS
    return bool(said(entry)) or (message.role == "assistant" and bool(message.text.strip()))


def _twig(run: Sequence[Entry], labels: dict[str, str], rails: str, *, here: bool, on_path: bool) -> Twig:
    head = next((entry for entry in run if _tells(entry)), None)
    labelled = next((entry for entry in run if entry.id in labels), None)
    head = head or labelled or run[-1]
    end: str | None = next((entry.id for entry in reversed(run) if entry.type not in _AHEAD), run[-1].id)
    again = said(head)
    if again:
        end = head.parent_id
    who: Who = "you" if again else "agent" if head.type == "message" else "mark"
    calls = sum(len(message.calls) for entry in run if (message := entry.message()) is not None)
    label = labels[labelled.id] if labelled else None
    return Twig(head.id, end, rails, who, _text(head), head.at, calls, label, here, on_path, again or None)


def _text(entry: Entry) -> str:
    message = entry.message()
    if message is not None:
        text = " ".join((said(entry) or message.text)[: 4 * _TEXT].split())[:_TEXT]
        return text or ", ".join(call.name for call in message.calls) or f"a {message.role} message"
    match entry.type:
        case "move":
            why = entry.body.get("why")
            return f"moved here: {why}"[:_TEXT] if isinstance(why, str) and why else "moved here"
        case "interrupt":
            return {"user": "interrupted by you", "error": "ended with an error"}.get(
                str(entry.body.get("reason")), "stopped at a limit"
            )
        case "compaction" | "strike" | "expand":
            from agentmem.memory.read.account import headline  # few sessions are compacted

            return headline(entry)[:_TEXT]
        case _:
            return entry.type
