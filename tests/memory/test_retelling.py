"""A span as the text that a summariser reads, and its chunks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from spans import Talk, work

from agentmem.memory.manage.compact.retelling import chunks, tell


def test_what_is_told_of_each_entry() -> None:
    talk = Talk().user("do it").user("[a notice]", "harness", notice=True).agent("I do").bash("make", "x" * 3_000, 2)
    talk.call("edit", {"path": "a.py", "new": "y" * 2_000}).result("ok").add("interrupt", reason="user").add(
        "call", epoch="0"
    )
    told = [tell(entry) for entry in talk.span]
    assert told[:4] == ["[person]\ndo it", "[harness]\n[a notice]", "[agent]\nI do", '[call bash] {"command": "make"}']
    assert told[4] == "[result: exit 2]\n" + "x" * 800 + "\n[… 1,400 characters left out …]\n" + "x" * 800
    assert told[5].startswith('[call edit] {"path": "a.py", "new": "yyy')
    assert "[… 800 characters left out …]" in told[5]
    assert told[6:] == ["[result: done]\nok", "[the turn was stopped here]", ""]


def test_pictures_and_broken_calls_are_told() -> None:
    content = [
        {"type": "text", "text": " "},
        {"type": "thinking", "text": "a thought"},
        {"type": "image", "media_type": "image/png", "data": "AAAA"},
        {"type": "tool_call", "id": "t", "name": "edit", "raw": "{" * 2_000},
    ]
    [entry] = Talk().add("message", role="assistant", content=content).span
    told = tell(entry)
    assert told.startswith("[an image]\n[call edit] {{{")
    assert "[… 800 characters left out …]" in told


def test_a_span_that_fits_is_one_chunk() -> None:
    span = work().span
    [(entries, text)] = chunks(span, 100_000)
    assert entries == span
    assert text == "\n\n".join(told for entry in span if (told := tell(entry)))


@given(st.lists(st.sampled_from(["user", "agent", "bash", "two"]), min_size=1, max_size=20), st.integers(200, 3_000))
def test_chunks_are_the_span_within_their_size_and_cut_between_steps(kinds: list[str], most: int) -> None:
    talk = Talk()
    for kind in kinds:
        match kind:
            case "user":
                talk.user("some words " * 20)
            case "agent":
                talk.agent("an answer " * 30)
            case "bash":
                talk.bash("make", "line\n" * 200)
            case "two":
                talk.call("read", {"path": "a"}, "a").result("x" * 100, call_id="a").result("y", call_id="b")
    found = chunks(talk.span, most)
    assert tuple(entry for entries, _ in found for entry in entries) == talk.span
    assert all(len(text.encode()) <= most for _, text in found)
    assert all(entries[0].body.get("role") != "tool" for entries, _ in found)
