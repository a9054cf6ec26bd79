"""Compaction of two real sessions: what survives in a summary, what is made up, what is carried over, what it costs.

The sessions are those of the shared data folder (``AGENTMEM_SHARED``), imported. The summariser is a script that leaves
out, garbles and makes up on purpose. What is named is counted by `benchmarks.yardstick`, never by the product's reader.
"""

from __future__ import annotations

import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry
from agentmem.domain.message import Reply, Text
from agentmem.domain.places import Places
from agentmem.domain.prompt import Prompt
from agentmem.memory.manage.compact.receipt import ground
from agentmem.memory.manage.compact.ruled import BESIDE, completion, ruled
from agentmem.memory.manage.compact.summary import Answered, Job, Summary, summarise
from agentmem.memory.memory import import_log, read_session
from agentmem.memory.read import identifiers, kinds, sentences
from benchmarks import yardstick
from benchmarks.command import main
from benchmarks.line import Line, in_turns
from benchmarks.process import Failed

RUNS = 7
WINDOW = 1_000_000
SESSIONS = ("pi-v1-large.jsonl", "claude-code-2.1.jsonl")
SUMMARY_SIZE = 15_742
"""Characters of the one summary that a peer's own compaction left in these logs."""
TEMPLATE = "- {} was seen to"


@dataclass(frozen=True, slots=True)
class Log:
    """An imported session: its entries without compactions, where it was compacted itself, and that summary."""

    name: str
    entries: tuple[Entry, ...]
    cut: int | None
    peer: str


@dataclass(frozen=True, slots=True)
class Told:
    """A summary of a whole log as it was counted: share of its salient names that stand in it, by kind and in all, its
    share of the span's tokens, what it made up, and what it cost."""

    log: str
    kept: dict[str, tuple[int, int]]
    tokens: float
    mutated: int
    garbled: int
    calls: int
    seconds: float
    outcome: str

    @property
    def lost(self) -> float:
        """Per cent of the salient names."""
        return 100 * (1 - sum(kept for kept, _ in self.kept.values()) / sum(all_ for _, all_ in self.kept.values()))


def measure(runs: int) -> list[Line]:
    """All of it. Raises `Failed` where the sessions are not there."""
    logs = _logs()
    written = [_told(log, Summariser(log.entries)) for log in logs]
    by_rule = [_told(log, None) for log in logs]
    made_up = f"of {sum(one.garbled for one in written)} that the summariser garbled or made up"
    mutated = (float(sum(one.mutated for one in written)),)
    lines = [Line("identifiers mutated in accepted summaries", "", 0, mutated, detail=made_up)]
    for one in (*written, *by_rule):
        what = f"{'a written' if one in written else 'a rule-made'} summary of {one.log}"
        lines.append(Line(f"salient identifiers lost by {what}", "%", 5, (one.lost,), detail=_row(one)))
        lines.append(Line(f"tokens of the span in {what}", "%", 4, (100 * one.tokens,)))
    return [*lines, *_carry_over(logs), _cost(logs[0], runs)]


def _row(told: Told) -> str:
    kept = ", ".join(f"{kind} {kept}/{all_}" for kind, (kept, all_) in told.kept.items() if all_)
    return f"{told.outcome}, {told.calls} calls, {told.seconds * 1000:.0f} ms; {kept}"


class Summariser:
    """A model that writes a bullet for every third name of the record, garbles some and makes some up; the same each
    time."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        seen = yardstick.survey(entries)
        self.names = [name for (kind, name), one in seen.items() if one.weighty and kind != "decision"]
        self.garbled = 0

    def __call__(self, prompt: Prompt) -> Answered:
        """The summary of what it is asked about."""
        rows = []
        record = prompt.messages[0].text
        for number, name in enumerate(name for name in sorted(self.names) if name in record):
            if number % 3 == 0:
                rows.append(TEMPLATE.format(f"`{name}`"))
            elif number % 10 == 1:
                self.garbled += 1
                rows.append(TEMPLATE.format(_garbled(name)))
            elif number % 20 == 2:
                self.garbled += 1
                rows.append(
                    f"- made up: src/invented/file_{number}.py, {number + 7_000} tests, localhost:{number + 9_000}"
                )
        return Answered(Reply((Text("\n".join(rows), "agent"),), "end"))


def _garbled(name: str) -> str:
    """The name with one letter or digit in the middle turned into another."""
    at = len(name) // 2
    while at < len(name) - 1 and not name[at].isalnum():
        at += 1
    letter = name[at]
    other = "0" if letter.isdigit() and letter != "0" else "7" if letter == "0" else "q" if letter != "q" else "z"
    return name[:at] + other + name[at + 1 :]


def _told(log: Log, ask: Summariser | None) -> Told:
    begun = time.process_time()
    made = summarise(Job(log.name, log.entries, None, WINDOW), ask)
    seconds = time.process_time() - begun
    if not isinstance(made, Summary):
        raise Failed(f"{log.name}: {made.reason}")
    kept = {
        kind: (sum(yardstick.stands(name, made.text) for name in names), len(names))
        for kind, names in yardstick.salient(log.entries).items()
    }
    mutated = len(yardstick.mutated(made.text, log.entries))
    garbled = 0 if ask is None else ask.garbled
    share = made.tokens / made.receipt.before
    return Told(log.name, kept, share, mutated, garbled, made.calls, seconds, made.outcome)


def _carry_over(logs: Sequence[Log]) -> list[Line]:
    """What an agent really used again after a cut: how much of it a summary does not name."""
    beside: list[float] = []
    rule: list[float] = []
    peers: list[float] = []
    plain: list[float] = []
    for log in logs:
        cuts = [len(log.entries) * tenth // 10 for tenth in range(1, 10)]
        for cut in [*cuts, *([log.cut] if log.cut else [])]:
            before, after = log.entries[:cut], log.entries[cut:]
            of = ground(before)
            peer = cut == log.cut
            text = log.peer if peer else _draft(before)
            names = completion(of, text + "\n" + "\n".join(of.must))[:BESIDE]
            for found, told in (
                (beside, f"{text}\n{names}"),
                (rule, ruled(of, SUMMARY_SIZE // 4)),
                (plain, yardstick.plain_list(before, BESIDE)),
                *(((peers, log.peer),) if peer else ()),
            ):
                if (share := yardstick.carried(before, after, told)) is not None:
                    found.append(100 * (1 - share))
    told = f"the peer's own summary {_mean(peers):.0f} %, {BESIDE} characters of a plain list {_mean(plain):.0f} %"
    return [
        Line(f"missed of what is used again: a written summary with {BESIDE} characters beside it", "%", 55,
             (_mean(beside),), detail=f"mean of {len(beside)} cuts; {told}"),
        Line("missed of what is used again: a summary made by rule, of a summary's size", "%", 30, (_mean(rule),)),
    ]  # fmt: skip


def _draft(before: Sequence[Entry]) -> str:
    """What the summariser would write, without what it garbles."""
    names = sorted(Summariser(before).names)[::9]
    return "\n".join(TEMPLATE.format(name) for name in names)


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else 100.0


def _cost(log: Log, runs: int) -> Line:
    """CPU of one compaction against one pass of the extractor's patterns over the same text."""
    text = ground(log.entries).salient.source
    patterns = [
        value
        for module in (kinds, sentences, identifiers)
        for value in vars(module).values()
        if isinstance(value, re.Pattern)
    ]
    model = Summariser(log.entries)

    def compacted() -> float:
        return _cpu(lambda: summarise(Job(log.name, log.entries, None, WINDOW), None))

    def passed() -> float:
        return _cpu(lambda: [sum(1 for _ in pattern.finditer(text)) for pattern in patterns])

    ours, floor = in_turns(runs, compacted, passed)
    reader = _cpu(lambda: identifiers.salient(log.entries))
    asked = _cpu(lambda: summarise(Job(log.name, log.entries, None, WINDOW), model))
    detail = (
        f"{len(log.entries)} entries; the extractor itself {reader:.0f} ms, with two written summaries {asked:.0f} ms"
    )
    return Line("CPU of one compaction", "ms", 1.5, ours, "one pass of the extractor's patterns", floor, detail)


def _cpu(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1000


def _logs() -> list[Log]:
    shared = os.environ.get("AGENTMEM_SHARED")
    folder = Path(shared) if shared else Path(__file__).resolve().parents[2] / "shared"
    found = []
    with tempfile.TemporaryDirectory(prefix="agentmem-bench-") as scratch:
        root = Path(scratch)
        places = Places(root, root, root / "home", root / ".agent")
        for name in SESSIONS:
            path = folder / "data" / "sessions" / name
            if not path.is_file():
                raise Failed(f"needs the shared sessions; none at {path} (set AGENTMEM_SHARED)")
            session = import_log(path, places, Clock(), "0").session
            entries = read_session(places, session or "").entries
            cut = next((at for at, one in enumerate(entries) if one.type == "compaction"), None)
            peer = "" if cut is None else str(entries[cut].body.get("summary", ""))
            found.append(
                Log(name.partition(".jsonl")[0], tuple(one for one in entries if one.type != "compaction"), cut, peer)
            )
    return found


if __name__ == "__main__":
    sys.exit(main("compaction", measure, RUNS))
