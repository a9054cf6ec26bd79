"""Bodies at the tail: a skill entry is a message of the harness, and the newest bodies outlive a compaction."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry
from agentmem.domain.message import Message, Text, ToolCall
from agentmem.domain.places import Places
from agentmem.domain.skill import Disclosed
from agentmem.domain.tool import ToolResult
from agentmem.memory import memory
from agentmem.memory.read import invoked
from agentmem.memory.read.replay import Replay
from agentmem.memory.write.record import Scribe


def entry(name: str, body: str, own: str = "") -> Entry:
    made = Scribe(Clock()).skill(None, Disclosed(name, f"/s/{name}/SKILL.md", "00", body, "asked"))
    return Entry(made.type, own or made.id, None, made.at, made.body)


def test_a_body_joins_what_the_person_said(places: Places) -> None:
    session = memory.new_session(places, Clock(now=lambda: 0), "0")
    session.begin_epoch((), 100_000)
    session.record_user([Text("commit this", "person")])
    session.record_skill(Disclosed("commit", "/s/SKILL.md", "ab", "Look first.", "trigger", "commit this", "M a.py"))
    (message,) = session.prompt().messages
    assert message == Message(
        "user",
        (
            Text("commit this", "person"),
            Text("[Today is 1970-01-01.]", "harness"),
            Text("Look first.", "harness"),
            Text("M a.py", "tool"),
        ),
    )
    session.sync()
    session.close()
    told = memory.read_session(places, session.id).entries[-1]
    assert (told.type, told.body["name"], told.body["path"], told.body["sha256"], told.body["why"]) == (
        "skill",
        "commit",
        "/s/SKILL.md",
        "ab",
        {"rule": "trigger", "by": "commit this"},
    )
    assert memory.resume_session(places, Clock(), session.id).prompt is not None


def test_a_body_that_was_asked_for_joins_the_results() -> None:
    scribe, replay = Scribe(Clock()), Replay()
    replay.add(scribe.user(None, [Text("go", "person")], None))
    call = ToolCall("t1", "skill", {"name": "commit"})
    from agentmem.domain.message import Reply

    replay.add(scribe.reply(None, Reply((call,), "tool_use")))
    replay.add(scribe.result(None, "t1", ToolResult("it follows"), 1))
    replay.add(scribe.skill(None, Disclosed("commit", "/s", "", "Body.", "asked", "", "M a.py")))
    *_, last = replay.messages()
    assert last == Message("tool", (Text("it follows", "tool"), Text("Body.", "harness"), Text("M a.py", "tool")), "t1")


def test_the_last_body_of_each_skill_is_kept_in_its_order() -> None:
    entries = [entry("a", "1", "a1"), entry("b", "2", "b1"), Entry("label", "l", None, ""), entry("a", "3", "a2")]
    assert [one.id for one in invoked.kept(entries)] == ["b1", "a2"]
    assert invoked.kept([]) == ()


def test_a_long_body_is_cut_and_says_where_the_rest_is() -> None:
    long = entry("a", "<skill-body>\n" + "é" * 20_000 + "\n</skill-body>")
    text = invoked.carried(long)
    assert len(text.encode()) <= 20_000 and text.startswith("<skill-body>\né")
    assert text.endswith("é\n[the rest of this skill is left out here: read /s/a/SKILL.md]\n</skill-body>")
    short = entry("a", "x" * 20_000)
    assert invoked.carried(short) == "x" * 20_000


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(1, 40_000)), max_size=12))
def test_what_is_kept_fits_and_is_the_newest(sizes: list[tuple[str, int]]) -> None:
    entries = [entry(name, "x" * size, str(number)) for number, (name, size) in enumerate(sizes)]
    kept = [int(one.id) for one in invoked.kept(entries)]
    tokens = [-(-len(invoked.carried(entries[number])) // 4) for number in kept]
    assert sum(tokens) <= 25_000 and max(tokens, default=0) <= 5_000
    assert kept == sorted(kept)
    last = sorted({name: number for number, (name, _) in enumerate(sizes)}.values())
    assert kept == last[len(last) - len(kept) :]
    if len(kept) < len(last):
        following = -(-len(invoked.carried(entries[last[-len(kept) - 1]])) // 4)
        assert sum(tokens) + following > 25_000
