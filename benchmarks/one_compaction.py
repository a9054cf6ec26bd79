"""One compaction of a session of about 900 messages, from the look at the window to the snapshot in the log, by rule.

The session is a real one of the shared data folder (``AGENTMEM_SHARED``), imported; without it a synthetic one.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from agentmem.domain.clock import Clock
from agentmem.domain.message import Text
from agentmem.domain.places import Places
from agentmem.memory.memory import fork_session, import_log, new_session, resume_session, shortening, weight
from benchmarks import patterns
from benchmarks.command import main
from benchmarks.line import Line, in_turns
from benchmarks.long_session import turn

RUNS = 7
MESSAGES = 900
WINDOW = 400_000
LOG = "data/sessions/pi-v1-large.jsonl"


def measure(runs: int) -> list[Line]:
    """CPU milliseconds against one pass of the extractor's patterns over the same text."""
    with tempfile.TemporaryDirectory(prefix="agentmem-bench-") as folder:
        root = Path(folder) / "w"
        (Path(folder) / "home").mkdir()
        root.mkdir()
        places = Places(root, root, Path(folder) / "home", root / ".agent")
        own, text = _session(places)
        ours, floor = in_turns(
            runs,
            lambda: _compacted(places, fork_session(places, Clock(), "bench", own)),
            lambda: _cpu(lambda: patterns.one_pass(text)),
        )
        strict = min(_cpu(lambda: patterns.whole_pass(text)) for _ in range(3))
        shutil.rmtree(root)
    what = f"one compaction of a session of {MESSAGES} messages, {len(text) / 1e6:.1f} MB of text"
    told = f"the {len(patterns.WHOLE)} patterns that see all of the text take {strict:.0f} ms of that"
    return [Line(what, "ms CPU", 1.5, ours, "one pass of the extractor's patterns", floor, told)]


def _session(places: Places) -> tuple[str, str]:
    """A session and the text of its messages."""
    shared = os.environ.get("AGENTMEM_SHARED")
    own = _imported(places, Path(shared) / LOG) if shared else None
    if own is None:
        session = new_session(places, Clock(), "bench")
        session.begin_epoch((), WINDOW)
        for number in range(MESSAGES // 8):
            turn(session, number)
        own = session.id
        session.close()
    session = resume_session(places, Clock(), own)
    texts = [
        part.text
        for entry in session.entries
        if (message := entry.message()) is not None
        for part in message.parts
        if isinstance(part, Text)
    ]
    session.close()
    return own, "\n".join(texts)


def _imported(places: Places, path: Path) -> str | None:
    """The first so many messages of a real log, None without it."""
    if not path.is_file():
        return None
    whole = import_log(path, places, Clock(), "bench").session
    session = resume_session(places, Clock(), whole)
    messages = [entry.id for entry in session.tree().branch() if entry.type == "message"]
    session.close()
    return fork_session(places, Clock(), "bench", whole, messages[min(MESSAGES, len(messages)) - 1])


def _compacted(places: Places, own: str) -> float:
    """CPU milliseconds of a compaction that takes all but the last steps out of the prompt."""
    session = resume_session(places, Clock(), own)
    session.begin_epoch((), WINDOW)

    def compact() -> None:
        used = round(shortening.message_bytes(session) / weight.BYTES_A_TOKEN)
        work = shortening.begin_compaction(session, shortening.Room(WINDOW, used, 0))
        plan = work.plan(shortening.Aim(used // 20, WINDOW, cut=True))
        for change in plan.changes:
            work.change(change, "a benchmark")
        if plan.cut is None or (leaving := work.leaving(plan.cut)) is None:
            raise SystemExit("nothing left the prompt")
        told = shortening.tell(leaving, shortening.brief_for(session, WINDOW, "", 0), None)
        if isinstance(told, shortening.Refusal):
            raise SystemExit(told.reason)
        work.snapshot(leaving, told, "a benchmark")
        session.renew()

    took = _cpu(compact)
    session.close()
    return took


def _cpu(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1000


if __name__ == "__main__":
    sys.exit(main("one_compaction", measure, RUNS))
