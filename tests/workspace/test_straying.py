"""A link in `.agent` that leads out of the project counts only where the person trusts the folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commanding import run

from agentmem.domain.places import Places
from agentmem.workspace.paths import find_places
from agentmem.workspace.straying import LeadsOut, require_within
from agentmem.workspace.trust import trust


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A project beside another one, which has a session."""
    sessions = tmp_path / "other/.agent/sessions"
    sessions.mkdir(parents=True)
    head = {"type": "session", "id": "2026-11-30T09-00-00-aaaaaa", "version": 1, "at": "", "cwd": "/"}
    (sessions / "2026-11-30T09-00-00-aaaaaa.jsonl").write_text(json.dumps(head) + "\n")
    (tmp_path / "shop").mkdir()
    return find_places(tmp_path / "shop", tmp_path / "person")


@pytest.mark.parametrize("name", [".agent", ".agent/sessions", ".agent/history.git", ".agent/never-heard-of"])
def test_a_link_out_is_refused_and_told(places: Places, name: str, tmp_path: Path) -> None:
    link, target = places.root / name, tmp_path / "other" / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target)
    with pytest.raises(LeadsOut) as caught:
        require_within(places)
    assert str(caught.value) == (
        f"{link} is a link that leads out of this project, to {target}: remove it, or, if it is your own, "
        "say `agentmem trust`"
    )


def test_no_command_goes_through_it_until_the_folder_is_trusted(places: Places, tmp_path: Path) -> None:
    (places.root / ".agent").symlink_to(tmp_path / "other/.agent")
    for words in (["sessions"], ["recall", "anything"], ["-p", "hi", "--model", "scripted/demo"]):
        ended = run(places, *words)
        assert (ended.returncode, ended.stdout) == (1, ""), words
        assert "is a link that leads out of this project" in ended.stderr
    assert list(json.loads(run(places, "sessions", "--json").stdout)) == ["error"]
    trust(places.home, places.root, "2026-11-30T09:14:03Z")
    assert [one["id"] for one in json.loads(run(places, "sessions", "--json").stdout)] == ["2026-11-30T09-00-00-aaaaaa"]


def test_links_that_stay_inside_and_no_links_are_fine(places: Places) -> None:
    require_within(places)
    (places.root / "state/sessions").mkdir(parents=True)
    (places.root / ".agent").symlink_to("state")
    (places.root / "state/archive").symlink_to("sessions")
    require_within(places)
    assert run(places, "sessions", "--json").stdout == "[]\n"
