from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gitting import git, repository
from shifts import listed, passes, run, session, shift

from agentmem.domain.cancel import Cancel
from agentmem.domain.places import Places


@pytest.fixture
def root(places: Places) -> Path:
    return repository(places.root)


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
