from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.terminal.markdown import Fence, Piece, pieces
from agentmem.terminal.tail import Source, Tail

LINES = [
    "para text **bold** `c`\n", "second line\n", "\n", "- item\n", "  cont\n", "    deep\n", "* star\n", "1. one\n",
    "7. seven\n", "```python\n", "x = '''a\n", "```\n", "~~~\n", "    ```\n", "# head\n", "===\n", "---\n", "> quote\n",
    "> - q\n", "| a | b |\n", "|---|---|\n", "| 1 | 2 |\n", "\t\ttab\n", "[x]: http://y\n", "[x]\n", "<div>\n", "- \n",
    "-\n", " - one sp\n", "   1) x\n", "***\n", "\r\n", "a\r", "```", "- x", "**un", "|", "\\\n", "日本語 text\n",
    "  ```js\n", "  code\n", "````\n",
]  # fmt: skip


def lines(given_out: list[Piece | Fence]) -> list[str]:
    return [line for piece in given_out for line in [*[""] * piece.gap, *(text.plain for text in piece.lines(40))]]


def rendered(source: str) -> list[str]:
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    return lines([piece for _, piece in pieces(source) if isinstance(piece, Piece) or piece.code])


@given(st.lists(st.sampled_from(LINES), max_size=10), st.lists(st.integers(1, 40), min_size=1))
def test_what_streams_is_what_the_whole_text_renders_to(parts: list[str], sizes: list[int]) -> None:
    source, tail, out, at, turn = "".join(parts), Tail(), [], 0, 0
    while at < len(source):
        size = sizes[turn % len(sizes)]
        out += tail.feed(source[at : at + size])
        tail.waiting()
        at, turn = at + size, turn + 1
    assert lines(out + tail.close()) == rendered(source)


@given(st.text(alphabet="ab \n-*`>#|1.~\r\t_[]()", max_size=60))
def test_any_text_streams_letter_by_letter(source: str) -> None:
    tail, out = Tail(), []
    for letter in source:
        out += tail.feed(letter)
    assert lines(out + tail.close()) == rendered(source)


def test_a_block_is_given_out_once_the_next_has_begun() -> None:
    tail = Tail()
    assert tail.feed("# Title\nfirst ") == []
    assert tail.waiting() == [Piece("# Title"), Piece("first ")]
    assert tail.feed("line\n") == [Piece("# Title")]
    assert tail.waiting() == [Piece("first line")]
    assert tail.close() == [Piece("first line")]


def test_list_items_go_one_by_one() -> None:
    tail = Tail()
    assert tail.feed("1. a\n1. b\n") == [Piece("1. a", 1, ".", 1)]
    assert tail.feed("\n1. c\n") == [Piece("1. b\n", 0, ".", 2)]
    assert tail.close() == [Piece("1. c", 1, ".", 3)]


def test_code_lines_of_an_open_fence_are_given_out_in_chunks() -> None:
    tail = Tail()
    code = tuple(f"x{index}" for index in range(13))
    assert tail.feed("```py\n" + "".join(f"{line}\n" for line in code[:11])) == []
    assert tail.waiting() == [Fence("py", code[:11], closed=False)]
    assert tail.feed("x11\nx1") == [Fence("py", code[:12], closed=False)]
    assert tail.waiting() == [Fence("py", (*code[:12], "x1"), 12, 0, closed=False)]
    assert tail.feed("2\n``") == []
    assert tail.waiting() == [Fence("py", code, 12, 0, closed=False)]
    assert tail.feed("`\nafter\n") == [Fence("py", code, 12, 0, closed=False)]
    assert tail.close() == [Piece("after")]


def test_a_long_unfinished_block_shows_as_it_was_written() -> None:
    tail = Tail()
    tail.feed("**bold** " * 1000)
    (source,) = tail.waiting()
    assert isinstance(source, Source)
    assert [line.plain for line in source.lines(9)][1:3] == ["**bold**", "**bold**"]
    assert len(source.text) == 3000


PARAGRAPH = "Some **bold** text with `code` and a [link](http://x.y) that goes on for a while.\n"


@pytest.mark.parametrize(
    "source",
    [
        (PARAGRAPH * 3 + "\n- one\n- two *em*\n\n```python\ndef f(x):\n    return x\n```\n\n") * 50,
        "```python\n" + "def f(x):\n    return [x for y in z]\n" * 600,
        "- item **b** `c` words words words\n" * 600,
        "| a | b |\n|---|---|\n" + "| some cell | other cell |\n" * 900,
        PARAGRAPH * 300,
        "x" * 20_000,
        "> line of text\n" * 1500,
    ],
    ids=["mixed", "fence", "list", "table", "paragraph", "word", "quote"],
)
def test_a_reply_of_20_kb_in_50_chunks_is_cheap(source: str) -> None:
    source, tail, begin = source[:20_000], Tail(), time.process_time()
    for at in range(0, len(source), 400):
        for piece in (*tail.feed(source[at : at + 400]), *tail.waiting()):
            piece.lines(80)
    for piece in tail.close():
        piece.lines(80)
    assert time.process_time() - begin < 3  # rendering it anew each time takes 16 s; the margin is for a busy machine
