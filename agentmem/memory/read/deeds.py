"""Deeds: the tool calls of some entries, each with the result that answers it, and whether it did what it was to do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from agentmem.domain.entry import Entry
from agentmem.domain.message import Message, Text, ToolCall

Verb = Literal["write", "edit", "run", "todo", "other"]

# Other agents' names too: their sessions are imported under them.
_VERBS: Mapping[str, Verb] = {
    **dict.fromkeys(("write", "create", "create_file", "write_file", "notebookwrite"), "write"),
    **dict.fromkeys(("edit", "multiedit", "str_replace", "apply_patch", "edit_file", "notebookedit", "update"), "edit"),
    **dict.fromkeys(("bash", "shell", "exec", "exec_command", "local_shell", "run", "terminal"), "run"),
    **dict.fromkeys(("todo", "todowrite", "todo_write", "update_plan"), "todo"),
}
_PATHS = ("path", "file_path", "filename", "notebook_path", "file")
_COMMANDS = ("command", "cmd", "script")
_EXIT = re.compile(r"(?:[Ee]xit(?:ed)?(?: with)?(?: code| status)?:?|\[exit) (\d{1,3})\b")


@dataclass(frozen=True, slots=True)
class Deed:
    """A call at `place` among the entries and its result at `answered`; `result` and `answered` are None where there is
    none. `path` is the file that it names and `command` what it runs, "" for none. `entry` is the id of the entry that
    tells of it last; `exit` a command's code where it is known."""

    call: ToolCall
    verb: Verb
    path: str
    command: str
    place: int
    entry: str
    answered: int | None = None
    result: Message | None = None
    exit: int | None = None

    @property
    def ok(self) -> bool:
        """True when a result says that it was done."""
        return self.result is not None and not self.result.error and self.exit in (None, 0)

    @property
    def output(self) -> str:
        """The text of the result."""
        return "" if self.result is None else self.result.text


def deeds(entries: Sequence[Entry], messages: Sequence[Message | None]) -> tuple[Deed, ...]:
    """The calls in these entries, in order; `messages` are theirs. Ids may be used again: a result answers the latest
    open call of its id."""
    found: list[Deed] = []
    open_: dict[str, list[int]] = {}
    for place, (entry, message) in enumerate(zip(entries, messages, strict=True)):
        if message is None:
            continue
        for call in message.calls if message.role == "assistant" else ():
            open_.setdefault(call.id, []).append(len(found))
            verb = _VERBS.get(call.name.lower(), "other")
            found.append(Deed(call, verb, _word(call.arguments, _PATHS), _command(call.arguments), place, entry.id))
        if message.role == "tool" and (waiting := open_.get(message.call_id or "")):
            at = waiting.pop()
            exit_ = _exit(found[at].verb, entry, message)
            found[at] = replace(found[at], entry=entry.id, answered=place, result=message, exit=exit_)
    return tuple(found)


def _exit(verb: Verb, entry: Entry, message: Message) -> int | None:
    told = entry.body.get("exit")
    if isinstance(told, int) and not isinstance(told, bool):
        return told
    if verb != "run" or not message.error:
        return None
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    found = _EXIT.search(texts[0][:200]) or _EXIT.search(texts[-1][-200:]) if texts else None
    return int(found[1]) if found else None


def _word(arguments: Mapping[str, Any], keys: Sequence[str]) -> str:
    for key in keys:
        if isinstance(value := arguments.get(key), str):
            return value
    return ""


def _command(arguments: Mapping[str, Any]) -> str:
    found = _word(arguments, _COMMANDS)
    listed = arguments.get("command")
    if not found and isinstance(listed, list):  # ["bash", "-lc", "make test"]
        found = listed[-1] if listed and isinstance(listed[-1], str) else ""
    return found.strip()
