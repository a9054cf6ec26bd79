from __future__ import annotations

from agentmem.terminal.chips import Chips

LONG = "\n".join(f"line {index}" for index in range(42))


def test_a_short_paste_stays_itself() -> None:
    chips = Chips()
    assert chips.put("two\nlines") == "two\nlines"
    assert chips.whole("two\nlines") == "two\nlines"


def test_a_long_paste_is_a_chip_that_is_sent_in_full() -> None:
    chips = Chips()
    assert chips.put(LONG) == "[pasted 42 lines #1]"
    assert chips.put("x" * 1200) == "[pasted 1,200 characters #2]"
    assert chips.whole("a [pasted 42 lines #1] b [pasted 1,200 characters #2]") == f"a {LONG} b {'x' * 1200}"


def test_what_was_not_pasted_here_is_text() -> None:
    chips = Chips()
    assert (
        chips.whole("see [pasted 9 lines #1] and [pasted 9 lines #0]")
        == "see [pasted 9 lines #1] and [pasted 9 lines #0]"
    )
    assert chips.at_end("see [pasted 9 lines #1]") == 0


def test_a_chip_in_a_paste_is_not_opened_twice() -> None:
    chips = Chips()
    chips.put(f"[pasted 42 lines #2]\n{LONG}")
    chips.put(LONG)
    assert chips.whole("[pasted 43 lines #1]") == f"[pasted 42 lines #2]\n{LONG}"


def test_a_chip_at_the_end_is_known_by_its_length() -> None:
    chips = Chips()
    chip = chips.put(LONG)
    assert chips.at_end(f"look: {chip}") == len(chip)
    assert chips.at_end(f"{chip} ") == 0
    assert chips.at_end("[x]") == 0


def test_what_was_pasted_is_told_from_what_was_typed() -> None:
    chips = Chips()
    one, two = chips.put(LONG), chips.put(LONG.upper())
    assert chips.apart("typed alone") == [("typed alone", False)]
    assert chips.apart(f"look at {one} please{two}") == [
        ("look at ", False),
        (LONG, True),
        (" please", False),
        (LONG.upper(), True),
    ]
    assert chips.apart("[pasted 9 lines #7]") == [("[pasted 9 lines #7]", False)]
