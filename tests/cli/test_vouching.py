"""`agentmem trust` and what `init` says about it, each in a process of its own."""

from __future__ import annotations

import json

import pytest
from commanding import run

from agentmem.domain.places import Places
from agentmem.workspace.trust import trusted


def test_trust_and_take_it_back(places: Places) -> None:
    (places.root / ".agent").mkdir()
    (places.root / "sub").mkdir()
    assert run(places, "trust", cwd=places.root / "sub").stdout == (
        f"trusted: {places.root} · undo: agentmem trust --remove\n"
    )
    assert trusted(places.home, places.root)
    listed = json.loads(run(places, "trust", "--list", "--json").stdout)
    assert [one["root"] for one in listed] == [str(places.root)]
    assert str(places.root) in run(places, "trust", "--list").stdout
    gone = run(places, "trust", str(places.root), "--remove")
    assert (gone.returncode, gone.stdout) == (0, f"not trusted any more: {places.root}\n")
    again = run(places, "trust", str(places.root), "--remove", "--json")
    assert (again.returncode, again.stdout) == (1, '{"removed": null}\n')
    assert run(places, "trust", "--list").stdout == (
        "no folder is trusted yet; in one that you trust: agentmem trust\n"
    )


@pytest.mark.parametrize("words", [("trust",), ("trust", "--list"), ("trust", "--remove", ".")])
def test_an_agent_trusts_nothing(places: Places, words: tuple[str, ...]) -> None:
    ran = run(places, *words, AGENTMEM_AGENT="1")
    assert ran.returncode == 3
    assert "only a person may say which folders are trusted" in ran.stderr
    assert not trusted(places.home, places.root)


def test_what_cannot_be(places: Places) -> None:
    assert run(places, "trust", "gone").returncode == 1
    assert not (places.home / "trust").exists()
    assert run(places, "trust", "--list", "--remove").returncode == 2


def test_init_trusts_the_folder_on_the_persons_word_alone(places: Places) -> None:
    ran = run(places, "init", AGENTMEM_AGENT="1")
    assert "trusted: not by an agent" in ran.stdout
    assert not trusted(places.home, places.root)
    ran = run(places, "init")
    assert "trusted: yes, its memory and skills count · undo: agentmem trust --remove\n" in ran.stdout
    assert trusted(places.home, places.root)
    assert "trusted: yes\n" in run(places, "init", AGENTMEM_AGENT="1").stdout
