from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools import edit, read, write


def put(context: ToolContext, data: bytes, name: str = "f") -> Path:
    path = context.cwd / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def run(context: ToolContext, *edits: tuple[str, str], path: str = "f", all: bool = False) -> ToolResult:
    sent = [{"old": old, "new": new, **({"all": True} if all else {})} for old, new in edits]
    return edit.TOOL.run({"path": path, "edits": sent}, context)


# What an accepted edit leaves on disk, to the byte: (before, old, new, after).
KEPT = {
    "crlf, asked in lf": (b"top\r\nmid\r\nend\r\n", "top\nmid", "TOP\nMID\nNEW", b"TOP\r\nMID\r\nNEW\r\nend\r\n"),
    "crlf, asked in crlf": (b"top\r\nmid\r\n", "top\r\nmid", "T\r\nM", b"T\r\nM\r\n"),
    "lf, asked in crlf": (b"top\nmid\n", "top\r\nmid", "T\r\nM", b"T\nM\n"),
    "crlf, one line becomes two": (b"a\r\nb\r\n", "b", "x\ny", b"a\r\nx\r\ny\r\n"),
    "crlf, last line without end": (b"a\r\nb", "b", "x\ny", b"a\r\nx\r\ny"),
    "one line without any end": (b"b", "b", "x\ny", b"x\ny"),
    "mixed, a match over both": (b"a\r\nb\nc\n", "a\nb", "x\ny", b"x\r\ny\nc\n"),
    "mixed, grown in the lf part": (b"a\r\nb\nc\r\n", "b", "x\ny", b"a\r\nx\ny\nc\r\n"),
    "lone carriage returns are data": (b"a\rb\rc", "b", "B", b"a\rB\rc"),
    "a carriage return that is data, matched": (b"a\rb\nc\n", "a\rb", "x\ry", b"x\ry\nc\n"),
    "no newline at the end": (b"a\nlast", "last", "LAST", b"a\nLAST"),
    "a line taken out": (b"a\nb\nc\n", "b\n", "", b"a\nc\n"),
    "a crlf line taken out": (b"a\r\nb\r\nc\r\n", "b\n", "", b"a\r\nc\r\n"),
    "an end of line alone": (b"a\r\nb\r\n", "a\nb", "ab", b"ab\r\n"),
    "byte order mark": (b"\xef\xbb\xbfusing A;\r\n", "using A;", "using B;", b"\xef\xbb\xbfusing B;\r\n"),
    "byte order mark, sent along": (
        b"\xef\xbb\xbfusing A;\n",
        "\ufeffusing A;",
        "\ufeffusing B;",
        b"\xef\xbb\xbfusing B;\n",
    ),
    "a byte of another encoding elsewhere": (b"x = 1;\n// caf\xe9\n", "x = 1;", "x = 2;", b"x = 2;\n// caf\xe9\n"),
    "a real replacement character": ("ok \ufffd\nb\n".encode(), "b\n", "\ufffd\n", "ok \ufffd\n\ufffd\n".encode()),
    "signs of replacement patterns": (b"cost\n", "cost", "$& \\1 \\g<0> \\n", b"$& \\1 \\g<0> \\n\n"),
    "signs of patterns": (b"f(a.*b[0]) + f(axxb0)\n", "f(a.*b[0])", "g", b"g + f(axxb0)\n"),
    "exact before loose": ('say “hi”\nsay "hi"\n'.encode(), 'say "hi"', 'say "yo"', 'say “hi”\nsay "yo"\n'.encode()),
    "ellipsis in code": (b"def f():\n    pass\n", "    pass", "    ...", b"def f():\n    ...\n"),
    "a placeholder that was there": (b"# ... rest\nx\n", "# ... rest\nx", "# ... rest\ny", b"# ... rest\ny\n"),
}


@pytest.mark.parametrize(("before", "old", "new", "after"), KEPT.values(), ids=KEPT)
def test_bytes_on_disk(context: ToolContext, before: bytes, old: str, new: str, after: bytes) -> None:
    path = put(context, before)
    result = run(context, (old, new))
    assert (result.error, path.read_bytes()) == (False, after), result.text


# What is refused, and what the refusal must say: (before, edits, words).
REFUSED: dict[str, tuple[bytes, list[tuple[str, str]], list[str]]] = {
    "not there": (b"alpha\nbeta\n", [("gamma", "g")], ["old was not found in f", "2\tbeta"]),
    "two places": (b"x = 1\ny = 2\nx = 1\n", [("x = 1", "x")], ["2 places of f (lines 1, 3)", "all"]),
    "overlapping places": (b"foo\nfoo\nfoo\n", [("foo\nfoo\n", "x")], ["2 places of f (lines 1, 2)"]),
    "one in crlf, one in lf": (b"k\r\nv\r\n--\nk\nv\n", [("k\nv\n", "x\n")], ["2 places of f (lines 1, 4)"]),
    "many places": (b"a\n" * 30, [("a", "b")], ["30 places of f (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)"]),
    "no change": (b"a\n", [("a", "a")], ["old and new are equal"]),
    "only line ends": (b"a\r\nb\r\n", [("a\r\n", "a\n")], ["equal", "edit keeps line ends"]),
    "empty old": (b"a\n", [("", "X")], ["old is empty", "use write"]),
    "empty file": (b"", [("a", "b")], ["not found", "the file is empty"]),
    "no edits": (b"a\n", [], ["edits is empty"]),
    "blanks at the end": (b"x = 1   \ny = 2\n", [("x = 1\ny = 2", "z")], ["hint: the blanks at line ends differ"]),
    "tabs in the file": (b"if a:\n\tgo()\n", [("if a:\n    go()", "z")], ["tabs, old with spaces", "2\t\tgo()"]),
    "spaces in the file": (b"if a:\n    go()\n", [("if a:\n\tgo()", "z")], ["hint: the file indents with spaces"]),
    "indented less": (
        b"f:\n        a()\n        b()\n",
        [("    a()\n    b()", "z")],
        ["hint: the indentation differs"],
    ),
    "curly quotes": ("n = “Al”\n".encode(), [('n = "Al"', "z")], ["hint: quotes, dashes", "1\tn = “Al”"]),
    "decomposed": ("cafe\u0301 2\n".encode(), [("café 2", "z")], ["hint: a letter with its accent"]),
    "full width": ("你好，世界\n".encode(), [("你好,世界", "z")], ["hint: full-width signs"]),
    "case": (b"Foo bar\n", [("foo bar", "z")], ["hint: upper and lower case differ"]),
    "blanks between words": (b"a =  1\n", [("a = 1", "z")], ["hint: the blanks between words differ"]),
    "line numbers": (b"one\ntwo\n", [("  2\ttwo", "  2\tTWO")], ["hint: old begins with line numbers", "2\ttwo"]),
    "escapes": (b'say("a")\n', [('say(\\"a\\")', "z")], ["hint: old holds escapes"]),
    "no newline at the end": (b"a\nlast", [("last\n", "x\n")], ["hint: the file ends without a newline"]),
    "carriage return in old": (b"b\n", [("b\r", "B\r")], ["hint: old holds a carriage return"]),
    "half of a line's end": (b"b\r\nb\r", [("b\r", "B\r")], ["old ends in a carriage return that belongs"]),
    "carriage return in new": (b"b\nc\n", [("b", "B\r")], ["edit keeps line ends"]),
    "placeholder": (
        b"a()\nb()\n",
        [("a()\nb()", "a()\n# ... rest unchanged")],
        ["placeholder, `# ... rest unchanged`"],
    ),
    "binary": (b"\x7fELF\x00\x01abc\x00", [("abc", "abd")], ["is binary"]),
    "utf-16": ("\ufeffyou\n".encode("utf-16-le"), [("you", "me")], ["is UTF-16 text"]),
    "second not there": (b"a\nb\n", [("a", "A"), ("zz", "Z")], ["edit 2 of 2: old was not found"]),
    "edits overlap": (b"abcdef\n", [("abcd", "1"), ("cdef", "2")], ["edits 1 and 2 overlap"]),
    "the same edit twice": (b"abc\n", [("b", "1"), ("b", "2")], ["edits 1 and 2 overlap"]),
    "half a character": (b"a\n", [("a", "\ud83d")], ["new holds half a character"]),
    "a byte as half a character": (b"caf\xe9\n", [("\udce9", "e")], ["old holds half a character"]),
    "utf-8 into another encoding": (b"a\n# \xe9\n", [("a", "é")], ["not UTF-8, so only ASCII"]),
    "second half of a character": (b"\x81a\n", [("a", "b")], ["may be half a character"]),
    "a byte as it is shown": (b"caf\xe9\n", [("caf\\xe9", "tea")], ["cannot be matched"]),
}


@pytest.mark.parametrize(("before", "edits", "words"), REFUSED.values(), ids=REFUSED)
def test_refused(context: ToolContext, before: bytes, edits: list[tuple[str, str]], words: list[str]) -> None:
    path = put(context, before)
    times = path.stat().st_mtime_ns
    result = run(context, *edits)
    assert result.error
    assert [word for word in words if word not in result.text] == [], result.text
    assert result.diff is None
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, times)
    assert os.listdir(context.cwd) == ["f"]


def test_near_match_does_not_clean_the_file(context: ToolContext) -> None:
    before = "untouched   \nreplace me   \nafter\ntrailing   \nsay “hi” — now\n".encode()
    path = put(context, before)
    assert run(context, ("replace me\nafter", "DONE\nDONE2")).error
    assert path.read_bytes() == before
    result = run(context, ("replace me   \nafter", "DONE\nDONE2"))
    assert path.read_bytes() == "untouched   \nDONE\nDONE2\ntrailing   \nsay “hi” — now\n".encode()
    assert result.diff == (
        "--- a/f\n+++ b/f\n@@ -1,5 +1,5 @@\n untouched   \n-replace me   \n-after\n+DONE\n+DONE2\n trailing   \n"
        " say “hi” — now\n"
    )


def test_edits_match_the_original(context: ToolContext) -> None:
    path = put(context, b"a\nb\n")
    result = run(context, ("a", "b"), ("b", "c"))
    assert path.read_bytes() == b"b\nc\n"
    diff = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n b\n+c\n"
    assert result == ToolResult("edited f: 2 places, lines 1, 2", diff=diff)


def test_touching_edits(context: ToolContext) -> None:
    path = put(context, b"abcd\n")
    assert not run(context, ("cd", "2"), ("ab", "1")).error
    assert path.read_bytes() == b"12\n"


def test_all(context: ToolContext) -> None:
    path = put(context, b"x x\nx\n")
    assert run(context, ("x", "xx"), all=True).text == "edited f: 3 places, lines 1, 2"
    assert path.read_bytes() == b"xx xx\nxx\n"
    path.write_bytes(b"ab" * 100_001)
    context.seen.clear()
    assert "100,001 places of f, too many" in run(context, ("ab", "c"), all=True).text


def test_all_over_crlf(context: ToolContext) -> None:
    path = put(context, b"a\r\nb\r\na\nb\n")
    run(context, ("a\nb\n", "x\ny\n"), all=True)
    assert path.read_bytes() == b"x\r\ny\r\nx\ny\n"


def test_one_edit_sent_flat(context: ToolContext) -> None:
    path = put(context, b"a a\n")
    assert not edit.TOOL.run({"path": "f", "old": "a", "new": "b", "all": True}, context).error
    assert path.read_bytes() == b"b b\n"


def test_changed_since_read(context: ToolContext) -> None:
    path = put(context, b"v=1\n")
    read.TOOL.run({"path": "f"}, context)
    times = path.stat()
    path.write_bytes(b"v=9\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    result = run(context, ("v=", "w="))
    assert (result.error, result.text) == (
        True,
        "f changed on disk since it was read; read it again. Nothing was written",
    )
    assert path.read_bytes() == b"v=9\n"
    read.TOOL.run({"path": "f"}, context)
    assert not run(context, ("v=", "w=")).error


def test_equal_bytes_are_no_conflict_and_own_edits_need_no_new_read(context: ToolContext) -> None:
    path = put(context, b"v=1\n")
    read.TOOL.run({"path": "f"}, context)
    path.unlink()
    path.write_bytes(b"v=1\n")
    assert not run(context, ("v=1", "v=2")).error
    assert not run(context, ("v=2", "v=3")).error
    assert not write.TOOL.run({"path": "f", "content": "v=4\n"}, context).error
    assert not run(context, ("v=4", "v=5")).error
    assert path.read_bytes() == b"v=5\n"


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o640])
def test_mode_is_kept(context: ToolContext, mode: int) -> None:
    path = put(context, b"echo a\n")
    path.chmod(mode)
    assert not run(context, ("echo a", "echo b")).error
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_links(context: ToolContext) -> None:
    real = put(context, b"v=1\n", "real.txt")
    (context.cwd / "soft").symlink_to("real.txt")
    assert run(context, ("v=1", "v=2"), path="soft").diff == "--- a/real.txt\n+++ b/real.txt\n@@ -1 +1 @@\n-v=1\n+v=2\n"
    assert ((context.cwd / "soft").is_symlink(), real.read_bytes()) == (True, b"v=2\n")
    os.link(real, context.cwd / "hard")
    result = run(context, ("v=2", "v=3"), path="hard")
    assert result.text == "edited hard: 1 place, line 1\n[it had 2 hard links; the other names keep the old text]"
    assert (real.read_bytes(), (context.cwd / "hard").read_bytes()) == (b"v=2\n", b"v=3\n")


def test_read_only_file(context: ToolContext) -> None:
    path = put(context, b"v=1\n")
    path.chmod(0o444)
    result = run(context, ("v=1", "v=2"))
    assert (result.error, result.text) == (True, "f: the file is read-only")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"v=1\n", 0o444)


def test_path_forms(context: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(context, b"v=1\n", "my dir/ä b.txt")
    monkeypatch.setenv("HOME", str(context.cwd))
    for number, form in enumerate(
        ("my dir/ä b.txt", "./my dir/ä b.txt", "~/my dir/ä b.txt", "my dir/ä b.txt ", str(path))
    ):
        assert not run(context, (f"v={number + 1}", f"v={number + 2}"), path=form).error
    assert path.read_bytes() == b"v=6\n"
    result = run(context, ("v=6", "v=7"), path="my dir/ä b.txt\0")
    assert (result.error, result.text) == (True, "the path holds a NUL byte")


def test_no_such_file(context: ToolContext) -> None:
    put(context, b"", "settings.yaml")
    assert run(context, ("a", "b"), path="setings.yaml").text == (
        "setings.yaml: no such file or directory; near it: settings.yaml"
    )
    assert run(context, ("", "b"), path="g").text.endswith("no such file or directory; to make a new file use write")
    assert os.listdir(context.cwd) == ["settings.yaml"]
    context.cwd.joinpath("d").mkdir()
    assert run(context, ("a", "b"), path="d").text == "d is a directory, not a file"


def test_too_large_is_not_loaded(context: ToolContext) -> None:
    with open(context.cwd / "f", "wb") as file:
        file.truncate(65_000_000)
    assert run(context, ("a", "b")).text == "f is larger than 64 MB: change it with bash"


def test_memory_is_not_edited(context: ToolContext) -> None:
    put(context, b"- a\n", "MEMORY.md")
    result = run(context, ("a", "b"), path="MEMORY.md")
    assert (result.error, result.text) == (
        True,
        "MEMORY.md is the agent's memory, which no tool writes: to have something kept, call `remember`",
    )


def test_preview_and_access(context: ToolContext) -> None:
    path = put(context, b"a\n")
    sent: dict[str, Any] = {"path": "./f", "edits": [{"old": "a", "new": "b"}]}
    assert edit.TOOL.preview is not None
    assert edit.TOOL.preview(sent, context) == "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
    assert edit.TOOL.preview({"path": "./f", "edits": [{"old": "zz", "new": "b"}]}, context) is None
    assert edit.TOOL.access(sent, context) == (Access("write", str(path), "./f"),)
    assert edit.TOOL.access({"path": "a\0b", "edits": []}, context) == ()
    assert path.read_bytes() == b"a\n"


@pytest.mark.parametrize(
    ("data", "old"),
    [
        (b'{"k":"' + b"x" * 400_000 + b'","end":1}\n', '"end": 1'),
        (b"\n".join(b"    line %d of many, with words %d" % (n, n * 7) for n in range(100_000)), "    line 77 of few"),
        ("\n".join(f"    línea {n} – “x{n}”" for n in range(100_000)).encode(), "    línea 77.000 - x"),
        (b"a" * 1_000_000, "a" * 2_000 + "b"),
        (b" " * 1_000_000 + b"\nx", "y\n" * 2_000),
        (b"a\n" * 100_000, "a\n" * 3_000 + "b"),
    ],
    ids=["long line", "many lines", "many lines, not ASCII", "one letter", "blanks", "short lines"],
)
def test_a_refusal_is_quick(context: ToolContext, data: bytes, old: str) -> None:
    put(context, data)
    start = time.process_time()
    result = run(context, (old, "z"))
    assert time.process_time() - start < 1
    assert "old was not found" in result.text
    assert len(result.text) < 5_000
