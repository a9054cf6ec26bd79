"""Old checkpoints go, by age and by size; what a session that runs, or ran just now, needs never does."""

from __future__ import annotations

import os
import random
import subprocess
import zlib
from pathlib import Path

import pytest

from agentmem.domain.bounds import Bounds
from agentmem.domain.checkpoint import State
from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.workspace.checkpoints.prune import DAY, Pruned, Pruning, due, kept
from agentmem.workspace.checkpoints.vault import Vault, open_vault

ENV = {"PATH": os.environ["PATH"]}
NOW = 1_796_040_131.0
WIDE = Bounds(30, 10**9)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    for name in ("w", "home"):
        (tmp_path / name).mkdir()
    root = tmp_path / "w"
    (root / ".agent").mkdir()
    return Places(root, root, tmp_path / "home", root / ".agent")


def vault(places: Places, session: str) -> Vault:
    return open_vault(places, session, Clock(now=lambda: NOW), ENV)


def keep(places: Places, session: str, text: bytes, days: float, *, snap: bool = False) -> State:
    """A session that kept a file of this text, so many days ago; all that is in the store is as old."""
    path = places.root / f"{session}.txt"
    path.write_bytes(text)
    one = vault(places, session)
    one.keep([str(path)])
    if snap:
        assert one.snap(30.0).body is not None
    state = one.look(os.fsencode(path))
    one.close()
    age(store(places), NOW - days * DAY, session)
    return state


def age(folder: Path, at: float, session: str) -> None:
    for path in folder.rglob("*"):
        if path.is_file() and (path.parent.parent.name != "agentmem" or path.name == session):
            os.utime(path, (at, at), follow_symlinks=False)


def store(places: Places) -> Path:
    return places.shared / "checkpoints.git"


def run(places: Places, bounds: Bounds = WIDE, runs: tuple[str, ...] = ()) -> Pruned:
    return Pruning(places, bounds, ENV, lambda session: session in runs).run(NOW)


def held(places: Places, *states: State) -> list[bool]:
    one = vault(places, "look")
    try:
        return [one.find(state) is not None for state in states]
    finally:
        one.close()


def sessions(places: Places) -> list[str]:
    return sorted(path.name for path in store(places).glob("refs/agentmem/*/*"))


def sound(places: Places) -> bool:
    words = ("git", "--git-dir", str(store(places)), "fsck", "--strict", "--no-dangling")
    done = subprocess.run(words, capture_output=True, env=ENV)
    return (done.returncode, done.stdout) == (0, b"")


def test_what_is_older_than_its_days_goes_and_the_rest_stays(places: Places) -> None:
    old, new = keep(places, "old", b"old" * 900, 31), keep(places, "new", b"new" * 900, 29)
    done = run(places)
    assert (done.sessions, done.why) == (1, "")
    assert done.freed > 0
    assert (sessions(places), held(places, old, new)) == (["new"], [False, True])
    assert sound(places)
    assert done.left == kept(store(places))[1]


def test_what_another_session_needs_too_stays(places: Places) -> None:
    same = keep(places, "old", b"same", 99)
    keep(places, "new", b"same", 2)
    assert run(places).sessions == 1
    assert held(places, same) == [True]


def test_a_session_that_runs_or_ran_just_now_keeps_all(places: Places) -> None:
    running, recent = keep(places, "running", b"r", 400), keep(places, "recent", b"n", 0.9)
    done = run(places, Bounds(1, 1), ("running",))
    assert (done.sessions, held(places, running, recent)) == (0, [True, True])


def test_nothing_goes_from_under_a_session_that_has_the_store_open(places: Places) -> None:
    old = keep(places, "old", b"old", 99)
    looking = vault(places, "looking")
    assert run(places).why == "a session that runs uses them; try again when it has ended"
    assert looking.find(old) == b"old"
    looking.close()
    assert run(places).why == ""
    assert held(places, old) == [False]


def test_the_oldest_go_until_it_is_small_enough(places: Places) -> None:
    source = random.Random(1)
    states = [keep(places, f"s{n}", source.randbytes(100_000), 20 - n) for n in range(5)]
    assert run(places, Bounds(30, 250_000)).sessions == 3
    assert held(places, *states) == [False, False, False, True, True]
    assert kept(store(places))[1] < 250_000
    assert run(places, Bounds(30, 250_000)).sessions == 0


def test_packs_are_made_anew_where_part_of_them_goes(places: Places) -> None:
    """A snapshot of many files is one pack; another session's snapshot shares most of it."""
    source = random.Random(2)
    for number in range(300):
        (places.root / f"f{number}").write_bytes(source.randbytes(300))
    (places.root / "big").write_bytes(source.randbytes(200_000))
    keep(places, "old", b"old", 99, snap=True)
    (places.root / "big").unlink()
    new = keep(places, "new", b"new", 3, snap=True)
    before = kept(store(places))[1]
    done = run(places)
    assert (done.sessions, done.why) == (1, "")
    assert before - done.left > 190_000
    assert held(places, new) == [True]
    assert sound(places)
    again = vault(places, "again")
    assert again.snap(30.0).body is not None
    assert again.changes_since(*snapshot(again)) == []
    again.close()


def snapshot(one: Vault) -> tuple[str, str | None]:
    body = one.snap(30.0).body or {}
    return body["tree"], body.get("seen")


def test_what_is_young_stays_whatever_leads_to_it(places: Places) -> None:
    keep(places, "old", b"old", 99)
    young = store(places) / "objects" / "ab" / ("0" * 38)
    young.parent.mkdir(exist_ok=True)
    young.write_bytes(zlib.compress(b"blob 1\0x"))
    os.utime(young, (NOW - 1800, NOW - 1800))
    run(places)
    assert young.exists()
    os.utime(young, (NOW - 7200, NOW - 7200))
    run(places)
    assert not young.exists()


def test_links_that_lead_out_of_the_store_are_not_followed(places: Places, tmp_path: Path) -> None:
    """A store that came with a clone may hold anything."""
    keep(places, "new", b"new", 2)
    out = tmp_path / "out"
    (out / "tree").mkdir(parents=True)
    for path in (out / ("1" * 38), out / "pack-1.pack", out / "tree" / "old"):
        path.write_text("0" * 40)
        os.utime(path, (1, 1))
    (store(places) / "objects" / "ee").symlink_to(out)
    (store(places) / "objects" / "pack").rmdir() if (store(places) / "objects" / "pack").exists() else None
    (store(places) / "objects" / "pack").symlink_to(out)
    (store(places) / "refs" / "agentmem" / "led").symlink_to(out / "tree")
    run(places, Bounds(1, 1))
    assert sorted(path.name for path in out.rglob("*") if path.is_file()) == ["1" * 38, "old", "pack-1.pack"]


def test_damage_leaves_everything_where_it_is(places: Places) -> None:
    keep(places, "old", b"old", 99)
    new = keep(places, "new", b"new", 2)
    (commit,) = (path.read_text().strip() for path in store(places).glob("refs/agentmem/*/new"))
    (store(places) / "objects" / commit[:2] / commit[2:]).unlink()
    count = sum(path.is_file() for path in (store(places) / "objects").rglob("*"))
    assert run(places).why != ""
    assert sum(path.is_file() for path in (store(places) / "objects").rglob("*")) == count
    assert held(places, new) == [True]


def test_without_git_nothing_goes(places: Places) -> None:
    old = keep(places, "old", b"old", 99)
    done = Pruning(places, WIDE, {"PATH": "/nowhere"}, lambda session: False).run(NOW)
    assert (done.sessions, done.why) == (0, "git is not installed")
    assert held(places, old) == [True]


def test_it_is_due_once_a_day(places: Places) -> None:
    assert run(places) == Pruned(0, 0, 0)
    keep(places, "new", b"new", 2)
    assert due(store(places), NOW)
    run(places)
    assert [due(store(places), NOW + seconds) for seconds in (0, 86_399, 86_400)] == [False, False, True]


def test_time_that_is_up_leaves_the_store_sound(places: Places) -> None:
    keep(places, "old", b"old", 99)
    new = keep(places, "new", b"new", 2)
    done = Pruning(places, WIDE, ENV, lambda session: False).run(NOW, 0.0)
    assert sound(places)
    assert held(places, new) == [True]
    assert done.left > 0
