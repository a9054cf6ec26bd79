from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.domain.claim import Admitted
from agentmem.memory.stores import semantic

NEW = Admitted("ADD", "m1", "new", "Facts")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"", b"## Facts\n- new ^m1\n"),
        (b"\n", b"\n## Facts\n- new ^m1\n"),
        (b"# Memory", b"# Memory\n\n## Facts\n- new ^m1\n"),
        (b"# Memory\n", b"# Memory\n\n## Facts\n- new ^m1\n"),
        (b"# Memory\n\n", b"# Memory\n\n## Facts\n- new ^m1\n"),
        (b"## Facts", b"## Facts\n- new ^m1\n"),
        (b"## Facts\n- a", b"## Facts\n- a\n- new ^m1\n"),
        (b"## Facts\n- a\n\n\n## B\n- b\n", b"## Facts\n- a\n- new ^m1\n\n\n## B\n- b\n"),
        (b"## Facts\n\n## B\n- b\n", b"## Facts\n- new ^m1\n\n## B\n- b\n"),
        (b"## facts ##\n- a\n### Deep\n- d\n# Top\n", b"## facts ##\n- a\n### Deep\n- d\n- new ^m1\n# Top\n"),
        (b"\xef\xbb\xbf## Facts\r\n- a\r\n\r\n## B\r\n", b"\xef\xbb\xbf## Facts\r\n- a\r\n- new ^m1\r\n\r\n## B\r\n"),
        (b"# M\r\n", b"# M\r\n\r\n## Facts\r\n- new ^m1\r\n"),
        (b"\xff\xfe odd \xe9\n## Facts\n- \xe9\n", b"\xff\xfe odd \xe9\n## Facts\n- \xe9\n- new ^m1\n"),
        (b"```\n## Facts\n```\n", b"```\n## Facts\n```\n\n## Facts\n- new ^m1\n"),
        (b"## Facts\n```\n## B\n```\n- a\n", b"## Facts\n```\n## B\n```\n- a\n- new ^m1\n"),
        (b"## Facts\n- a\n## Facts\n- b\n", b"## Facts\n- a\n- new ^m1\n## Facts\n- b\n"),
    ],
)
def test_a_bullet_goes_under_its_heading_and_only_its_own_lines_change(old: bytes, new: bytes) -> None:
    assert semantic.with_bullet(old, NEW) == new


ROWS = [b"## Facts", b"# x", b"- a", b"", b"```", b"~~~", b"  deep", b"\xe9\xff", b"## Other ##", b"\r"]


@given(st.lists(st.sampled_from(ROWS), max_size=9), st.sampled_from([b"\n", b"\r\n"]), st.booleans(), st.booleans())
def test_what_was_there_stays_byte_for_byte(rows: list[bytes], end: bytes, final: bool, bom: bool) -> None:
    old = (b"\xef\xbb\xbf" if bom else b"") + end.join(rows) + (end if final else b"")
    new = semantic.with_bullet(old, NEW)
    at = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
    assert new.endswith(old[at:]), "more than one place changed"
    added = new[at : len(new) - len(old) + at]
    whole = [row for row in new.replace(b"\r\n", b"\n").split(b"\n") if row == b"- new ^m1"]
    assert (len(whole), added.count(b"- new ^m1"), added.count(b"\n") <= 4) == (1, 1, True)


def test_a_missing_file_is_made_and_a_mode_kept(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "MEMORY.md"
    assert semantic.stage(path, [NEW]).commit()
    assert path.read_bytes() == b"## Facts\n- new ^m1\n"
    path.chmod(0o640)
    assert semantic.stage(path, [Admitted("ADD", "m2", "two", "Facts")]).commit()
    assert path.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in path.parent.iterdir()] == ["MEMORY.md"]


def test_an_edit_between_reading_and_writing_wins(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text("- port: 8080\n")
    staged = semantic.stage(path, [NEW])
    path.write_text("- port: 8080\n" + "- mine\n" * 60)
    assert not staged.commit()
    assert path.read_text() == "- port: 8080\n" + "- mine\n" * 60
    staged.discard()
    assert [one.name for one in tmp_path.iterdir()] == ["MEMORY.md"]


def test_a_leftover_of_a_killed_writer_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("untouched")
    (tmp_path / ".MEMORY.md.new").symlink_to(tmp_path / "target")
    assert semantic.stage(tmp_path / "MEMORY.md", [NEW]).commit()
    assert (tmp_path / "target").read_text() == "untouched"
    assert not (tmp_path / "MEMORY.md").is_symlink()


def test_beliefs_are_read_from_what_people_write(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    assert semantic.beliefs(path) == []
    path.write_bytes("\ufeff# Memory\r\n\r\n- a ^m1\r\n  * nested\r\n1. third ^x-2\r\nprose\r\n".encode())
    assert [(one.text, one.id) for one in semantic.beliefs(path)] == [
        ("a", "m1"),
        ("nested", None),
        ("third", "x-2"),
        ("prose", None),
    ]
