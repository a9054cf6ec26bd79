"""The composer: the line where a message is written, with its keys, its past and its status line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Always, Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input.typeahead import store_typeahead
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.styles import Style

from agentmem.terminal.chips import Chips
from agentmem.terminal.past import Past
from agentmem.terminal.presses import WITHIN, Presses
from agentmem.terminal.rawmode import PROMPT

if TYPE_CHECKING:
    from pathlib import Path

    from prompt_toolkit.buffer import Buffer

_STYLE = Style.from_dict({"prompt": "bold", "bottom-toolbar": "noreverse", "status": "ansibrightblack", "hint": "bold"})


class Composer:
    """Reads messages. `status` gives the status line for a width in cells; `show` is what Ctrl-O does,
    `skills` are names that complete like commands, with what they are for.

    While `ask` runs, `soon` lets another thread or a signal handler have something done in between.
    """

    def __init__(
        self,
        past: Path,
        presses: Presses,
        status: Callable[[int], str],
        show: Callable[[], None],
        skills: Callable[[], Sequence[tuple[str, str]]],
    ) -> None:
        self._presses = presses
        self._status = status
        self._show = show
        self._chips = Chips()
        self._last = ""
        self.source = Vt100Input(sys.stdin)
        self._session: PromptSession[str | None] = PromptSession(
            [("class:prompt", PROMPT)],
            multiline=True,
            prompt_continuation="  ",
            history=Past(past, self._chips.whole),
            enable_history_search=Condition(lambda: not self._buffer.text.startswith("/")),
            completer=_Commands(skills),
            complete_while_typing=True,
            reserve_space_for_menu=8,
            key_bindings=self._keys(),
            bottom_toolbar=self._toolbar,
            style=_STYLE,
            enable_suspend=True,
            input=self.source,
        )
        # The status line stands right below the text, not at the bottom of the screen.
        self._session.layout.current_window.dont_extend_height = Always()
        # A terminal that does not answer has no status line; nobody needs to read that each time.
        self._session.app.renderer.cpr_not_supported_callback = None

    def ask(self, default: str = "", drawn: Callable[[], None] | None = None) -> str | None:
        """One message, chips in full; None when the person leaves.

        `drawn` is called once the prompt can be typed in.
        """
        once = [drawn] if drawn is not None else []
        app = self._session.app

        def first(_: object) -> None:
            if once:
                self._redraw_once_unarmed()
                once.pop()()

        app.after_render += first
        try:
            text = self._session.prompt(default=default, handle_sigint=False)
        except EOFError:
            return None
        finally:
            app.after_render -= first
        if text is None:
            return None
        self._last = text
        return _sound(self._chips.whole(text))

    def apart(self, message: str) -> list[tuple[str, bool]]:
        """The pieces of the message that was read last; True for those that were pasted as a chip."""
        if _sound(self._chips.whole(self._last)) != message:
            return [(message, False)]
        return [(_sound(piece), pasted) for piece, pasted in self._chips.apart(self._last)]

    def interrupt(self) -> bool:
        """A Ctrl-C that came as a signal; False when nothing is being read."""
        return not self._session.app.is_done and self.soon(self._press)

    def soon(self, action: Callable[[], None]) -> bool:
        """Have `action` done by the thread that reads, between two keys; False when nothing is being read."""
        loop = self._session.app.loop
        if loop is None:
            return False
        try:
            loop.call_soon_threadsafe(action)
        except RuntimeError:  # the loop was closed meanwhile
            return False
        return True

    def above(self, write: Callable[[], None]) -> None:
        """Take the prompt off the screen, `write`, and draw it again below. Only from within the reading thread."""
        app = self._session.app
        app.renderer.erase()
        write()
        app.renderer.request_absolute_cursor_position()
        app.invalidate()

    def type(self, text: str) -> None:
        """Type `text`, as if its keys had been pressed."""
        self.source.vt100_parser.feed(text)
        store_typeahead(self.source, self.source.read_keys())

    def leave(self) -> None:
        """End `ask` as if the person had left. Only from within the reading thread."""
        if not self._session.app.is_done:
            self._session.app.exit(result=None)

    @property
    def _buffer(self) -> Buffer:
        return self._session.default_buffer

    def _toolbar(self) -> StyleAndTextTuples:
        width = self._session.app.output.get_size().columns
        if self._presses.armed and not self._buffer.text:
            return [("class:hint", "Press Ctrl-C again to leave."[: width - 1])]
        return [("class:status", self._status(width))]

    def _press(self) -> None:
        app = self._session.app
        if app.is_done:
            return
        match self._presses.press(text=bool(self._buffer.text), running=False):
            case "clear":
                self._buffer.reset()
            case "leave":
                app.exit(result=None)
            case "warn" | "cancel":
                self._redraw_once_unarmed()
        app.invalidate()

    def _redraw_once_unarmed(self) -> None:
        """The hint to press again goes away by itself."""
        app = self._session.app
        if self._presses.armed and app.loop is not None:
            app.loop.call_later(WITHIN + 0.05, app.invalidate)

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        at_chip = Condition(lambda: self._chips.at_end(self._buffer.document.text_before_cursor) > 0)
        keys.add("c-c")(lambda event: self._press())
        keys.add("enter")(_enter)
        keys.add("escape", "enter")(_new_line)
        keys.add("c-j")(_new_line)
        keys.add("c-o")(self._whole)
        keys.add(Keys.BracketedPaste)(self._paste)
        keys.add("backspace", filter=at_chip)(self._drop_chip)
        return keys

    def _paste(self, event: KeyPressEvent) -> None:
        text = event.data.replace("\r\n", "\n").replace("\r", "\n")
        event.current_buffer.insert_text(self._chips.put(text))

    def _drop_chip(self, event: KeyPressEvent) -> None:
        event.current_buffer.delete_before_cursor(self._chips.at_end(self._buffer.document.text_before_cursor))

    def _whole(self, event: KeyPressEvent) -> None:
        whole = self._chips.whole(self._buffer.text)
        if whole != self._buffer.text:
            self._buffer.document = Document(whole)
        else:
            self.above(self._show)


class _Commands(Completer):
    """Completes a slash command's name, and its word behind the name; and the name of a skill."""

    def __init__(self, skills: Callable[[], Sequence[tuple[str, str]]]) -> None:
        self._skills = skills

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        text = document.text_before_cursor
        if not text.startswith("/") or "\n" in document.text:
            return
        from agentmem.terminal.slash import COMMANDS, exact, find

        name, space, rest = text[1:].partition(" ")
        if not space:
            for command in COMMANDS:
                if command.name.startswith(name.lower()):
                    yield Completion(f"/{command.name}", -len(text), display_meta=command.help)
            for skill, description in self._skills():
                if skill.startswith(name.lower()) and exact(skill) is None:
                    yield Completion(f"/{skill}", -len(text), display_meta=description)
        elif found := find(name):
            for word in found.words:
                if word.startswith(rest.lower()):
                    yield Completion(word, -len(rest))


def _enter(event: KeyPressEvent) -> None:
    """Send; a backslash at the end goes on in a new line instead, and nothing is never sent."""
    buffer = event.current_buffer
    if buffer.document.is_cursor_at_the_end and buffer.text.endswith("\\"):
        buffer.delete_before_cursor()
        buffer.insert_text("\n")
    elif buffer.text.strip():
        buffer.validate_and_handle()


def _new_line(event: KeyPressEvent) -> None:
    event.current_buffer.insert_text("\n")


def _sound(text: str) -> str:
    """Typed bytes that were no UTF-8 come as lone surrogates; they become U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
