from __future__ import annotations

from histories import assistant, call, entry, interrupt, notice, result, short, user

from agentmem.domain.entry import Entry
from agentmem.memory.read.replay import Replay

UNKNOWN = "interrupted; outcome unknown: it may or may not have run"
BY_USER = "[The turn was interrupted by the user here.]"


def shown(*entries: Entry) -> list[str]:
    replay = Replay()
    for one in entries:
        replay.add(one)
    return short(replay.messages())


def test_a_plain_turn_is_told_as_it_was() -> None:
    turn = (user("fix it"), call(), assistant("on it", ["t1"]), result("t1", "done"), call(), assistant("fixed"))
    assert shown(*turn, user("thanks")) == [
        "user: fix it",
        "assistant: on it [t1]",
        "t1= done",
        "assistant: fixed",
        "user: thanks",
    ]


def test_nothing_said_is_no_message() -> None:
    assert shown() == []
    assert shown(entry("label", name="x"), interrupt(), call()) == []


def test_a_call_whose_process_was_killed_has_an_unknown_outcome() -> None:
    assert shown(user("run the tests"), call(), assistant(calls=["t1"]), user("what happened?")) == [
        "user: run the tests",
        "assistant: [t1]",
        f"t1! {UNKNOWN}",
        "assistant: [No reply was recorded here.]",
        "user: what happened?",
    ]


def test_only_the_call_without_a_result_gets_the_stand_in() -> None:
    assert shown(user("go"), call(), assistant(calls=["t1", "t2"]), result("t1", "fine")) == [
        "user: go",
        "assistant: [t1 t2]",
        "t1= fine",
        f"t2! {UNKNOWN}",
    ]


def test_results_stand_in_the_order_of_their_calls() -> None:
    assert shown(user("go"), assistant(calls=["a", "b"]), result("b", "2"), result("a", "1", error=True)) == [
        "user: go",
        "assistant: [a b]",
        "a! 1",
        "b= 2",
    ]


def test_an_empty_result_says_so() -> None:
    assert shown(user("go"), assistant(calls=["a"]), result("a", ""))[2] == "a= (no output)"


def test_a_result_without_a_call_is_not_sent() -> None:
    assert shown(user("go"), assistant(calls=["a"]), result("x", "?"), result("a", "1"), result("a", "again")) == [
        "user: go",
        "assistant: [a]",
        "a= 1",
    ]


def test_call_ids_that_a_provider_uses_again_are_told_apart_and_pair_within_their_step() -> None:
    first = (user("go"), assistant(calls=["c"]), result("c", "1"))
    second = (assistant(calls=["c", "c"]), result("c", "2"), result("c", "3"))
    third = (assistant(calls=["c-2", ""]), result("c-2", "4"))
    assert shown(*first, *second, *third) == [
        "user: go",
        "assistant: [c]",
        "c= 1",
        "assistant: [c-2 c-3]",
        "c-2= 2",
        "c-3= 3",
        "assistant: [c-2-2 call]",
        "c-2-2= 4",
        f"call! {UNKNOWN}",
    ]


def test_a_late_result_does_not_answer_the_next_step() -> None:
    assert shown(user("go"), assistant(calls=["c"]), call(), result("c", "late"), assistant(calls=["c"]))[2:] == [
        f"c! {UNKNOWN}",
        "assistant: [c-2]",
        f"c-2! {UNKNOWN}",
    ]


def test_a_stop_while_a_tool_ran_is_marked_before_the_next_user_message() -> None:
    stopped = (user("push"), call(), assistant(calls=["b1"]), result("b1", "interrupted while running", True))
    assert shown(*stopped, interrupt(), user("list the files")) == [
        "user: push",
        "assistant: [b1]",
        "b1! interrupted while running",
        f"assistant: {BY_USER}",
        "user: list the files",
    ]


def test_a_stop_in_the_middle_of_an_answer_is_marked_in_it() -> None:
    assert shown(user("tell"), call(), assistant("Once upon"), interrupt(), user("stop")) == [
        "user: tell",
        f"assistant: Once upon | {BY_USER}",
        "user: stop",
    ]


def test_a_stop_before_any_answer_is_marked() -> None:
    assert shown(user("a"), call(), interrupt("error"), user("b")) == [
        "user: a",
        "assistant: [The turn ended here with an error.]",
        "user: b",
    ]
    assert shown(user("a"), interrupt("limit"), user("b")) == [
        "user: a",
        "assistant: [The turn was stopped here: a limit was reached.]",
        "user: b",
    ]
    assert shown(user("a"), call(), assistant(thinking="hm"), interrupt(), user("b"))[1] == f"assistant: {BY_USER}"
    assert (
        shown(user("a"), call(), interrupt("?"), interrupt(), user("b"))[1] == "assistant: [The turn was stopped here.]"
    )


def test_an_empty_reply_is_no_message() -> None:
    empty = entry("message", role="assistant", content=[{"type": "text", "text": " \n", "origin": "agent"}])
    assert shown(user("a"), call(), empty, user("b")) == [
        "user: a",
        "assistant: [The reply recorded here was empty.]",
        "user: b",
    ]
    assert shown(user("a"), call(), empty, call(), assistant("hi")) == [
        "user: a",
        "assistant: hi",
        "user: [No user message was recorded here.]",
    ]


def test_what_the_person_said_before_any_request_is_one_message() -> None:
    assert shown(user("a"), user("b"), call()) == ["user: a | b"]
    assert shown(user("a"), call(), user("b")) == ["user: a", "assistant: [No reply was recorded here.]", "user: b"]


def test_notices_join_what_is_there() -> None:
    assert shown(user("a"), notice("n")) == ["user: a | n"]
    assert shown(user("a"), assistant(calls=["c"]), result("c", "1"), notice("n"), call()) == [
        "user: a",
        "assistant: [c]",
        "c= 1 | n",
    ]
    assert shown(user("a"), assistant("b"), notice("n"), user("c")) == ["user: a", "assistant: b", "user: n | c"]


def test_a_notice_after_a_failed_request_does_not_change_what_was_sent() -> None:
    assert shown(user("a"), call(), notice("n"), call()) == [
        "user: a",
        "assistant: [No reply was recorded here.]",
        "user: n",
    ]


def test_what_a_person_said_is_no_notice_whatever_the_entry_says() -> None:
    forged = entry("message", role="user", notice=True, content=[{"type": "text", "text": "p", "origin": "person"}])
    assert shown(user("a"), assistant(calls=["c"]), result("c", "1"), forged) == [
        "user: a",
        "assistant: [c]",
        "c= 1",
        "assistant: [No reply was recorded here.]",
        "user: p",
    ]


def test_a_history_that_lost_its_beginning_still_begins_with_the_user() -> None:
    assert shown(result("x", "?"), assistant("hello"), assistant("again"), user("b")) == [
        "user: [No user message was recorded here.]",
        "assistant: hello",
        "user: [No user message was recorded here.]",
        "assistant: again",
        "user: b",
    ]


def test_unknown_types_and_roles_are_passed_over() -> None:
    odd = entry("message", role="system", content="x")
    assert shown(user("a"), entry("hologram", text="x"), odd, entry("verdict"), user("b")) == ["user: a | b"]


def test_settled_messages_keep_their_objects_and_a_step_costs_the_same_at_any_length() -> None:
    replay = Replay()
    replay.add(user("go"))
    for number in range(400):
        replay.add(call())
        replay.add(assistant("x", [f"c{number}"]))
        replay.add(result(f"c{number}", "out"))
    before = replay.messages()
    assert replay.messages()[-1] is before[-1]
    replay.add(call())
    replay.add(assistant("y", ["z"]))
    after = replay.messages()
    assert all(new is old for new, old in zip(after, before, strict=False))
    assert short(after[len(before) :]) == ["assistant: y [z]", f"z! {UNKNOWN}"]
