"""`agentmem features`, `reset` and `work`, each in a process of its own."""

from __future__ import annotations

import json
import subprocess

import pytest
from commanding import run

from agentmem.domain.places import Places

HANDOFF = "# Progress\n## Goal\nmake files\n## Next\nmake b\n# Brief\ngo on"
READ = "## Goal\nmake files\n## Next\nmake b"


def script(places: Places, *replies: dict[str, object]) -> str:
    file = places.home / "script.jsonl"
    file.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    return f"scripted:{file}"


def bash(command: str) -> dict[str, object]:
    return {"tool_calls": [{"name": "bash", "arguments": {"command": command}}]}


@pytest.fixture
def repository(places: Places) -> Places:
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Person"),
        ("config", "user.email", "p@example.org"),
        ("commit", "-q", "--allow-empty", "-m", "first"),
    ):
        subprocess.run(("git", *words), cwd=places.root, check=True)
    return places


def test_features_are_added_listed_and_verified(places: Places) -> None:
    assert "no features yet" in run(places, "features").stdout
    assert (
        run(places, "features", "add", "file a", "--check", "test -f a", "--cover", "a").stdout == "added F1: file a\n"
    )
    told = run(places, "features", "add", "look at it")
    assert (told.stdout, "it has no check" in told.stderr) == ("added F2: look at it\n", True)
    failed = run(places, "features", "verify", "F1")
    assert (failed.returncode, failed.stdout.split("\n")[0]) == (1, "F1: fails: `test -f a` ended with 1")
    (places.root / "a").touch()
    passed = json.loads(run(places, "features", "verify", "F1", "--json").stdout)
    assert [(one["id"], one["outcome"], one["passes"]) for one in passed] == [("F1", "passed", True)]
    (places.root / "a").write_text("x")
    listed = json.loads(run(places, "features", "list", "--json").stdout)
    assert (listed["passing"], listed["total"]) == (0, 2)
    assert [(one["state"], one["changed"]) for one in listed["features"]] == [("stale", ["a"]), ("failing", [])]
    shown = run(places, "features").stdout.split("\n")
    assert shown[0].endswith("0 of 2 pass") and "stale" in shown[1] and "(no check)" in shown[2]
    assert run(places, "features", "verify", "--stale").returncode == 0


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("features", "add", " "), 2, "it is empty"),
        (("features", "add", "x", "--cover", "a["), 2, "'a[': a [ is not closed"),
        (("features", "verify", "F9"), 1, "no feature is called 'F9'"),
        (("features", "verify", "F1", "--all"), 2, "name features, or take --all or --stale"),
        (("work",), 2, "there is no feature list to work on; add some: agentmem features add"),
        (("work", "a goal"), 2, "there is no feature list to work on"),
        (("work", "--permission", "most"), 2, "one of plan, ask, edits, auto, full"),
        (("reset",), 1, "there is no session to continue"),
        (("reset", "nothing"), 1, "there is no session 'nothing'"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(words: tuple[str, ...], code: int, told: str, places: Places) -> None:
    ran = run(places, *words)
    assert (ran.returncode, ran.stdout) == (code, "")
    assert told in ran.stderr and "Traceback" not in ran.stderr


@pytest.mark.parametrize("words", [("features", "add", "x"), ("features", "verify"), ("work", "x")])
def test_an_agent_may_not(words: tuple[str, ...], places: Places) -> None:
    assert run(places, *words, AGENTMEM_AGENT="1").returncode == 3


def test_work_from_the_command_line(repository: Places) -> None:
    places = repository
    run(places, "features", "add", "file a", "--check", "test -f a")
    model = script(places, bash("touch a"), {"text": "made a"}, {"text": HANDOFF}, {"text": READ})
    ran = run(places, "work", "make files", "--model", model, "--permission", "full", "--json")
    assert json.loads(ran.stdout) == {
        "stop": "done", "why": "every feature passes", "sessions": 1, "passed": ["F1"], "aside": [], "cost": None,
    }  # fmt: skip
    again = run(places, "work", "--model", model)
    assert (again.returncode, again.stdout.split("\n")[0]) == (0, "work is done after 0 sessions: every feature passes")


def test_a_session_that_was_reset_goes_on_by_its_files(places: Places) -> None:
    model = script(places, {"text": "made a"})
    run(places, "-p", "make files", "--model", model)
    (first,) = json.loads(run(places, "sessions", "--json").stdout)
    ran = run(places, "reset", "--no-model", "--note", "make b", "--json")
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["reset"], told["from"], told["error"]) == (0, True, first["id"], None)
    model = script(places, {"text": "Goal: make files. Next: make b."})
    assert run(places, "-c", "-p", "go on", "--model", model).stdout == "Goal: make files. Next: make b.\n"
    newest = json.loads(run(places, "sessions", "--json").stdout)[0]
    assert (newest["id"], newest["reset_from"]) == (told["session"], first["id"])


def test_a_reset_without_a_next_step_says_so(places: Places) -> None:
    run(places, "-p", "say hi", "--model", script(places, {"text": "hi"}))
    ran = run(places, "reset", "--no-model", "--json")
    assert (ran.returncode, json.loads(ran.stdout)["reset"]) == (1, False)
    assert "the handoff does not say the next step" in json.loads(ran.stdout)["error"]
