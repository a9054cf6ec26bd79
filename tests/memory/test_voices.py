"""Who each text of a span comes from."""

from __future__ import annotations

from spans import Talk

from agentmem.memory.read.deeds import deeds
from agentmem.memory.read.voices import Said, strings, voices


def heard(talk: Talk) -> list[Said]:
    messages = [entry.message() for entry in talk.entries]
    return list(voices(talk.entries, messages, deeds(talk.entries, messages)))


def test_who_says_what() -> None:
    talk = (
        Talk().user("do it").user("[rules]", "file").user("[time]", notice=True).edit("a.py").edit("b.py", error=True)
    )
    talk.bash("make").bash("make x", exit=1).agent("done").add("call", epoch="0")
    assert heard(talk) == [
        Said(0, "user", "do it"),
        Said(1, "told", "[rules]"),
        Said(2, "told", "[time]"),
        Said(3, "wrote", "a.py"),
        Said(3, "tried", "a"),
        Said(3, "tried", "b"),
        Said(4, "output", "ok"),
        Said(5, "tried", "b.py"),
        Said(5, "tried", "a"),
        Said(5, "tried", "b"),
        Said(6, "output", "ok"),
        Said(7, "ran", "make"),
        Said(8, "output", "[no output]"),
        Said(9, "tried", "make x"),
        Said(10, "output", "[no output]"),
        Said(11, "agent", "done"),
    ]


def test_thoughts_pictures_and_broken_calls() -> None:
    content = [
        {"type": "thinking", "text": "a thought"},
        {"type": "image", "media_type": "image/png", "data": "AAAA"},
        {"type": "tool_call", "id": "t", "name": "edit", "raw": "{not json"},
    ]
    talk = Talk().add("message", role="assistant", content=content)
    assert heard(talk) == [Said(0, "thought", "a thought"), Said(0, "tried", "{not json")]


def test_texts_of_any_value() -> None:
    deep: object = "x"
    for _ in range(40):
        deep = [deep]
    assert list(strings({"a": ["b", {"c": "d", "e": 1}, None, ""], "f": True})) == ["b", "d"]
    assert list(strings(deep)) == []
