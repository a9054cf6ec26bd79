"""What a feature's check rests on: no change of it makes a feature pass that a person has not seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from verifying import ENV, begun, items, path_of, verifier_in

from agentmem.agent.verify import Verifier
from agentmem.domain.feature import Feature


@pytest.fixture
def verifier(tmp_path: Path) -> Verifier:
    return verifier_in(tmp_path)


# What an agent may try to have a feature pass that does not work. Each gets the work tree after the list was made, and
# says by which outcome it is stopped.
Cheat = Callable[[Verifier], None]


def flip(verifier: Verifier) -> None:
    found = items(verifier)
    found[0]["passes"] = True
    path_of(verifier).write_text(json.dumps(found))


def fake_evidence(verifier: Verifier) -> None:
    found = items(verifier)
    evidence = {"command": "x", "exit": 0, "at": "2026-01-01T00:00:00Z", "seconds": 1, "tree": "0", "seal": "ф"}
    found[0].update(passes=True, evidence=evidence)
    path_of(verifier).write_text(json.dumps(found))


def copy_evidence(verifier: Verifier) -> None:
    found = items(verifier)
    verifier.verify("B")
    found[0].update(passes=True, evidence=items(verifier)[1]["evidence"])
    path_of(verifier).write_text(json.dumps(found))


def reword_after(verifier: Verifier) -> None:
    """Evidence of an easier check, kept under the harder text."""
    found = items(verifier)
    hard = found[0]["check"]
    found[0]["check"] = "true"
    path_of(verifier).write_text(json.dumps(found))
    verifier.verify("A")
    found = items(verifier)
    found[0]["check"] = hard
    path_of(verifier).write_text(json.dumps(found))


def change(path: str, text: str) -> Cheat:
    def cheat(verifier: Verifier) -> None:
        (verifier.places.root / path).write_text(text)

    return cheat


def remove(path: str) -> Cheat:
    return lambda verifier: (verifier.places.root / path).unlink()


HARD = "def test_a():\n    import app\n    assert app.a() == 1\n"


@pytest.mark.parametrize(
    ("cheat", "outcome"),
    [
        (flip, "failed"),
        (fake_evidence, "failed"),
        (copy_evidence, "failed"),
        (reword_after, "failed"),
        (remove("tests/test_a.py"), "asks"),
        (change("tests/test_a.py", "def test_a():\n    pass\n"), "asks"),
        (change("tests/test_a.py", HARD.replace("    import app", "    return\n    import app")), "asks"),
        (change("tests/test_a.py", HARD + "\ndef test_a():\n    pass\n"), "asks"),
        (change("tests/test_a.py", "import pytest\npytestmark = pytest.mark.skip\n" + HARD), "asks"),
        (change("tests/conftest.py", "collect_ignore = ['test_a.py']\n"), "asks"),
        (change("conftest.py", "import os\nos._exit(0)\n"), "asks"),
        (change("check.sh", "exit 0\n"), "asks"),
        (remove("check.sh"), "asks"),
        (change("Makefile", "test:\n\ttrue\n"), "asks"),
        (change("GNUmakefile", "test:\n\ttrue\n"), "asks"),
        (change("rules.mk", "SHELL = /bin/true\n"), "asks"),
        (change("pytest.ini", "[pytest]\npython_files = other_*.py\n"), "asks"),
        (change("pytest.py", "import sys\nsys.exit(0)\n"), "asks"),
        (change("bin/grep", "#!/bin/sh\n"), "asks"),
        (change(".agent/confirmed.json", '{"features": [], "guards": {}}'), "asks"),
        (change(".agent/confirmed.json", "no JSON"), "asks"),
        (change("tests/test_more.py", "def test_more():\n    assert True\n"), "failed"),
    ],
)
def test_no_cheat_makes_a_feature_pass(cheat: Cheat, outcome: str, verifier: Verifier) -> None:
    root = verifier.places.root
    (root / "tests").mkdir()
    (root / "tests" / "test_a.py").write_text(HARD)
    (root / "check.sh").write_text("make -s test\n")
    (root / "Makefile").write_text("test:\n\tgrep -q 'def a' app.py\ninclude rules.mk\n")
    (root / "rules.mk").write_text("SHELL = /bin/sh\n")
    (root / "bin").mkdir()
    (root / "bin" / "grep").write_text("#!/bin/sh\nexec /usr/bin/grep\n")
    (root / "bin" / "grep").chmod(0o755)
    verifier = replace(verifier, env={**ENV, "PATH": f"{root / 'bin'}:{ENV['PATH']}"})
    begun(verifier, Feature("A", "a", "bash check.sh && grep ."), Feature("B", "b", "true"))
    cheat(verifier)
    assert [one.id for one in verifier.desk.read().features if one.passes] in ([], ["B"])
    done = verifier.verify("A")
    assert (done.outcome, done.feature.passes) == (outcome, False)
    assert items(verifier)[0]["passes"] is False
    if outcome == "asks":
        assert "agentmem features verify A --accept" in done.told()


def test_what_a_person_accepts_is_not_asked_about_again(verifier: Verifier) -> None:
    root = verifier.places.root
    (root / "test_a.py").write_text("assert 1 == 2\n")
    begun(verifier, Feature("A", "a", "python3 test_a.py"))
    (root / "test_a.py").write_text("assert 1 == 1\n")
    assert verifier.verify("A").outcome == "asks"
    assert verifier.verify("A", accept=True).outcome == "passed"
    assert verifier.verify("A").outcome == "passed"
    (root / "test_a.py").unlink()
    assert verifier.verify("A").outcome == "asks"
    assert verifier.verify("A", accept=True).outcome == "failed"


def test_a_test_written_on_the_way_may_not_become_weaker_later(verifier: Verifier) -> None:
    root = verifier.places.root
    begun(verifier, Feature("A", "a", "python3 test_a.py"))
    (root / "test_a.py").write_text("assert 1 == 1\n")
    assert verifier.verify("A").outcome == "passed"
    (root / "test_a.py").write_text("print()\n")
    assert verifier.verify("A").outcome == "asks"


def test_what_a_person_has_to_see_is_not_accepted_by_beginning_again(verifier: Verifier) -> None:
    root = verifier.places.root
    (root / "test_a.py").write_text("assert 1 == 2\n")
    begun(verifier, Feature("A", "a", "python3 test_a.py"))
    (root / "conftest.py").write_text("import os\nos._exit(0)\n")
    (root / "test_b.py").write_text("assert 1 == 2\n")
    assert verifier.verify("A").outcome == "asks"
    verifier.desk.add([Feature("B", "b", "true")])
    verifier.guards.begin()
    assert verifier.verify("A").outcome == "asks"
    assert sorted(verifier.desk.guards()) == ["test_a.py", "test_b.py"]
    assert verifier.verify("A", accept=True).outcome == "failed"
    assert sorted(verifier.desk.guards()) == ["conftest.py", "test_a.py", "test_b.py"]


def test_what_was_accepted_is_known_again_once_a_person_accepts(verifier: Verifier) -> None:
    begun(verifier, Feature("A", "a", "true"))
    (verifier.places.own / "confirmed.json").write_text("{}")
    verifier.guards.begin()
    verifier.desk.add([Feature("B", "b", "true")])
    done = verifier.verify("A")
    assert [one.path for one in done.weaker] == [".agent/confirmed.json"]
    assert verifier.verify("A", accept=True).outcome == "passed"
    assert verifier.verify("B").outcome == "passed"


def test_a_program_that_its_check_runs_may_be_worked_on(verifier: Verifier) -> None:
    app = verifier.places.root / "app.py"
    begun(verifier, Feature("A", "a", "python3 app.py"), Feature("B", "b", "python3 app.py"))
    for text in ("assert 1 == 1\n", "print(1)\n"):
        app.write_text(text)
        verifier.guards.begin()
        assert [verifier.verify(own).outcome for own in "AB"] == ["passed", "passed"]


def test_a_program_that_was_there_before_is_the_persons_word(verifier: Verifier) -> None:
    app = verifier.places.root / "app.py"
    app.write_text("assert 1 == 2\n")
    begun(verifier, Feature("A", "a", "python3 app.py"), Feature("B", "b", "python3 app.py", covers=("app.py",)))
    app.write_text("assert 1 == 1\n")
    asked = verifier.verify("A")
    assert asked.outcome == "asks" and "belongs in its `covers`" in asked.told()
    assert verifier.verify("B").outcome == "passed"


def test_a_test_that_changes_while_the_check_runs_proves_nothing(verifier: Verifier) -> None:
    test = verifier.places.root / "test_a.py"
    test.write_text("assert 1 == 2\n")
    begun(verifier, Feature("A", "a", "echo > test_a.py; python3 test_a.py"))
    done = verifier.verify("A")
    assert (done.outcome, done.feature.passes) == ("asks", False)
    assert done.why.startswith("proves nothing: what its check rests on changed while it ran")
    assert verifier.verify("A").outcome == "asks"
