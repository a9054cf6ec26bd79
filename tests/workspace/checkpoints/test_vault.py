from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from stores import ENV, ask, listing, vault, write

from agentmem.domain.checkpoint import ABSENT, State
from agentmem.domain.places import Places
from agentmem.objects import Damaged
from agentmem.workspace.checkpoints.changes import Change
from agentmem.workspace.checkpoints.vault import Vault

A = "78981922613b2afb6025042ff6bd878ac1994e85"  # "a\n"


def test_kept_bytes_can_be_found_by_a_person(places: Places, tmp_path: Path) -> None:
    write(places.root, {"x/a.py": "a\n"})
    (tmp_path / "out.txt").write_text("out\n")
    own = vault(places)
    kept, told = own.keep([str(places.root / "x" / "a.py"), str(tmp_path / "out.txt"), str(places.root / "p/q/new.py")])
    assert told == []
    assert [(one.path, str(one.before)[:9], one.made) for one in kept] == [
        (b"x/a.py", "file 0644", 0),
        (os.fsencode(tmp_path / "out.txt"), "file 0644", 0),
        (b"p/q/new.py", "absent", 2),
    ]
    [ref] = ask(places, "for-each-ref", "--format=%(refname)").decode().split()
    assert ask(places, "show", f"{ref}:files/x/a.py") == b"a\n"
    assert ask(places, "show", f"{ref}:outside{tmp_path}/out.txt") == b"out\n"
    assert own.bytes_of(kept[0].before) == b"a\n"
    assert oct(os.stat(places.shared / "checkpoints.git").st_mode)[-3:] == "700"


def test_without_git_writes_are_kept_and_commands_are_told(places: Places) -> None:
    write(places.root, {"a.py": "a\n"})
    own = vault(places, {"PATH": "/nowhere"})
    kept, _ = own.keep([str(places.root / "a.py")])
    assert own.bytes_of(kept[0].before) == b"a\n"
    stored = own.snap(30.0)
    assert (stored.body, stored.once) == (None, True)
    assert stored.told.startswith("git is not installed")
    assert own.changes_since("0" * 40, None) == "git is not installed"
    with pytest.raises(Damaged, match="only git can read it"):
        own.bytes_of(State("file", "0" * 40))
    own.close()


def test_what_git_packed_is_read_back(places: Places) -> None:
    write(places.root, {"a.py": "a\n"})
    own = vault(places)
    kept, _ = own.keep([str(places.root / "a.py")])
    ask(places, "gc", "-q", "--prune=now")
    assert not (places.shared / "checkpoints.git" / "objects" / A[:2]).exists()
    assert own.bytes_of(kept[0].before) == b"a\n"
    with pytest.raises(Damaged, match="is not there"):
        own.bytes_of(State("file", "1" * 40))
    own.close()


def test_what_cannot_be_kept_is_told(places: Places) -> None:
    big = places.root / "big.bin"
    with big.open("wb") as file:
        file.truncate(64_000_001)
    os.mkfifo(places.root / "pipe")
    own = vault(places)
    kept, told = own.keep([str(big), str(places.root / "pipe"), str(places.root)])
    assert kept == []
    assert told == [
        "big.bin is larger than 64 MB: /rewind cannot put its earlier text back",
        "pipe is a pipe: /rewind cannot put its earlier text back",
    ]


NAMES = [
    b"plain",
    b"with space",
    b"new\nline",
    b'quo"te\\',
    b"\xff\xfe raw",
    b"-dash",
    "é".encode(),
    b":(glob)*",
    b"tab\t",
]


def test_odd_names_links_and_modes_are_in_a_snapshot(places: Places) -> None:
    root = os.fsencode(places.root)
    for name in NAMES:
        with open(os.path.join(root, name), "wb") as file:
            file.write(b"a\n")
    os.chmod(places.root / "plain", 0o755)
    os.symlink("nowhere", places.root / "dangling")
    os.symlink("/etc", places.root / "folder-link")
    os.mkfifo(places.root / "pipe")
    own = vault(places)
    stored = own.snap(30.0)
    assert (stored.told, stored.body is None) == ("", False)
    expected = dict.fromkeys(NAMES, "100644") | {b"plain": "100755", b"dangling": "120000", b"folder-link": "120000"}
    assert stored.body is not None
    assert listing(places, stored.body["tree"]) == expected
    for name in NAMES:
        os.unlink(os.path.join(root, name))
    found = own.changes_since(stored.body["tree"], None)
    assert found == [
        Change(name, "gone", State("file", A, 0o755 if name == b"plain" else 0o644)) for name in sorted(NAMES)
    ]
    own.close()


def test_what_is_ignored_is_left_out_and_submodules_are_in(places: Places) -> None:
    subprocess.run(("git", "init", "-q", "."), cwd=places.root, check=True)
    subprocess.run(("git", "init", "-q", "empty"), cwd=places.root, check=True)
    subprocess.run(("git", "init", "-q", "sub"), cwd=places.root, check=True)
    write(
        places.root,
        {
            ".gitignore": "*.log\nbuild/\n",
            "x.log": "",
            "build/y": "",
            "mine.bak": "",
            ".git/info/exclude": "*.bak\n",
            "sub/inner/z.txt": "z",
            "linked/.git": "gitdir: ../.git/worktrees/linked\n",
            "linked/w.txt": "w",
        },
    )
    own = vault(places)
    stored = own.snap(30.0)
    assert stored.body is not None
    assert sorted(listing(places, stored.body["tree"])) == [b".gitignore", b"linked/w.txt", b"sub/inner/z.txt"]
    write(places.root, {"sub/new.txt": "n", "sub/inner/z.txt": "changed"})
    found = own.changes_since(stored.body["tree"], stored.body["seen"])
    assert [(one.path, one.how) for one in found if not isinstance(one, str)] == [
        (b"sub/inner/z.txt", "changed"),
        (b"sub/new.txt", "new"),
    ]
    own.close()


def how(places: Places, own: Vault, body: Mapping[str, Any]) -> list[tuple[bytes, str]]:
    found = own.changes_since(body["tree"], body.get("seen"))
    assert not isinstance(found, str)
    return [(one.path, one.how) for one in found]


def test_directories_without_files_are_told_when_they_come_go_or_change(places: Places) -> None:
    write(places.root, {"a/full.txt": "f\n", "b/lost.txt": "l\n", ".gitignore": "ignored/\n*.tmp\n"})
    for name in ("gone", "stays", "mode", "filled", "ignored", "only"):
        (places.root / name).mkdir(mode=0o755)
    (places.root / "only" / "x.tmp").write_text("ignored")
    own = vault(places)
    stored = own.snap(30.0)
    assert stored.body is not None and stored.told == ""
    assert how(places, own, stored.body) == []
    (places.root / "gone").rmdir()
    (places.root / "mode").chmod(0o700)
    (places.root / "a" / "new" / "deep").mkdir(parents=True)
    (places.root / "b" / "lost.txt").unlink()
    (places.root / "ignored" / "inner").mkdir()
    write(places.root, {"filled/now.txt": "n\n"})
    assert how(places, own, stored.body) == [
        (b"a/new/", "new"),
        (b"b/lost.txt", "gone"),
        (b"filled/now.txt", "new"),
        (b"gone/", "gone"),
        (b"mode/", "changed"),
    ]


def test_many_new_directories_are_looked_through_in_one_go(places: Places) -> None:
    files = {f"d{number}/f.txt": "x\n" for number in range(250)}
    write(places.root, {"a.txt": "a\n"})
    own = vault(places)
    stored = own.snap(30.0)
    assert stored.body is not None
    write(places.root, files)
    (places.root / "d3x").mkdir()
    found = how(places, own, stored.body)
    assert len(found) == 251
    assert (b"d3x/", "new") in found


def test_large_files_are_only_looked_at(places: Places) -> None:
    with (places.root / "big.bin").open("wb") as file:
        file.truncate(10_000_001)
    write(places.root, {"a.py": "a\n"})
    own = vault(places)
    stored = own.snap(30.0)
    assert stored.told == "1 file is over 10 MB or not readable, and only listed in snapshots"
    assert stored.body is not None
    assert listing(places, stored.body["tree"]) == {b"a.py": "100644"}
    assert own.changes_since(stored.body["tree"], stored.body["seen"]) == []
    os.truncate(places.root / "big.bin", 20_000_000)
    assert own.changes_since(stored.body["tree"], stored.body["seen"]) == [Change(b"big.bin", "changed", None)]
    os.truncate(places.root / "a.py", 11_000_000)
    (places.root / "big.bin").unlink()
    assert own.changes_since(stored.body["tree"], stored.body["seen"]) == [
        Change(b"a.py", "changed", State("file", A, 0o644)),
        Change(b"big.bin", "gone", None),
    ]
    own.close()


def test_a_file_that_becomes_a_directory_and_back(places: Places) -> None:
    write(places.root, {"a": "a\n"})
    own = vault(places)
    first = own.snap(30.0)
    (places.root / "a").unlink()
    write(places.root, {"a/b": "b\n"})
    second = own.snap(30.0)
    assert first.body is not None and second.body is not None
    assert sorted(listing(places, second.body["tree"])) == [b"a/b"]
    found = own.changes_since(first.body["tree"], None)
    assert found == [Change(b"a", "gone", State("file", A, 0o644)), Change(b"a/b", "new", None)]
    (places.root / "a" / "b").unlink()
    (places.root / "a").rmdir()
    write(places.root, {"a": "a\n"})
    assert own.changes_since(first.body["tree"], None) == []
    own.close()


def test_a_change_of_the_same_size_in_the_same_moment_is_seen(places: Places) -> None:
    own = vault(places)
    for number in range(5):
        write(places.root, {"a.py": f"{number}\n"})
        stored = own.snap(30.0)
        write(places.root, {"a.py": f"{number}!"})
        assert stored.body is not None
        found = own.changes_since(stored.body["tree"], None)
        assert [(one.path, one.how) for one in found if not isinstance(one, str)] == [(b"a.py", "changed")]
    own.close()


def test_no_time_gives_a_list_and_the_next_one_is_whole(places: Places) -> None:
    write(places.root, {f"{number}.txt": f"{number}\n" for number in range(300)})
    own = vault(places)
    assert own.snap(0.0).told.startswith("no ")
    stored = own.snap(30.0)
    assert stored.told == ""
    assert stored.body is not None
    assert len(listing(places, stored.body["tree"])) == 300
    own.close()


def test_a_listed_snapshot_tells_what_changed(places: Places) -> None:
    """The tree of the snapshot before, and the looks of what has changed since then."""
    from agentmem.workspace.checkpoints import seen

    write(places.root, {"old.txt": "a\n", "edited.txt": "a\n"})
    own = vault(places)
    first = own.snap(30.0)
    write(places.root, {"edited.txt": "longer\n", "new.txt": "a\n"})
    looks = {name: seen.look_at(os.fsencode(places.root / os.fsdecode(name))) for name in (b"edited.txt", b"new.txt")}
    blob = own._repository.put(seen.dump({**looks, b"gone.txt": None}))
    assert first.body is not None
    assert own.changes_since(first.body["tree"], blob) == []
    write(places.root, {"edited.txt": "even longer\n", "gone.txt": "back\n"})
    (places.root / "new.txt").unlink()
    (places.root / "old.txt").unlink()
    assert own.changes_since(first.body["tree"], blob) == [
        Change(b"edited.txt", "changed", None),
        Change(b"gone.txt", "new", None),
        Change(b"new.txt", "gone", None),
        Change(b"old.txt", "gone", State("file", A, 0o644)),
    ]
    own.close()


def test_two_work_trees_share_objects_and_no_index(places: Places, tmp_path: Path) -> None:
    other = tmp_path / "w2" / "w"
    other.mkdir(parents=True)
    write(places.root, {"a.txt": "a\n"})
    write(other, {"b.txt": "b\n"})
    one, two = vault(places), vault(Places(other, other, places.home, places.shared))
    first, second = one.snap(30.0), two.snap(30.0)
    assert first.body is not None and second.body is not None
    assert listing(places, first.body["tree"]) == {b"a.txt": "100644"}
    assert listing(places, second.body["tree"]) == {b"b.txt": "100644"}
    refs = ask(places, "for-each-ref", "--format=%(refname)").decode().split()
    assert len({ref.split("/")[2] for ref in refs}) == 2
    one.close()
    two.close()


def test_snapshots_go_on_from_each_other_and_equal_ones_are_one_commit(places: Places) -> None:
    write(places.root, {"a.txt": "a\n"})
    own = vault(places)
    assert own.snap(30.0) == own.snap(30.0)
    write(places.root, {"b.txt": "b\n"})
    own.snap(30.0)
    own.keep_now([b"a.txt", b"none"])
    [ref] = ask(places, "for-each-ref", "--format=%(refname)").decode().split()
    assert ask(places, "log", "--format=%s", ref).decode().split("\n")[:-1] == [
        "before a rewind",
        "before a command",
        "before a command",
    ]
    assert ask(places, "fsck", "--strict") == b""
    own.close()


def test_a_full_disk_is_an_error_and_leaves_no_half_object(places: Places) -> None:
    """A limit on the size of files is what a full disk looks like."""
    write(places.root, {"a.bin": os.urandom(40_000).hex()})
    program = (
        "import resource, signal, sys\n"
        "sys.path[:0] = sys.argv[2:]\n"
        "from pathlib import Path\n"
        "from stores import vault\n"
        "from agentmem.domain.places import Places\n"
        "root = Path(sys.argv[1])\n"
        "own = vault(Places(root, root, root.parent / 'home', root / '.agent'))\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "try:\n    own.keep([str(root / 'a.bin')])\n"
        "except OSError as error:\n    print(error.errno)\n"
    )
    here = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[3])]
    ran = subprocess.run((sys.executable, "-c", program, str(places.root), *here), check=True, capture_output=True)
    assert int(ran.stdout) == errno.EFBIG
    assert [path for path in (places.shared / "checkpoints.git" / "objects").rglob("*") if path.is_file()] == []


def test_a_state_says_what_it_is() -> None:
    for state in (ABSENT, State("file", A, 0o4755), State("link", A), State("other", what="a directory")):
        assert State.read(str(state)) == state
    for text in (None, "", "file", f"file 99 {A}", "file 0644 short", "link", "lonk x", 3):
        assert State.read(text) is None


def test_environment_is_kept_but_gits_own_variables(places: Places) -> None:
    own = vault(places, ENV | {"GIT_INDEX_FILE": "/nowhere", "GIT_TRACE": "1", "GIT_OBJECT_DIRECTORY": "/nowhere"})
    write(places.root, {"a.txt": "a\n"})
    assert own.snap(30.0).told == ""
    own.close()


@pytest.mark.parametrize("damage", ["objects", "index"])
def test_what_was_removed_or_damaged_is_made_anew(places: Places, damage: str) -> None:
    write(places.root, {"a.txt": "a\n", "d/b.txt": "b\n"})
    own = vault(places)
    own.snap(30.0)
    own.close()
    if damage == "objects":
        shutil.rmtree(places.shared)
    else:
        [index] = [path for path in (places.home / "checkpoints" / "index").iterdir() if path.is_file()]
        index.write_bytes(b"DIRC no index")
    own = vault(places)
    stored = own.snap(30.0)
    assert stored.told == ""
    assert stored.body is not None
    assert listing(places, stored.body["tree"]) == {b"a.txt": "100644", b"d/b.txt": "100644"}
    own.close()


def test_too_many_files_are_only_listed(places: Places, tmp_path: Path) -> None:
    for number in range(210):
        with (places.root / f"{number}.bin").open("wb") as file:
            file.truncate(9_900_000)
    own = vault(places)
    stored = own.snap(30.0)
    assert stored.body is not None
    assert stored.body["listed"] == 210
    assert "210 files are only listed" in stored.told
    assert own.changes_since(stored.body["tree"], stored.body["seen"]) == []
    own.close()


def test_a_linked_work_tree_answers_to_the_common_excludes(places: Places) -> None:
    def git(*words: str, cwd: Path = places.root) -> None:
        env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(("git", "-c", "user.name=u", "-c", "user.email=u@x.test", *words), cwd=cwd, env=env, check=True)

    git("init", "-q", ".")
    git("commit", "-q", "--allow-empty", "-m", "first")
    (places.root / ".git" / "info" / "exclude").write_text("*.bak\n")
    git("worktree", "add", "-q", str(places.home / "linked"))
    linked = places.home / "linked"
    write(linked, {"a.txt": "a\n", "b.bak": "b\n"})
    own = vault(Places(linked, linked, places.home, places.shared))
    stored = own.snap(30.0)
    assert stored.body is not None
    assert listing(places, stored.body["tree"]) == {b"a.txt": "100644"}
    own.close()
