from __future__ import annotations

from pathlib import Path

import pytest
from gitting import git
from scripts import call, make_agent, play

from agentmem.agent.forgetting import MANY, Forgetting, broad, found_lines, receipt_lines
from agentmem.agent.keeper import Keeper
from agentmem.domain.cancel import Cancel
from agentmem.domain.clock import Clock
from agentmem.domain.event import Asked, ToolEnded, TurnEnded
from agentmem.domain.message import Text
from agentmem.domain.mode import Mode
from agentmem.domain.places import Places
from agentmem.memory.manage.forget import Receipt
from agentmem.memory.manage.sightings import Sighting, Sightings
from agentmem.memory.stores import inbox
from agentmem.memory.stores.estate import Holding
from agentmem.workspace.paths import find_places
from agentmem.workspace.worktree import siblings


def test_a_session_forgets_and_goes_on(places: Places) -> None:
    script = [
        {"tool_calls": [call("write", path="n.txt", content="at Elm Road 7\n")]},
        {"tool_calls": [call("write", path="n.txt", content="clean\n")]},
        {"text": "it is Elm Road 7"},
        {"text": "ok"},
    ]
    with make_agent(places, script) as agent:
        agent.keeper = Keeper(agent.session, agent.clock, agent.env)
        play(agent, "where is Elm Road 7?")
        told = agent.forgetting.preview("elm road 7")
        assert "“elm road 7”: " in told and "checkpoints.git" in told
        result = agent.forgetting.for_model("elm road 7")
        assert not result.error and "elm" not in result.text.casefold()
        assert "checkpoints.git" in result.text
        assert "elm" not in str(agent.session.prompt()).casefold()
        events = play(agent, "go on")
        assert isinstance(events[-1], TurnEnded) and events[-1].text == "ok"
        again = agent.forgetting.for_model("elm road 7")
        assert (again.error, again.text) == (True, "Nothing that is kept holds it.")
        assert agent.forgetting.for_model(" ").text.startswith("Not forgotten: ")
        assert agent.forgetting.preview(" ") == "there are no words in it to look for"
    assert b"elm road" not in b"".join(path.read_bytes().lower() for path in places.shared.rglob("*") if path.is_file())


def test_the_models_own_call_is_forgotten_with_the_rest(places: Places) -> None:
    script = [{"tool_calls": [call("bash", command="echo Elm Road 7")]}, {"text": "done"}]
    with make_agent(places, script) as agent:
        events = agent.turn([Text("forget Elm Road 7", "person")], Cancel())
        for event in events:
            if type(event).__name__ == "ToolStarted":
                assert not agent.forgetting.for_model("elm road 7").error
        text = agent.session.path.read_text()
    assert text.casefold().count("elm road") == 1  # what the command printed afterwards


def test_a_turn_is_in_the_inbox_once_its_end_was_told_also_when_nobody_asks_for_more(places: Places) -> None:
    with make_agent(places, [{"text": "one"}, {"text": "two"}]) as agent:
        play(agent, "first")
        assert len(inbox.names(places.inbox)) == 1
        turn = agent.turn([Text("second", "person")], Cancel())
        for event in turn:
            if isinstance(event, TurnEnded):
                assert len(inbox.names(places.inbox)) == 1
                break
        turn.close()
        assert len(inbox.names(places.inbox)) == 2


def test_a_closed_session_and_one_that_is_left_are_told_in_the_file_of_the_day(places: Places) -> None:
    (places.root / "memory").mkdir()
    with make_agent(places, [{"text": "one"}, {"text": "two"}]) as agent:
        play(agent, "the first thing")
        agent.shelf.clear()
        assert sum("the first thing" in path.read_text() for path in (places.root / "memory").glob("*.md")) == 1
        play(agent, "the second thing")
    (file,) = (places.root / "memory").glob("2*.md")
    assert file.read_text().count("## ") == 2


def test_what_is_short_or_everywhere_is_broad(places: Places) -> None:
    (places.shared / "offload").mkdir(parents=True)
    (places.shared / "offload" / "x.txt").write_text("ab " * (MANY + 1) + "elm road")
    forgetting = Forgetting(places, Clock())
    found = [broad(*forgetting.look(query)) for query in ("ab", "elm", "elm road", "zz")]
    assert found == [True, True, False, False]
    wish, seen = forgetting.look("ab")
    assert "this is a short phrase: look at the list before you agree" in found_lines(wish, seen, places)


def test_a_receipt_names_what_is_left_and_what_is_the_persons_own_git(places: Places) -> None:
    (places.root / ".git").mkdir()
    (places.root / "a.txt").write_text("x")
    memory = Sighting(Holding(places.memory_file, "memory"), 1)
    before = Sightings(found=[memory], tracked=["a.txt", "MEMORY.md", "gone.txt"], twins=[Path("/x/twin")])
    left = Sightings(
        found=[memory], unreadable=["p: damaged"], yours=[places.root / "AGENT.md"], away=[Path("/l")], kept=2
    )
    assert receipt_lines(Receipt(before, left, ("m1",)), places) == [
        "forgotten: 1 place in 1 file",
        "       1  MEMORY.md",
        "facts that are gone: m1",
        "NOT all of it is gone:",
        "       1  MEMORY.md",
        "  p: damaged",
        "mend what is named, then run this again",
        "yours, not touched: AGENT.md holds it",
        "a link that leads elsewhere, not followed: /l",
        "2 places stay where it is part of a time, an id, a path or a record's form",
        "/x/twin has another name on this disk: look there too",
        "files of yours that had it, not touched: a.txt",
        "if MEMORY.md, memory/ or .agent/handoff/ were ever committed, your own git still has it: ",
        "  `git log --all -S'…' -- MEMORY.md memory/ .agent/handoff/` finds it; agentmem never touches it",
    ]


ASKS = [
    {"tool_calls": [call("forget", query="elm road 7")]},
    {"text": "it is gone"},
]


def test_the_model_passes_the_wish_on_and_the_person_is_shown_where_it_stands(places: Places) -> None:
    places.memory_file.write_text("- The office is at Elm Road 7\n- other\n")
    with make_agent(places, ASKS) as agent:
        events = play(agent, "forget where Elm Road 7 is", answer=lambda asked: "yes")
        (asked,) = [event for event in events if isinstance(event, Asked)]
        assert asked.reason == "what is forgotten cannot be brought back" and not asked.can_always
        assert asked.diff is not None and "MEMORY.md" in asked.diff
        (done,) = [event for event in events if isinstance(event, ToolEnded)]
        assert not done.error and done.text.startswith("forgotten: ") and "elm" not in done.text.casefold()
        assert "elm road" not in agent.session.path.read_text().casefold()
    assert places.memory_file.read_text() == "- The office is at [forgotten]\n- other\n"
    kept = [path for path in places.root.rglob("*") if path.is_file() and b"elm road" in path.read_bytes().lower()]
    assert kept == []


@pytest.mark.parametrize("mode", ["ask", "edits", "full"])
def test_no_mode_says_yes_to_it(places: Places, mode: Mode) -> None:
    places.memory_file.write_text("- The office is at Elm Road 7\n")
    with make_agent(places, ASKS, mode=mode) as agent:
        events = play(agent, "go")
        (done,) = [event for event in events if isinstance(event, ToolEnded)]
        assert done.text.startswith("Refused: this needs the user's yes, which no permission mode does without")
    assert "Elm Road 7" in places.memory_file.read_text()


def test_a_call_without_words_is_told(places: Places) -> None:
    with make_agent(places, [{"tool_calls": [call("forget", query=" ")]}, {"text": "ok"}]) as agent:
        events = play(agent, "go", answer=lambda asked: "yes")
        (done,) = [event for event in events if isinstance(event, ToolEnded)]
        assert done.error and done.text.startswith("`query` must be a string")


def test_other_work_trees_of_the_repository_forget_too(tmp_path: Path) -> None:
    main, linked, home = tmp_path / "main", tmp_path / "linked", tmp_path / "home"
    main.mkdir()
    git(main, "init", "-q", "-b", "main")
    (main / "MEMORY.md").write_text("- The office is at Elm Road 7\n- other\n")
    git(main, "add", "-A")
    git(main, "commit", "-q", "-m", "one")
    git(main, "worktree", "add", "-q", str(linked), "-b", "side")
    places = find_places(linked, home)
    assert places.shared == main / ".agent"
    forgetting = Forgetting(places, Clock())
    wish, _ = forgetting.look("elm road 7")
    receipt = forgetting.perform(wish)
    assert receipt.done
    for root in (main, linked):
        assert (root / "MEMORY.md").read_text() == "- The office is at [forgotten]\n- other\n"
    assert siblings(str(main)) == [str(linked)] and siblings(str(linked)) == [str(main)]
    assert siblings(str(home)) == [] and siblings(str(main / "none")) == []


@pytest.mark.parametrize("words", [{}, {"what": "mascot"}, {"query": " "}, {"query": 7}])
def test_nobody_is_asked_about_a_call_that_names_no_words(places: Places, words: dict[str, object]) -> None:
    script = [{"tool_calls": [call("forget", **words)]}, {"text": "done"}]
    with make_agent(places, script) as agent:
        events = play(agent, "forget the mascot")
    (ended,) = (event for event in events if isinstance(event, ToolEnded))
    assert ended.text.startswith("`query` must be a string") and not any(isinstance(one, Asked) for one in events)
