"""Lines of MEMORY.md that hold a secret, by whichever door they came: no belief, and no words of them kept."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest

from agentmem.domain.claim import Claim, Edit
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.places import Places
from agentmem.memory.manage import annals, bequest, checkup, lookout
from agentmem.memory.read import marked
from agentmem.memory.read.beliefs import beliefs
from agentmem.memory.read.recall import corpus
from agentmem.memory.read.recall.finder import Finder
from agentmem.memory.read.recall.finder import Wanted as Search
from agentmem.memory.read.selection import Wanted, remembered
from agentmem.memory.stores import versions
from agentmem.memory.write import gate
from agentmem.memory.write.gate import Source, adoption, refusing

SECRET = "swordfishery"
LINE = f"- the staging password is {SECRET}\n"
WHY = "no model is shown it and it is not remembered; take it out, and where it was committed change it"


@pytest.fixture
def desk(places: Places, clock: Clock) -> Desk:
    return Desk(places, clock)


def kept(places: Places) -> list[str]:
    """The files, MEMORY.md apart, in which a byte of the secret stands; git's objects inflated."""
    found = []
    for top in (places.root, places.home):
        for path in sorted(top.rglob("*")) if top.exists() else ():
            if path.is_file() and path != places.memory_file:
                data = path.read_bytes()
                whole = data + (zlib.decompress(data) if "objects" in path.parts else b"")
                found += [str(path.relative_to(top))] if SECRET.encode() in whole else []
    return found


def texts(places: Places) -> list[str]:
    rows = places.ledger.read_text().splitlines() if places.ledger.exists() else []
    return [json.loads(row).get("text", "") for row in rows]


def shown(places: Places, trusted: bool = True) -> str:
    return "\n".join(remembered(places, Wanted(200_000, {}, trusted)).blocks)


def look(desk: Desk, trusted: bool = True, came: object = ()) -> adoption.Caught | None:
    return adoption.catch_up(desk.level("project"), desk, trusted, lambda level: came)  # type: ignore[return-value,arg-type]


def test_a_hand_edit_is_adopted_but_for_its_secret_and_looked_at_once(places: Places, desk: Desk) -> None:
    places.memory_file.write_text(f"{LINE}- we use pnpm\n")
    caught = look(desk)
    assert caught is not None
    assert [one.text for one in caught.verdicts] == ["we use pnpm"]
    assert [one.reason for one in caught.refused] == [f"MEMORY.md:1 holds a secret (password): {WHY}"]
    assert caught.diff == "+we use pnpm"
    commits = len(list(versions.project(places).log()))
    again = look(desk)
    assert again is not None
    assert (again.changed, again.verdicts, again.diff) == (False, (), "")
    assert again.refused == caught.refused
    assert len(list(versions.project(places).log())) == commits
    assert (texts(places), kept(places)) == (["we use pnpm"], [])


def test_a_secret_that_goes_with_its_line_is_no_belief_that_ended(places: Places, desk: Desk) -> None:
    places.memory_file.write_text(f"{LINE}- we use pnpm\n")
    look(desk)
    places.memory_file.write_text("- we use pnpm\n")
    caught = look(desk)
    assert caught is not None
    assert (caught.changed, caught.refused) == (False, ())
    assert texts(places) == ["we use pnpm"]
    assert look(desk) is None


def test_what_a_command_wrote_with_a_secret_neither_waits_nor_counts(places: Places, desk: Desk) -> None:
    places.memory_file.write_text("- we use pnpm\n")
    look(desk)
    before = lookout.look(desk)
    places.memory_file.write_text(f"- we use pnpm\n{LINE}- always push to main\n")
    came, gone = lookout.by_tool(desk, before, {"session": "s1", "call": "c1"})
    assert [(one.outcome, one.text) for one in came] == [
        ("added", "always push to main"),
        ("refused", None),
    ]
    assert came[1].reason == f"MEMORY.md:2 holds a secret (password): {WHY}"
    assert gone == []
    waiting = [path.read_text() for path in (places.queue / "waiting").glob("*.json")]
    assert [json.loads(one)["text"] for one in waiting] == ["always push to main"]
    assert kept(places) == []
    assert "staging" not in shown(places)
    again = look(desk)
    assert again is not None and not again.changed


def test_a_command_that_wrote_nothing_but_a_secret_leaves_a_quiet_history(places: Places, desk: Desk) -> None:
    places.memory_file.write_text(f"{LINE}- we use pnpm\n")
    look(desk)
    before = lookout.look(desk)
    places.memory_file.write_text(f"{LINE}- we use pnpm\n- the wifi password is harbourlight\n")
    came, _ = lookout.by_tool(desk, before, {"session": "s1", "call": "c1"})
    assert [(one.outcome, one.reason) for one in came] == [("refused", f"MEMORY.md:3 holds a secret (password): {WHY}")]
    commits = len(list(versions.project(places).log()))
    look(desk)
    assert len(list(versions.project(places).log())) == commits


def test_what_git_brought_is_kept_with_marks(places: Places, desk: Desk) -> None:
    places.memory_file.write_text("- we use pnpm\n")
    look(desk)
    places.memory_file.write_text(f"- we use pnpm\n{LINE}- deploys go out on Mondays\n")
    caught = look(desk, came=None)
    assert caught is not None
    assert (caught.came, caught.diff, len(caught.refused)) == (1, "+deploys go out on Mondays", 1)
    assert (texts(places), kept(places)) == (["we use pnpm"], [])


def test_a_folder_that_came_with_secrets_is_kept_with_marks_and_vouched_for_without(places: Places, desk: Desk) -> None:
    places.memory_file.write_text(f"{LINE}- we use pnpm\n")
    caught = look(desk, trusted=False)
    assert caught is not None
    assert (caught.came, len(caught.refused), kept(places)) == (1, 1, [])
    assert ("pnpm" in shown(places, False), "staging" in shown(places, False)) == (True, False)
    assert lookout.vouch(desk) == 1
    assert kept(places) == []


def test_neither_prompt_nor_recall_has_the_line_and_the_list_has_its_mark(places: Places, desk: Desk) -> None:
    places.memory_file.write_text(f"{LINE}- we use pnpm\n\n```\nAPI_TOKEN=9f8e7d6c5b4a3928\n```\n")
    look(desk)
    assert shown(places).count("\n") > 1
    assert not {"staging", SECRET, "9f8e7d6c5b4a3928"} & set(shown(places).replace("=", " ").split())
    chosen = remembered(places, Wanted(200_000))
    assert chosen.left_out == ("2 lines of MEMORY.md hold secrets and are not shown",)
    found = [(one.belief.text.partition("[redacted: password ")[0], one.secret) for one in beliefs(places)]
    assert found == [("the staging password is ", True), ("we use pnpm", False)]


def test_a_long_memory_keeps_its_choice_without_secrets(places: Places, desk: Desk) -> None:
    rows = [f"- the port of service {at} is {8000 + at}" for at in range(400)]
    places.memory_file.write_text("\n".join(["## Pinned", LINE.strip(), *rows]) + "\n")
    look(desk)
    first, second = shown(places), shown(places)
    assert first == second
    assert (SECRET in first, "staging" in first, "service 399" in first) == (False, False, True)
    assert (places.shared / "shortlist.json").exists()
    assert kept(places) == []


def test_a_claim_is_not_compared_with_a_line_that_holds_a_secret(places: Places, desk: Desk) -> None:
    places.memory_file.write_text(LINE)
    look(desk)
    verdict = gate.propose(Claim("the staging password is in the vault", "fact"), Source(typed=True), desk)
    assert (verdict.outcome, verdict.replaced) == ("added", None)
    assert SECRET not in (verdict.diff or "")
    assert places.memory_file.read_text().startswith(LINE)
    assert kept(places) == []


def test_the_beliefs_of_another_work_tree_come_without_its_secrets(places: Places, desk: Desk, clock: Clock) -> None:
    other = Places(places.root.parent / "other", places.root.parent / "other", places.home, places.shared)
    other.root.mkdir()
    other.memory_file.write_text(f"{LINE}- we use pnpm\n")
    adoption.catch_up(Desk(other, clock).level("project"), Desk(other, clock), True, lambda level: [])
    branch = versions.branch_of(other.root)
    other.memory_file.unlink()
    (other.root / "memory" / "ledger.jsonl").unlink()
    (other.root / "memory").rmdir()
    other.root.rmdir()
    assert list(bequest.left_behind(desk)) == [(branch, 1)]
    diff, count = annals.Annals(desk, {}, True).missing(branch)
    assert (count, SECRET in diff, kept(places)) == (1, False, [])
    assert texts(places) == ["we use pnpm"]


def test_check_names_lines_of_day_files_too(places: Places, desk: Desk) -> None:
    day = places.root / "memory" / "2026-11-28.md"
    day.parent.mkdir()
    day.write_text(f"## 09:14 Deploy\nsession s1\nWanted: deploy.\nThe staging password is {SECRET}.\n")
    found = [one for one in checkup.check(desk) if one.kind == "secret"]
    assert [(one.where, one.what) for one in found] == [
        ("memory/2026-11-28.md:4", "holds a secret (password): no model is shown it")
    ]


def test_a_ledger_that_came_with_a_secret_is_named_and_shown_with_marks(places: Places, desk: Desk) -> None:
    text = f"the staging password is {SECRET}"
    origin = {"session": None, "entry": None, "quote": text}
    line = {"id": "l1", "at": "2026-11-30T09:14:03Z", "op": "ADD", "fact": "m7f3a2c9d01b8", "text": text}
    places.ledger.parent.mkdir()
    closed = {"id": "l2", "at": "2026-11-30T10:14:03Z", "op": "EXPIRE", "fact": "m7f3a2c9d01b8"}
    rows = [line | {"principal": "user", "origin": origin, "valid_from": "2026-11-29"}, closed]
    places.ledger.write_text("".join(json.dumps(row) + "\n" for row in rows))
    places.memory_file.write_text("- it is in the vault ^m7f3a2c9d01b8\n")
    found = checkup.check(desk)
    assert [(one.where, one.mend) for one in found if one.kind == "secret"] == [
        ("memory/ledger.jsonl: l1", "agentmem forget m7f3a2c9d01b8; where it was committed change it")
    ]
    finder = Finder(places, desk.clock)
    hits = finder.find(Search("staging password", day="2026-11-29")).hits
    finder.close()
    told = json.dumps(annals.Annals(desk, {}, True).blame("MEMORY.md:1").to_json())
    assert [hit.text.startswith("the staging password is [redacted: password ") for hit in hits] == [True]
    assert SECRET not in told + repr(found) + repr(hits)


def test_day_files_are_indexed_with_marks_at_their_places(places: Places) -> None:
    day = places.root / "memory" / "2026-11-28.md"
    day.parent.mkdir()
    day.write_text(f"## 09:14 One\nThe staging password is {SECRET}.\n## 10:00 Two\nNothing.\n")
    (file,) = [one for one in corpus.files(places) if one.kind == "episode"]
    first, second = corpus.records(file)
    assert (SECRET in first.text, first.text.startswith("One\nThe staging password is [redacted: password ")) == (
        False,
        True,
    )
    data = day.read_bytes()
    assert data[second.place : second.place + second.size] == b"## 10:00 Two\nNothing.\n"


def test_a_text_without_secrets_is_shown_as_it_is(places: Places) -> None:
    text = "the password is required"
    assert marked.shown(text, places.home) is text
    assert not (places.home / "hmac.key").exists()


@pytest.mark.parametrize(
    ("edit", "was", "now", "expected"),
    [
        (Edit("project", "m1", None, "a"), (), (), Edit("project", "m1", None, "a")),
        (Edit("project", "m1", None, "a"), (), ("m1",), None),
        (Edit("project", "m1", "a", None), ("m1",), (), None),
        (Edit("project", "m1", "a", "b"), (), ("m1",), Edit("project", "m1", "a", None)),
        (Edit("project", "m1", "a", "b", becomes="m2"), ("m1",), (), Edit("project", "m2", None, "b")),
        (Edit("project", "m1", "a", "b", becomes="m2"), ("m1",), ("m2",), None),
        (Edit("project", "m3", "a", "b"), ("m1",), ("m2",), Edit("project", "m3", "a", "b")),
    ],
)
def test_what_is_left_of_an_edit(edit: Edit, was: tuple[str, ...], now: tuple[str, ...], expected: Edit | None) -> None:
    assert refusing.without_secrets([edit], was, now, {}) == ([expected] if expected is not None else [])


def test_the_person_is_told_of_their_own_level_by_its_path(places: Places, desk: Desk) -> None:
    home: Path = places.home
    home.mkdir(exist_ok=True)
    (home / "MEMORY.md").write_text(LINE)
    caught = adoption.catch_up(desk.level("user"), desk, True, lambda level: [])
    assert caught is not None
    assert [one.reason for one in caught.refused] == [f"{home}/MEMORY.md:1 holds a secret (password): {WHY}"]
    assert kept(Places(home / "none", home, home, places.shared)) == ["MEMORY.md"]
