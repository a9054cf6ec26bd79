from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from verifying import ENV, begun, items, path_of, verifier_in

from agentmem.agent.verify import Verified, Verifier
from agentmem.domain.cancel import Cancel
from agentmem.domain.feature import Feature
from agentmem.memory.memory import FeatureTaken, ListUnreadable


@pytest.fixture
def verifier(tmp_path: Path) -> Verifier:
    return verifier_in(tmp_path)


def test_a_check_that_ends_with_0_proves_a_feature(verifier: Verifier) -> None:
    begun(verifier, Feature("", "a", "test -f done.txt"), Feature("", "b", "false"))
    first = verifier.verify("F1")
    assert (first.outcome, first.exit, first.feature.passes) == ("failed", 1, False)
    (verifier.places.root / "done.txt").write_text("x")
    done = verifier.verify("f1")
    assert (done.outcome, done.exit, done.feature.passes) == ("passed", 0, True)
    evidence = done.feature.evidence
    assert evidence is not None
    assert (evidence.command, evidence.exit, list(evidence.covers)) == ("test -f done.txt", 0, ["done.txt"])
    assert [item["passes"] for item in items(verifier)] == [True, False]
    assert verifier.state(done.feature) == "passing"


def test_evidence_goes_stale_with_what_it_covers(verifier: Verifier) -> None:
    begun(verifier, Feature("A", "a", "true", covers=("src",)))
    (verifier.places.root / "src").mkdir()
    (verifier.places.root / "src" / "a.py").write_text("1")
    feature = verifier.verify("A").feature
    (verifier.places.root / "other.py").write_text("1")
    assert (verifier.state(feature), verifier.changed(feature)) == ("passing", ())
    (verifier.places.root / "src" / "a.py").write_text("2")
    (verifier.places.root / "src" / "b.py").write_text("2")
    assert (verifier.state(feature), verifier.changed(feature)) == ("stale", ("src/a.py", "src/b.py"))
    assert verifier.state(verifier.verify("A").feature) == "passing"


def test_a_feature_covers_what_its_own_commits_touched(verifier: Verifier) -> None:
    root = verifier.places.root
    begun(verifier, Feature("F1", "a", "true"))
    for name in ("a.py", "b.py"):
        (root / name).write_text(name)
    identity = ("-c", "user.name=n", "-c", "user.email=e@x")
    for words in (("init", "-q"), ("add", "a.py"), (*identity, "commit", "-qm", "a\n\nFeature: F1"), ("add", "b.py")):
        subprocess.run(("git", *words), cwd=root, check=True)
    subprocess.run(("git", *identity, "commit", "-qm", "b\n\nFeature: F10"), cwd=root, check=True)
    evidence = verifier.verify("F1").feature.evidence
    assert evidence is not None and list(evidence.covers) == ["a.py"]
    head = subprocess.run(("git", "rev-parse", "HEAD"), cwd=root, check=True, capture_output=True, text=True)
    assert evidence.commit == head.stdout.strip()


def test_a_check_that_does_not_end_is_stopped(verifier: Verifier) -> None:
    begun(verifier, Feature("A", "a", "echo begun; sleep 60"))
    done = Verifier(verifier.places, verifier.clock, ENV, Cancel(), limit=0.3).verify("A")
    assert (done.outcome, done.why) == (
        "failed",
        "fails: `echo begun; sleep 60` took longer than 0.3 s and was stopped",
    )
    assert done.tail == "begun"


def test_an_interrupted_check_says_nothing(verifier: Verifier) -> None:
    begun(verifier, Feature("A", "a", "true"))
    verifier.verify("A")
    cancel = Cancel()
    cancel.cancel()
    done = Verifier(verifier.places, verifier.clock, ENV, cancel).verify("A")
    assert (done.outcome, done.feature.passes) == ("nothing", True)


def test_covers_that_name_nothing_prove_nothing(verifier: Verifier) -> None:
    begun(verifier, Feature("A", "a", "true", covers=("src/none.py",)))
    done = verifier.verify("A")
    assert (done.outcome, done.feature.passes) == ("nothing", False)
    assert "`covers` (src/none.py) names no file" in done.why


def test_a_feature_without_a_check_cannot_pass(verifier: Verifier) -> None:
    begun(verifier, Feature("A", "a"))
    assert verifier.verify("A").outcome == "nothing"


def test_output_is_kept_with_its_secrets_aside(verifier: Verifier) -> None:
    token = "ghp_" + "a1B2" * 9
    begun(verifier, Feature("A", "a", f"echo {token}; false"))
    done = verifier.verify("A")
    assert done.output is not None
    kept = (verifier.places.root / done.output).read_text()
    assert kept.startswith("[redacted: ") and token not in kept


@pytest.mark.parametrize(
    ("test", "check", "outcome"),
    [
        ("import app\n\ndef test_a():\n    assert app.a() == 1\n", "python3 -m pytest -q test_a.py", "failed"),
        ("import app, unittest\n", "python3 -m unittest test_a", "failed"),
        ("def test_a():\n    assert True\n", "python3 -m pytest test_a.py", "passed"),
        ("import app\n", "python3 test_a.py", "passed"),  # a script of the person's own ends as it likes
    ],
)
def test_a_program_that_ends_the_run_proves_nothing(verifier: Verifier, test: str, check: str, outcome: str) -> None:
    root = verifier.places.root
    (root / "test_a.py").write_text(test)
    (root / "app.py").write_text("import os\nos._exit(0)\n")
    verifier = replace(verifier, env={**ENV, "PATH": f"{Path(sys.executable).parent}:{ENV['PATH']}"})
    begun(verifier, Feature("A", "a", check))
    done = verifier.verify("A")
    assert (done.outcome, done.exit, done.feature.passes) == (outcome, 0, outcome == "passed")
    assert ("did not say that it ran a test" in done.told()) is (outcome == "failed")


def test_a_check_cannot_change_the_list(verifier: Verifier) -> None:
    drop = "cd .agent && echo '[]' > handoff/features.json && rm confirmed.json"
    begun(verifier, Feature("A", "a", drop), Feature("B", "b", "true"))
    done = verifier.verify("A")
    assert [item["passes"] for item in items(verifier)] == [True, False]
    assert "changed .agent/handoff/features.json, .agent/confirmed.json; it was put back" in done.tail
    assert verifier.desk.settle().edited == ()


def test_output_lies_in_its_folder_whatever_the_id(verifier: Verifier) -> None:
    begun(verifier, Feature("../../../x/Ä y", "a", "true"), Feature("n" * 80, "b", "true"))
    done = [verifier.verify("../../../x/Ä y"), verifier.verify("n" * 80)]
    folders = [Path(one.output).parent for one in done if one.output]
    assert folders == [Path(".agent/offload/features")] * 2


def test_what_stands_around_a_list_stays(verifier: Verifier) -> None:
    path_of(verifier).parent.mkdir(parents=True)
    path_of(verifier).write_text('{"project": "p", "features": [{"id": "A", "description": "x", "check": "true"}]}')
    assert verifier.verify("A").outcome == "passed"
    kept = json.loads(path_of(verifier).read_text())
    assert (kept["project"], kept["features"][0]["passes"]) == ("p", True)


@pytest.mark.parametrize("own", ["a\nb", " a", "x" * 81, "a\x1b"])
def test_an_id_is_one_short_line(own: str, verifier: Verifier) -> None:
    with pytest.raises(ListUnreadable, match="an `id` is one line"):
        verifier.desk.add([Feature(own, "a")])


def test_a_flag_without_evidence_is_mended_and_a_hand_edit_taken(verifier: Verifier) -> None:
    begun(verifier, Feature("A", "a", "true"))
    verifier.verify("A")
    found = items(verifier)
    found[0]["description"] = "another"
    found.append({"id": "B", "description": "b", "passes": True, "owner": "me"})
    path_of(verifier).write_text(json.dumps(found))
    settled = verifier.desk.settle()
    assert settled.mended == ("A", "B")
    assert settled.edited == ("B was added", "A was changed")
    assert [(item["passes"], item.get("owner")) for item in items(verifier)] == [(False, None), (False, "me")]
    again = verifier.desk.settle()
    assert (again.mended, again.edited) == ((), ())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[{", "is no JSON"),
        ('{"a": 1}', "is no list of features"),
        ('[{"description": "x"}]', "an item has no `id`"),
        ('[{"id": 1, "description": "x"}]', "an `id` is a text: '1'"),
        ('[{"id": "A", "description": "\\ud800"}]', "half a character"),
        ('[{"id": "A"}]', "A: `description` is missing"),
        ('[{"id": "A", "description": "x", "steps": "one"}]', "A: `steps` is a list of texts"),
        ('[{"id": "A", "description": "x"}, {"id": "A", "description": "y"}]', "two features A"),
    ],
)
def test_a_list_that_cannot_be_read_is_told_and_left_alone(text: str, told: str, verifier: Verifier) -> None:
    path_of(verifier).parent.mkdir(parents=True)
    path_of(verifier).write_text(text)
    with pytest.raises(ListUnreadable, match=told):
        verifier.verify("A")
    with pytest.raises(ListUnreadable, match=told):
        verifier.desk.settle()
    assert path_of(verifier).read_text() == text


def test_an_id_is_given_once(verifier: Verifier) -> None:
    begun(verifier, Feature("F2", "a"), Feature("", "b"), Feature("", "c"))
    assert [item["id"] for item in items(verifier)] == ["F2", "F1", "F3"]
    with pytest.raises(FeatureTaken, match="there is a feature F1 already"):
        verifier.desk.add([Feature("F1", "again")])
    assert len(items(verifier)) == 3


def test_what_came_of_it_is_told_in_lines() -> None:
    done = Verified(Feature("A", "a", "make"), "failed", "fails: `make` ended with 2", 2, 0.1, "boom", "o.txt")
    assert done.told() == "A: fails: `make` ended with 2\nboom\n[all it printed is in o.txt]"
    assert done.told(tail=False) == "A: fails: `make` ended with 2\n[all it printed is in o.txt]"
