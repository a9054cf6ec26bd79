"""A round: one turn on the screen, from the sent message to the prompt's return."""

from __future__ import annotations

import select
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys
from rich.text import Text

from agentmem.domain.cancel import Cancel
from agentmem.domain.event import Answer, Asked, Event, TextDelta, ThinkingDelta, ToolOutput
from agentmem.domain.visible import visible
from agentmem.terminal.answering import Answering
from agentmem.terminal.blocks import Block, Row
from agentmem.terminal.keyboard import Keyboard
from agentmem.terminal.presses import Presses
from agentmem.terminal.screen import Screen
from agentmem.terminal.view import View
from agentmem.terminal.worker import Worker

if TYPE_CHECKING:
    from agentmem.terminal.talk import Play

End = Literal["done", "leave", "gone"]

_FRAME = 0.05  # seconds between two drawings at least
_SHARE = 4  # drawing may take one part in this many of the time
_MOVING = 0.125  # seconds between two drawings when nothing but the clock moves
_PATIENCE = 3.0  # seconds a stopped turn gets to end when the person leaves
_NEXT_KEY = 0.25  # seconds between two letters of a typed-out answer


@dataclass(frozen=True, slots=True)
class Stage:
    """What every round plays on."""

    screen: Screen
    view: View
    keyboard: Keyboard
    presses: Presses


class Round:
    """One turn, or what runs like one. It runs in a thread of its own; this one reads keys and draws, so that Ctrl-C
    works at once.

    `presses` counts interrupts by signal that were not heeded yet; after `run` they belong to whoever comes next.
    """

    def __init__(self, stage: Stage, play: Play) -> None:
        """`play` begins what is to be shown."""
        self._stage = stage
        self._cancel = Cancel()
        self._worker = Worker(play(self._cancel))
        self.presses = 0
        self._ending = False
        self._end: End = "done"
        self._until = float("inf")
        self._answering = Answering(time.monotonic)
        self._blocks: list[Block] = []

    def interrupt(self) -> bool:
        """A Ctrl-C that came as a signal; safe in a signal handler."""
        self.presses += 1
        self._worker.wake()
        return True

    def end(self) -> bool:
        """The program is asked to end; safe in a signal handler."""
        self._ending = True
        self._worker.wake()
        return True

    def run(self) -> End:
        """Show the turn to its end. Raises what the turn raises; by then the turn has ended in any case."""
        self._stage.view.begin()
        self._stage.presses.disarm()
        self._stage.screen.write("\x1b[?2004h")  # a paste during the turn is one key too
        self._worker.start()
        try:
            self._loop()
            stopped = self._cancel.cancelled
        finally:
            self._stop()
            self._worker.close(_PATIENCE)
            self._stage.screen.show(self._blocks)
        self._wait_for_rest()
        if stopped:
            self._stage.keyboard.unsend()
        return self._end

    def _loop(self) -> None:
        drawn, due, dirty = 0.0, 0.0, True
        while not self._worker.over and time.monotonic() < self._until:
            wait = max(0.0, (due if dirty else drawn + _MOVING) - time.monotonic())
            keyboard = self._stage.keyboard
            ears: list[Keyboard | Worker] = [keyboard] if dirty else [keyboard, self._worker]
            heard = select.select(ears, [], [], wait)[0]
            if keyboard in heard:
                self._keys(keyboard.read())
            self._heed_signals()
            dirty = dirty or bool(heard)
            if (now := time.monotonic()) >= (due if dirty else drawn + _MOVING):
                self._events(self._worker.take())
                self._draw()
                drawn, dirty = time.monotonic(), False
                due = now + max(_FRAME, _SHARE * (drawn - now))
        if self._worker.over:
            self._events(self._worker.take())
        else:
            self._blocks.append(Row("the turn does not end; left it behind", "yellow", "!"))

    def _heed_signals(self) -> None:
        while self.presses:
            self.presses -= 1
            self._press()
        if self._ending:
            self._ending = False
            self._leave("gone")

    def _events(self, events: Sequence[Event]) -> None:
        for event in _merged(events):
            self._blocks += self._stage.view.take(event)
            if isinstance(event, Asked):
                if self._cancel.cancelled:
                    self._worker.answer("no")
                else:
                    self._answering.ask(event)

    def _draw(self) -> None:
        width, rows = self._stage.screen.size()
        if question := self._answering.question:
            live = question.lines(width, rows - 1)
        else:
            live = [*self._stage.view.live(width, rows - 2), *self._typed(width)]
        if unseen := self._answering.unseen:
            # What was typed before the question stands there is no answer to it.
            self._keys(self._stage.keyboard.read_now())
        blocks, self._blocks = self._blocks, []
        self._stage.screen.show(blocks, live)
        if unseen:
            self._answering.seen(self._stage.keyboard.last_ahead)

    def _typed(self, width: int) -> Iterator[Text]:
        typed = visible(self._stage.keyboard.typed)
        if typed.strip():
            line = Text(typed, "dim")
            if line.cell_len > width - 3:
                line = Text("…" + typed[-(width - 4) // 2 :], "dim")
            yield Text.assemble(("❯ ", "dim"), line)

    def _keys(self, keys: Sequence[KeyPress]) -> None:
        if self._stage.keyboard.gone:
            self._leave("gone")
        plain: list[KeyPress] = []
        for key in keys:
            if key.key == Keys.ControlC:
                self._press()
            elif key.key == Keys.ControlZ:
                continue  # stopping the process now would leave the turn half way
            elif key.key == Keys.ControlO:
                self._show_whole()
            else:
                plain.append(key)
        if plain:
            answer, ahead = self._answering.take(plain)
            self._stage.keyboard.ahead(ahead)
            if answer is not None:
                self._answer(answer)

    def _wait_for_rest(self) -> None:
        """When the turn ends right behind an answer, its rest is still being typed."""
        keyboard = self._stage.keyboard
        while self._answering.awaits_rest and select.select([keyboard], [], [], _NEXT_KEY)[0]:
            self._keys(keyboard.read())

    def _answer(self, answer: Answer) -> None:
        if answer == "no" and (question := self._answering.question):
            self._stage.view.declined(question.asked.call_id)
        self._answering.close()
        self._worker.answer(answer)

    def _show_whole(self) -> None:
        if question := self._answering.question:
            self._blocks.append(question.whole())
        elif wholes := self._stage.view.wholes:
            self._blocks.append(wholes[-1])

    def _press(self) -> None:
        keyboard = self._stage.keyboard
        match self._stage.presses.press(text=self._answering.question is None and keyboard.unsent, running=True):
            case "clear":
                keyboard.clear_unsent()
            case "cancel" | "warn":
                self._stop()
            case "leave":
                self._leave("leave")

    def _stop(self) -> None:
        self._cancel.cancel()
        self._stage.view.stopping()
        if self._answering.question is not None:
            self._answer("no")

    def _leave(self, end: End) -> None:
        """Leave once the turn has ended, or soon; at once when asked again."""
        again = self._end != "done"
        self._end = end
        self._until = time.monotonic() + (0.0 if again else _PATIENCE)
        self._stop()


def _merged(events: Sequence[Event]) -> Iterator[Event]:
    """`events` with neighbouring deltas of one kind joined: what comes in one frame is rendered once."""
    for (kind, call), group in groupby(events, lambda event: (type(event), getattr(event, "call_id", ""))):
        if kind is TextDelta:
            yield TextDelta("".join(event.text for event in group if isinstance(event, TextDelta)))
        elif kind is ThinkingDelta:
            yield ThinkingDelta("".join(event.text for event in group if isinstance(event, ThinkingDelta)))
        elif kind is ToolOutput:
            yield ToolOutput(call, "".join(event.text for event in group if isinstance(event, ToolOutput)))
        else:
            yield from group
