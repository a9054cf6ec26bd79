from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from gitting import git, repository
from scripts import call, make_agent

from agentmem.agent.undertaking import Bounds, Report
from agentmem.agent.work import Shift
from agentmem.domain.cancel import Cancel
from agentmem.domain.event import Answer, Asked, Event, Notice
from agentmem.domain.feature import Feature
from agentmem.domain.places import Places
from agentmem.memory.memory import FeatureList, lessons

HANDOFF = "# Progress\n## Goal\nmake files\n## Next\nmake the next file\n# Brief\ngo on"
READ = "## Goal\nmake files\n## Next\nmake the next file"


@pytest.fixture
def root(places: Places) -> Path:
    return repository(places.root)


def listed(places: Places, *checks: str) -> None:
    from agentmem.domain.clock import Clock

    FeatureList(places, Clock()).add([Feature("", f"file {n}", check) for n, check in enumerate(checks, 1)])


def session(command: str, said: str = "made it") -> list[dict[str, Any]]:
    """The replies of one session that passes or fails, with its reset."""
    return [
        {"tool_calls": [call("bash", command=command)]},
        {"text": said},
        {"text": HANDOFF},
        {"text": READ},
    ]


def shift(places: Places, script: Sequence[dict[str, Any]], goal: str = "make files", **bounds: Any) -> Shift:
    return Shift(make_agent(places, script), goal, Bounds(**bounds), Cancel(), Report())


def run(of: Shift, answer: Answer | None = None) -> list[Event]:
    events: list[Event] = []
    turn = of.run()
    said: Answer | None = None
    while True:
        try:
            event = turn.send(said)
        except StopIteration:
            return events
        events.append(event)
        said = answer if isinstance(event, Asked) else None


def passes(places: Places) -> list[bool]:
    return [item["passes"] for item in json.loads((places.own / "handoff" / "features.json").read_text())]


def test_one_feature_a_session_each_verified_committed_and_handed_on(places: Places, root: Path) -> None:
    listed(places, "test -f a", "test -f b")
    work = shift(places, [*session("touch a"), *session("touch b")])
    run(work)
    assert (work.report.stop, work.report.passed, work.report.sessions) == ("done", ["F1", "F2"], 2)
    assert passes(places) == [True, True]
    assert git(root, "log", "--format=%an %s", "main..").split("\n") == ["Person file 2", "Person file 1"]
    assert git(root, "branch", "--show-current") == "agentmem/make-files"
    assert git(root, "log", "-1", "--format=%(trailers:key=Feature,valueonly)") == "F2"
    assert git(root, "status", "--porcelain", "--", ".", ":(exclude).agent") == ""
    assert git(root, "ls-files", ".agent") == ""


def test_stale_evidence_is_made_anew_without_a_session(places: Places, root: Path) -> None:
    listed(places, "test -f a")
    run(shift(places, session("touch a")))
    (root / "a").write_text("changed")
    git(root, "commit", "-qam", "by hand")
    again = shift(places, [])
    run(again)
    assert (again.report.stop, again.report.sessions) == ("done", 0)


def test_memory_does_not_make_a_tree_dirty_and_is_never_staged(places: Places, root: Path) -> None:
    listed(places, "test -f a")
    (root / "MEMORY.md").write_text("- one\n")
    (root / "memory").mkdir()
    (root / "memory" / "2026-11-30.md").write_text("x\n")
    run(shift(places, session("touch a")))
    assert git(root, "show", "--stat", "--format=", "HEAD").split("|")[0].strip() == "a"


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


@pytest.mark.parametrize(
    ("bounds", "why"),
    [({"sessions": 1}, "1 sessions were run"), ({"seconds": 0.0}, "0 s are over")],
)
def test_a_limit_ends_it(bounds: dict[str, Any], why: str, places: Places, root: Path) -> None:
    listed(places, "test -f a", "test -f b")
    work = shift(places, session("touch a"), **bounds)
    run(work)
    assert (work.report.stop, work.report.why) == ("limit", why)


def test_a_stop_after_the_step_keeps_what_was_begun_and_goes_on_later(places: Places, root: Path) -> None:
    listed(places, "test -f a && test -f b")
    work = shift(places, session("touch a"))
    work.agent.halt.cancel()
    run(work)
    assert (work.report.stop, passes(places)) == ("interrupted", [False])
    assert (root / "a").exists()
    again = shift(places, session("touch b"))
    run(again)
    assert (again.report.passed, again.report.stop) == (["F1"], "done")
    assert git(root, "show", "--stat", "--format=", "HEAD").count("|") == 2


def test_a_model_that_fails_ends_it_and_keeps_the_tree(places: Places, root: Path) -> None:
    listed(places, "test -f a")
    work = shift(places, [{"error": "401 no key", "text": ""}])
    run(work)
    assert work.report.stop == "model_error"
    assert git(root, "status", "--porcelain", "--", ".", ":(exclude).agent") == ""


def test_a_handoff_that_says_nothing_is_made_by_rule(places: Places, root: Path) -> None:
    listed(places, "test -f a", "test -f b")
    first = [{"tool_calls": [call("bash", command="touch a")]}, {"text": "made"}, {"text": "no sections at all"}]
    work = shift(places, [*first, *session("touch b")])
    events = run(work)
    assert work.report.passed == ["F1", "F2"]
    assert Notice("info", "the handoff is made by rule from the log") in events


def test_a_feature_without_a_check_is_named_and_passed_over(places: Places, root: Path) -> None:
    listed(places, "", "test -f b")
    work = shift(places, session("touch b"))
    run(work)
    assert (work.report.stop, work.report.why, work.report.passed) == ("stuck", "F1 has no check", ["F2"])


def test_passed_and_not_committed_is_committed_first(places: Places, root: Path) -> None:
    """What a kill between the flag and the commit leaves behind."""
    from agentmem.agent.verify import Verifier
    from agentmem.domain.clock import Clock
    from agentmem.memory.memory import write_job

    listed(places, "test -f a", "test -f b")
    git(root, "switch", "-qc", "agentmem/make-files")
    head = git(root, "rev-parse", "HEAD")
    write_job(
        places, {"goal": "make files", "branch": "agentmem/make-files", "feature": "F1", "head": head, "session": "s"}
    )
    (root / "a").touch()
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(places.home)}
    Verifier(places, Clock(), env, Cancel(), about=("a",)).verify("F1")
    work = shift(places, session("touch b"))
    run(work)
    assert (work.report.passed, work.report.stop) == (["F1", "F2"], "done")
    assert git(root, "log", "--format=%s", "main..").split("\n") == ["file 2", "file 1"]


def test_it_works_before_the_first_commit(places: Places) -> None:
    git(places.root, "init", "-q", "-b", "main")
    git(places.root, "config", "user.name", "Person")
    git(places.root, "config", "user.email", "person@example.org")
    listed(places, "test -f never", "test -f b")
    work = shift(places, [*session("touch a"), *session("touch b")], failures=1)
    run(work)
    assert (work.report.aside, work.report.passed) == (["F1"], ["F2"])
    assert git(places.root, "log", "--format=%s").split("\n") == ["file 2", "Begin"]


def test_a_lesson_keeps_no_secret(places: Places, root: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    listed(places, f"echo {token}; false")
    run(shift(places, session("true", f"used {token}"), sessions=1))
    kept = (places.own / "handoff" / "attempts.jsonl").read_text()
    assert token not in kept and "[redacted: " in kept
