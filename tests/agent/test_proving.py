"""The feature list while an agent works: only the harness sets a flag, every other hand is refused and told."""

from __future__ import annotations

import json

from scripts import call, make_agent, play, results

from agentmem.agent.verify import Verifier
from agentmem.domain.cancel import Cancel
from agentmem.domain.clock import Clock
from agentmem.domain.feature import Feature
from agentmem.domain.places import Places
from agentmem.memory.memory import FeatureList

LIST = ".agent/handoff/features.json"


def listed(places: Places) -> None:
    FeatureList(places, Clock()).add(
        [Feature("F1", "one", "test -f one"), Feature("F2", "two", "test -f two", steps=("look",))]
    )


def items(places: Places) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((places.root / LIST).read_text())
    return found


def test_h47_only_a_check_that_passes_sets_a_flag(places: Places) -> None:
    listed(places)
    before = (places.root / LIST).read_bytes()
    flipped = before.replace(b'"passes": false', b'"passes": true')
    script = [
        {"tool_calls": [call("read", path=LIST)]},
        {
            "tool_calls": [
                call("edit", path=LIST, edits=[{"old": '"passes": false', "new": '"passes": true', "all": True}])
            ]
        },
        {"tool_calls": [call("write", path=LIST, content=flipped.decode())]},
        {"tool_calls": [call("bash", command=f"sed -i 's/false/true/' {LIST}")]},
        {"tool_calls": [call("bash", command=f"rm -r {LIST.rpartition('/')[0]}")]},
        {"tool_calls": [call("verify", feature="F1")]},
        {"tool_calls": [call("bash", command="touch one"), call("verify", feature="F1")]},
        {"text": "F1 is done"},
    ]
    agent = make_agent(places, script)
    play(agent, "do F1")
    _, edit, write, sed, rm, failed, _, passed = results(agent)
    assert "is the agent's memory, which no tool writes" in edit
    assert "is the agent's memory, which no tool writes" in write
    assert "it was put back as it was" in sed and "it was put back as it was" in rm
    assert failed.startswith("F1: fails: `test -f one` ended with 1")
    assert passed.startswith("F1: passes: `test -f one` ended with 0")
    now = items(places)
    assert [(item["id"], item["description"], item["steps"], item["passes"]) for item in now] == [
        ("F1", "one", [], True),
        ("F2", "two", ["look"], False),
    ]


def test_no_command_moves_the_list_or_what_was_accepted(places: Places) -> None:
    listed(places)
    before = {name: (places.own / name).read_bytes() for name in ("handoff/features.json", "confirmed.json")}
    folder = LIST.rpartition("/")[0]
    commands = [
        f"mv {folder} h && ln -s ../h {folder}",
        f"mv {LIST} l && ln -s $PWD/l {LIST}",
        f"rm {LIST} && mkfifo {LIST}",
        f"rm -r {folder} && touch {folder}",
        f"rm {LIST} && mkdir -p {LIST}/x",
        "rm .agent/confirmed.json",
        "echo x >> .agent/handoff/attempts.jsonl; echo '{}' > .agent/work.json",
    ]
    agent = make_agent(places, [*({"tool_calls": [call("bash", command=one)]} for one in commands), {"text": "ok"}])
    FeatureList(places, Clock()).accept({}, ["F1", "F2"])
    before["confirmed.json"] = (places.own / "confirmed.json").read_bytes()
    play(agent, "hi")
    assert ["it was put back as it was" in told and "NOT" not in told for told in results(agent)] == [True] * 7
    assert {name: (places.own / name).read_bytes() for name in before} == before
    assert not (places.own / "work.json").exists() and not (places.root / LIST).is_symlink()


def test_a_list_made_by_a_command_is_none(places: Places) -> None:
    made = '[{"id":"F1","description":"x","check":"true","passes":true}]'
    command = f"mkdir -p .agent/handoff && echo '{made}' > {LIST}"
    agent = make_agent(places, [{"tool_calls": [call("bash", command=command)]}, {"text": "ok"}])
    play(agent, "hi")
    assert "it was put back as it was" in results(agent)[0]
    assert not (places.root / LIST).exists()


def test_a_command_that_agentmem_runs_in_a_shell_may_not_verify(places: Places) -> None:
    listed(places)
    agent = make_agent(places, [{"tool_calls": [call("bash", command="true")]}, {"text": "ok"}])
    play(agent, "hi")
    env = {"PATH": "/usr/bin:/bin", "HOME": str(places.home), "AGENTMEM_AGENT": "1"}
    import pytest

    from agentmem.app.checking import Wish, check
    from agentmem.app.consent import NotThePerson

    with pytest.raises(NotThePerson, match="a model calls the tool `verify`"):
        check(Wish(), env, Cancel(), lambda text: None)


def test_verify_is_asked_about_like_any_command(places: Places) -> None:
    listed(places)
    agent = make_agent(places, [{"tool_calls": [call("verify", feature="F1")]}, {"text": "ok"}], mode="ask")
    play(agent, "do F1", answer=lambda asked: "no")
    assert results(agent)[0].startswith("Refused: the user said no")


def test_a_feature_that_is_not_there_is_told(places: Places) -> None:
    listed(places)
    agent = make_agent(places, [{"tool_calls": [call("verify", feature="F9")]}, {"text": "ok"}])
    play(agent, "do F9")
    assert results(agent)[0] == "verify: no feature is called 'F9' (there are: F1, F2)"


def test_tests_are_looked_at_before_the_first_turn(places: Places) -> None:
    """A test that the agent weakens in its first turn was seen as it was before."""
    (places.root / "test_one.py").write_text("assert open('one').read()\n")
    (places.root / LIST).parent.mkdir(parents=True)
    (places.root / LIST).write_text('[{"id":"F1","description":"one","check":"python3 test_one.py"}]')
    script = [
        {"tool_calls": [call("bash", command="echo > test_one.py"), call("verify", feature="F1")]},
        {"text": "done"},
    ]
    agent = make_agent(places, script)
    play(agent, "do F1")
    assert "test_one.py: lost or changed lines" in results(agent)[1]
    assert items(places)[0].get("passes") is not True
    verifier = Verifier(places, Clock(), {"PATH": "/usr/bin:/bin"}, Cancel())
    assert verifier.verify("F1", accept=True).outcome == "passed"
