"""One session on one feature: what passes is committed, what does not is learnt from."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitting import git, repository
from scripts import call
from shifts import listed, passes, run, session, shift

from agentmem.domain.event import Asked, Notice
from agentmem.domain.places import Places
from agentmem.memory.memory import lessons


@pytest.fixture
def root(places: Places) -> Path:
    return repository(places.root)


def test_a_failed_attempt_leaves_a_lesson_for_the_next(places: Places, root: Path) -> None:
    listed(places, "cat a && test -f b")
    work = shift(places, [*session("touch a; false", "a is there"), *session("touch b")])
    run(work)
    assert (work.report.stop, work.report.sessions) == ("done", 2)
    learnt = lessons(places, "F1")
    assert "Attempt 1 failed (failed)." in learnt and "It said at the end: a is there" in learnt
    assert "Failed, do not repeat it as it is: `touch a; false`" in learnt
    sent = sorted(places.sessions.glob("*.jsonl"))
    texts = "".join(path.read_text() for path in sent)
    assert "Earlier attempts at it, which did not pass" in texts


def test_after_too_many_failures_a_feature_is_set_aside_and_the_rest_goes_on(places: Places, root: Path) -> None:
    listed(places, "test -f never", "test -f b")
    script = [*session("echo 1 > junk"), *session("echo 2 > junk"), *session("touch b")]
    work = shift(places, script, failures=2)
    run(work)
    assert (work.report.stop, work.report.aside, work.report.passed) == ("stuck", ["F1"], ["F2"])
    assert work.report.why == "F1 is set aside"
    assert not (root / "junk").exists()
    assert "agentmem: F1 set aside after 2 attempts" in git(root, "stash", "list")
    again = shift(places, session("touch never"), again=True)
    run(again)
    assert again.report.passed == ["F1"]


def test_a_weakened_test_is_asked_about_and_counts_as_a_failure_without_an_answer(places: Places, root: Path) -> None:
    (root / "test_a.py").write_text("assert open('a').read() == 'x'\n")
    git(root, "add", "test_a.py")
    git(root, "commit", "-qm", "test")
    listed(places, "python3 test_a.py")
    weak = session("echo 'print()' > test_a.py")
    work = shift(places, weak, sessions=1)
    events = run(work)
    asked = [event for event in events if isinstance(event, Asked)]
    assert len(asked) == 1 and "test_a.py: lost or changed lines" in asked[0].reason
    assert (work.report.stop, passes(places)) == ("limit", [False])
    assert "test_a.py: lost or changed lines" in lessons(places, "F1")
    accepted = shift(places, session("true"), sessions=1)
    run(accepted, answer="yes")
    assert accepted.report.passed == ["F1"]


def test_a_hook_that_refuses_the_commit_is_a_lesson(places: Places, root: Path) -> None:
    hook = root / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\ntest -f linted || { echo 'run the linter first' >&2; exit 1; }\n")
    hook.chmod(0o755)
    listed(places, "test -f a")
    work = shift(places, [*session("touch a"), *session("touch linted")])
    run(work)
    assert (work.report.stop, work.report.passed, work.report.sessions) == ("done", ["F1"], 2)
    assert "run the linter first" in lessons(places, "F1")


def test_what_a_hook_leaves_behind_does_not_stop_the_next_run(places: Places, root: Path) -> None:
    hook = root / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\ndate +%N >> stamp\n")
    hook.chmod(0o755)
    listed(places, "test -f a", "test -f b")
    first = shift(places, session("touch a"), sessions=1)
    events = run(first)
    assert Notice("warning", "a hook left changes behind (stamp): the next commit takes them") in events
    second = shift(places, session("touch b"))
    run(second)
    assert second.report.passed == ["F2"]


def test_a_broken_base_is_told_and_mended_first(places: Places, root: Path) -> None:
    listed(places, "test -f a", "test -f b")
    run(shift(places, session("touch a"), sessions=1))
    git(root, "rm", "-q", "a")
    git(root, "commit", "-qm", "a is gone")
    work = shift(places, [*session("touch a"), *session("touch b")])
    run(work)
    assert (work.report.passed, work.report.stop) == (["F1", "F2"], "done")


def test_a_handoff_that_says_nothing_is_made_by_rule(places: Places, root: Path) -> None:
    listed(places, "test -f a", "test -f b")
    first = [{"tool_calls": [call("bash", command="touch a")]}, {"text": "made"}, {"text": "no sections at all"}]
    work = shift(places, [*first, *session("touch b")])
    events = run(work)
    assert work.report.passed == ["F1", "F2"]
    assert Notice("info", "the handoff is made by rule from the log") in events


def test_a_lesson_keeps_no_secret(places: Places, root: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    listed(places, f"echo {token}; false")
    run(shift(places, session("true", f"used {token}"), sessions=1))
    kept = (places.own / "handoff" / "attempts.jsonl").read_text()
    assert token not in kept and "[redacted: " in kept
