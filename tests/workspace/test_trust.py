"""Which folders are trusted: whole paths only, one record a line, and no claim of a folder about itself."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from gitting import git

from agentmem.workspace.trust import Vouched, distrust, trust, trusted, vouched

AT = "2026-11-30T09:14:03Z"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "person/.agentmem"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop/sub").mkdir(parents=True)
    return tmp_path / "shop"


def test_a_folder_is_trusted_by_its_real_path_alone(home: Path, shop: Path, tmp_path: Path) -> None:
    assert not trusted(home, shop)
    assert trust(home, shop, AT) == str(shop)
    (tmp_path / "link").symlink_to("shop")
    assert [trusted(home, one) for one in (shop, tmp_path / "link", shop / "sub", tmp_path, shop / "..")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_the_file(home: Path, shop: Path, tmp_path: Path) -> None:
    trust(home, shop, AT)
    trust(home, tmp_path / "other", "2026-12-01T00:00:00Z")
    trust(home, shop, "2027-01-01T00:00:00Z")
    assert (home / "trust").read_text() == (
        f'{{"root": "{shop}", "at": "2026-11-30T09:14:03Z"}}\n'
        f'{{"root": "{tmp_path}/other", "at": "2026-12-01T00:00:00Z"}}\n'
    )
    assert stat.S_IMODE((home / "trust").stat().st_mode) == 0o600
    assert vouched(home) == (Vouched(str(shop), AT), Vouched(f"{tmp_path}/other", "2026-12-01T00:00:00Z"))


def test_trust_is_taken_back_also_from_a_folder_that_is_gone(home: Path, shop: Path) -> None:
    trust(home, shop, AT)
    shutil.rmtree(shop)
    assert distrust(home, shop) == str(shop)
    assert distrust(home, shop) is None
    assert vouched(home) == ()


def test_what_is_no_record_vouches_for_nothing(home: Path, shop: Path) -> None:
    trust(home, shop, AT)
    (home / "trust").write_bytes(
        b'\xff\xfe\n{"root": 7}\n[]\n{"root": "shop"}\nshop\n' + b"[" * 5000 + f'\n{{"root": "{shop}"}}\n{{"ro'.encode()
    )
    assert vouched(home) == (Vouched(str(shop), ""),)
    (home / "trust").write_bytes(f"{shop}\n".encode())
    assert not trusted(home, shop)


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_vouches_for_nothing(home: Path, shop: Path, mode: int) -> None:
    trust(home, shop, AT)
    os.chmod(home / "trust", mode)
    assert not trusted(home, shop)


def test_a_pipe_is_no_file(home: Path, shop: Path) -> None:
    home.mkdir(parents=True)
    os.mkfifo(home / "trust", 0o600)
    assert not trusted(home, shop)


def test_odd_names_stay_themselves(home: Path, tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b'/a\nb"\xff'))
    trust(home, odd, AT)
    assert trusted(home, odd) and not trusted(home, tmp_path / "a")
    assert (home / "trust").read_bytes().count(b"\n") == 1


def test_processes_that_write_at_once_lose_nothing(home: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from agentmem.workspace.trust import trust\n"
        "for n in range(20): trust(Path(sys.argv[1]), Path(f'/made/{sys.argv[2]}/{n}'), '')"
    )
    env = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    writers = [subprocess.Popen([sys.executable, "-c", code, str(home), str(one)], env=env) for one in range(4)]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    assert {one.root for one in vouched(home)} == {f"/made/{one}/{n}" for one in range(4) for n in range(20)}


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def main(shop: Path) -> Path:
    git(shop, "init")
    (shop / "sub/x").write_text("x\n")
    git(shop, "add", ".")
    git(shop, "commit", "-m", "one")
    return shop


@needs_git
def test_linked_work_trees_share_the_main_ones_trust(home: Path, main: Path, tmp_path: Path) -> None:
    linked, late = tmp_path / "linked", tmp_path / "late"
    git(main, "worktree", "add", str(linked))
    trust(home, main, AT)
    git(main, "worktree", "add", str(late))
    assert trusted(home, linked) and trusted(home, late)
    assert not trusted(home, linked / "sub")
    assert distrust(home, linked) == str(main)
    assert not trusted(home, main)
    assert trust(home, linked, AT) == str(main)
    assert trusted(home, late)


@needs_git
def test_a_folder_within_is_shared_with_its_twin(home: Path, main: Path, tmp_path: Path) -> None:
    git(main, "worktree", "add", str(tmp_path / "linked"))
    trust(home, main / "sub", AT)
    assert trusted(home, tmp_path / "linked/sub")
    assert not trusted(home, tmp_path / "linked")


@needs_git
def test_a_folder_that_claims_kinship_is_not_believed(home: Path, main: Path, tmp_path: Path) -> None:
    """An archive may hold a `.git` file that names the git directory of someone else's work tree."""
    git(main, "worktree", "add", str(tmp_path / "linked"))
    trust(home, main, AT)
    claims = {
        "stolen": main / ".git/worktrees/linked",
        "made": tmp_path / "made/git/worktrees/x",
        "whole": main / ".git",
    }
    made = claims["made"]
    made.mkdir(parents=True)
    (made / "commondir").write_text(f"{main}/.git\n")
    (made / "HEAD").write_text("ref: refs/heads/main\n")
    (made / "gitdir").write_text(f"{tmp_path}/made/.git\n")
    for name, claim in claims.items():
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / ".git").write_text(f"gitdir: {claim}\n")
    (tmp_path / "link").mkdir()
    (tmp_path / "link/.git").symlink_to(tmp_path / "linked/.git")
    assert [name for name in (*claims, "link") if trusted(home, tmp_path / name)] == []
    assert trusted(home, tmp_path / "linked")
