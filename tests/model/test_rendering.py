from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.message import Message, Text
from agentmem.model.callids import CHAT_IDS, CallIds
from agentmem.model.rendering import Group, Renderer, dump, groups, legal_name


def test_dump() -> None:
    assert dump({"a": "é\ud83d\ude00\ud800", "b": [1, 2.5, None]}) == '{"a":"é😀\ufffd","b":[1,2.5,null]}'.encode()
    assert dump({"a": float("nan"), "b": (float("-inf"), {"c": 1.5})}) == b'{"a":null,"b":[null,{"c":1.5}]}'


@given(st.recursive(st.none() | st.floats() | st.text(st.characters(exclude_categories=())), st.lists, max_leaves=8))
def test_dump_is_always_json(value: object) -> None:
    json.loads(dump(value).decode("utf-8"), parse_constant=pytest.fail)


def test_groups() -> None:
    tool, user = Message("tool", (), "a"), Message("user", ())
    assert groups([user, tool, tool, user, tool, user, user]) == [
        (user,),
        (tool, tool),
        (user,),
        (tool,),
        (user,),
        (user,),
    ]


def test_each_message_is_rendered_once_and_what_is_gone_is_let_go() -> None:
    made: list[Group] = []

    def render(group: Group, ids: CallIds) -> bytes:
        made.append(group)
        return ids.legal(group[0].call_id or "").encode()

    renderer = Renderer(render, CHAT_IDS)
    messages = [Message("user", (Text(str(number)),)) for number in range(300)]
    for count in (100, 200, 300, 300):
        renderer.render(messages[:count])
    assert made == [(message,) for message in messages]
    for _ in range(5):
        renderer.render([Message("user", (Text("new"),)) for _ in range(10)])
    assert len(renderer._kept) == 2 * 10 + 64


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
