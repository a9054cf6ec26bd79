"""`agentmem recall`, as a person runs it."""

from __future__ import annotations

import json

import pytest
from memory.remembered import log, message

from agentmem.cli.typed import run
from agentmem.domain.places import Places


def test_hits_for_a_person_and_for_programs(here: Places, capfd: pytest.CaptureFixture[str]) -> None:
    log(here, "s1", message("m1", "the gateway listens on port 8080, \x1b[31mred\x1b[0m"))
    assert run(["recall", "gateway", "port", "--why"]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines()[:2] == [
        "1. session m1 · 2026-11-01 09:00 · person · .agent/sessions/s1.jsonl",
        "   the gateway listens on port 8080, red",
    ]
    assert out.splitlines()[2].startswith("   score 0.") and "relevance" in out and out.endswith("\nthat is all\n")
    assert err == ""
    assert run(["recall", "gateway port", "--scope", "sessions", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert (found["first"], found["remaining"], found["notes"]) == (0, 0, [])
    (hit,) = found["hits"]
    assert (hit["kind"], hit["id"], hit["who"], hit["session"]) == ("session", "m1", "person", "s1")


def test_pages_and_nothing(here: Places, capfd: pytest.CaptureFixture[str]) -> None:
    log(here, "s1", *(message(f"m{n}", f"gateway of rack{n}") for n in range(12)))
    assert run(["recall", "gateway"]) == 0
    assert capfd.readouterr().out.endswith("\n\n2 more: --page 2\n")
    assert run(["recall", "gateway", "--page", "2"]) == 0
    out = capfd.readouterr().out
    assert out.startswith("11. ") and out.endswith("\nthat is all\n")
    assert run(["recall", "gateway", "--page", "9"]) == 0
    assert run(["recall", "zebra"]) == 0
    assert capfd.readouterr().out == "there are no more hits\nnothing in memory answers this\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["recall", "x", "--scope", "world"], "one of all, facts, episodes, sessions, knowledge"),
        (["recall", "x", "--as-of", "yesterday"], "a day such as 2026-11-30"),
        (["recall", "x", "--as-of", "2026-13-01"], "a day such as 2026-11-30"),
        (["recall", "x", "--page", "0"], "0"),
        (["recall"], "QUERY"),
    ],
)
def test_a_wrong_line_is_a_usage_error(
    here: Places, words: list[str], says: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    assert says in capfd.readouterr().err


def test_what_was_believed_on_a_day(here: Places, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["remember", "the port is 8080"]) == 0
    assert run(["remember", "the port is 9090"]) == 0
    capfd.readouterr()
    assert run(["recall", "port", "--as-of", "2000-01-01"]) == 0
    assert capfd.readouterr().out == "nothing in memory answers this\n"
    assert run(["recall", "port", "--scope", "facts"]) == 0
    out = capfd.readouterr().out
    assert out.index("the port is 9090") < out.index("the port is 8080") and "note: held until " in out


def test_a_knowledge_folder_is_set_in_the_config(here: Places, capfd: pytest.CaptureFixture[str]) -> None:
    (here.root / "docs").mkdir()
    (here.root / "docs" / "a.md").write_text("# Gateway\nIt listens on 8080.\n")
    (here.own / "config.yaml").write_text("recall: {knowledge: [docs/], auto: false, form: plain}\n")
    assert run(["recall", "gateway", "--scope", "knowledge"]) == 0
    assert "docs/a.md" in capfd.readouterr().out
    assert run(["config", "--json"]) == 0
    assert '"recall.knowledge"' in capfd.readouterr().out
    (here.own / "config.yaml").write_text("recall: {form: odd}\n")
    assert run(["recall", "gateway"]) != 0
    assert "structured or plain" in capfd.readouterr().err


def test_an_index_that_cannot_be_kept_is_told_beside_the_answer(
    here: Places, capfd: pytest.CaptureFixture[str]
) -> None:
    (here.root / "MEMORY.md").write_text("- the gateway is in rack 7\n")
    (here.shared / "index.sqlite").mkdir()
    assert run(["recall", "gateway"]) == 0
    shown = capfd.readouterr().out
    assert "the gateway is in rack 7" in shown and "index.sqlite cannot be kept (Is a directory)" in shown
