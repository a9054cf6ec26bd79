from __future__ import annotations

import re
import warnings

import pytest

from agentmem.workspace.pattern import BadPattern, read_pattern


@pytest.mark.parametrize(
    ("text", "rust"),
    [
        ("foo", "foo"),
        ("function f() {", r"function f(?:) \{"),
        ("interface{}", r"interface\{\}"),
        ("a{2}b{2,}c{,3}d{1,2}?e{x}", r"a{2}b{2,}c{0,3}d{1,2}?e\{x\}"),
        (r"\bdef\b \w+\(\d*?\)", r"\bdef\b [\p{L}\p{N}_]+\(\d*?\)"),
        (r"^\.$", r"^\.(?:\r?$)"),
        ("(?:a|(?P<n>b))+", "(?:a|(?:b))+"),
        (r"[^a\]-]", r"[^a\]\-]"),
        ("[]a-c[&&b]", r"[\]a-c\[\&\&b]"),
        (r"[\d_]", r"[\d_]"),
        (r"\x41\u00e9\t\"", 'Aé\\x09"'),
        ("[[:upper:]_]", "[A-Z_]"),
        (r"\D\W", r"\D[^\p{L}\p{N}_]"),
        ("-x#y", r"\-x\#y"),
        ("a\0", r"a\x00"),
    ],
)
def test_what_both_know(text: str, rust: str) -> None:
    assert read_pattern(text).rust == rust


@pytest.mark.parametrize(
    "text",
    [
        *(r"(?<=a)b", r"a(?!b)", r"(a)\1", r"\Aa\Z", "a*+", "(?>a)", r"a\nb", r"\Bx", r"[\W]", "(?s:.)", "x^", "$x"),
        *(r"(?P<n>a)(?P=n)", "(?#c)a"),
    ],
)
def test_what_only_python_knows_stays_as_it_is(text: str) -> None:
    pattern = read_pattern(text)
    assert (pattern.python, pattern.rust) == (text, None)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("foo(", "missing ), unterminated subpattern"),
        ("foo)", "unbalanced parenthesis"),
        ("[a", "unterminated character set"),
        ("*a", "nothing to repeat"),
        ("a**", "multiple repeat"),
        (r"\p{L}", r"bad escape \p"),
        ("a\\", "bad escape (end of pattern)"),
        (r"\1", "invalid group reference 1"),
        ("[b-a]", "bad character range b-a"),
        ("a\nb", "it spans lines; matches lie within one line"),
        ("x" * 10_001, "it is longer than 10,000 characters"),
        ("a\ud83d", "it holds half a character (a lone surrogate)"),
        ("a{99999999999}", "it is too large or nested too deep"),
        ("(" * 5_000 + ")" * 5_000, "it is too large or nested too deep"),
    ],
)
def test_what_is_no_pattern(text: str, why: str) -> None:
    with pytest.raises(BadPattern) as caught:
        read_pattern(text)
    assert str(caught.value) == why


def test_plain_text_is_taken_as_it_is() -> None:
    pattern = read_pattern("f(x)[0].*{", literal=True)
    assert pattern.rust == r"f\(x\)\[0\]\.\*\{"
    assert re.fullmatch(pattern.python, "f(x)[0].*{")
    with pytest.raises(BadPattern):
        read_pattern("", literal=True)


def test_case_may_be_set_in_the_pattern() -> None:
    assert read_pattern("(?i)Foo").ignore_case
    assert read_pattern("Foo", ignore_case=True).ignore_case
    assert not read_pattern("Foo").ignore_case


def test_undecodable_bytes_and_line_feeds_match_nothing() -> None:
    for text in (".", "[^a]", r"\W", r"\S", r"\D", r"[\x00-\uffff]", "[\t-\r]", r"[\s]", r"\s"):
        assert re.fullmatch(read_pattern(text).python, "\n") is None, text
        assert re.fullmatch(read_pattern(text).python, "\udcff") is None, text


def test_nothing_warns() -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for text in ("[[a]", "[+--b]", "[a&&b]", "[[a](?=b)"):
            read_pattern(text)
    assert warned == []
