"""Page: a session as Markdown for people: each turn, the calls with their results, interrupts and compactions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from agentmem.domain.entry import Entry
from agentmem.domain.message import Image, Message, Part, Text, Thinking, ToolCall
from agentmem.domain.visible import settled, visible
from agentmem.memory.read.account import headline
from agentmem.memory.read.fencing import code, fenced, quoted, sound
from agentmem.memory.read.outline import labels_of, name_of
from agentmem.memory.read.tree import Tree

_SHORT = 120  # characters of an argument that stands in a line
_STOPPED = {
    "user": "Interrupted by the user.",
    "error": "Ended with an error.",
    "limit": "Stopped at a limit.",
}


def page(tree: Tree, *, whole_tree: bool = False) -> Iterator[str]:
    """The blocks of the page, to be joined by blank lines: the current branch, and the others where they are wanted."""
    branch = tree.branch()
    shown = {entry.id for entry in branch}
    labels = labels_of(tree.entries)
    yield from _head(tree, branch)
    yield from _Writer(labels).write(branch)
    if not whole_tree:
        return
    for twig in _twigs(tree.entries, shown):
        where = f"after {code(twig[0].parent_id)}" if twig[0].parent_id else "from the beginning"
        if blocks := list(_Writer(labels).write(twig)):
            yield f"---\n\n# Another branch, {where}"
            yield from blocks


def _head(tree: Tree, branch: Sequence[Entry]) -> Iterator[str]:
    header = tree.header
    yield f"# {_line(name_of(tree.entries)) or f'Session {header.id}'}"
    rows = [f"- Session: {code(header.id)}"]
    if header.at:
        rows.append(f"- Started: {_when(header.at)}" + (f" in {code(visible(header.cwd))}" if header.cwd else ""))
    if header.parent_session:
        what = "Goes on, after a reset, from" if header.reset else "Sub-session of"
        rows.append(f"- {what}: {code(header.parent_session)}")
    if origin := _imported(branch):
        rows.append(f"- Imported from: {origin}")
    rows.append(f"- Entries: {len(branch)} on the current branch, {len(tree.entries)} in all")
    yield "\n".join(rows)


def _imported(branch: Sequence[Entry]) -> str:
    found = (entry.body.get("source") for entry in branch)
    source = next((one for one in found if isinstance(one, Mapping) and one.get("tool")), None)
    if source is None:
        return ""
    named = " ".join(str(source[key]) for key in ("tool", "version") if source.get(key))
    return _line(named) + (f", {code(visible(str(source['file'])))}" if source.get("file") else "")


def _twigs(entries: Sequence[Entry], shown: set[str]) -> Iterator[list[Entry]]:
    """What is not on the current branch, as runs in which each entry hangs on the one before."""
    runs: dict[str, list[Entry]] = {}
    begun: list[list[Entry]] = []
    for entry in entries:
        if entry.id in shown:
            continue
        run = runs.pop(entry.parent_id or "", None)
        if run is None:
            begun.append(run := [])
        run.append(entry)
        runs[entry.id] = run
    yield from begun


class _Writer:
    def __init__(self, labels: Mapping[str, str]) -> None:
        self.labels = labels
        self.calls: dict[str, str] = {}  # call -> the tool's name
        self.speaker = ""

    def write(self, entries: Iterable[Entry]) -> Iterator[str]:
        for entry in entries:
            if entry.id in self.labels:
                yield f"*Label: {_line(self.labels[entry.id])}*"
            if (message := entry.message()) is not None:
                yield from self.message(entry, message)
            elif entry.type == "interrupt":
                yield f"*{_STOPPED.get(str(entry.body.get('reason')), 'Stopped.')}*"
            elif entry.type in ("compaction", "strike", "expand"):
                yield from _compaction(entry)
            elif entry.type == "model" and isinstance(model := entry.body.get("model"), str):
                yield f"*Model: {_line(model)}*"

    def message(self, entry: Entry, message: Message) -> Iterator[str]:
        if message.role == "tool":
            yield from self.result(entry, message)
            return
        if not message.says:
            return
        who = "Agent" if message.role == "assistant" else _asker(entry, message)
        if who != self.speaker or who != "Agent":
            yield f"## {who}" + (f" · {_when(entry.at)}" if entry.at else "")
        self.speaker = who
        if message.role == "assistant":
            self.calls = {call.id: call.name for call in message.calls}
        for part in message.parts:
            yield from _part(part, quote=message.role == "user")

    def result(self, entry: Entry, message: Message) -> Iterator[str]:
        said = ["failed" if message.error else ""]
        code_ = entry.body.get("exit")
        said.append(f"exit {code_}" if isinstance(code_, int) else "")
        kept = entry.body.get("offload")
        said.append(f"whole output in {code(visible(kept))}" if isinstance(kept, str) else "")
        more = ", ".join(filter(None, said))
        name = _line(self.calls.get(message.call_id or "", "a call"))
        yield f"*Result of {name}*" + (f" ({more})" if more else "")
        yield fenced(settled(message.text)) if message.text.strip() else "*(no output)*"
        for part in message.parts:
            if isinstance(part, Image):
                yield _picture(part)


def _asker(entry: Entry, message: Message) -> str:
    if entry.body.get("notice") is True:
        return "Notice"
    return "You" if any(part.origin == "person" for part in message.parts) else "User"


def _part(part: Part, *, quote: bool) -> Iterator[str]:
    match part:
        case Text() if part.text.strip():
            yield quoted(_text(part.text)) if quote else sound(_text(part.text))
        case Thinking() if part.text.strip():
            yield "*Thinking*"
            yield fenced(_text(part.text))
        case Image():
            yield _picture(part)
        case ToolCall():
            yield f"**{_line(part.name)}**"
            yield from _arguments({"arguments": part.raw} if part.raw is not None else part.arguments)


def _arguments(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Short arguments as a list, each long one as a block."""
    short: list[str] = []
    for name, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if len(text) <= _SHORT and "\n" not in text.strip():
            short.append(f"- {_line(name)}: {code(visible(text))}")
            continue
        if short:
            yield "\n".join(short)
            short = []
        yield f"- {_line(name)}:"
        yield fenced(_text(text))
    if short:
        yield "\n".join(short)


def _compaction(entry: Entry) -> Iterator[str]:
    yield "---"
    yield f"*{_line(headline(entry))}*"
    if isinstance(why := entry.body.get("why"), str) and why:
        yield f"*Why: {_line(why)}*"
    if isinstance(summary := entry.body.get("summary"), str) and summary.strip():
        yield quoted(_text(summary))
    yield "---"


def _picture(part: Image) -> str:
    return f"*(an image, {_line(part.media_type)}, {len(part.data) * 3 // 4 // 1000} kB)*"


def _text(text: str) -> str:
    return visible(text.replace("\r\n", "\n"))


def _line(text: str) -> str:
    """A name within a line, what Markdown would read in it taken literally."""
    line = " ".join(visible(text).split())
    return "".join(f"\\{char}" if char in "\\`*_[]<>#|" else char for char in line)


def _when(at: str) -> str:
    return _line(at[:16].replace("T", " ")) + (" UTC" if at.endswith("Z") else "")
