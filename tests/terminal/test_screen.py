from __future__ import annotations

import io
import re
from collections.abc import Callable

import pyte
from rich.text import Text

from agentmem.terminal.blocks import Row, Said
from agentmem.terminal.screen import Screen


class Tty(io.StringIO):
    """A terminal of a size that a test sets, drawn by pyte."""

    def __init__(self, columns: int = 40, rows: int = 10) -> None:
        super().__init__()
        self.page = pyte.HistoryScreen(columns, rows, history=1000)
        self.stream = pyte.Stream(self.page)
        self.raw = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.raw += text
        self.stream.feed(text)
        return len(text)

    def resize(self, columns: int, rows: int) -> None:
        self.page.resize(rows, columns)

    def lines(self) -> list[str]:
        above = ["".join(row[x].data for x in range(self.page.columns)).rstrip() for row in self.page.history.top]
        return [*above, *(line.rstrip() for line in self.page.display)]

    def text(self) -> str:
        return "\n".join(self.lines()).rstrip()


class Sized(Screen):
    """A screen that asks the page for its size."""

    def __init__(self, tty: Tty, env: dict[str, str] | None = None) -> None:
        self.tty = tty
        super().__init__(tty, env or {"TERM": "xterm"})

    def size(self) -> tuple[int, int]:
        return self.tty.page.columns, self.tty.page.lines


def rows(*texts: str) -> list[Text]:
    return [Text(text) for text in texts]


def test_blocks_stay_and_the_live_part_is_drawn_over() -> None:
    screen = Sized(tty := Tty())
    screen.show([], rows("one", "two"))
    assert tty.text() == "one\ntwo"
    screen.show([Row("printed", gap=0)], rows("two", "three", "four"))
    assert tty.text() == "printed\ntwo\nthree\nfour"
    screen.show([], rows("two"))
    assert tty.text() == "printed\ntwo"
    assert tty.page.cursor.hidden
    screen.show([Row("end", gap=1)])
    assert tty.text() == "printed\n\nend"
    assert (tty.page.cursor.x, tty.page.cursor.y, tty.page.cursor.hidden) == (0, 3, False)


def test_only_what_changed_is_written() -> None:
    screen = Sized(tty := Tty())
    screen.show([], rows("same", "status 1"))
    tty.raw = ""
    screen.show([], rows("same", "status 1"))
    assert tty.raw == ""
    screen.show([], rows("same", "status 2"))
    assert "same" not in tty.raw
    assert tty.text() == "same\nstatus 2"


def test_a_live_part_that_grows_and_shrinks_keeps_what_is_above() -> None:
    screen = Sized(tty := Tty(20, 6))
    screen.show([Row(f"line {index}", gap=0) for index in range(4)])
    for count in (1, 5, 3, 4, 1, 2):
        screen.show([], rows(*(f"live {index}" for index in range(count))))
    screen.show([Row("end", gap=0)])
    assert tty.text() == "line 0\nline 1\nline 2\nline 3\nend"


def test_a_live_part_too_tall_shows_its_end() -> None:
    screen = Sized(tty := Tty(20, 5))
    screen.show([], rows(*(f"live {index}" for index in range(9))))
    assert tty.text() == "live 5\nlive 6\nlive 7\nlive 8"


def test_long_and_wide_lines_take_the_rows_they_need() -> None:
    screen = Sized(tty := Tty(9, 8))
    screen.show([], rows("日本語の文字", "x" * 9, "123456789ab"))
    screen.show([], rows("日本語の文字", "x" * 9, "123456789ab!"))
    assert tty.text().replace("日 本 語 の", "日本語の") == "日本語の\n文字\nxxxxxxxxx\n123456789\nab!"
    screen.show([Row("end", gap=0)])
    assert tty.text() == "end"


def test_narrower_and_wider_in_the_middle() -> None:
    screen = Sized(tty := Tty(40, 12))
    screen.show([Said("hello", gap=0), Row("a finished line of thirty cells")])
    screen.show([], rows("a live line of about thirty-five", "status"))
    tty.resize(20, 12)
    screen.show([], rows("a live line of about", "thirty-five", "status"))
    assert tty.text() == "❯ hello\n\na finished line of\nthirty cells\na live line of about\nthirty-five\nstatus"
    tty.resize(60, 12)
    screen.show([], rows("a live line of about thirty-five", "status"))
    screen.show([Row("end", gap=0)])
    assert tty.text() == "❯ hello\n\na finished line of\nthirty cells\nend"


def test_colours_are_the_terminals_own_and_can_be_off() -> None:
    screen = Sized(tty := Tty())
    screen.show([Row("red", "bold red", gap=0)])
    assert "\x1b[1;31mred\x1b[0m" in tty.raw
    screen = Sized(tty := Tty(), {"TERM": "xterm", "NO_COLOR": "1"})
    screen.show([Row("red", "bold red", gap=0)])
    assert "\x1b[1mred\x1b[0m" in tty.raw


def plain_output(make: Callable[[], io.StringIO], env: dict[str, str]) -> str:
    out = make()
    screen = Screen(out, env)
    screen.show([Row("red", "bold red", "✗")], rows("live"))
    screen.write("\x1b[?2004h")
    screen.show([Said("hi")])
    return out.getvalue()


class Dumb(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_without_a_terminal_there_is_only_text() -> None:
    assert plain_output(io.StringIO, {"TERM": "xterm"}) == "\n✗ red\n\n❯ hi\n"
    assert plain_output(Dumb, {"TERM": "dumb"}) == "\n✗ red\n\n❯ hi\n"


def test_a_stream_without_a_size_is_80_by_24() -> None:
    assert Screen(io.StringIO(), {}).size() == (80, 24)


def test_what_the_stream_cannot_encode_is_replaced() -> None:
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    Screen(out, {}).show([Row("日 ok", gap=0)])
    out.flush()
    assert out.buffer.getvalue() == b"? ok\n"  # type: ignore[attr-defined]


def test_what_another_hand_printed_comes_back_in_a_repaint() -> None:
    screen = Sized(tty := Tty(30, 6))
    tty.write("> typed at a prompt\r\n")
    screen.keep(Said("typed at a prompt", gap=0))
    screen.show([], rows("a live line of 25 letters"))
    tty.resize(20, 6)
    screen.show([], rows("live"))
    assert re.sub(r" +\n", "\n", tty.text()) == "❯ typed at a prompt\nlive"
