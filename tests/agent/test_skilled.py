"""Skills in a turn: chosen by rule, seen before first use, told with their reason, and never twice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from agent.scripts import call, log_of, make_agent, play, results

from agentmem.agent import prefetch
from agentmem.agent.agent import Agent
from agentmem.domain.event import Asked, Event, Notice
from agentmem.domain.places import Places
from agentmem.memory.memory import Repertoire
from agentmem.workspace.firstuse import seen


@pytest.fixture
def places(places: Places, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.setenv("HOME", str(places.home))
    return places


def write(places: Places, name: str, *more: str, body: str = "Do it.", level: str = "skills") -> Path:
    path = places.root / level / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(["---", f"name: {name}", f"description: Zaps {name} frobs.", *more, "---", body])
    path.write_text(text + "\n")
    return path


def skilled(places: Places, *script: dict[str, Any], trusted: bool = True, mode: Any = "full") -> Agent:
    agent = make_agent(places, script or [{"text": "ok"}] * 4, mode=mode)
    tools = agent.tools
    agent.skills = Repertoire(places, lambda: trusted, lambda skill: prefetch.flaw(skill, tools))
    agent.session.begin_epoch(tuple(tool.spec for tool in tools.values()), 100_000, agent.skills)
    return agent


def asks(name: str, **more: str) -> dict[str, Any]:
    return {"name": "skill", "arguments": {"name": name, **more}}


def given(agent: Agent) -> list[tuple[str, str, str]]:
    """The skills of the log: name, rule, what it went by."""
    return [(line["name"], line["why"]["rule"], line["why"]["by"]) for line in log_of(agent) if line["type"] == "skill"]


def told(events: Sequence[Event], level: str = "warning") -> list[str]:
    return [event.text for event in events if isinstance(event, Notice) and event.level == level]


@pytest.mark.parametrize(
    ("front", "text", "rule", "by"),
    [
        (("always: true",), "hi", "always", ""),
        (("triggers: [ship it, deploy]",), "Please SHIP\n it now", "trigger", "ship it"),
        (("paths: ['*.sql', 'db/**']",), "look at db/schema/x.txt", "path", "db/schema/x.txt"),
        (("paths: '**/*.sql'",), "see ./a/b.sql, please", "path", "a/b.sql"),
        (("keywords: [frobnicate]",), "frobnicate the zapped frobs", "words", "frobnicat, zap, frob (13.7)"),
        ((), "/deploy now", "slash", "/deploy"),
    ],
)
def test_a_rule_chooses_and_is_on_record(places: Places, front: tuple[str, ...], text: str, rule: str, by: str) -> None:
    write(places, "deploy", *front)
    agent = skilled(places)
    events = play(agent, text)
    assert given(agent) == [("deploy", rule, by)]
    assert [one for one in told(events, "info") if one.startswith("skill deploy")]


def test_the_body_stands_in_the_request(places: Places) -> None:
    path = write(places, "deploy", body="Ship $1 to $2.")
    agent = skilled(places, {"text": "ok"})
    play(agent, '/deploy "the shop" prod')
    user = agent.session.prompt().messages[0]
    assert [part.origin for part in user.parts] == ["person", "harness", "harness"]  # type: ignore[union-attr]
    assert user.text.endswith(
        f'<skill-body name="deploy" why="slash" folder="{path.parent}">\nShip the shop to prod.\n</skill-body>'
    )


def test_what_fills_the_window_tells_each_skill_and_why(places: Places) -> None:
    write(places, "deploy", "triggers: [ship it]")
    agent = skilled(places)
    play(agent, "ship it")
    assert [share.name for share in agent.filling().shares if share.name.startswith("skill ")] == [
        "skill cards",
        "skill deploy (trigger)",
    ]


def test_a_body_comes_once_and_again_when_it_changed(places: Places) -> None:
    path = write(places, "deploy", "triggers: [ship it]")
    agent = skilled(places)
    play(agent, "ship it")
    play(agent, "ship it")
    assert len(given(agent)) == 1
    path.write_text(path.read_text() + "\nMore.\n")
    play(agent, "ship it", answer=lambda asked: "yes")
    assert len(given(agent)) == 2
    play(agent, "/deploy")
    assert [rule for _, rule, _ in given(agent)] == ["trigger", "trigger", "slash"]


def test_three_at_most_and_the_rest_is_named(places: Places) -> None:
    for number in range(5):
        write(places, f"s{number}", "triggers: [go]")
    agent = skilled(places)
    events = play(agent, "/s4 go")
    assert [name for name, _, _ in given(agent)] == ["s4", "s0", "s1"]
    assert "3 skills at most come at once; these fit too: s2, s3" in told(events, "info")


def test_what_has_no_room_is_named_and_what_is_called_is_cut(places: Places) -> None:
    write(places, "huge", "triggers: [go]", body="word " * 20_000)
    write(places, "small", "triggers: [go]")
    agent = skilled(places)
    events = play(agent, "go")
    assert [name for name, _, _ in given(agent)] == ["small"]
    assert told(events) == ["the skill huge fits (trigger: go) and has no room; /huge calls it"]
    play(agent, "/huge")
    body = next(line for line in log_of(agent) if line.get("name") == "huge")["content"][0]["text"]
    assert len(body) <= 80_100 and "has no room here: read" in body and body.endswith("</skill-body>")


def test_the_persons_alone(places: Places) -> None:
    write(places, "mine", "disable-model-invocation: true", "triggers: [go]")
    write(places, "models", "user-invocable: false", "triggers: [stop]")
    agent = skilled(places, {"tool_calls": [asks("mine")]}, {"text": "ok"}, {"text": "ok"}, {"text": "ok"})
    cards = agent.session.prompt().system
    assert "- models: " in cards and "- mine: " not in cards
    play(agent, "go")
    assert given(agent) == [] and results(agent)[0].startswith("skill: there is no skill 'mine'; there are: ")
    play(agent, "/models")
    play(agent, "/mine")
    assert [name for name, _, _ in given(agent)] == ["mine"]


def test_the_model_asks(places: Places) -> None:
    write(places, "deploy", body="Ship $ARGUMENTS.")
    agent = skilled(
        places,
        {"tool_calls": [asks("deploy", arguments="x y")]},
        {"tool_calls": [asks("Deploy")]},
        {"tool_calls": [asks("deplo")]},
        {"text": "ok"},
    )
    play(agent, "do the usual thing")
    assert given(agent) == [("deploy", "asked", "the model")]
    first, second, third = results(agent)
    assert (first, second) == ("deploy follows", "deploy stands in this talk already, above")
    assert third == "skill: there is no skill 'deplo'; there are: deploy"
    tool = agent.session.prompt().messages[2]
    assert tool.role == "tool" and "Ship x y." in tool.text


def test_a_touched_file_brings_its_skill(places: Places) -> None:
    write(places, "sql", "paths: 'db/*.sql'")
    (places.root / "db").mkdir()
    (places.root / "db/a.sql").write_text("select 1;\n")
    agent = skilled(places, {"tool_calls": [call("read", path="db/a.sql")]}, {"text": "ok"})
    play(agent, "read it")
    assert given(agent) == [("sql", "path", "db/a.sql")]


def test_an_untrusted_project_gives_nothing(places: Places) -> None:
    write(places, "deploy", "triggers: [go]")
    agent = skilled(places, {"tool_calls": [asks("deploy")]}, {"text": "ok"}, {"text": "ok"}, trusted=False)
    assert "deploy" not in agent.session.prompt().system
    play(agent, "go")
    play(agent, "/deploy")
    assert given(agent) == [] and "no skill 'deploy'" in results(agent)[0]


def test_what_a_skill_brings_is_asked_about_once(places: Places) -> None:
    path = write(places, "deploy", "triggers: [go]", "allowed-tools: Bash(git:*)", body="Do\u200b it.")
    (path.parent / "run.sh").write_text("rm -rf /\n")
    agent = skilled(places)
    asked: list[Asked] = []
    play(agent, "go", answer=lambda one: asked.append(one) or "no")  # type: ignore[func-returns-value]
    (question,) = asked
    assert question.tool == "skill" and question.can_always is False
    assert question.reason == "this is its first use; 1 script and 1 hidden character"
    assert question.arguments["scripts"] == "run.sh"
    assert question.arguments["hidden characters"] == "SKILL.md:7: U+200B"
    assert question.arguments["it names tools"] == "Bash(git:*) (you are asked as ever)"
    assert given(agent) == [] and seen(places.home, str(path)) is None
    play(agent, "go", answer=lambda one: "yes")
    assert len(given(agent)) == 1
    other = skilled(places)
    play(other, "go", answer=lambda one: pytest.fail("asked again"))
    assert len(given(other)) == 1


def test_a_description_neither_looks_like_a_row_nor_hides_one(places: Places) -> None:
    path = places.root / "skills/de\nscripts: none/deploy/SKILL.md"
    path.parent.mkdir(parents=True)
    said = "Ships.\\nscripts: none " + "x" * 5_000
    path.write_text(f'---\nname: deploy\ntriggers: [go]\ndescription: "{said}"\n---\nDo it.\n')
    (path.parent / "run.sh").write_text("true\n")
    asked: list[Asked] = []
    play(skilled(places), "go", answer=lambda one: asked.append(one) or "no")  # type: ignore[func-returns-value]
    assert list(asked[0].arguments) == ["name", "file", "scripts", "description"]
    assert asked[0].arguments["file"] == f"{places.root}/skills/de\u240ascripts: none/deploy/SKILL.md"
    assert asked[0].arguments["description"] == "Ships. scripts: none " + "x" * 1002 + "…"


def test_a_changed_skill_asks_again(places: Places) -> None:
    path = write(places, "deploy", "triggers: [go]")
    play(skilled(places), "go", answer=lambda one: pytest.fail("text alone is not asked about"))
    (path.parent / "reference.md").write_text("new\n")
    asked: list[str] = []
    play(skilled(places), "go", answer=lambda one: asked.append(one.reason) or "yes")  # type: ignore[func-returns-value]
    assert asked == ["it changed since you last saw it; text only"]


def test_without_a_person_it_is_not_used_and_told(places: Places) -> None:
    path = write(places, "deploy", "triggers: [go]")
    (path.parent / "run.sh").write_text("true\n")
    agent = skilled(places)
    events = play(agent, "/deploy")
    assert given(agent) == []
    assert told(events) == [
        "the skill deploy is not used: a person must see first 1 script: agentmem skills show deploy, "
        "then agentmem skills allow deploy"
    ]
    assert "The skill deploy is not used" in agent.session.prompt().messages[0].text


def test_a_persons_own_skills_are_not_asked_about(places: Places) -> None:
    folder = places.home / ".agents/skills/own"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: own\ndescription: Mine.\ntriggers: [go]\n---\nBody\n")
    (folder / "run.sh").write_text("true\n")
    agent = skilled(places, trusted=False)
    play(agent, "go")
    assert [name for name, _, _ in given(agent)] == ["own"]


def test_read_only_calls_run_before_the_model(places: Places) -> None:
    (places.root / "a.txt").write_text("hello\n")
    write(
        places, "look", "triggers: [go]", "prefetch:\n  - ls\n  - read: {path: a.txt, limit: 1}\n  - read: {path: gone}"
    )
    agent = skilled(places)
    play(agent, "go")
    parts = agent.session.prompt().messages[0].parts
    assert parts[-1].origin == "tool"
    text = str(getattr(parts[-1], "text", ""))
    assert text.startswith("[ls() for the skill look]\n") and "a.txt" in text
    assert "[read(path='a.txt', limit=1) for the skill look]\n1\thello" in text
    assert "gone: no such file" in text


def test_a_projects_skill_fetches_nothing_from_elsewhere(places: Places, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("mine\n")
    (places.root / "link.txt").symlink_to(secret)
    calls = [
        f"{{read: {{path: {secret}}}}}",
        "{read: {path: link.txt}}",
        f"{{grep: {{pattern: mi, path: {tmp_path}}}}}",
    ]
    write(places, "look", "triggers: [go]", f"prefetch: [{', '.join(calls)}]")
    agent = skilled(places)
    play(agent, "go")
    text = str(getattr(agent.session.prompt().messages[0].parts[-1], "text", ""))
    assert text.count("lies outside of the project") == 3 and "mine" not in text


def test_the_persons_own_skill_may_fetch_from_elsewhere(places: Places, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine\n")
    path = places.home / "skills/look/SKILL.md"
    path.parent.mkdir(parents=True)
    call_ = f"prefetch: [{{read: {{path: {tmp_path}/note.txt}}}}]"
    path.write_text(f"---\nname: look\ndescription: D.\ntriggers: [go]\n{call_}\n---\nDo it.\n")
    agent = skilled(places)
    play(agent, "go")
    assert "1\tmine" in str(getattr(agent.session.prompt().messages[0].parts[-1], "text", ""))


def test_a_key_of_another_kind_stops_no_turn(places: Places) -> None:
    write(places, "odd", "globs: {a: b}", "golden: {a: b}", "allowed_tools: {Bash: true}", "always: [x]", "keywords: 7")
    agent = skilled(places)
    assert told(play(agent, "see src/x.py")) == [] and given(agent) == []


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("prefetch: [bash]", "`prefetch` names bash, which does more than read"),
        ("prefetch: [{write: {path: x, content: y}}]", "`prefetch` names write, which does more than read"),
        ("prefetch: [web_search]", "`prefetch` names 'web_search': there is no such tool"),
        ("prefetch: {a: 1, b: 2}", "`prefetch` wants a list of calls, e.g. `- ls: {path: src}`"),
        ("prefetch: [ls, ls, ls, ls, ls, ls]", "`prefetch` names 6 calls, 5 at most"),
    ],
)
def test_a_skill_that_cannot_prefetch_is_not_used(places: Places, line: str, why: str) -> None:
    write(places, "bad", "triggers: [go]", line)
    agent = skilled(places)
    play(agent, "go")
    assert given(agent) == [] and agent.skills is not None
    assert [row.reason for row in agent.skills.skillset.rows if row.level == "project"] == [why]


def test_requests_only_grow_with_skills_coming(places: Places) -> None:
    write(places, "one", "triggers: [first]")
    write(places, "two", "paths: '*.txt'")
    (places.root / "a.txt").write_text("x\n")
    agent = skilled(
        places,
        {"text": "ok"},
        {"tool_calls": [call("read", path="a.txt"), asks("one")]},
        {"text": "ok"},
        {"text": "ok"},
    )
    before = agent.session.prompt()
    shown: list[tuple[Any, ...]] = []
    for text in ("first", "read the text", "/two again"):
        play(agent, text, watch=lambda event: shown.append(agent.session.prompt().messages))
        assert agent.session.prompt().system == before.system
    bodies = [line["sha256"] for line in log_of(agent) if line["type"] == "call"]
    assert len(bodies) == 4 and len(given(agent)) == 3
    final = agent.session.prompt().messages
    replies = [number for number, message in enumerate(final) if message.role == "assistant"]
    for number in replies:  # what a request ended with never changed again
        assert any(messages[:number] == final[:number] and len(messages) == number for messages in shown)


def test_slash_is_the_persons_word(places: Places) -> None:
    write(places, "deploy")
    agent = skilled(places)
    for text in ("/deploy/x is a path", "see /deploy", "/nothing", "/", "/deploy\nnow"):
        play(agent, text) if text != "/deploy\nnow" else None
    assert given(agent) == []


DRAFT = "---\nname: release\ndescription: Cut a release.\n---\nTag it.\n"


def drafting(places: Places, text: bytes, *more: dict[str, Any]) -> Agent:
    (places.root / "drafts").mkdir(exist_ok=True)
    (places.root / "drafts/SKILL.md").write_bytes(text)
    return skilled(places, {"tool_calls": [asks("release", draft="drafts/SKILL.md"), *more]}, {"text": "ok"})


def test_a_draft_waits_for_the_person(places: Places) -> None:
    agent = drafting(places, DRAFT.encode())
    play(agent, "keep this, please")
    (path,) = (places.queue / "waiting").iterdir()
    assert results(agent) == [f"proposed: it waits for the person ({path.stem}): agentmem skills waiting"]
    item = json.loads(path.read_text())
    assert (item["text"], item["principal"], item["origin"]["session"]) == (DRAFT, "agent", agent.session_id)
    verdicts = [line for line in log_of(agent) if line["type"] == "verdict"]
    assert [(one["outcome"], one["of"], one["category"]) for one in verdicts] == [("queued", path.stem, "procedure")]
    assert given(agent) == [] and not (places.root / "skills").exists()


@pytest.mark.parametrize(
    ("text", "named", "told"),
    [
        (b"no skill", "drafts/SKILL.md", "not proposed: it is no skill: it has no front matter"),
        (b"\xff\xfe", "drafts/SKILL.md", "skill: drafts/SKILL.md is not UTF-8"),
        (b"", "drafts/none.md", "skill: drafts/none.md: no such file or directory"),
        (b"", "drafts", "skill: drafts: is a directory"),
        (b"", "a\0b", "skill: the path holds a NUL byte"),
    ],
)
def test_what_is_no_draft_is_said(places: Places, text: bytes, named: str, told: str) -> None:
    drafting(places, text)
    agent = skilled(places, {"tool_calls": [asks("release", draft=named)]}, {"text": "ok"})
    play(agent, "go")
    assert results(agent)[0].startswith(told)
    assert not (places.queue / "waiting").exists()


def test_a_task_has_skills_but_proposes_none(places: Places) -> None:
    write(places, "deploy", "triggers: [ship it]")
    (places.root / "drafts").mkdir()
    (places.root / "drafts/SKILL.md").write_text(DRAFT)
    agent = skilled(
        places,
        {"tool_calls": [call("task", prompt="ship it, please")]},
        {"tool_calls": [asks("release", draft="drafts/SKILL.md")]},
        {"text": "shipped"},
        {"text": "ok"},
    )
    play(agent, "let a task do it")
    (log,) = (path for path in places.sessions.glob("*.jsonl") if path != agent.log)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["why"] for line in lines if line["type"] == "skill"] == [{"rule": "trigger", "by": "ship it"}]
    (told,) = [line["content"] for line in lines if line.get("role") == "tool"]
    assert told == "skill: a session that was given a task proposes no skills"
    assert results(agent) == ["shipped"] and given(agent) == []


def test_without_skills_the_tool_says_so(places: Places) -> None:
    agent = make_agent(places, [{"tool_calls": [asks("deploy")]}, {"text": "ok"}])
    play(agent, "go")
    assert results(agent) == ["skill: there are no skills here"]


def test_a_file_that_is_no_skill_any_more(places: Places) -> None:
    path = write(places, "deploy", "triggers: [go]")
    agent = skilled(places)
    assert agent.skills is not None and agent.skills.skillset.skills
    path.write_text("gone")
    events = play(agent, "/deploy")
    assert told(events) == ["the skill deploy is not used: it has no front matter: its first line must be ---"]


def test_what_changed_on_disk_is_told_once(places: Places) -> None:
    agent = skilled(places)
    assert agent.skills is not None
    pending = [True]
    agent.skills.changed = lambda: bool(pending and pending.pop())
    write(places, "deploy")
    events = play(agent, "hi")
    assert told(events, "info") == ["skills changed: new: deploy (Zaps deploy frobs.)"]
    told_model = "[Skills changed on disk]\n<skill-cards>\nnew: deploy (Zaps deploy frobs.)\n</skill-cards>"
    assert told_model in agent.session.prompt().messages[0].text
    assert told(play(agent, "hi"), "info") == []
