"""What holds for every edit, whatever the file."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentmem.domain.cancel import Cancel
from agentmem.domain.claim import Verdict
from agentmem.domain.places import Places
from agentmem.domain.tool import ToolContext
from agentmem.tools import edit, write
from agentmem.tools.content import BOM, lines, shown
from agentmem.workspace.file import digest

_ENDS = [b"\n", b"\r\n", b"\n", b"\r\n", b"\r", b" ", b"\t", b"\x0b", b"\xc3\xa9", b"\xe9", b"\xf0\x9f", b""]
_PIECE = st.tuples(st.integers(0, 99).map(lambda n: b"w%d" % n), st.sampled_from(_ENDS)).map(b"".join)
_BYTES = st.tuples(st.sampled_from([b"", BOM, b"\r\n"]), st.lists(_PIECE, max_size=12)).map(
    lambda t: t[0] + b"".join(t[1])
)
_WORDS = ["a", "w1", "w23", " ", "\n", "\r\n", "\r", "é", "x = 1", "\u2028", ""]
_TEXT = st.lists(st.sampled_from(_WORDS), max_size=5).map("".join)


@st.composite
def _asked(draw: st.DrawFn) -> tuple[bytes, list[dict[str, object]]]:
    """A file, and edits whose old text mostly stands in it."""
    before = draw(_BYTES)
    edits: list[dict[str, object]] = []
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(before)))
        part = before[start : start + draw(st.integers(0, 12))].decode("utf-8", "ignore")
        old = draw(st.sampled_from([part, part, part.replace("\r\n", "\n"), "w1"]))
        edits.append({"old": old, "new": draw(_TEXT), "all": draw(st.booleans())})
    return before, edits


def fresh(folder: str) -> ToolContext:
    root = Path(folder).resolve()
    return ToolContext(
        places=Places(root, root, root / "home", root / ".agent"),
        cancel=Cancel(),
        call_id="t1",
        seen={},
        offload=lambda data, suffix: "",
        propose=lambda claim: Verdict("queued", None, "", "agent"),
    )


def patched(old: bytes, diff: str) -> str:
    """The shown old text with a unified diff applied, as `patch` does it; byte order mark aside."""
    source = [shown(line) for line in lines(old.removeprefix(BOM))]
    rows = diff.split("\n")[2:-1]
    out: list[str] = []
    at = 0
    for index, row in enumerate(rows):
        bare = rows[index + 1].startswith("\\") if index + 1 < len(rows) else False
        text = row[1:] + ("" if bare else "\n")
        if row.startswith("@@"):
            match = re.match(r"@@ -(\d+)(?:,(\d+))? ", row)
            assert match is not None
            start = int(match[1]) - (match[2] != "0")
            out += source[at:start]
            at = start
        elif row.startswith((" ", "-")):
            assert source[at] == text
            at += 1
            out += [text] if row.startswith(" ") else []
        elif row.startswith("+"):
            out.append(text)
    return "".join(out + source[at:])


@settings(max_examples=400, deadline=None)
@given(_asked())
@example((b"a\r\nb\r\n", [{"old": "a\nb", "new": "ab"}]))
@example((b"a\rb", [{"old": "b", "new": "\nb"}]))
@example((BOM + b"a\nb", [{"old": "a\n", "new": ""}]))
def test_edit_is_all_or_nothing_and_shown_as_it_is(asked: tuple[bytes, list[dict[str, object]]]) -> None:
    before, edits = asked
    with tempfile.TemporaryDirectory() as folder:
        context = fresh(folder)
        path = context.cwd / "f"
        path.write_bytes(before)
        times = path.stat().st_mtime_ns
        result = edit.TOOL.run({"path": "f", "edits": edits}, context)
        after = path.read_bytes()
        assert [entry.name for entry in path.parent.iterdir()] == ["f"]
        if result.error:
            assert (after, path.stat().st_mtime_ns, context.seen) == (before, times, {})
            return
        assert result.diff is not None
        assert patched(before, result.diff) == shown(after.removeprefix(BOM))


@settings(max_examples=400, deadline=None)
@given(_BYTES, st.data(), _TEXT)
def test_bytes_outside_the_match_do_not_change(before: bytes, data: st.DataObject, new: str) -> None:
    start = data.draw(st.integers(0, len(before)))
    end = data.draw(st.integers(start, len(before)))
    try:
        old = before[start:end].decode()
    except UnicodeDecodeError:
        return
    with tempfile.TemporaryDirectory() as folder:
        context = fresh(folder)
        path = context.cwd / "f"
        path.write_bytes(before)
        result = edit.TOOL.run({"path": "f", "edits": [{"old": old, "new": new}]}, context)
        after = path.read_bytes()
    if result.error:
        assert after == before
        return
    if start and before[start - 1 : start + 1] == b"\r\n":
        start -= 1  # a line's end goes as a whole
    if start == 0 and before.startswith(BOM):
        start = len(BOM)  # stays, though it was sent along
    tail = before[end:]
    assert after.startswith(before[:start])
    assert after.endswith(tail)
    middle = after[start : len(after) - len(tail)]
    assert re.sub(rb"\r*\n", b"\n", middle) == re.sub(rb"\r*\n", b"\n", new.encode())


@settings(max_examples=150, deadline=None)
@given(_BYTES, st.text(st.sampled_from("ab\n é"), max_size=20))
def test_what_write_shows_is_what_it_wrote(before: bytes, content: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        context = fresh(folder)
        path = context.cwd / "f"
        path.write_bytes(before)
        context = replace(context, seen={str(path): digest(before)})
        result = write.TOOL.run({"path": "f", "content": content}, context)
        after = path.read_bytes()
    if result.error or result.diff is None:
        assert after == before
        return
    assert patched(before, result.diff) == shown(after.removeprefix(BOM))
    assert after.removeprefix(BOM).replace(b"\r\n", b"\n") == content.encode()
