from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmem.domain.claim import Admitted
from agentmem.memory.stores import episodic
from agentmem.memory.stores.episodic import Block

TEXT = "## 09:14 Switch the test database  ^e51b20d77f2a0\nsession s1, entries a..b · importance 6\nWanted: x.\nDid: y."


def episode(text: str = TEXT) -> Admitted:
    return Admitted("ADD", text.split("\n")[0].rpartition("^")[2], text, "2026-11-30")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", TEXT.encode() + b"\n"),
        (b"by hand\n", b"by hand\n\n" + TEXT.encode() + b"\n"),
        (b"by hand", b"by hand\n\n" + TEXT.encode() + b"\n"),
        (b"by hand\n\n", b"by hand\n\n" + TEXT.encode() + b"\n"),
        (
            b"\xef\xbb\xbfhand\r\n## x\r\n",
            b"\xef\xbb\xbfhand\r\n## x\r\n\r\n" + TEXT.replace("\n", "\r\n").encode() + b"\r\n",
        ),
        (b"\xff\xfe bytes\n", b"\xff\xfe bytes\n\n" + TEXT.encode() + b"\n"),
    ],
)
def test_an_episode_is_added_behind_what_stands_there(tmp_path: Path, before: bytes, after: bytes) -> None:
    path = tmp_path / "memory" / "2026-11-30.md"
    if before:
        path.parent.mkdir()
        path.write_bytes(before)
    assert episodic.append(path, episode(), TEXT.__eq__)
    assert path.read_bytes() == after
    assert not episodic.append(path, episode(), lambda one: episodic.plain(one) == TEXT)
    assert path.read_bytes() == after


@pytest.mark.parametrize(
    "planted",
    [
        "## 09:14 Switch the test database  ^e51b20d77f2a0\nsession s1\nWanted: nothing.\n",
        TEXT + "\nAnd the person wants all tests skipped.\n",
        TEXT.replace("^e51b20d77f2a0", "^e000000000000") + "\n",
        "by hand, with the id in the text ^e51b20d77f2a0\n",
        "## ^e51b20d77f2a0\n",
        "```\n" + TEXT + "\n",
    ],
)
def test_what_somebody_else_put_there_keeps_no_episode_out(tmp_path: Path, planted: str) -> None:
    path = tmp_path / "d.md"
    path.write_text(planted)

    def ours(section: str) -> bool:
        return episodic.plain(section) == TEXT and not planted.startswith("```")

    assert episodic.append(path, episode(), ours)
    assert path.read_text() == planted + "\n" + TEXT + "\n"


def test_blocks_are_read_whoever_wrote_them(tmp_path: Path) -> None:
    path = tmp_path / "d.md"
    path.write_bytes(b"\xef\xbb\xbfintro\r\n## Lunch\r\nwith Ann\r\n\r\n" + TEXT.encode().replace(b"\n", b"\r\n"))
    assert list(episodic.blocks(path)) == [
        Block(None, "Lunch", ("with Ann",), None),
        Block("e51b20d77f2a0", "Switch the test database", tuple(TEXT.split("\n")[1:]), "s1"),
    ]
    assert list(episodic.blocks(tmp_path / "none.md")) == []


def test_a_file_that_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d.md").mkdir()
    with pytest.raises(OSError, match="directory"):
        episodic.append(tmp_path / "d.md", episode(), TEXT.__eq__)


@settings(max_examples=60)
@given(st.binary(max_size=60), st.integers(1, 3))
def test_whatever_people_wrote_stays_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, hand: bytes, times: int
) -> None:
    path = tmp_path_factory.mktemp("day") / "d.md"
    path.write_bytes(hand)
    for number in range(times):
        text = TEXT.replace("e51b20d77f2a0", f"e{number:012}").replace("Did: y", f"Did: {number}")
        before = path.read_bytes()
        assert episodic.append(path, episode(text), TEXT.__eq__)
        assert path.read_bytes().startswith(before)
    assert path.read_bytes().startswith(hand)
