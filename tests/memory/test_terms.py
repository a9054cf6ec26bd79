from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.memory.read.recall import terms as reading
from agentmem.memory.read.recall.asking import asked
from agentmem.memory.read.recall.terms import (
    FIGURE,
    HINTED,
    LONGEST,
    SMALL,
    TIMED,
    Lexicon,
    all_terms,
    terms,
    unmarked,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("never use `rm -rf` in scripts", ["never", "use", "rm", "rf", "script"]),
        ("library is written in C++, not in C# or C", ["librari", "write", "c++", "c#", "c"]),
        ("link speed 3 GB/s", ["link", "speed", "3", "gb"]),
        ("O'Brien owns deploys", ["o", "brien", "own", "deploy"]),
        ("Café naïve ﬁle ÜBER", ["cafe", "naiv", "file", "uber"]),
        ("v0.8.0 costs $1,200 at 12:30", ["0.8.0", "cost", "1200", "12:30"]),
        ("took 250ms", ["take", "250ms", "250"]),
        ("getThinkingBorderColor", ["getthinkingbordercolor", "get", "think", "border", "color"]),
        ("she went and bought mice", ["go", "buy", "mous"]),
        ("the db config of the repo", ["databas", "configur", "repositori"]),
        ("検索機能", ["検索", "索機", "機能", "能"]),
        ("がぎ", ["がぎ", "ぎ"]),
        ("한국어", ["한국", "국어", "어"]),
        ("a OR the", []),
        ("", []),
        ('" * ( NEAR', ["near"]),
    ],
)
def test_what_a_text_is_found_by(text: str, found: list[str]) -> None:
    assert terms(text) == found


def test_stop_words_count_where_they_may_be_what_is_asked_for() -> None:
    assert all_terms("IT owns the VPN") == ["it", "own", "the", "vpn"]
    assert asked("it").terms == ("it",)


def test_what_is_longer_than_a_word_is_found_by_its_beginning() -> None:
    assert terms("x" * 500) == ["x" * LONGEST]


def _slowly(text: str) -> list[str]:
    """What a text is found by, with every form normalised whole and every sign matched."""
    apart = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text))
    words = reading._WORD.findall(unicodedata.normalize("NFC", apart))
    return [stem for word in words for stem in reading._stems(word, False)]


ODD = "é\u0301\u0338…’“—½²ßſKﬁ検が\u3099한\ufe0f\u200d😀≠\u00a0\x01\x1f\ud800Ａ１．"
SIGNS = st.sampled_from([*"abZ019 .,:#+'-_?\n\t", *ODD, "1.5", "v2", "C++", " now "])


@given(st.lists(SIGNS, max_size=30).map("".join) | st.text(max_size=60))
def test_the_quick_ways_of_reading_find_the_same(text: str) -> None:
    assert terms(text) == _slowly(text)


def test_marks_tell_what_a_text_holds_and_go_away() -> None:
    lexicon = Lexicon(marks={"move": HINTED, "yesterday": TIMED, "now": SMALL})
    read = lexicon.read("Now it moved 3 racks yesterday")
    assert [mark in read for mark in (FIGURE, TIMED, HINTED, SMALL)] == [True] * 4
    assert unmarked(read) == "move 3 rack yesterday "
    assert [mark in lexicon.read("it is as it was") for mark in (FIGURE, TIMED, HINTED, SMALL)] == [False] * 4


def test_what_is_known_of_words_stays_small() -> None:
    lexicon = Lexicon()
    lexicon.read("x" * 500)
    assert len(lexicon) == 0
    for number in range(reading._KNOWN + 10):
        lexicon.read(f"w{number}")
    assert len(lexicon) == 10


@given(st.text())
def test_any_text_is_a_query(text: str) -> None:
    found = asked(text)
    assert len(found.terms) <= 64
    assert all(" " not in stem and '"' not in stem and stem for stem in found.terms)


@given(st.text(alphabet="abc 検索한국", max_size=30))
def test_scripts_beside_it_change_nothing_of_english(text: str) -> None:
    latin = "".join(char if char.isascii() else " " for char in text)
    assert [stem for stem in terms(text) if stem.isascii()] == terms(latin)


def test_the_frame_of_a_question_counts_little() -> None:
    assert asked("Which tools did I mention in our sessions?").weights == {"tool": 1.0, "mention": 0.2, "session": 0.2}
    assert asked("did we talk about sessions").weights == {"talk": 1.0, "session": 1.0}


@pytest.mark.parametrize(
    ("question", "when", "now", "kind"),
    [
        ("When is the demo?", True, True, "time"),
        ("When did we meet?", True, False, "time"),
        ("What is my monthly budget?", False, True, "money"),
        ("How many commits are merged?", False, True, "count"),
        ("How long does the build take?", True, True, "span"),
        ("What accuracy does it have?", False, True, "share"),
        ("Which database do we use?", False, True, None),
        ("How many different tools did I name?", False, False, "count"),
    ],
)
def test_what_kind_of_answer_is_wanted(question: str, when: bool, now: bool, kind: str | None) -> None:
    found = asked(question)
    assert (found.when, found.now, found.kind) == (when, now, kind)


@pytest.mark.parametrize(
    ("question", "named", "told"),
    [
        ("Who fixed it?", True, False),
        ("which library is it", True, False),
        ("What city did she move to?", True, False),
        ("What is the name of the branch?", True, False),
        ("What did you recommend?", False, True),
        ("How would YOU do it", False, True),
        ("Can you fix it, and whose is it", False, False),
        ("What is the port?", False, False),
    ],
)
def test_a_name_or_what_the_agent_said_may_be_wanted(question: str, named: bool, told: bool) -> None:
    found = asked(question)
    assert (found.named, found.told) == (named, told)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which parser did Ann Lee use?", {"ann", "lee"}),
        ("Caroline met Bob. Then they left: Why", {"bob"}),
        ("does the “Redis” cache use (Lua)", {"redi", "lua"}),
        ("what is\nthe port\nOf it", set()),
        ("did I, Zoë or Łukasz say so", {"zoe", "łukasz"}),
        ("", set()),
    ],
)
def test_the_names_in_a_question(question: str, names: set[str]) -> None:
    assert asked(question).names == names


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("قَاعِدَةُ البَيَانَات", "قاعدة البيانات"),
        ("مُحَمَّد", "محمد"),
        ("قـاعـدة", "قاعدة"),  # stretched
        ("أحمد إلى آخر", "احمد الى اخر"),
        ("שָׁלוֹם עוֹלָם", "שלום עולם"),
        ("Zürich déjà Ёлка", "Zurich deja Елка"),
    ],
)
def test_words_are_the_same_with_their_marks_and_without(marked: str, plain: str) -> None:
    assert terms(marked) == terms(plain) and len(terms(marked)) == len(plain.split())
    assert terms(f"the gateway {marked}") == ["gateway", *terms(plain)]
