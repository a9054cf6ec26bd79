"""A thousand compactions of one growing session: the prompt stays bounded, and records are summed up n log n times.

The session is synthetic (reads, edits, test runs), the summariser a script that keeps what is named. A smaller run:
AGENTMEM_BENCH_COMPACTIONS=100. The table says how use, summaries and the tokens that were summed up grow.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry
from agentmem.domain.message import Message, Reply, Text, ToolCall
from agentmem.domain.places import Places
from agentmem.domain.prompt import Prompt
from agentmem.domain.tool import ToolResult
from agentmem.memory.memory import Session, new_session, shortening, weight
from benchmarks.command import main
from benchmarks.line import Line

RUNS = 1
COMPACTIONS = int(os.environ.get("AGENTMEM_BENCH_COMPACTIONS", "1000"))
WINDOW = 16_000
FIXED = 400
TRIGGER, TARGET, FULL = 0.5, 0.35, 0.85
_NAMED = re.compile(r"src/\w+\.py|pytest tests/\w+\.py|never touch \w+/")


@dataclass(frozen=True, slots=True)
class Row:
    """Where a session stands after so many compactions; tokens, and seconds since it began."""

    compactions: int
    entries: int
    span: int
    told: int
    after: int
    segments: int
    seconds: float


@dataclass
class _Count:
    """What was given to the summariser, in tokens."""

    told: int = 0

    def ask(self, prompt: Prompt) -> shortening.Answered:
        text = prompt.messages[0].text
        record = text[text.find("<record") : text.rfind("</record>")]
        self.told += len(record.encode()) // 4
        names = dict.fromkeys(_NAMED.findall(record))
        return shortening.Answered(Reply((Text("\n".join(names), "agent"),), "end"))


def measure(runs: int) -> list[Line]:
    """One run, whatever `runs` says: it is a table, not a timing."""
    with tempfile.TemporaryDirectory(prefix="agentmem-bench-") as folder:
        rows = grown(Path(folder), COMPACTIONS)
    last = rows[-1]
    bound = last.span * log2(max(last.compactions, 2))
    over = max(row.after for row in rows) / (TARGET * WINDOW)
    return [
        Line("prompt after a compaction, at most", "targets", 1.0, (over,), detail=table(rows)),
        Line("tokens summed up, of n log2 n", "of the bound", 1.0, (last.told / bound,)),
        Line("live summaries at the end, of the window", "share", 0.2, (last.segments / WINDOW,)),
    ]


def grown(folder: Path, compactions: int) -> list[Row]:
    """Rows at every tenth compaction by powers of two, and the last."""
    root = folder / "w"
    (folder / "home").mkdir()
    root.mkdir()
    places = Places(root, root, folder / "home", root / ".agent")
    session = new_session(places, Clock(), "bench")
    session.begin_epoch((), WINDOW)
    count, rows, begun, number, span = _Count(), [], time.monotonic(), 0, 0
    for done in range(1, compactions + 1):
        while _used(session) < TRIGGER * WINDOW:
            span += turn(session, number)
            number += 1
        after = _compacted(session, count)
        _idle(session, count)
        if done & (done - 1) == 0 or done == compactions:
            segments = sum(int(one.get("tokens", 0)) for one in _work(session).covered.segments)
            rows.append(Row(done, len(session.entries), span, count.told, after, segments, time.monotonic() - begun))
            print(_row(rows[-1]), file=sys.stderr, flush=True)
    session.close()
    return rows


def turn(session: Session, number: int) -> int:
    """One turn: a file is read, changed and tested; gives its tokens."""
    name = f"src/part_{number}.py"
    session.record_user([Text(f"Make part {number} faster; never touch vendor_{number}/", "person")])
    calls = (
        ToolCall(f"r{number}", "read", {"path": name}),
        ToolCall(f"e{number}", "edit", {"path": name, "edits": [{"old": "a", "new": "b"}]}),
        ToolCall(f"b{number}", "bash", {"command": f"pytest tests/test_{number}.py"}),
    )
    outputs = ("value = 1\n" * 120, f"edited {name}: 1 place", "." * 300 + "\n12 passed")
    for call, output in zip(calls, outputs, strict=True):
        session.record_reply(Reply((Text(f"Now {call.name} for part {number}.", "agent"), call), "tool_use"))
        session.record_result(call, ToolResult(output, exit=0 if call.name == "bash" else None), 1)
    answer = session.record_reply(
        Reply((Text(f"Part {number} is faster: {name} was changed. " + "It was slow. " * 30, "agent"),), "end")
    )
    return _tokens(session.entries[-9:]) if answer else 0


def _tokens(entries: Sequence[Entry]) -> int:
    messages: list[Message] = [message for one in entries if (message := one.message()) is not None]
    return round(weight.total(messages) / weight.BYTES_A_TOKEN)


def _used(session: Session) -> int:
    return FIXED + round(shortening.message_bytes(session) / weight.BYTES_A_TOKEN)


def _work(session: Session) -> shortening.Compaction:
    return shortening.begin_compaction(session, shortening.Room(WINDOW, _used(session), FIXED))


def _compacted(session: Session, count: _Count) -> int:
    work = _work(session)
    plan = work.plan(shortening.Aim(int(TARGET * WINDOW), int(FULL * WINDOW), cut=True))
    for change in plan.changes:
        work.change(change, "a benchmark")
    if plan.cut is not None and (leaving := work.leaving(plan.cut)) is not None:
        told = shortening.tell(leaving, shortening.brief_for(session, WINDOW, "", 2), count.ask)
        if isinstance(told, shortening.Refusal):
            raise SystemExit(told.reason)
        work.snapshot(leaving, told, "a benchmark")
    return _used(session)


def _idle(session: Session, count: _Count) -> None:
    """What idle moments do, as many of them as it takes."""
    while True:
        work = _work(session)
        pair = shortening.outgrown_pair(work)
        if pair is None:
            return
        brief = shortening.brief_for(session, WINDOW, "", 1)
        remaking = shortening.begin_remaking(work, pair, brief)
        while remaking is not None and not remaking.finished:
            remaking = remaking.step(count.ask)
        written = None if remaking is None else shortening.remade_text(remaking, brief)
        if written is None:
            return
        work.merged(pair[0], written, "a benchmark")


def table(rows: Sequence[Row]) -> str:
    """The rows as text."""
    head = "compactions · tokens said · tokens summed up · times each · in use after · live summaries · seconds"
    return "\n".join((head, *map(_row, rows)))


def _row(row: Row) -> str:
    times = row.told / max(row.span, 1)
    return (
        f"{row.compactions:,} · {row.span:,} · {row.told:,} · {times:.2f} · {row.after:,} · {row.segments:,} · "
        f"{row.seconds:.0f}"
    )


if __name__ == "__main__":
    sys.exit(main("long_session", measure, RUNS))
