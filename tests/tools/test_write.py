from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools import read, write


def put(context: ToolContext, data: bytes, name: str = "f") -> Path:
    path = context.cwd / name
    path.write_bytes(data)
    return path


def run(context: ToolContext, content: str, path: str = "f") -> ToolResult:
    return write.TOOL.run({"path": path, "content": content}, context)


def seen(context: ToolContext, path: str = "f") -> None:
    read.TOOL.run({"path": path}, context)


def test_a_new_file(context: ToolContext) -> None:
    old = os.umask(0o027)
    try:
        result = run(context, "a\nb\n", "new/sub/y")
    finally:
        os.umask(old)
    path = context.cwd / "new/sub/y"
    assert result == ToolResult(
        "wrote new/sub/y: new, 2 lines, 4 bytes", diff="--- /dev/null\n+++ b/new/sub/y\n@@ -0,0 +1,2 @@\n+a\n+b\n"
    )
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"a\nb\n", 0o640)
    assert os.listdir(path.parent) == ["y"]


def test_an_empty_new_file(context: ToolContext) -> None:
    assert run(context, "") == ToolResult("wrote f: new, 0 lines, 0 bytes", diff="--- /dev/null\n+++ b/f\n")


def test_over_a_file_that_was_read(context: ToolContext) -> None:
    path = put(context, b"a\nb\nc\n")
    path.chmod(0o750)
    seen(context)
    result = run(context, "a\nB\nc")
    assert result == ToolResult(
        "wrote f: 3 lines, 5 bytes, was 3 lines, 6 bytes",
        diff="--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n-c\n+B\n+c\n\\ No newline at end of file\n",
    )
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"a\nB\nc", 0o750)
    assert not run(context, "anew\n").error


def test_not_over_a_file_that_was_not_read(context: ToolContext) -> None:
    path = put(context, b"a\n")
    result = run(context, "b\n")
    assert (result.error, result.text) == (
        True,
        "f exists and was not read yet: read it first, so that nothing in it is lost",
    )
    assert path.read_bytes() == b"a\n"


def test_an_empty_file_has_nothing_to_lose(context: ToolContext) -> None:
    path = put(context, b"")
    assert not run(context, "b\n").error
    assert path.read_bytes() == b"b\n"


def test_equal_content_writes_nothing(context: ToolContext) -> None:
    path = put(context, b"a\n")
    times = path.stat().st_mtime_ns
    assert run(context, "a\n") == ToolResult("f already holds exactly this; nothing to write")
    assert path.stat().st_mtime_ns == times


def test_changed_since_read(context: ToolContext) -> None:
    path = put(context, b"a\n")
    seen(context)
    path.write_bytes(b"x\n")
    result = run(context, "b\n")
    assert (result.error, result.text) == (
        True,
        "f changed on disk since it was read; read it again. Nothing was written",
    )
    assert path.read_bytes() == b"x\n"
    path.unlink()
    assert not run(context, "b\n").error


@pytest.mark.parametrize(
    ("before", "content", "after", "kept"),
    [
        (b"a\r\nb\r\n", "a\nc\n", b"a\r\nc\r\n", True),
        (b"a\r\nb\r\n", "a\r\nc\r\n", b"a\r\nc\r\n", False),
        (b"a\nb\n", "a\r\nc\r\n", b"a\nc\n", True),
        (b"a\r\nb\n", "c\n", b"c\n", False),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n", True),
        (b"\xef\xbb\xbfa\r\n", "\ufeffb\n", b"\xef\xbb\xbfb\r\n", True),
        (b"a\n", "b", b"b", False),
        (b"a", "b\n", b"b\n", False),
    ],
)
def test_what_a_model_does_not_see_is_kept(
    context: ToolContext, before: bytes, content: str, after: bytes, kept: bool
) -> None:
    path = put(context, before)
    seen(context)
    result = run(context, content)
    assert path.read_bytes() == after
    assert result.text.endswith("; its form (line ends, byte order mark) was kept") == kept


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (b"caf\xe9\n", "f is not utf-8"),
        ("\ufeffa".encode("utf-16-le"), "f is utf-16"),
        (b"\0\1", "f is binary"),
        (b"\xff\xfea", "f is binary"),
    ],
)
def test_another_encoding_is_not_written_over(context: ToolContext, before: bytes, words: str) -> None:
    path = put(context, before)
    seen(context)
    result = run(context, "b\n")
    assert result.error
    assert result.text.startswith(words)
    assert path.read_bytes() == before


def test_a_placeholder_does_not_take_the_place_of_code(context: ToolContext) -> None:
    path = put(context, b"a()\nb()\n")
    seen(context)
    result = run(context, "a()\n# ... rest of the code unchanged\n")
    assert result.error
    assert "placeholder, `# ... rest of the code unchanged`" in result.text
    assert path.read_bytes() == b"a()\nb()\n"
    assert not run(context, "# ... rest of the code unchanged\n", "new.py").error


def test_through_links(context: ToolContext, tmp_path: Path) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_bytes(b"a\n")
    (context.cwd / "notes.txt").symlink_to(outside)
    assert write.TOOL.access({"path": "notes.txt", "content": ""}, context) == (
        Access("write", str(outside), "notes.txt"),
    )
    seen(context, "notes.txt")
    result = run(context, "b\n", "notes.txt")
    assert result.diff == f"--- {outside}\n+++ {outside}\n@@ -1 +1 @@\n-a\n+b\n"
    assert (outside.read_bytes(), (context.cwd / "notes.txt").is_symlink()) == (b"b\n", True)
    (context.cwd / "dangling").symlink_to("made.txt")
    run(context, "c\n", "dangling")
    assert (context.cwd / "made.txt").read_bytes() == b"c\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("d", "d is a directory, not a file"),
        ("new/", "new/ names a directory; give the path of a file"),
        ("f/x", "f/x: a part of the path is a file, not a directory"),
        ("p", "p is a pipe, not a file"),
        ("a\0", "the path holds a NUL byte"),
        ("n" * 300, "n" * 300 + ": the name is too long for this disk"),
        (".agent/config.yaml", ".agent/config.yaml (.agent/) is the agent's memory, which no tool writes"),
        ("./skills/x/SKILL.md", "./skills/x/SKILL.md (skills/) is the agent's memory, which no tool writes"),
    ],
)
def test_what_cannot_be_written(context: ToolContext, path: str, text: str) -> None:
    put(context, b"a\n")
    (context.cwd / "d").mkdir()
    os.mkfifo(context.cwd / "p")
    result = run(context, "b\n", path)
    assert (result.error, result.text[: len(text)]) == (True, text)
    assert sorted(os.listdir(context.cwd)) == ["d", "f", "p"]


def test_half_a_character_is_not_written(context: ToolContext) -> None:
    result = run(context, "ok \ud83d")
    assert (result.error, result.text) == (
        True,
        "content holds half a character (a lone surrogate) at 3; nothing was written",
    )
    assert os.listdir(context.cwd) == []


def test_a_read_only_file(context: ToolContext) -> None:
    path = put(context, b"a\n")
    path.chmod(0o444)
    seen(context)
    assert run(context, "b\n") == ToolResult("f: the file is read-only", error=True)


def test_preview(context: ToolContext) -> None:
    path = put(context, b"a\n")
    assert write.TOOL.preview is not None
    assert write.TOOL.preview({"path": "f", "content": "b\n"}, context) is None
    seen(context)
    assert write.TOOL.preview({"path": "f", "content": "b\n"}, context) == "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
    assert write.TOOL.preview({"path": "f", "content": "a\n"}, context) is None
    assert path.read_bytes() == b"a\n"
