"""The picker: a list on the whole screen to choose one from, narrowed as the person types, with a look at each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input.base import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_cwidth

from agentmem.domain.visible import visible

_STYLE = Style.from_dict(
    {"title": "bold", "dim": "ansibrightblack", "chosen": "reverse", "mark": "ansiyellow", "none": "ansiyellow"}
)
_KEYS = "↑↓ move · type to search · Enter chooses · Esc leaves"
_LOOK = 0.4  # of the rows, what the look at one choice may fill
_LEAST = 8  # rows under which there is no look
_TITLE = 24  # cells that a title keeps before a column at its right is left out
_WAIT = 0.05  # seconds after which a lone Esc is Esc


@dataclass(frozen=True, slots=True)
class Choice:
    """One row. `title` is shown with as many of the columns `aside` at its right as fit, the first ones first; `look`
    are lines for whoever pauses on it; `words` is what a search finds it by. None of it needs to be safe to show."""

    key: str
    title: str
    aside: tuple[str, ...] = ()
    look: tuple[str, ...] = ()
    words: str = ""
    marked: bool = False


class Picker:
    """A list with a cursor and a search; knows nothing of the terminal. `lines` gives the screen."""

    def __init__(self, title: str, choices: Sequence[Choice], at: int = 0):
        self._title = title
        self._choices = choices
        self._words = [f"{one.title} {' '.join(one.aside)} {one.words}".casefold() for one in choices]
        self._found = list(range(len(choices)))
        self._at = max(0, min(at, len(choices) - 1))
        self._top = 0
        self.query = ""

    @property
    def chosen(self) -> Choice | None:
        """The choice under the cursor, None when nothing is found."""
        return self._choices[self._found[self._at]] if self._found else None

    def search(self, query: str) -> None:
        """Show what has every word of `query` in it, in any case; the cursor stays where it was, if that is found."""
        before = self._found[self._at] if self._found else 0
        self.query = query
        words = query.casefold().split()
        self._found = [index for index, text in enumerate(self._words) if all(word in text for word in words)]
        self._at = next((place for place, index in enumerate(self._found) if index >= before), len(self._found) - 1)
        self._at = max(0, self._at)

    def step(self, rows: int) -> None:
        """Move the cursor; it stops at both ends."""
        self._at = max(0, min(self._at + rows, len(self._found) - 1))

    def lines(self, width: int, rows: int) -> list[StyleAndTextTuples]:
        """The screen in at most `rows` lines of at most `width` cells."""
        look = self._look(width, int(rows * _LOOK)) if rows >= _LEAST else []
        room = max(1, rows - 2 - len(look))
        self._top = max(0, min(self._top, len(self._found) - room))
        self._top = min(max(self._top, self._at - room + 1), self._at)
        shown = range(self._top, min(self._top + room, len(self._found)))
        listed = [self._row(place, width) for place in shown] or [[("class:none", fitted("nothing is found", width))]]
        listed += [[("", "")] for _ in range(room - len(listed))]
        count = f"{len(self._found)}/{len(self._choices)}"
        head = fitted(f"{self._title} ({count}): {plain(self.query)}", width - 1)
        out: list[StyleAndTextTuples] = [[("class:title", head), ("class:chosen", " ")], *listed, *look]
        out = [*out[: rows - 1], [("class:dim", fitted(_KEYS, width))]]
        return out[-rows:]

    def _row(self, place: int, width: int) -> StyleAndTextTuples:
        choice = self._choices[self._found[place]]
        aside = [plain(text) for text in choice.aside]
        while aside and width - 2 - sum(get_cwidth(text) + 2 for text in aside) < _TITLE:
            aside.pop()
        right = "".join(f"  {text}" for text in aside)
        title = fitted(plain(choice.title), max(1, width - 2 - get_cwidth(right)))
        gap = " " * max(0, width - 2 - get_cwidth(right) - get_cwidth(title))
        here = place == self._at
        sign = "▸ " if here else "  "
        style = "class:chosen" if here else "class:mark" if choice.marked else ""
        return [(style, sign + title), (style if here else "class:dim", fitted(gap + right, width))]

    def _look(self, width: int, rows: int) -> list[StyleAndTextTuples]:
        texts = [part for text in (self.chosen.look if self.chosen else ()) for part in _folded(plain(text), width)]
        body: list[StyleAndTextTuples] = [[("class:dim", text)] for text in texts[: max(0, rows - 1)]]
        body += [[("", "")] for _ in range(rows - 1 - len(body))]
        return [[("class:dim", "─" * width)], *body] if rows > 1 else []


def pick(title: str, choices: Sequence[Choice], source: Input | None = None, at: int = 0) -> str | None:
    """Let the person choose; the key of the choice, None when they leave. `source` is where keys come from, by default
    the terminal."""
    picker = Picker(title, choices, at)

    def screen() -> StyleAndTextTuples:
        size = app.output.get_size()
        out: StyleAndTextTuples = []
        for line in picker.lines(size.columns, size.rows):
            out += [*line, ("", "\n")]
        return out[:-1]

    app: Application[str | None] = Application(
        Layout(Window(FormattedTextControl(screen, show_cursor=False), always_hide_cursor=True)),
        key_bindings=_keys(picker, choices),
        style=_STYLE,
        full_screen=True,
        input=source,
    )
    app.ttimeoutlen = app.timeoutlen = _WAIT
    return app.run(handle_sigint=False)


def _keys(picker: Picker, choices: Sequence[Choice]) -> KeyBindings:
    keys = KeyBindings()

    def page(event: KeyPressEvent) -> int:
        return max(1, event.app.output.get_size().rows // 2)

    steps: dict[str, Callable[[KeyPressEvent], int]] = {
        "up": lambda event: -1,
        "c-p": lambda event: -1,
        "down": lambda event: 1,
        "c-n": lambda event: 1,
        "pageup": lambda event: -page(event),
        "pagedown": page,
        "home": lambda event: -len(choices),
        "end": lambda event: len(choices),
    }
    for name, step in steps.items():
        keys.add(name)(lambda event, step=step: picker.step(step(event)))
    for name in ("escape", "c-c", "c-d", Keys.SIGINT):
        keys.add(name, eager=name != "escape")(lambda event: event.app.exit(result=None))
    keys.add("enter")(lambda event: event.app.exit(result=picker.chosen.key) if picker.chosen else None)
    keys.add("backspace")(lambda event: picker.search(picker.query[:-1]))
    keys.add("c-u")(lambda event: picker.search(""))
    keys.add("c-w")(lambda event: picker.search(picker.query.rstrip().rpartition(" ")[0]))
    keys.add(Keys.BracketedPaste)(lambda event: picker.search(picker.query + " ".join(event.data.split())))
    keys.add(Keys.Any)(lambda event: picker.search(picker.query + event.data) if event.data.isprintable() else None)
    return keys


def plain(text: str) -> str:
    """One line that cannot steer the terminal."""
    return visible(" ".join(text.split()) if "\n" in text or "\t" in text else text)


def fitted(text: str, width: int) -> str:
    """`text` in at most `width` cells, an ellipsis where its end is cut off."""
    if len(text) * 2 <= width or get_cwidth(text) <= width:
        return text
    out, used = "", 0
    for letter in text:
        used += get_cwidth(letter)
        if used > width - 1:
            break
        out += letter
    return out + "…" if width > 0 else ""


def _folded(text: str, width: int) -> list[str]:
    """`text` cut where a row of the terminal ends; a wide character is never split."""
    rows, used = [""], 0
    for letter in text:
        cells = get_cwidth(letter)
        if used + cells > width:
            rows.append("")
            used = 0
        rows[-1] += letter
        used += cells
    return rows
