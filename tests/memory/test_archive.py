"""The archive: a span kept whole, durable, private, and read back as it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spans import Talk, work

from agentmem.memory.stores import archive


def test_a_span_comes_back_whole_and_its_texts_stand_there_as_they_are(tmp_path: Path) -> None:
    span = work().span
    path = archive.put(tmp_path / "archive", "s1", span, "the reply was empty")
    assert path.parent == tmp_path / "archive" / "s1"
    assert path.name.startswith("m1-m15-")
    assert archive.read(path) == span
    text = path.read_text()
    assert "Their summary failed (the reply was empty)." in text
    assert "def pool():\n    return connect(timeout=30)\n" in text
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert os.listdir(path.parent) == [path.name]


def test_the_same_span_has_one_file(tmp_path: Path) -> None:
    span = work().span
    assert archive.put(tmp_path, "s1", span, "a") == archive.put(tmp_path, "s1", span, "b")
    assert archive.put(tmp_path, "s1", span[:-1], "a") != archive.put(tmp_path, "s1", span, "a")


def test_every_sort_of_part_is_told(tmp_path: Path) -> None:
    content = [
        {"type": "thinking", "text": "a thought"},
        {"type": "image", "media_type": "image/png", "data": "AAAA"},
        {"type": "tool_call", "id": "t", "name": "edit", "raw": "{not json", "arguments": {}},
    ]
    span = Talk().add("message", role="assistant", content=content).add("interrupt", reason="user").span
    text = archive.put(tmp_path, "s1", span, "a").read_text().partition("\n```\n")[2]
    assert text == (
        "\n## assistant · m1 · 2026-11-30T12:02:11Z\n\na thought\n\n[an image, image/png]\n\n[edit]\n{not json\n"
        "\n## interrupt · i2 · 2026-11-30T12:02:11Z\n"
    )


def test_half_a_character_is_mended_and_nothing_half_written_stays(tmp_path: Path) -> None:
    span = Talk().user("a \ud800 b").span
    path = archive.put(tmp_path, "s1", span, "a")
    assert archive.read(path)[0].body["content"][0]["text"] == "a \ufffd b"
    path.unlink()
    (path / "in the way").mkdir(parents=True)
    with pytest.raises(OSError):
        archive.put(tmp_path, "s1", span, "a")
    assert os.listdir(path.parent) == [path.name]


def test_a_line_that_is_no_entry_is_told(tmp_path: Path) -> None:
    path = archive.put(tmp_path, "s1", work().span, "a")
    path.write_bytes(path.read_bytes().replace(b'{"type"', b'{type"', 1))
    with pytest.raises(ValueError, match="a line that is no entry"):
        archive.read(path)


def test_ids_lead_nowhere_else(tmp_path: Path) -> None:
    talk = Talk().user("a")
    path = archive.put(tmp_path / "archive", "../../x", talk.span, "a")
    assert path.parent.parent == tmp_path / "archive"


def test_a_file_that_was_cut_is_told(tmp_path: Path) -> None:
    path = archive.put(tmp_path, "s1", work().span, "a")
    path.write_bytes(path.read_bytes()[:600])
    with pytest.raises(ValueError, match="no whole archive file"):
        archive.read(path)


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("a file")
    with pytest.raises(OSError):
        archive.put(tmp_path / "archive", "s1", work().span, "a")


@given(
    st.lists(st.text(alphabet="`\n{}jsonl \u2028é\U0001f600\x00\x1b", min_size=1, max_size=30), min_size=1, max_size=4)
)
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    talk = Talk()
    for text in texts:
        talk.user(text).call("bash", {"command": text, "n": [text, 1]}).result(text)
    path = archive.put(tmp_path_factory.mktemp("a"), "s1", talk.span, "\n".join(texts))
    assert archive.read(path) == talk.span
