from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.message import Message, Text
from agentmem.model.callids import CHAT_IDS, CallIds
from agentmem.model.rendering import Group, Renderer, body_of, dump, legal_name


def test_dump() -> None:
    assert dump({"a": "é\ud83d\ude00\ud800", "b": [1, 2.5, None]}) == '{"a":"é😀\ufffd","b":[1,2.5,null]}'.encode()
    assert dump({"a": float("nan"), "b": (float("-inf"), {"c": 1.5})}) == b'{"a":null,"b":[null,{"c":1.5}]}'


@given(st.recursive(st.none() | st.floats() | st.text(st.characters(exclude_categories=())), st.lists, max_leaves=8))
def test_dump_is_always_json(value: object) -> None:
    json.loads(dump(value).decode("utf-8"), parse_constant=pytest.fail)


def named(group: Group, ids: CallIds) -> bytes:
    return "+".join(ids.legal(message.call_id or "") for message in group).encode()


def test_tool_results_side_by_side_are_one_group() -> None:
    tool, user = Message("tool", (), "a"), Message("user", ())
    rendered = Renderer(named, CHAT_IDS).render([user, tool, tool, user, tool, user, user])
    assert [group for group, _ in rendered] == [(user,), (tool, tool), (user,), (tool,), (user,), (user,)]


def test_each_message_is_rendered_once_while_a_conversation_grows() -> None:
    made: list[Group] = []

    def render(group: Group, ids: CallIds) -> bytes:
        made.append(group)
        return b""

    renderer = Renderer(render, CHAT_IDS)
    messages = [Message("user", (Text(str(number)),)) for number in range(300)]
    for count in (100, 200, 300, 300):
        renderer.render(messages[:count])
    assert made == [(message,) for message in messages]


MESSAGES = [
    Message(role, (), call_id)
    for role, call_id in [("user", None), ("tool", "a"), ("tool", "b|c"), ("tool", "a"), ("user", None), ("tool", "é")]
]


@given(st.lists(st.lists(st.integers(0, len(MESSAGES) - 1), max_size=12), max_size=8))
def test_what_was_rendered_before_never_shows(rounds: list[list[int]]) -> None:
    renderer = Renderer(named, CHAT_IDS)
    for numbers in rounds:
        messages = [MESSAGES[number] for number in numbers]
        assert renderer.render(messages) == Renderer(named, CHAT_IDS).render(messages)


def test_a_kept_rendering_is_not_used_when_its_id_was_taken_by_another() -> None:
    renderer = Renderer(lambda group, ids: ids.legal(group[0].call_id or "").encode(), CHAT_IDS)
    thief = CallIds(CHAT_IDS).legal("odd|id")
    odd, stolen = Message("tool", (), "odd|id"), Message("tool", (), thief)
    user = Message("user", ())
    assert renderer.render([odd])[0][1] == thief.encode()
    assert renderer.render([stolen, user, odd])[2][1] not in (thief.encode(), b"odd|id")
    assert renderer.render([odd])[0][1] == thief.encode()


@pytest.mark.parametrize(
    ("name", "legal"), [("read", "read"), ("a.b c", "a_b_c"), ("", "unknown"), ("x" * 99, "x" * 64)]
)
def test_legal_names(name: str, legal: str) -> None:
    assert legal_name(name) == legal


@pytest.mark.parametrize(
    ("messages", "body"),
    [
        ([], b'{"a":1,"messages":[]}'),
        ([b"{}"], b'{"a":1,"messages":[{}]}'),
        ([b"{}", b'{"b":2}', b"{}"], b'{"a":1,"messages":[{},{"b":2},{}]}'),
    ],
)
def test_a_body_is_its_head_and_its_messages(messages: list[bytes], body: bytes) -> None:
    given = list(messages)
    assert body_of(b'{"a":1', messages) == body
    assert messages == given
