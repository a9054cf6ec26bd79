from __future__ import annotations

from pathlib import Path

import pytest
from gitting import git

from agentmem.domain.phrase import phrases
from agentmem.memory.manage.scrub import Scan, Scrub
from agentmem.memory.stores.bare import Bare
from agentmem.memory.write.tombstone import Tombs
from agentmem.objects import Damaged

WORDS = "elm road"


def commit(work: Path, message: str, **files: str) -> str:
    for name, text in files.items():
        path = work / name.replace("__", "/").replace("_md", ".md").replace("_jsonl", ".jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(work, "add", "-A")
    git(work, "commit", "-q", "--allow-empty", "-m", message)
    return git(work, "rev-parse", "HEAD")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A history of four commits; the words stand in the second and third."""
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "one", MEMORY_md="- one ^m1\n", keep="kept " * 50)
    commit(
        folder,
        "two",
        MEMORY_md="- one ^m1\n- Elm Road ^m2\n",
        memory__ledger_jsonl='{"category":"elm road","text":"elm\\u0020road"}\n',
    )
    commit(folder, "three, of Elm Road", MEMORY_md="- one ^m1\n- Elm Road ^m2\n- three at elm road ^m3\n")
    commit(
        folder,
        "four",
        MEMORY_md="- one ^m1\n- three ^m3\n",
        memory__ledger_jsonl='{"category":"elm road","text":"x"}\n',
    )
    return folder


def everything(folder: Path) -> bytes:
    """All bytes that the directory holds, every object unpacked by git itself."""
    names = git(folder, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").split("\n")
    said = [git(folder, "cat-file", "-p", name.split()[0]).encode() for name in names if name]
    raw = [path.read_bytes() for path in (folder / ".git").rglob("*") if path.is_file()]
    return b"\n".join(said + raw).lower()


def scrubbed(path: Path, *, whole: bool) -> Scan:
    scrub = Scrub(path, Tombs(phrases([WORDS]), exact=False), whole=whole)
    found = scrub.scan()
    scrub.clean(found)
    scrub.close()
    return found


@pytest.mark.parametrize("packed", ["loose", "packed", "both", "refs"])
def test_a_history_keeps_its_versions_without_the_words(work: Path, packed: str) -> None:
    if packed in ("packed", "both"):
        git(work, "repack", "-q", "-a", "-d", "-f", "--depth=20")
        git(work, "commit-graph", "write", "--reachable")
        git(work, "multi-pack-index", "write")
    if packed == "both":
        commit(work, "five", MEMORY_md="- one ^m1\n- three ^m3\n- five on elm road ^m5\n")
    if packed == "refs":
        git(work, "tag", "-a", "v1", "-m", "a tag of elm road", "HEAD~1")
        git(work, "pack-refs", "--all")
    (work / ".git" / "index").unlink()
    found = scrubbed(work / ".git", whole=False)
    assert found.count >= 3
    again = Scrub(work / ".git", Tombs(phrases([WORDS]), exact=False), whole=False)
    assert (again.scan().count, again.scan().unreadable) == (0, [])
    again.close()
    assert everything(work).replace(b'"category":"elm road"', b"").count(b"elm road") == 0
    assert git(work, "fsck", "--full", "--strict", "--no-dangling") == ""
    last = "HEAD~1" if packed == "both" else "HEAD"
    assert git(work, "log", "--format=%s", last).split("\n") == ["four", "three, of [forgotten]", "two", "one"]
    assert git(work, "show", f"{last}~1:MEMORY.md") == "- one ^m1\n- three at [forgotten] ^m3"
    assert git(work, "show", f"{last}~2:memory/ledger.jsonl") == '{"category":"elm road","text":"[forgotten]"}'
    assert git(work, "show", f"{last}:keep") == "kept " * 50


def test_checkpoints_that_hold_the_words_go_whole(work: Path) -> None:
    first = git(work, "rev-parse", "HEAD~3")
    git(work, "branch", "other", "HEAD~2")
    git(work, "branch", "before", "HEAD~3")
    (work / ".git" / "index").unlink()
    found = scrubbed(work / ".git", whole=True)
    assert (work / ".git" / "refs" / "heads" / "other").read_text().strip() == first
    assert git(work, "log", "--format=%s").split("\n") == ["one"]
    assert "MEMORY.md" in found.paths
    assert b"elm road" not in everything(work)
    assert git(work, "fsck", "--full", "--no-dangling") == ""


def test_a_branch_of_nothing_else_goes(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, "only", a="Elm Road")
    git(tmp_path, "pack-refs", "--all")
    scrubbed(tmp_path / ".git", whole=True)
    assert git(tmp_path, "for-each-ref") == ""
    assert git(tmp_path, "cat-file", "--batch-all-objects", "--batch-check") == ""


def test_a_run_that_was_killed_before_objects_went_is_finished(work: Path) -> None:
    scrub = Scrub(work / ".git", Tombs(phrases([WORDS]), exact=False), whole=False)
    found = scrub.scan()
    scrub._bare.remove = lambda gone: (_ for _ in ()).throw(KeyboardInterrupt)  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        scrub.clean(found)
    scrub.close()
    assert git(work, "log", "--format=%s").split("\n")[1] == "three, of [forgotten]"
    assert b"three at elm road" in everything(work)
    scrubbed(work / ".git", whole=False)
    assert b"three at elm road" not in everything(work)


def test_names_of_files_and_half_written_objects_count(work: Path) -> None:
    commit(work, "six", **{"elm road.txt": "x"})
    left = work / ".git" / "objects" / "3b"
    left.mkdir(exist_ok=True)
    import zlib

    (left / "tmp_obj_1").write_bytes(zlib.compress(b"blob 8\0elm road")[:-2])
    (work / ".git" / "COMMIT_EDITMSG").write_text("about Elm Road")
    found = scrubbed(work / ".git", whole=False)
    assert {path.name for path in found.files} >= {"tmp_obj_1", "COMMIT_EDITMSG"}
    assert git(work, "ls-tree", "--name-only", "HEAD").split("\n") == ["MEMORY.md", "[forgotten].txt", "keep", "memory"]
    assert not (left / "tmp_obj_1").exists()


def test_what_cannot_be_read_is_told(work: Path) -> None:
    victim = next(path for path in (work / ".git" / "objects").glob("??/*"))
    victim.chmod(0o600)
    victim.write_bytes(b"no zlib")
    info = work / ".git" / "objects" / "info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text("/elsewhere\n")
    (work / ".git" / "objects" / "pack").mkdir(exist_ok=True)
    (work / ".git" / "objects" / "pack" / "pack-1.pack").write_bytes(b"PACK")
    (work / ".git" / "objects" / "pack" / "pack-2.idx").write_bytes(b"x")
    scrub = Scrub(work / ".git", Tombs(phrases([WORDS])), whole=True)
    told = scrub.scan().unreadable
    scrub.close()
    assert [any(word in line for line in told) for word in ("damaged", "alternates", "without an index")] == [True] * 3


def test_packs_are_read_as_git_reads_them(work: Path) -> None:
    for number in range(30):
        text = "\n".join(f"line {row} {number if row == number else 0}" for row in range(400))
        commit(work, f"more {number}", grow=text)
    git(work, "repack", "-q", "-a", "-d", "-f", "--depth=50", "--window=50")
    bare = Bare(work / ".git")
    names = git(work, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").split("\n")
    assert [f"{name} {bare.read(name)[0]}" for name in bare.names()] == names
    with pytest.raises(Damaged):
        bare.read("0" * 40)
    bare.close()
