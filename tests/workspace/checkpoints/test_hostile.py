"""A repository whose config, attributes, hooks, index and private directory would all run code, or lead elsewhere."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from stores import ENV, ask, listing, vault, write

from agentmem.domain.places import Places
from agentmem.workspace.checkpoints.repository import Unusable

EVIL = """\
[core]
\tfsmonitor = {run} fsmonitor
\thooksPath = {hooks}
\tsshCommand = {run} ssh
\tattributesFile = {attributes}
\tworktree = /
[filter "evil"]
\tclean = {run} clean
\tsmudge = {run} smudge
\tprocess = {run} process
\trequired = true
[diff "evil"]
\ttextconv = {run} textconv
\tcommand = {run} diff
[extensions]
\tworktreeConfig = true
[alias]
\tls-files = !{run} alias
[credential]
\thelper = !{run} credential
"""


@pytest.fixture
def hostile(places: Places, tmp_path: Path) -> Iterator[Places]:
    """The place; nothing may have run when the test is over."""
    run = tmp_path / "run"
    run.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/ran\ncat\n')
    run.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "reference-transaction", "pre-commit"):
        (hooks / name).write_text(f"#!/bin/sh\necho hook >> {tmp_path}/ran\n")
        (hooks / name).chmod(0o755)
    attributes = tmp_path / "attributes"
    attributes.write_text("* filter=evil diff=evil\n")
    evil = EVIL.format(run=run, hooks=hooks, attributes=attributes)
    subprocess.run(("git", "init", "-q", "."), cwd=places.root, check=True)
    subprocess.run(("git", "init", "-q", "sub"), cwd=places.root, check=True)
    write(places.root, {"a.txt": "a\r\n", "sub/b.txt": "b\n", "deep/c.txt": "$Id$\n", "latin.txt": "x\n"})
    for top in (places.root, places.root / "sub"):
        with (top / ".git" / "config").open("a") as file:
            file.write(evil)
        (top / ".git" / "info" / "attributes").write_text("* filter=evil\n")
        (top / ".gitattributes").write_text(
            "[attr]m filter=evil\n* filter=evil diff=evil text eol=lf ident\n"
            "latin.txt working-tree-encoding=UTF-16 text\n"
        )
    (places.root / "deep" / ".gitattributes").write_text("* m text=auto eol=crlf ident\n")
    # A clone may bring a private directory of its own.
    private = places.shared / "checkpoints.git"
    for name in ("objects/info", "refs", "info", "hooks"):
        (private / name).mkdir(parents=True)
    (private / "config").write_text(evil)
    (private / "info" / "attributes").write_text("* filter=evil\n")
    (private / "HEAD").write_text("ref: refs/heads/main\n")
    os.symlink(hooks / "post-index-change", private / "hooks" / "post-index-change")
    yield places
    assert not (tmp_path / "ran").exists()


def test_nothing_runs_and_every_byte_is_as_on_disk(hostile: Places) -> None:
    env = ENV | {
        "GIT_EXTERNAL_DIFF": "false",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(hostile.root.parent / "run"),
        "GIT_DIR": str(hostile.root / ".git"),
    }
    own = vault(hostile, env)
    first = own.snap(30.0)
    assert first.told == ""
    assert first.body is not None
    assert listing(hostile, first.body["tree"]) == dict.fromkeys(
        [
            b".gitattributes",
            b"a.txt",
            b"deep/.gitattributes",
            b"deep/c.txt",
            b"latin.txt",
            b"sub/.gitattributes",
            b"sub/b.txt",
        ],
        "100644",
    )
    for name, data in ((b"a.txt", b"a\r\n"), (b"deep/c.txt", b"$Id$\n"), (b"latin.txt", b"x\n")):
        [state] = [one.before for one in _changes(own, first.body["tree"], hostile.root, name) if one.path == name]
        assert state is not None
        assert own.bytes_of(state) == data
    kept, _ = own.keep([str(hostile.root / "a.txt")])
    assert own.bytes_of(kept[0].before) == b"changed"
    own.close()


def _changes(own, tree: str, root: Path, name: bytes):  # type: ignore[no-untyped-def]
    (root / os.fsdecode(name)).write_bytes(b"changed")
    found = own.changes_since(tree, None)
    assert not isinstance(found, str), found
    return found


def test_a_private_directory_that_is_a_link_is_not_used(places: Places) -> None:
    subprocess.run(("git", "init", "-q", "."), cwd=places.root, check=True)
    before = sorted(path for path in (places.root / ".git").rglob("*"))
    places.shared.mkdir()
    (places.shared / "checkpoints.git").symlink_to(places.root / ".git")
    with pytest.raises(Unusable, match="is no directory"):
        vault(places)
    assert sorted((places.root / ".git").rglob("*")) == before


def test_objects_that_lead_elsewhere_are_not_used(places: Places, tmp_path: Path) -> None:
    (places.shared / "checkpoints.git").mkdir(parents=True)
    (places.shared / "checkpoints.git" / "objects").symlink_to(tmp_path)
    with pytest.raises(Unusable, match="objects is no directory"):
        vault(places)


def test_settings_that_somebody_changed_are_made_anew(places: Places) -> None:
    write(places.root, {"a.txt": "a\n"})
    own = vault(places)
    own.snap(30.0)
    config = places.home / "checkpoints" / "config"
    sound = config.read_text()
    config.write_text("[core]\n\tfsmonitor = false-one\n")
    own.snap(30.0)
    assert config.read_text() == sound
    own.close()


def test_a_session_with_an_odd_name_stays_in_its_place(places: Places) -> None:
    write(places.root, {"a.txt": "a\n"})
    own = vault(places, session="../../../evil.lock~^:")
    own.keep([str(places.root / "a.txt")])
    [ref] = ask(places, "for-each-ref", "--format=%(refname)").decode().split()
    assert ref.startswith("refs/agentmem/w-")
    assert ref.endswith("/%2e%2e%2f%2e%2e%2f%2e%2e%2fevil%2elock%7e%5e%3a")
    own.close()
