from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.model.sse import Events, JsonEvents, ServerEvent, parse_object


def read(pieces: list[bytes], limit: int = 1000) -> tuple[list[ServerEvent], int]:
    events = Events(limit)
    found = [event for piece in pieces for event in events.feed(piece)]
    return found + events.end(), events.too_big


STREAM = (
    "\ufeffdata: first\n\n: ping\n\nevent: named\ndata: あ\r\ndata: two\r\n\r\ndata:nospace\rid: 7\r\r"
    "data\n\nevent: empty\n\n:\ndata:  kept space\nretry: 3\nunknown: x\n\n\n\ndata: last"
).encode()
FOUND = [
    ServerEvent("first"),
    ServerEvent("あ\ntwo", "named"),
    ServerEvent("nospace"),
    ServerEvent(""),
    ServerEvent(" kept space"),
    ServerEvent("last"),
]


def test_whole() -> None:
    assert read([STREAM]) == (FOUND, 0)


def test_split_in_two_at_every_byte() -> None:
    for at in range(len(STREAM) + 1):
        assert read([STREAM[:at], STREAM[at:]]) == (FOUND, 0)


def test_byte_by_byte() -> None:
    assert read([STREAM[at : at + 1] for at in range(len(STREAM))]) == (FOUND, 0)


@given(
    st.lists(st.sampled_from([b"data", b": ", b":", b"a", b"\r", b"\n", b"\r\n", b"\xef\xbb\xbf", b"\xe3", b" "])),
    st.data(),
)
def test_pieces_never_matter(tokens: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(tokens)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert read(pieces) == read([stream])
    assert read(pieces, limit=5) == read([stream], limit=5)


def test_too_big_is_counted_and_left_out() -> None:
    stream = b"data: a\n\ndata: " + b"x" * 50 + b"\ndata: y\n\ndata: b\n\n"
    for size in (1, 7, 1000):
        pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
        assert read(pieces, limit=40) == ([ServerEvent("a"), ServerEvent("b")], 1)


def test_many_comments_are_not_too_big() -> None:
    assert read([b"data: a\n", b": keep alive\n" * 100, b"\n"], limit=40) == ([ServerEvent("a")], 0)


def test_a_long_line_is_read_in_linear_time() -> None:
    events = Events()
    for _ in range(20_000):
        assert events.feed(b"x" * 100) == []
    assert events.feed(b"\n\n") == []


def json_of(stream: bytes) -> tuple[list[dict[str, object]], list[str], bool]:
    events = JsonEvents()
    found = [dict(one) for at in range(len(stream)) for one in events.feed(stream[at : at + 1])]
    found += [dict(one) for one in events.end()]
    return found, events.broken, events.done


@pytest.mark.parametrize(
    ("stream", "found", "broken", "done"),
    [
        (b'data: {"a":1}\n\ndata: [DONE]\n\n', [{"a": 1}], [], True),
        (b'data: {"a":1}\n\ndata:[DONE]', [{"a": 1}], [], True),
        (b'data: {"a":\ndata: 1}\n\n', [{"a": 1}], [], False),
        (b'data: {"a":1}\ndata: {"b":2}\n\n', [{"a": 1}, {"b": 2}], [], False),
        (b'data: {"a":1\n\ndata: {"b":2}\n\n', [{"b": 2}], ['{"a":1'], False),
        (b'data: {"a":1\ndata: {"b":2}\ndata: [DONE]\n\n', [{"b": 2}], ['{"a":1'], True),
        (b'data: [1]\n\ndata: "x"\n\ndata: NaN\n\n', [], ["[1]", '"x"', "NaN"], False),
        (b'data: {"a":1}\n\ndata: {"b":', [{"a": 1}], [], False),
        (b'data: [DONE]\n\ndata: {"a":1}\n\n', [], [], True),
        (b'data:  \n\ndata: {"a":"\xff"}\n\n', [{"a": "\ufffd"}], [], False),
    ],
)
def test_json(stream: bytes, found: list[object], broken: list[str], done: bool) -> None:
    assert json_of(stream) == (found, broken, done)


def test_lost_counts_both_kinds() -> None:
    events = JsonEvents(limit=30)
    assert list(events.feed(b"data: nonsense\n\ndata: " + b"x" * 40 + b"\n\n")) == []
    assert events.lost == 2


def test_parse_object() -> None:
    assert parse_object('{"a": 1}') == {"a": 1}
    for text in ("", "[]", "null", '{"a": Infinity}', '{"a": 1} x', "[" * 100_000, json.dumps(5)):
        assert parse_object(text) is None
