"""The seat: one person's session at the terminal, message after message until they leave."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from agentmem.domain.visible import visible
from agentmem.terminal.composer import Composer
from agentmem.terminal.opening import Opening
from agentmem.terminal.presses import Presses
from agentmem.terminal.talk import CannotStart, Talk

if TYPE_CHECKING:
    from pathlib import Path

    from agentmem.domain.message import Text
    from agentmem.terminal.blocks import Block, Row
    from agentmem.terminal.picker import Choice
    from agentmem.terminal.round import Stage
    from agentmem.terminal.signals import Signals
    from agentmem.terminal.talk import Play

_Then = Literal["sent", "keep", "leave"]

_POLL = 0.05  # seconds between two looks at the keyboard while the agent is awaited


class Seat:
    """Joins the composer, the rounds and the slash commands."""

    def __init__(self, make: Callable[[], Talk], past: Path, signals: Signals, env: Mapping[str, str]) -> None:
        self._presses = Presses(time.monotonic)
        self._opening = Opening(make)
        self._composer = Composer(past, self._presses, self._status, self._show_whole, self._skills)
        self._signals = signals
        self._env = env
        self._welcomed = self._talked = False
        self._facts: tuple[str, ...] = ("starting …",)
        self._draft = ""
        self._edits: list[str] = []

    def run(self, first: str | None, early: str) -> int:
        """Serve the person; the exit code. Raises what making the agent or a turn raises, but `CannotStart`."""
        if early:
            self._composer.type(early)
        try:
            self._serve(first)
        except CannotStart as error:
            sys.stdout.write("\r\n")
            sys.stdout.flush()
            sys.stderr.write(f"error: {error}\n")
            return error.exit_code
        if self._talked and (talk := self._opening.talk):
            self._print([_row(f"session {talk.session_id}", "dim")])
        return self._signals.ended or 0

    def _serve(self, first: str | None) -> None:
        if first is not None:
            from agentmem.terminal.blocks import Said

            self._print([Said(first, gap=0)])
        while True:
            draft, self._draft = self._draft, ""
            message = first if first is not None else self._ask(draft)
            if message is None:
                if self._opening.done and self._signals.ended is None:
                    self._opening.result()
                return
            first = None
            match self._send(message):
                case "leave":
                    return
                case "keep":
                    self._draft = message
                case "sent":
                    continue

    def _ask(self, draft: str) -> str | None:
        """One message from the prompt."""
        if self._welcomed or self._opening.done:
            self._welcome()
            self._stage.keyboard.hand_over()
            self._refresh()
            edits, self._edits = self._edits, []
            self._print([*(_row(text, "dim", "·") for text in edits), _row("", gap=0)])
        else:
            # The prompt stands there already; the composer draws its own in the same place.
            sys.stdout.write("\r")
            sys.stdout.flush()
        try:
            return self._composer.ask(draft, self._drawn)
        finally:
            self._signals.silence()

    def _drawn(self) -> None:
        """The prompt can be typed in: now there is time for the rest."""
        self._signals.listen(self._composer.interrupt, lambda: self._composer.soon(self._composer.leave))
        if self._opening.done:
            self._ready()
        self._opening.start(lambda: self._composer.soon(self._ready))

    def _ready(self) -> None:
        """The agent is made, or cannot be, while a message is being written."""
        if self._opening.talk is None:
            self._composer.leave()
        elif not self._welcomed:
            self._refresh()
            self._composer.above(lambda: self._print([*self._welcome_blocks(), _row("", gap=0)]))

    def _send(self, message: str) -> _Then:
        from agentmem.terminal import slash

        command = slash.read(message)
        found = slash.find(command[0]) if command else None
        if found and found.run is None:
            return "leave"
        waited = self._wait()
        if waited != "sent":
            return waited
        talk = self._opening.result()
        self._welcome()
        if command is None or (slash.exact(command[0]) is None and self._is_skill(talk, message)):
            parts = _parts(self._composer.apart(message))
            return self._round(message, lambda cancel: talk.turn(parts, cancel))
        if found and (plays := found.plays):
            rest = command[1]
            return self._round(message, lambda cancel: plays(talk, rest, cancel))
        desk = slash.Desk(talk, self._stage.view.wholes, self._pick, self._keep_draft)
        self._print(found.run(desk, command[1]) if found and found.run else slash.unknown(command[0]))
        return "sent"

    @staticmethod
    def _is_skill(talk: Talk, message: str) -> bool:
        return talk.skills is not None and talk.skills.slash(message) is not None

    def _skills(self) -> Sequence[tuple[str, str]]:
        """Names and descriptions of the skills that can be called by name."""
        skills = self._opening.talk.skills if self._opening.talk is not None else None
        return () if skills is None else skills.commands()

    def _pick(self, title: str, choices: Sequence[Choice], at: int) -> str | None:
        from agentmem.terminal.picker import pick

        return pick(title, choices, self._composer.source, at)

    def _keep_draft(self, text: str) -> None:
        self._draft = text

    def _wait(self) -> _Then:
        """Wait for the agent. Ctrl-C takes the message back into the input, a second one leaves."""
        from prompt_toolkit.keys import Keys

        pressed: list[None] = []

        def press() -> bool:
            pressed.append(None)
            return True

        self._opening.start()
        self._signals.listen(press, lambda: True)
        try:
            while not self._opening.wait(_POLL):
                keyboard, screen = self._stage.keyboard, self._stage.screen
                keys = keyboard.read_now()
                pressed += [None for key in keys if key.key == Keys.ControlC]
                keyboard.ahead([key for key in keys if key.key not in (Keys.ControlC, Keys.ControlZ)])
                screen.show([], [_row("starting … · Ctrl-C takes the message back", "dim").lines(screen.size()[0])[0]])
                if keyboard.gone or self._signals.ended is not None:
                    return "leave"
                if pressed:
                    pressed.pop()
                    return "leave" if self._presses.press(text=False, running=True) == "leave" else "keep"
        finally:
            self._signals.silence()
            self._stage.screen.show([])
        return "sent"

    def _round(self, message: str, play: Play) -> _Then:
        from agentmem.terminal.blocks import Said
        from agentmem.terminal.round import Round

        self._stage.screen.keep(Said(message))
        self._talked = True
        turn = Round(self._stage, play)
        self._signals.listen(turn.interrupt, turn.end)
        try:
            return "sent" if turn.run() == "done" else "leave"
        finally:
            self._signals.silence()
            self._signals.keep(turn.presses)

    def _welcome(self) -> None:
        """Print how the start went, once."""
        if not self._welcomed:
            self._print(self._welcome_blocks())

    def _edited(self, texts: list[str]) -> None:
        """Memory files were edited: told above the prompt, or, while none stands there, before the next one."""

        def tell() -> None:
            self._composer.above(lambda: self._print([_row(text, "dim", "·", gap=0) for text in texts]))

        if not self._composer.soon(tell):
            self._edits += texts

    def _welcome_blocks(self) -> Sequence[Block]:
        self._welcomed = True
        talk = self._opening.result()
        talk.follow(self._edited)
        loaded = [f"read {', '.join(talk.loaded)}"] if talk.loaded else []
        told: list[Block] = [_row(text, "dim", "·", gap=0) for text in (*loaded, *talk.notices)]
        if talk.shelf.begun:
            from agentmem.terminal.crossing import recap

            told += recap(talk.shelf)
        return told

    def _refresh(self) -> None:
        """Look again at what the status line tells."""
        talk = self._opening.result()
        used, window = talk.context()
        share = f"{used / window:.0%} of {_thousands(window)}" if window else f"{_thousands(used)} tokens"
        self._facts = (talk.model, talk.mode, share, talk.session_id)

    def _status(self, width: int) -> str:
        """The status line: as many facts as fit, the first ones first."""
        facts = [visible(fact) for fact in self._facts]
        while len(facts) > 1 and len(" · ".join(facts)) >= width:
            facts.pop()
        return " · ".join(facts)[: max(width - 1, 1)]

    def _show_whole(self) -> None:
        wholes = self._stage.view.wholes
        self._print([wholes[-1] if wholes else _row("Nothing was folded yet.", "dim"), _row("", gap=0)])

    def _print(self, blocks: Sequence[Block]) -> None:
        self._stage.screen.show(blocks)

    @cached_property
    def _stage(self) -> Stage:
        """Made at its first use: it brings rich along, which the first prompt need not wait for."""
        from agentmem.terminal.keyboard import Keyboard
        from agentmem.terminal.round import Stage
        from agentmem.terminal.screen import Screen
        from agentmem.terminal.view import View

        screen = Screen(sys.stdout, self._env)
        return Stage(screen, View(time.monotonic), Keyboard(self._composer.source), self._presses)


def _row(text: str, style: str = "", sign: str = "", gap: int = 1) -> Row:
    from agentmem.terminal.blocks import Row

    return Row(text, style, sign, gap)


def _thousands(number: int) -> str:
    from agentmem.terminal.gist import tokens

    return tokens(number)


def _parts(pieces: Sequence[tuple[str, bool]]) -> list[Text]:
    """The message in parts: a long paste is told from what was typed, as what was piped in is."""
    from agentmem.domain.message import Text

    return [Text(text, "stdin" if pasted else "person") for text, pasted in pieces]
