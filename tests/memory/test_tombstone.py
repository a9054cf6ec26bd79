from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmem.domain.phrase import phrases
from agentmem.memory.write.tombstone import Mended, Tombs, says


def tombs(*texts: str, exact: bool = True) -> Tombs:
    return Tombs(phrases(texts), exact)


def test_a_log_line_keeps_its_length_its_form_and_what_places_it() -> None:
    line = (
        b'{"type":"message","id":"elm road","at":"elm road","role":"assistant","content":['
        b'{"type":"text","text":"at \\u0045lm\\nRoad, caf\\u00e9","origin":"agent"},'
        b'{"type":"tool_call","id":"t1","name":"elm road","arguments":{"elm road":["Elm Road",{"type":"elm road"}]}}'
        b"]}\n"
    )
    mended = tombs("elm road").json(line)
    assert len(mended.data) == len(line)
    assert (mended.count, mended.kept) == (4, 3)
    assert json.loads(mended.data) == {
        "type": "message",
        "id": "elm road",
        "at": "elm road",
        "role": "assistant",
        "content": [
            {"type": "text", "text": "at [forgotten___], café", "origin": "agent"},
            {
                "type": "tool_call",
                "id": "t1",
                "name": "elm road",
                "arguments": {"[______]": ["[______]", {"type": "[______]"}]},
            },
        ],
    }


def test_a_thought_loses_the_signature_that_is_no_longer_true() -> None:
    line = (
        b'[{"type":"thinking","text":"elm road","signature":"c2ln","provider":"p"},'
        b'{"type":"thinking","text":"x","signature":"b2s="}]'
    )
    mended = tombs("elm road").json(line).data
    assert len(mended) == len(line)
    assert json.loads(mended) == [
        {"type": "thinking", "text": "[______]", "provider": "p"},
        {"type": "thinking", "text": "x", "signature": "b2s="},
    ]
    last = tombs("elm road").json(b'{"type":"thinking","text":"elm road","signature":"c2ln"}').data
    assert json.loads(last) == {"type": "thinking", "text": "[______]"}


def test_a_file_whose_name_goes_is_not_put_back() -> None:
    state = "file 0644 3b18e512dba79e4c8300dd08aeb37f8e728b8dad"
    line = json.dumps({"type": "checkpoint", "files": [{"path": "a/elm road.py", "before": state}]}).encode()
    mended = json.loads(tombs("elm road").json(line).data)
    assert mended["files"] == [{"path": "a/[______].py", "before": "other forgotten".ljust(len(state))}]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'\0\0{"text":"elm road"}{"text":"b"} elm road', b'\0\0{"text":"[______]"}{"text":"b"} [______]'),
        (b'{"type":"message","text":"elm ro', b'{"type":"message","text":"elm ro'),
        (b'{"type":"message","text":"elm road', b'{"type":"message","text":"[______]'),
        (b'"elm road"\n', b'"[______]"\n'),
        (b'{"text":"\xff elm road"}', b'{"text":"\xff [______]"}'),
    ],
)
def test_damaged_lines_lose_the_words_too(line: bytes, expected: bytes) -> None:
    assert tombs("elm road").json(line).data == expected


def test_a_number_that_was_called_with_stays_a_number() -> None:
    mended = tombs("5551234567").json(b'{"ms":5551234567,"arguments":{"n":5551234567,"m":"5551234567"}}')
    assert mended.data == b'{"ms":5551234567,"arguments":{"n":1111111111,"m":"[________]"}}'
    assert (mended.count, mended.kept) == (2, 1)


def test_short_matches_and_words_of_the_tombstone_itself() -> None:
    assert tombs("ab").text(b"x ab y").data == b"x __ y"
    assert tombs("forgotten").text(b"a [forgotten] b").data == b"a [[_______]] b"
    assert tombs("_").text(b"a_b").data == b"a*b"
    assert tombs("[", "forgotten").text(b"[forgotten]").data == b"__________]"


def test_pages_keep_their_lines_and_beliefs_that_say_nothing_go() -> None:
    page = b"\xef\xbb\xbf# T\r\n- Elm Road ^m1a2b3c\r\n- Bob at elm\r\n  road and Ann ^m2\r\n* Elm Road.\r\nrest"
    mended = tombs("elm road", exact=False).beliefs(page)
    assert mended == Mended(b"\xef\xbb\xbf# T\r\n- Bob at [forgotten]\r\n   and Ann ^m2\r\nrest", 3)
    assert tombs("zzz").beliefs(page) == Mended(page)
    assert (says("- [forgotten] ^m1"), says("## [forgotten]!"), says("- [forgotten] x")) == (False, False, True)


SAID = st.text(st.sampled_from('ab c"\\\né😀/'), max_size=12)
VALUE = st.recursive(
    SAID | st.integers() | st.none() | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "content", "arguments", "id", "type"]) | SAID, inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=200)
@given(VALUE, st.sampled_from(["ab", "a b", "é", 'b"', "c\\", "😀", "c a"]), st.booleans(), st.booleans())
def test_json_stays_json_of_the_same_length_and_nothing_said_is_left(
    value: object, words: str, plain: bool, again: bool
) -> None:
    line = json.dumps({"type": "x", "arguments": value, "text": value}, ensure_ascii=plain).encode() + b"\n"
    if again:
        line = json.dumps({"arguments": {"raw": line.decode()}}, ensure_ascii=plain).encode() + b"\n"
    mended = tombs(words).json(line)
    assert len(mended.data) == len(line)
    json.loads(mended.data)
    assert tombs(words).json(mended.data).count == 0
    assert (mended.count > 0) == (mended.data != line)
