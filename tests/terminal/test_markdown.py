from __future__ import annotations

import pytest
from rich.text import Text

from agentmem.terminal.markdown import Fence, Piece, is_closing, pieces


def shown(source: str, width: int = 40) -> str:
    lines: list[Text] = []
    for _, piece in pieces(source):
        lines += [*([Text("")] * piece.gap if lines else []), *piece.lines(width)]
    return "\n".join(line.plain for line in lines)


def styled(source: str) -> list[tuple[str, str]]:
    (line,) = pieces(source)[0][1].lines(80)
    return [(line.plain[span.start : span.end], str(span.style)) for span in line.spans]


def test_a_whole_page() -> None:
    source = """# Title
Some **bold** words that are long enough to be broken into two lines.
Next line.

3. three
4. four
   - nested
     more

   para in item

5. five
* star
> quoted
> > twice

***
    indented code

```python
x = 1

\ty = "a line that is longer than the width of the page"
```
"""
    assert (
        shown(source)
        == """Title

Some bold words that are long enough to
be broken into two lines.
Next line.

3. three
4. four
   • nested
     more

   para in item

5. five
• star

│ quoted
│ │ twice

────────────────────────

  indented code

  x = 1

      y = "a line that is longer than the width of the page\""""
    )


def test_a_table_lies_in_columns() -> None:
    source = "| what | where | n |\n|---|:-:|--:|\n| url | `conftest.py` | 1 |\n| 日本語 | compose.yaml | 23 |\n"
    assert (
        shown(source)
        == """what        where        n
──────────────────────────
url      conftest.py     1
日本語   compose.yaml   23"""
    )


def test_a_table_that_is_too_narrow_for_columns_becomes_records() -> None:
    source = "| a | b | c | d | e | f |\n|-|-|-|-|-|-|\n| 1 | 2 | 3 | 4 | 5 | 6 |\n| 7 | 8 | 9 | | | |\n"
    assert shown(source, 30) == "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\n\na: 7\nb: 8\nc: 9\nd:\ne:\nf:"


@pytest.mark.parametrize("width", [12, 20, 40, 200])
def test_no_line_but_code_is_wider_than_the_screen(width: int) -> None:
    source = (
        "日本語の文字がここにあります word\n\n- item 日本語日本語日本語日本語\n"
        "  ```\n  code code code code code code\n  ```\n> " + "x" * 90
    )
    for _, piece in pieces(source):
        assert all(line.cell_len <= width for line in piece.lines(width)), width


def test_marks_become_styles() -> None:
    assert styled("a **b** *c* ~~d~~ `e` ***f***") == [
        ("b", "bold"),
        ("c", "italic"),
        ("d", "strike"),
        ("e", "cyan"),
        ("f", "italic bold"),
    ]


def test_a_link_shows_where_it_leads() -> None:
    assert shown("[here](http://x.y/z) and <http://a.b>", 80) == "here (http://x.y/z) and http://a.b"
    assert shown("![a cat](cat.png)", 80) == "[image: a cat] (cat.png)"


def test_html_references_and_entities_are_text() -> None:
    assert shown("<div>x</div>\n\n[a][b]\n\n[b]: http://x\n\n&lt;&#27;[31m&#x202e;", 80) == (
        "<div>x</div>\n\n[a][b]\n\n[b]: http://x\n\n<\ufffd[31m<U+202E>"
    )


def test_pieces_are_blocks_items_and_fences() -> None:
    assert pieces("para\n\n- a\n- b\n\n  more\n\n1) x\n1) y\n~~~ js title\nlet x\n~~~\n") == [
        (0, Piece("para")),
        (2, Piece("- a", 1, "-")),
        (3, Piece("- b\n\n  more\n", 0, "-")),
        (7, Piece("1) x", 1, ")", 1)),
        (8, Piece("1) y", 0, ")", 2)),
        (9, Fence("js", ("let x",), mark="~~~")),
    ]


def test_a_list_goes_on_counting_where_the_piece_before_ended() -> None:
    before = Piece("4. x", 0, ".", 4)
    assert pieces("1. y", before, 1) == [(0, Piece("1. y", 1, ".", 5))]
    assert pieces("1) y", before) == [(0, Piece("1) y", 0, ")", 1))]


@pytest.mark.parametrize(
    ("line", "mark", "closing"),
    [
        ("```", "```", True),
        ("   ````  ", "```", True),
        ("    ```", "```", False),
        ("``", "```", False),
        ("~~~", "```", False),
        ("``` x", "```", False),
        ("\t```", "```", False),
        ("", "```", False),
    ],
)
def test_what_closes_a_fence(line: str, mark: str, closing: bool) -> None:
    assert is_closing(line, mark) is closing


def test_code_is_coloured_up_to_a_limit_and_never_changed() -> None:
    code = ("def f():", '    """text', "    for more", '    """', "", "    return 1")
    lines = Fence("python", code).lines(80)
    assert [line.plain for line in lines] == [
        "  def f():",
        '      """text',
        "      for more",
        '      """',
        "",
        "      return 1",
    ]
    assert any("blue" in str(span.style) for span in lines[0].spans)
    long = Fence("python", ("x = 1",) * 500)
    assert len(long.lines(80)) == 500
    assert not long.lines(80)[450].spans[1:]
    assert [line.plain for line in Fence("nonsense", ("a", "\x1b[31m")).lines(80)] == ["  a", "  ␛[31m"]
    assert [line.plain for line in Fence("python", ("x" * 600,)).lines(80)] == ["  " + "x" * 600]


def test_the_rest_of_a_fence_is_coloured_as_its_place_asks() -> None:
    code = ('"""', "for x in y", '"""')
    assert Fence("python", code, start=1).lines(80) == Fence("python", code).lines(80)[1:]
