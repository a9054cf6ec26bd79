from __future__ import annotations

from pathlib import Path

import pytest

from agentmem.domain.places import Places
from agentmem.domain.tool import Access
from agentmem.workspace.grants import Grants
from agentmem.workspace.permission import MODES, Decision, Mode, decide, decide_all, memory_refusal

NONE = Grants()
ALL = Grants(writes=True, commands=frozenset({"make test"}))


def write(places: Places, named: str) -> Access:
    return Access("write", str(places.root / named), named)


def verdicts(access: Access, places: Places, grants: Grants = NONE) -> str:
    return " ".join(f"{mode}:{decide(mode, access, places, grants).verdict}" for mode in MODES)


def allowed_by(access: Access, places: Places, grants: Grants = NONE) -> list[str | None]:
    return [decide(mode, access, places, grants).allowed_by for mode in MODES]


def test_reads_and_remember_go_through(places: Places, tmp_path: Path) -> None:
    for access in (
        Access("read", str(places.root / ".env"), ".env"),
        Access("read", "/etc/passwd", "/etc/passwd"),
        Access("read", str(places.root / "MEMORY.md"), "MEMORY.md"),
        Access("remember", "we use tabs", "we use tabs"),
    ):
        assert verdicts(access, places) == "plan:allow ask:allow edits:allow auto:allow full:allow"


def test_what_is_forgotten_is_asked_about_in_every_mode(places: Places) -> None:
    access = Access("forget", "m7f3a2c9d01b8", "m7f3a2c9d01b8")
    assert verdicts(access, places, ALL) == "plan:deny ask:ask edits:ask auto:ask full:ask"
    assert not decide("full", access, places, ALL).can_always


def test_a_write_in_the_workspace(places: Places) -> None:
    access = write(places, "new/sub/y")
    assert verdicts(access, places) == "plan:deny ask:ask edits:allow auto:allow full:allow"
    assert verdicts(access, places, ALL) == "plan:deny ask:allow edits:allow auto:allow full:allow"
    assert allowed_by(access, places) == ["edits", "edits", None, None, None]
    assert decide("ask", access, places, NONE) == Decision("ask", "it changes a file", "edits", can_always=True)
    assert decide("plan", access, places, NONE) == Decision("deny", "mode plan writes nothing", "edits")


def test_a_write_outside(places: Places, tmp_path: Path) -> None:
    access = Access("write", str(tmp_path / "outside/secret.txt"), "notes.txt")
    for grants in (NONE, ALL):
        assert verdicts(access, places, grants) == "plan:deny ask:ask edits:ask auto:ask full:allow"
        assert allowed_by(access, places, grants) == ["full", "full", "full", "full", None]
    assert decide("edits", access, places, ALL) == Decision(
        "ask", f"it lies outside the workspace {places.root}", "full", can_always=False
    )


@pytest.mark.parametrize(
    "named", [".git/hooks/pre-commit", ".GIT/config", ".env", ".claude/settings.json", "AGENTS.md"]
)
def test_a_steering_file_needs_its_own_yes(places: Places, named: str) -> None:
    access = write(places, named)
    for grants in (NONE, ALL):
        assert verdicts(access, places, grants) == "plan:deny ask:ask edits:ask auto:ask full:allow"
        assert not any(decide(mode, access, places, grants).can_always for mode in MODES)


def test_the_persons_settings_need_their_own_yes(places: Places) -> None:
    access = Access("write", str(places.home / "config.yaml"), "config.yaml")
    assert verdicts(access, places, ALL) == "plan:deny ask:ask edits:ask auto:ask full:allow"


@pytest.mark.parametrize(
    "named", ["MEMORY.md", "memory/2026-11-30.md", "skills/x/SKILL.md", "AGENT.md", ".agent/config.yaml"]
)
def test_memory_is_refused_in_every_mode(places: Places, named: str) -> None:
    access = write(places, named)
    assert verdicts(access, places, ALL) == "plan:deny ask:deny edits:deny auto:deny full:deny"
    assert allowed_by(access, places) == [None] * 5
    assert "call `remember`" in decide("full", access, places, NONE).reason


def test_how_a_memory_refusal_reads(places: Places) -> None:
    assert memory_refusal(write(places, "MEMORY.md"), places) == (
        "MEMORY.md is the agent's memory, which no tool writes: to have something kept, call `remember`"
    )
    link = Access("write", str(places.root / "skills/x"), "notes.txt")
    assert (memory_refusal(link, places) or "").startswith("notes.txt (skills/) is the agent's memory")
    assert memory_refusal(Access("read", link.target, "x"), places) is None
    trust = Access("write", str(places.home / "trust"), "trust")
    assert "only the person says what is trusted" in decide("full", trust, places, NONE).reason
    assert memory_refusal(write(places, "x"), places) is None


def test_a_command(places: Places) -> None:
    access = Access("run", "make test", "make test")
    assert verdicts(access, places) == "plan:deny ask:ask edits:ask auto:ask full:allow"
    assert allowed_by(access, places) == ["full", "full", "full", "full", None]
    assert decide("ask", access, places, NONE).can_always
    assert verdicts(access, places, ALL) == "plan:deny ask:allow edits:allow auto:allow full:allow"
    for other in ("make test ", "make", "make test && rm x", "MAKE TEST"):
        assert decide("ask", Access("run", other, other), places, ALL).verdict == "ask"


def test_what_an_always_adds(places: Places) -> None:
    grants = NONE.extended([write(places, "x")])
    assert grants == Grants(writes=True)
    grants = grants.extended([Access("run", "ls", "ls"), Access("read", "/x", "x")])
    assert grants == Grants(writes=True, commands=frozenset({"ls"}))


def test_a_call_of_several_accesses(places: Places, tmp_path: Path) -> None:
    inside, outside = write(places, "x"), Access("write", str(tmp_path / "x"), "x")
    read, run, memory = Access("read", "/x", "x"), Access("run", "ls", "ls"), write(places, "MEMORY.md")

    def all_of(mode: Mode, *accesses: Access) -> Decision:
        return decide_all(mode, accesses, places, NONE)

    assert all_of("ask") == Decision("allow", "nothing in it needs a yes")
    assert all_of("ask", read) == Decision("allow", "it changes no file of yours")
    assert all_of("ask", read, inside) == Decision("ask", "it changes a file", "edits", can_always=True)
    assert all_of("ask", inside, run) == Decision(
        "ask", "it changes a file; it runs a command", "full", can_always=True
    )
    assert all_of("ask", inside, outside) == Decision(
        "ask", f"it changes a file; it lies outside the workspace {places.root}", "full", can_always=False
    )
    assert all_of("edits", inside, run) == Decision("ask", "it runs a command", "full", can_always=True)
    denied = all_of("full", run, memory)
    assert (denied.verdict, denied.allowed_by, denied.can_always) == ("deny", None, False)
    assert all_of("plan", inside, run) == Decision("deny", "mode plan writes nothing; mode plan runs nothing", "full")


def test_a_link_with_the_name_of_a_steering_file(places: Places) -> None:
    access = Access("write", str(places.root / "config/plain.txt"), ".env")
    assert verdicts(access, places, ALL) == "plan:deny ask:ask edits:ask auto:ask full:allow"
