"""Which skill a message calls for: a golden list for the skills that ship, and the order of the rules."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.places import Places
from agentmem.domain.skill import Skill
from agentmem.memory import memory
from agentmem.memory.read import shipped
from agentmem.memory.read.bm25 import Ranking
from agentmem.memory.read.fitting import Fitting, paths_in
from agentmem.memory.read.skillset import skills_in
from agentmem.memory.read.stems import terms

GOLDEN = [
    ("Please commit this", "commit"),
    ("commit your work with a good message", "commit"),
    ("write a commit message for what is staged", "commit"),
    ("stage the changes and commit them in git", "commit"),
    ("Looks good, commit it.", "commit"),
    ("the build worked before, find which commit broke it", "bisect"),
    ("find the cause of this flaky test", "bisect"),
    ("debug this: the parser test is failing since yesterday and I do not know the cause", "bisect"),
    ("There is a regression in the parser", "bisect"),
    ("It used to work. Now it crashes.", "bisect"),
    ("port the whole thing to TypeScript over several sessions", "long-work"),
    ("let us plan a migration feature by feature over many sessions", "long-work"),
    ("continue with features.json", "long-work"),
    ("review what you remember about this project", "review-memory"),
    ("clean up memory, it holds things twice", "review-memory"),
    ("is MEMORY.md still right?", "review-memory"),
    ("write a skill for our release process", "write-skill"),
    ("make a skill out of what we just did", "write-skill"),
    ("Turn this into a skill", "write-skill"),
    ("hi", None),
    ("fix the login bug and run the tests", None),
    ("why did commit 3f2a break the tests?", None),
    ("review the pull request", None),
    ("the server leaks memory under load", None),
    ("reduce memory usage of the index", None),
    ("improve my python skills with an exercise", None),
    ("add a session cookie to the login page", None),
    ("what does git stash do?", None),
    ("rename the function and update the tests", None),
    ("explain the features of this library", None),
    ("add a keyboard shortcut to commit the form", None),
    ("build the docker image", None),
    ("write a function that parses dates, with tests", None),
    ("update the README", None),
]


def no_glob(glob: str, path: str) -> bool:
    return False


@pytest.fixture
def bare(places: Places, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.setenv("HOME", str(places.home))
    return places


@pytest.mark.parametrize(("text", "wanted"), GOLDEN)
def test_golden(bare: Places, text: str, wanted: str | None) -> None:
    skills = memory.Repertoire(bare, lambda: False)
    chosen = [fit.skill.id for fit in skills.fitting(text, no_glob)]
    assert chosen == ([] if wanted is None else [wanted])
    if wanted is not None:
        assert not memory.Repertoire(bare, lambda: False).idle(text)


def test_most_messages_do_not_make_it_read_a_file(bare: Places) -> None:
    skills = memory.Repertoire(bare, lambda: False)
    assert [text for text in ("hi", "go on", "explain the API") if not skills.idle(text)] == []
    assert not skills.idle("/commit")
    (bare.root / "skills").mkdir()
    assert not memory.Repertoire(bare, lambda: False).idle("hi")


def built_in(places: Places) -> list[Skill]:
    return [one for one in skills_in(places, False).skills.values() if one.level == "built-in"]


def test_what_is_written_down_is_what_the_files_say(bare: Places) -> None:
    """After a change of skills/ or of the ranking, `built_in.json` is to be what `shipped.written` gives."""
    assert shipped.FILE.read_text(encoding="utf-8") == shipped.written(built_in(bare))
    skills = memory.Repertoire(bare, lambda: False)
    (quick,), _ = skills.cards(200_000)
    assert skills.skillset.rows
    (slow,), _ = skills.cards(200_000)
    assert quick == slow and len(quick.data) < 900


_SAID = [word for text, _ in GOLDEN for word in text.split()] + ["git", "bisect", "session", "skill", "memory", "flaky"]


@given(st.lists(st.sampled_from(_SAID), max_size=12).map(" ".join))
def test_what_is_written_down_tells_when_a_rule_chooses(text: str) -> None:
    told, fitting = shipped.shipped(), _fitting()
    assert not fitting.of(text, no_glob) or shipped.calls(text, told)


@cache
def _fitting() -> Fitting:
    nowhere = Path("/nowhere")
    return Fitting(built_in(Places(nowhere, nowhere, nowhere, nowhere / ".agent")))


def test_what_ships_is_sound(bare: Places) -> None:
    found = [row for row in skills_in(bare, False).rows if row.level == "built-in"]
    assert {row.skill.id: row.state for row in found if row.skill} == {
        "bisect": "loaded",
        "commit": "loaded",
        "long-work": "loaded",
        "review-memory": "loaded",
        "write-skill": "loaded",
    }
    for row in found:
        assert Path(row.path).stat().st_size < 2_200


def skill(own: str, description: str = "Does it.", **fields: object) -> Skill:
    return Skill(own, own, description, f"/s/{own}/SKILL.md", "project", fields)


def fits(skills: list[Skill], text: str, aside: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    found = Fitting(skills).of(text, lambda glob, path: glob == path, aside)
    return [(fit.skill.id, fit.rule) for fit in found]


def test_the_order_of_the_rules() -> None:
    skills = [
        skill("words", "Zaps frobs and grommets quickly."),
        skill("path", paths="a.sql, b.sql"),
        skill("trigger", triggers=["zap the frobs"]),
        skill("always", always="true"),
        skill("hidden", always="true", **{"disable-model-invocation": "true"}),
    ]
    text = "zap the frobs and grommets quickly, as in b.sql"
    assert fits(skills, text) == [("always", "always"), ("trigger", "trigger"), ("path", "path"), ("words", "words")]
    assert fits(skills, text, ("trigger", "always")) == [("path", "path"), ("words", "words")]


@pytest.mark.parametrize(
    ("trigger", "text", "hit"),
    [
        ("ship it", "please SHIP  It.", True),
        ("ship it", "shipping it", False),
        ("ship it", "a ship item", False),
        ("C++", "write c++ code", True),
        ("发票", "请生成发票给我", True),
        ("", "anything", False),
        ("über", "das ist über", True),
        ("pdf", "a.pdf", True),
        ("pdf", "pdfs", False),
        ("a a", "a a a", True),
    ],
)
def test_a_trigger_stands_alone(trigger: str, text: str, hit: bool) -> None:
    assert bool(fits([skill("x", triggers=[trigger])], text)) == hit


def test_paths_in_a_message() -> None:
    assert paths_in("see ./src/a.py, `docs/x.md` (and b/c/d) at http://x.test/y.html; e.g. 3.5 or a/b?") == [
        "src/a.py",
        "docs/x.md",
        "b/c/d",
        "a/b",
    ]


def test_one_shared_word_is_never_enough() -> None:
    assert fits([skill("kubernetes", "Kubernetes.", keywords="kubernetes")], "what is kubernetes?") == []


def test_in_many_skills_a_rare_word_weighs_more() -> None:
    many = [skill(f"s{number}", "Reviews a report of the team.") for number in range(60)]
    many.append(skill("odd", "Reviews a hydrofoil of the team."))
    (best, which, words), (second, *_), *_ = Fitting(many).scores("review the hydrofoil of the team")
    assert (which.id, words) == ("odd", "review, hydrofoil, team") and best > 2 * second > 0


def test_terms() -> None:
    assert terms("Committing the staged commits, isn't it? e-mail 生成发票") == [
        "commit",
        "stag",
        "commit",
        "isn",
        "mail",
        "生成",
        "成发",
        "发票",
    ]
    assert terms("") == []


@given(st.lists(st.dictionaries(st.sampled_from("abcdef"), st.floats(0.5, 4.0), max_size=4), max_size=6))
def test_a_score_is_made_of_shared_terms_alone(texts: list[dict[str, float]]) -> None:
    ranking = Ranking(texts)
    for asked in (["a"], ["a", "a"], ["a", "b", "z"], []):
        scores = ranking.scores(asked)
        assert len(scores) == len(texts)
        for (score, shared), text in zip(scores, texts, strict=True):
            assert set(shared) == set(asked) & set(text)
            assert (score > 0) == bool(shared)
    assert ranking.scores(["a"]) == ranking.scores(["a", "a"])
