"""Slash commands: one list; a command's name, its help and what it does stand together."""

from __future__ import annotations

import difflib
import os
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from agentmem.terminal.talk import MODES, Talk

if TYPE_CHECKING:
    from collections.abc import Generator

    from agentmem.domain.cancel import Cancel
    from agentmem.domain.event import Answer, Event
    from agentmem.terminal.blocks import Block, Whole
    from agentmem.terminal.picker import Choice

Plays: TypeAlias = "Callable[[Talk, str, Cancel], Generator[Event, Answer | None, None]]"
_COMMAND = re.compile(r"/([A-Za-z?][\w-]*)?(?:[ \t]+(.*))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Desk:
    """What a command works with: the talk, and what was folded on the screen, the newest last.

    `pick` lets the person choose from a list under a title, the cursor at first on the choice of that number; it gives
    the choice's key, None when they leave. `draft` puts a text into the next prompt.
    """

    talk: Talk
    wholes: Sequence[Whole]
    pick: Callable[[str, Sequence[Choice], int], str | None] = lambda title, choices, at: None
    draft: Callable[[str], None] = lambda text: None


@dataclass(frozen=True, slots=True)
class Command:
    """One slash command. `run` gets the text behind the name and gives what to print; a command without it leaves.
    `plays` is there instead for what takes its time: it is shown as it goes, and Ctrl-C stops it."""

    name: str
    help: str
    run: Callable[[Desk, str], Sequence[Block]] | None
    usage: str = ""
    words: tuple[str, ...] = ()
    other: str = ""
    plays: Plays | None = None


def read(text: str, exists: Callable[[str], bool] = os.path.exists) -> tuple[str, str] | None:
    """The name and the rest of a command line; None when `text` is a message.

    Only a single line can be a command. ``/usr/bin``, ``//`` and a path that is there are messages.
    """
    match = _COMMAND.fullmatch(text.rstrip())
    if match is None:
        return None
    name, rest = match[1] or "", match[2] or ""
    if not name:
        return None if rest else ("help", "")
    return None if find(name) is None and exists(f"/{name}") else (name, rest)


def exact(name: str) -> Command | None:
    """The command of that name."""
    return next((command for command in COMMANDS if name and name.lower() in (command.name, command.other)), None)


def find(name: str) -> Command | None:
    """The command of that name, or the only one whose name begins so."""
    begun = [command for command in COMMANDS if name and command.name.startswith(name.lower())]
    return exact(name) or (begun[0] if len(begun) == 1 else None)


def unknown(name: str) -> Sequence[Block]:
    """What to say of a command that is not there."""
    near = difflib.get_close_matches(name.lower(), [command.name for command in COMMANDS], n=1, cutoff=0.5)
    hint = f"Did you mean /{near[0]}?" if near else "/help lists the commands."
    return _rows(f"There is no command /{name}. {hint} To send it as a message put a space in front.", style="yellow")


def _rows(*texts: str, style: str = "") -> Sequence[Block]:
    from agentmem.terminal.blocks import Row

    return [Row(text, style, gap=1 if index == 0 else 0) for index, text in enumerate(texts)]


def _help(desk: Desk, rest: str) -> Sequence[Block]:
    wide = max(len(command.name + command.usage) for command in COMMANDS) + 2
    return _rows(
        *(f"/{f'{command.name} {command.usage}'.ljust(wide)} {command.help}" for command in COMMANDS),
        "",
        "Enter sends · Alt-Enter or Ctrl-J or a \\ at the end: new line · Up and Down: earlier messages",
        "Ctrl-C clears the text, stops the turn, twice leaves · Ctrl-D leaves · Ctrl-O shows the last output whole",
    )


def _model(desk: Desk, rest: str) -> Sequence[Block]:
    if rest.strip():
        return _rows(
            f"The model is chosen at the start: leave, then agentmem -c --model {shlex.quote(rest.strip())}. "
            f"It stays {desk.talk.model} here.",
            style="yellow",
        )
    return _rows(f"model {desk.talk.model}")


def _mode(desk: Desk, rest: str) -> Sequence[Block]:
    mode = rest.strip().lower()
    if not mode:
        return _rows(f"permission mode {desk.talk.mode}; there are {', '.join(MODES)}")
    begun = [name for name in MODES if name.startswith(mode)]
    mode = begun[0] if len(begun) == 1 else mode
    if mode not in MODES:
        return _rows(f"There is no mode {mode}; there are {', '.join(MODES)}.", style="yellow")
    desk.talk.set_mode(mode)
    return _rows(f"permission mode {mode}: {_MODES[mode]}")


def _context(desk: Desk, rest: str) -> Sequence[Block]:
    return _rows(*desk.talk.filling().lines())


def _session(desk: Desk, rest: str) -> Sequence[Block]:
    return _rows(f"session {desk.talk.session_id}", f"its log: cat {shlex.quote(str(desk.talk.log))}")


def _show(desk: Desk, rest: str) -> Sequence[Block]:
    number = int(rest) if rest.isascii() and rest.isdigit() else 1
    if not 1 <= number <= len(desk.wholes):
        return _rows("There is no such output." if desk.wholes else "Nothing was folded yet.", style="yellow")
    return [desk.wholes[-number]]


def _skills(desk: Desk, rest: str) -> Sequence[Block]:
    if desk.talk.skills is None:
        return _rows("There are no skills here.", style="yellow")
    lines = desk.talk.skills.lines()
    lines += [
        f"/{own} is a command of agentmem, not the skill {own}" for own, _ in desk.talk.skills.commands() if exact(own)
    ]
    return _rows(*lines, "", "/NAME calls one · agentmem skills list tells all that was found, and why not")


def _trust(desk: Desk, rest: str) -> Sequence[Block]:
    if desk.talk.skills is None:
        return _rows("There is nothing here to trust.", style="yellow")
    from agentmem.domain.clock import Clock
    from agentmem.workspace.trust import trust

    places = desk.talk.skills.places
    root = trust(places.home, places.root, Clock().stamp())
    desk.talk.skills.renew()
    return _rows(f"trusted: {root} · undo: agentmem trust --remove", "its skills are offered from your next message on")


def _crossing(name: str) -> Callable[[Desk, str], Sequence[Block]]:
    """A command of `crossing`, which is loaded at its first use: it brings memory along."""

    def run(desk: Desk, rest: str) -> Sequence[Block]:
        from agentmem.terminal import crossing

        found: Callable[[Desk, str], Sequence[Block]] = getattr(crossing, name)
        return found(desk, rest)

    return run


def _reset(talk: Talk, rest: str, cancel: Cancel) -> Generator[Event, Answer | None, None]:
    return talk.reset(rest.strip(), cancel)


def _idle(desk: Desk, rest: str) -> Sequence[Block]:
    """What is played prints as it goes."""
    return []


def _compact(talk: Talk, rest: str, cancel: Cancel) -> Generator[Event, Answer | None, None]:
    return talk.compact(rest.strip(), cancel)


def _strike(talk: Talk, rest: str, cancel: Cancel) -> Generator[Event, Answer | None, None]:
    return talk.strike(rest.strip(), cancel)


def _expand(desk: Desk, rest: str) -> Sequence[Block]:
    from agentmem.terminal.undoing import expand

    return expand(desk, rest.strip())


def _memory(desk: Desk, rest: str) -> Sequence[Block]:
    return _rows(*desk.talk.remembered(rest))


def _recall(desk: Desk, rest: str) -> Sequence[Block]:
    if not rest.strip():
        return _rows("What is to be recalled? e.g. /recall which database do the tests use", style="yellow")
    try:
        return _rows(*desk.talk.recalled(rest))
    except OSError as error:
        return _rows(f"Memory could not be searched: {error.strerror or error}", style="yellow")


def _rewind(desk: Desk, rest: str) -> Sequence[Block]:
    from agentmem.terminal.backward import rewind

    return rewind(desk, rest)


def _review(desk: Desk, rest: str) -> Sequence[Block]:
    from agentmem.terminal.deciding import review

    return review(desk, rest)


def _forget(desk: Desk, rest: str) -> Sequence[Block]:
    from agentmem.terminal.letting import forget

    return forget(desk, rest)


_MODES = {
    "plan": "reads only",
    "ask": "asks before it writes or runs anything",
    "edits": "writes in the workspace without asking",
    "auto": "also runs commands in the sandbox without asking",
    "full": "asks nothing",
}

COMMANDS: tuple[Command, ...] = (
    Command("help", "these lines", _help, other="?"),
    Command("show", "the last output whole, or the Nth last", _show, "[N]"),
    Command("mode", "the permission mode, or change it", _mode, "[MODE]", MODES),
    Command("model", "the model", _model),
    Command("context", "what fills the model's window, by part", _context),
    Command("skills", "the skills that can be used; /NAME WORDS calls one", _skills),
    Command("trust", "trust this project's folder: its skills and its memory count", _trust),
    Command("session", "the session's name and where its log lies", _session),
    Command("compact", "make the prompt smaller now; say what must be kept", _idle, "[FOCUS]", plays=_compact),
    Command("expand", "bring back what left the prompt: a compaction or a message", _expand, "ENTRY"),
    Command("strike", "take a line out of every later prompt", _idle, "ENTRY", plays=_strike),
    Command("memory", "what is remembered, and why", _memory, "[blame LINE | log | check …]"),
    Command("recall", "search what is remembered, and earlier sessions", _recall, "QUERY"),
    Command("tree", "the branches of this session; choose where to go on", _crossing("tree"), "[WHY]"),
    Command("rewind", "take back what you said, what the agent wrote, or both", _rewind, "[N] [WHAT]"),
    Command("sessions", "go on with another session", _crossing("sessions"), "[SESSION]"),
    Command("name", "name this session", _crossing("name"), "[NAME]"),
    Command("label", "name the last message", _crossing("label"), "[TEXT]"),
    Command("fork", "go on in a fork of this session", _crossing("fork")),
    Command("reset", "end this session with a handoff, and go on fresh from it", _idle, "[NOTE]", plays=_reset),
    Command("clear", "go on with a new session that knows nothing of this one", _crossing("clear")),
    Command("review", "decide on what waits for your word", _review, "[DEED ID]", ("approve", "reject", "edit")),
    Command("forget", "have a fact or words forgotten, everywhere", _forget, "ID|WORDS"),
    Command("quit", "leave", None, other="exit"),
)
