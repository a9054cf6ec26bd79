from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from agentmem.memory.memory import SessionHead, Twig
from agentmem.terminal.choices import session_choices, told_from, tree_choices
from agentmem.terminal.picker import Choice, Picker, fitted, plain

CHOICES = [
    Choice("a", "fix the login bug", ("now", ".", "3 kB"), ("id a", "first: fix the login bug")),
    Choice("b", "write docs", ("2 h", "docs", "1 MB"), ("id b",), "2026-11-30T09 Über"),
    Choice("c", "fix the build", ("3 d", ".", "9 kB"), ("id c",)),
]


def screen(picker: Picker, width: int = 60, rows: int = 7) -> list[str]:
    return ["".join(part[1] for part in line).rstrip() for line in picker.lines(width, rows)]


def keys(picker: Picker) -> list[str]:
    return [choice.key for choice in (picker._choices[index] for index in picker._found)]


def test_the_list_with_its_columns() -> None:
    assert screen(Picker("resume", CHOICES)) == [
        "resume (3/3):",
        "▸ fix the login bug                             now  .  3 kB",
        "  write docs                                 2 h  docs  1 MB",
        "  fix the build                                 3 d  .  9 kB",
        "",
        "",
        "↑↓ move · type to search · Enter chooses · Esc leaves",
    ]


def test_a_narrow_screen_drops_columns_and_a_low_one_the_look() -> None:
    narrow = screen(Picker("resume", CHOICES), 33, 12)
    assert narrow[1:4] == [
        "▸ fix the login bug           now",
        "  write docs                  2 h",
        "  fix the build               3 d",
    ]
    assert narrow[7:10] == ["─" * 33, "id a", "first: fix the login bug"]
    assert screen(Picker("resume", CHOICES), 33, 3)[1] == "▸ fix the login bug           now"
    assert len(screen(Picker("resume", CHOICES), 33, 1)) == 1


def test_typing_finds_every_word_in_any_case_and_keeps_the_cursor() -> None:
    picker = Picker("resume", CHOICES, at=2)
    picker.search("FIX")
    assert (keys(picker), picker.chosen) == (["a", "c"], CHOICES[2])
    picker.search("fix login")
    assert (keys(picker), picker.chosen) == (["a"], CHOICES[0])
    picker.search("über 11-30")
    assert keys(picker) == ["b"]
    picker.search("nothing such")
    assert (keys(picker), picker.chosen) == ([], None)
    assert screen(picker)[:2] == ["resume (0/3): nothing such", "nothing is found"]
    picker.step(1)
    assert picker.chosen is None
    picker.search("")
    assert len(keys(picker)) == 3


def test_the_cursor_stops_at_both_ends_and_the_list_follows() -> None:
    many = [Choice(str(number), f"row {number}") for number in range(100)]
    picker = Picker("x", many, at=50)
    assert "▸ row 50" in screen(picker)
    picker.step(-500)
    assert screen(picker)[1] == "▸ row 0"
    picker.step(500)
    assert screen(picker)[1:6] == ["  row 95", "  row 96", "  row 97", "  row 98", "▸ row 99"]
    assert Picker("x", [], at=3).chosen is None


@given(
    texts=st.lists(st.text(max_size=60), max_size=6),
    width=st.integers(1, 90),
    rows=st.integers(1, 20),
    query=st.text(max_size=8),
)
def test_no_line_is_wider_or_steers_whatever_the_names(texts: list[str], width: int, rows: int, query: str) -> None:
    picker = Picker("pick", [Choice(text, text, (text,), (text, text), text) for text in texts])
    picker.search(query)
    lines = picker.lines(width, rows)
    assert len(lines) <= rows
    for line in lines:
        text = "".join(part[1] for part in line)
        # The sign of the cursor is two cells, which a terminal of one cell folds.
        assert sum(get_cwidth(letter) for letter in text) <= max(width, 4)
        assert not any(ord(letter) < 0x20 or 0x7F <= ord(letter) < 0xA0 for letter in text)


def test_hostile_names_are_signs() -> None:
    assert plain("a\x1b]0;x\x07\tb\nc\u202ed") == "a␛]0;x␇ b c<U+202E>d"


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("ab", 0, ""),
    ],
)
def test_a_text_is_cut_by_cells(text: str, width: int, shown: str) -> None:
    assert fitted(text, width) == shown


def test_a_session_as_a_choice() -> None:
    head = SessionHead("s1", "", "/w/sub", "fix it", "done", 1000.0, 3456, "the bug", None, "s0")
    (choice,) = session_choices([head], 1000.0 + 7200, "/w")
    assert choice == Choice(
        "s1",
        "the bug",
        ("   2 h", "sub", "3.5 kB"),
        ("the bug · s1", "sub · 2 h ago · 3.5 kB", "a fork of s0", "first: fix it", "last: done"),
        "s1 the bug fix it done /w/sub",
        True,
    )
    (bare,) = session_choices([SessionHead("s2", "", "", "", "", 1000.0, 5)], 1000.0, "/w")
    assert (bare.title, bare.look[:2]) == ("(nothing was said)", ("(no name) · s2", "? · now · 5 B"))


@pytest.mark.parametrize(
    ("cwd", "folder", "told"),
    [("/w", "/w", "."), ("/w", "/w/a/b", "a/b"), ("/w", "/wide", "/wide"), ("/w", "/a/b/c", "…/c"), ("/", "/a", "a")],
)
def test_a_directory_in_short(cwd: str, folder: str, told: str) -> None:
    assert told_from(cwd, folder) == told


def test_a_tree_as_choices() -> None:
    rows = [
        Twig("e1", None, "", "you", "go", "09:02", again="go"),
        Twig("e2", "e3", "│  " * 9 + "└─ ", "agent", "done", "09:03", 2, "good", here=True, on_path=True),
    ]
    first, second = tree_choices(rows)
    assert (first.key, first.title, first.aside, first.marked) == ("e1", "❯ go", (), False)
    assert second.title == "…" + ("│  " * 9 + "└─ ")[-17:] + "● done"
    assert second.aside == ("← here", "[good]", "2 calls")
    assert second.look == ("e2 · 09:03", "label: good", "done")
    assert second.marked


def test_the_module_is_not_needed_for_a_first_prompt() -> None:
    source = (Path(__file__).resolve().parents[2] / "agentmem/terminal/seat.py").read_text()
    assert "\nfrom agentmem.terminal.picker" not in source
