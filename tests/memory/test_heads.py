"""Where the branches of a private git directory stand, and where they stood."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmem.memory.stores.heads import Heads

FIRST, SECOND, THIRD = "1a" * 20, "2b" * 20, "3c" * 20


@pytest.fixture
def heads(tmp_path: Path) -> Heads:
    (tmp_path / "refs" / "heads").mkdir(parents=True)
    return Heads(tmp_path)


def test_a_move_is_kept_as_git_keeps_it(heads: Heads, tmp_path: Path) -> None:
    heads.move("w", None, FIRST, "7 +0000\tone")
    heads.move("w", FIRST, SECOND, "8 +0000\ttwo")
    assert (tmp_path / "refs/heads/w").read_text() == f"{SECOND}\n"
    assert (tmp_path / "logs/refs/heads/w").read_text() == (
        f"{'0' * 40} {FIRST} agentmem <agentmem@localhost> 7 +0000\tone\n"
        f"{FIRST} {SECOND} agentmem <agentmem@localhost> 8 +0000\ttwo\n"
    )
    assert (heads.named("w"), list(heads.earlier("w"))) == (SECOND, [SECOND, FIRST])


def test_each_work_tree_has_its_own(heads: Heads, tmp_path: Path) -> None:
    heads.move("w", None, FIRST, "7 +0000\tone")
    heads.move("home", None, SECOND, "7 +0000\tone")
    (tmp_path / "refs/heads/.w.new").write_text(THIRD)  # what a kill left
    assert heads.every() == {"home": SECOND, "w": FIRST}
    assert (heads.exists("w"), heads.exists("other")) == (True, False)
    assert (heads.named("other"), list(heads.earlier("other"))) == (None, [])
    assert Heads(tmp_path / "none").every() == {}


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"ref: refs/heads/x\n", FIRST[:39].encode()])
def test_a_damaged_name_is_no_commit(heads: Heads, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "refs/heads/w").write_bytes(data)
    assert heads.named("w") == "0" * 40


def test_lines_that_a_power_cut_tore_are_passed_over(heads: Heads, tmp_path: Path) -> None:
    heads.move("w", None, FIRST, "7 +0000\tone")
    with (tmp_path / "logs/refs/heads/w").open("ab") as log:
        log.write(b"\0\0\n" + FIRST.encode() + b" \xff\xff agentmem\n" + FIRST.encode() + b" " + SECOND[:9].encode())
    assert list(heads.earlier("w")) == [FIRST]
