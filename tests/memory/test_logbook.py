from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from memory.remembered import message

from agentmem.domain.entry import Entry
from agentmem.domain.message import Text
from agentmem.memory.read.recall import logbook
from agentmem.memory.read.recall.logbook import Batch
from agentmem.memory.read.recall.passages import PERSON, Record

WORDS = st.text(alphabet='ab \n"\\é検\ud83d', max_size=6)
ODD = st.one_of(st.none(), st.integers(0, 3), st.lists(st.integers(), max_size=2), st.just({}), WORDS)
ORIGINS = st.one_of(st.sampled_from(["person", "stdin", "file", "harness", "agent", "tool", "import"]), ODD)
PARTS = st.one_of(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "thinking", "image", "tool_call"])},
        optional={"text": st.one_of(WORDS, ODD), "origin": ORIGINS},
    ),
    ODD,
)
MESSAGES = st.fixed_dictionaries(
    {"type": st.just("message"), "id": WORDS, "role": st.one_of(st.sampled_from(["user", "assistant", "tool"]), ODD)},
    optional={"content": st.one_of(st.lists(PARTS, max_size=4), ODD), "origin": ORIGINS, "notice": st.booleans()},
)
ROOTED = {"person", "stdin", "import", "agent", "tool"}


def line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


@given(MESSAGES)
def test_what_is_found_is_what_the_entry_s_message_says(value: dict[str, Any]) -> None:
    from agentmem.memory.stores import lines

    (parsed,), _ = lines.parse(line(value))
    message = Entry("message", "", None, "", parsed).message()
    parts = message.parts if message is not None and value.get("notice") is not True else ()
    said = "\n".join(part.text for part in parts if isinstance(part, Text) and part.origin in ROOTED)
    found = logbook.read(line(value), 0).records
    assert [record.text for record in found if record.text.strip()] == ([said] if said.strip() else [])


@given(st.lists(MESSAGES, max_size=5), st.integers(0, 1 << 40))
def test_a_record_lies_where_its_line_does(values: list[dict[str, Any]], start: int) -> None:
    data = b"".join(map(line, values))
    for record in logbook.read(data, start).records:
        there = data[record.place - start : record.place - start + record.size]
        assert logbook.record_in(there, record.ref) == record._replace(place=0)


def test_lines_that_say_nothing_are_passed_over_unread() -> None:
    call = b'{"type":"call","id":"c1","usage":{}}\n'
    nested = b'{"type":"call","id":"c2","of":{"type":"message","id":"m0","role":"user","content":"no"}}\n'
    said = line({"type": "message", "id": "m1", "at": "2026-11-30", "role": "user", "name": "Ann", "content": "yes"})
    found = logbook.read(call + nested + said, 0)
    place = len(call + nested)
    assert found == Batch([Record("m1", "2026-11-30", PERSON, "yes", place, len(said) - 1, "Ann")])


def test_what_was_handed_to_a_tool_is_found_however_deep_it_is() -> None:
    deep: Any = "end"
    for _ in range(300):
        deep = [deep]
    call = {"type": "tool_call", "id": "t", "name": "write", "arguments": {"path": "a.py", "deep": deep}}
    (record,) = logbook.read(line({"type": "message", "id": "m1", "role": "assistant", "content": [call]}), 0).records
    assert record.called.startswith("write a.py [[[") and len(record.called) == logbook.CALL


def test_what_a_search_gave_is_no_record() -> None:
    given = [
        message("m1", "<recalled-memory>\nFrom memory, …\n- fact f1\n  > the gateway\n</recalled-memory>", "tool"),
        message("m2", "the tool named <recalled-memory>\nin a line", "tool"),
        message("m3", "<recalled-memory>\nis what I asked about", "user"),
    ]
    data = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in given).encode()
    assert [record.ref for record in logbook.read(data, 0).records] == ["m2", "m3"]
