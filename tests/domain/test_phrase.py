from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmem.domain.phrase import NoPhrase, fold, phrases


def found(query: str, text: str | bytes) -> list[bytes]:
    data = text.encode() if isinstance(text, str) else text
    return [data[start:end] for start, end in phrases([query]).spans(data)]


@pytest.mark.parametrize(
    ("query", "text", "matches"),
    [
        ("Elm Road", "at ELM road.", ["ELM road"]),
        ("elm road", "elm\n  road", ["elm\n  road"]),
        ("elm road", r"elm\n\troad", [r"elm\n\troad"]),
        ("café", "cafe\u0301 x", ["cafe\u0301"]),
        ("cafe\u0301", "CAFÉ", ["CAFÉ"]),
        ("café", r"\"caf\u00E9\"", [r"caf\u00E9"]),
        ("café", r"caf\\\\u00e9", [r"caf\\\\u00e9"]),
        ("😀 ok", r"\ud83d\ude00 ok", [r"\ud83d\ude00 ok"]),
        ("😀 ok", r"\\ud83d\\ude00 ok", [r"\\ud83d\\ude00 ok"]),
        ("straße", "STRASSE", ["STRASSE"]),
        ("fin", "ﬁn", ["ﬁn"]),
        ("abc", "ａｂｃ", ["ａｂｃ"]),
        ("secret", "se\u200bcr\u00adet", ["se\u200bcr\u00adet"]),
        ("secret", r"se\u200bcret", [r"se\u200bcret"]),
        ("secret", r"\u005cu0073ecret", [r"\u005cu0073ecret"]),
        ("secret", r"\u0053\u0065cret", [r"\u0053\u0065cret"]),
        ("elm road", "𝐄lm ro\U000e0041ad", ["𝐄lm ro\U000e0041ad"]),
        ("elm road", r"\ud835\udc04lm road", [r"\ud835\udc04lm road"]),
        ("kelvin 2", "\u212aelvin ²", ["\u212aelvin ²"]),
        ("elm road", "größe naïve 😀 ẞ elm", []),
        (r"C:\new", r"in C:\\new there", [r"C:\\new"]),
        ('say "hi"', r"say \"hi\" now", [r"say \"hi\""]),
        ("a b", "a b a  b", ["a b", "a  b"]),
        ("hei", "하이 ", []),
        ("cafe", "café cafe", ["cafe"]),
        ("mas", "maße", []),
        ("elm", "film helmet", ["elm"]),
        ("aa", "aaa", ["aa"]),
    ],
)
def test_words_are_found_in_any_form(query: str, text: str, matches: list[str]) -> None:
    assert found(query, text) == [match.encode() for match in matches]


def test_bytes_that_are_no_text_are_read_past() -> None:
    assert found("elm road", b"\xff\xfeelm road\x80") == [b"elm road"]


@pytest.mark.parametrize("text", ["", "  \n", "\u200b"])
def test_nothing_is_no_phrase(text: str) -> None:
    with pytest.raises(NoPhrase):
        phrases([text])


def test_a_match_where_two_windows_meet_is_one_match() -> None:
    for lead in (524_280, 524_288 - 8192, 1_040_000):
        text = "x" * lead + " café noir " + "y" * 30_000
        assert found("café noir", text) == ["café noir".encode()], lead


def test_folding_is_settled() -> None:
    assert fold("ǅ  ΑΙ\u0345 İ") == fold(fold("ǅ  ΑΙ\u0345 İ"))


WORDS = st.text(st.sampled_from('abcé ßñ😀漢\\"/\n\tＡﬁ̈'), min_size=1, max_size=8).filter(
    lambda text: fold(text).strip() != "" and not unicodedata.combining(text.strip()[:1] or "a")
)
AROUND = st.text(st.sampled_from("xyz .,\n"), max_size=6)


@settings(max_examples=150)
@given(WORDS, AROUND, AROUND, st.integers(0, 3), st.booleans(), st.sampled_from(["NFC", "NFD", "NFKD"]))
def test_however_it_is_written_down_it_is_found(
    word: str, before: str, after: str, levels: int, plain: bool, form: str
) -> None:
    text = f"{before}. {unicodedata.normalize(form, word).strip()} .{after}"  # type: ignore[arg-type]
    for _ in range(levels):
        text = json.dumps(text, ensure_ascii=plain)
    spans = phrases([word]).spans(text.encode())
    assert len(spans) >= 1
    data = text.encode()
    for start, end in spans:
        data = data[:start] + b"0" * (end - start) + data[end:]
    assert phrases([word]).spans(data) == []
