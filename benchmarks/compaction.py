"""Compaction of two real sessions: what survives in a summary, what is made up, what is carried over, what it costs.

The sessions are those of the shared data folder (``AGENTMEM_SHARED``), imported. The summariser is a script that leaves
out, garbles and makes up on purpose. What is named is counted by `benchmarks.yardstick`, never by the product's reader.
"""

from __future__ import annotations

import os
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
from agentmem.memory.read import identifiers
from benchmarks import patterns, yardstick
from benchmarks.command import main
from benchmarks.line import Line, in_turns
from benchmarks.process import Failed

RUNS = 7
WINDOW = 1_000_000
SESSIONS = ("pi-v1-large.jsonl", "claude-code-2.1.jsonl")
SUMMARY_SIZE = 15_742
"""Characters of the one summary that a peer's own compaction left in these logs."""
TEMPLATES = {"terse": "- {} was seen to", "wordy": "- {} came up and was dealt with as the record says"}
"""How the summariser writes: what it spends on words is not left for what it lacks."""


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
    made = {
        (way, log.name): _told(log, Summariser(log.entries, template))
        for way, template in TEMPLATES.items()
        for log in logs
    }
    accepted = [one for one in made.values() if one.outcome == "accepted"]
    made |= {("rule-made", log.name): _told(log, None) for log in logs}
    made_up = f"{len(accepted)} accepted; of {sum(one.garbled for one in accepted)} that were garbled or made up"
    mutated = (float(sum(one.mutated for one in accepted)),)
    lines = [Line("identifiers mutated in accepted summaries", "", 0, mutated, detail=made_up)]
    for (way, name), one in made.items():
        lines.append(Line(f"salient identifiers lost: {way} summary of {name}", "%", 5, (one.lost,), detail=_row(one)))
        lines.append(Line(f"tokens of the span: {way} summary of {name}", "%", 4, (100 * one.tokens,)))
    return [*lines, *_carry_over(logs), _cost(logs[0], runs)]


def _row(told: Told) -> str:
    kept = ", ".join(f"{kind} {kept}/{all_}" for kind, (kept, all_) in told.kept.items() if all_)
    return f"{told.outcome}, {told.calls} calls, {told.seconds * 1000:.0f} ms; {kept}"


class Summariser:
    """A model that writes a bullet for every third name of the record, garbles some and makes some up; the same each
    time."""

    def __init__(self, entries: Sequence[Entry], template: str) -> None:
        self.template = template
        seen = yardstick.survey(entries)
        self.names = [name for (kind, name), one in seen.items() if one.weighty and kind != "decision"]
        self.garbled = 0

    def __call__(self, prompt: Prompt) -> Answered:
        """The summary of what it is asked about."""
        rows = []
        record = prompt.messages[0].text
        for number, name in enumerate(name for name in sorted(self.names) if name in record):
            if number % 3 == 0:
                rows.append(self.template.format(f"`{name}`"))
            elif number % 10 == 1:
                self.garbled += 1
                rows.append(self.template.format(_garbled(name)))
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
    """What an agent really used again after a cut: how much of it a summary does not name. What stands beside a written
    summary keeps within its characters with all that must not be missing; what the product really adds, and a plain
    list of names of the same size, are told too."""
    found: dict[str, list[float]] = {name: [] for name in ("beside", "rule", "product", "plain", "peer")}
    by_log: dict[str, list[float]] = {log.name: [] for log in logs}
    lengths = []
    for log in logs:
        cuts = [len(log.entries) * tenth // 10 for tenth in range(1, 10)]
        for cut in [*cuts, *([log.cut] if log.cut else [])]:
            before, after = log.entries[:cut], log.entries[cut:]
            of = ground(before)
            text = log.peer if cut == log.cut else _draft(before)
            beside, added = completion(of, text, BESIDE, strict=True), completion(of, text)
            if len(beside) > BESIDE:
                raise Failed(f"{log.name}: {len(beside):,} characters beside a summary, not {BESIDE:,}")
            lengths.append(len(added))
            told = {
                "beside": f"{text}\n{beside}",
                "rule": ruled(of, SUMMARY_SIZE // 4),
                "product": f"{text}\n{added}",
                "plain": f"{text}\n{yardstick.plain_list(before, BESIDE)}",
                **({"peer": log.peer} if cut == log.cut else {}),
            }
            for name, summary in told.items():
                if (share := yardstick.carried(before, after, summary)) is not None:
                    found[name].append(100 * (1 - share))
            by_log[log.name].append(found["beside"][-1])
    worst, length = max(found["beside"]), statistics.fmean(lengths)
    detail = (
        f"mean of {len(found['beside'])} cuts, the worst {worst:.0f} % ("
        + ", ".join(f"{name} {_mean(missed):.0f} %, the worst {max(missed):.0f} %" for name, missed in by_log.items())
        + f"); a plain list of {BESIDE} characters {_mean(found['plain']):.0f} %; "
        f"what is really added (on average {length:,.0f} characters) {_mean(found['product']):.0f} %; "
        f"the peer's own summary {_mean(found['peer']):.0f} % (one cut)"
    )
    rule_worst = f"the worst {max(found['rule']):.0f} %"
    return [
        Line(f"missed of what is used again: {BESIDE} characters beside a written summary", "%", 55,
             (_mean(found["beside"]),), detail=detail),
        Line(f"missed of what is used again: rule-made, {SUMMARY_SIZE:,} characters", "%", 30,
             (_mean(found["rule"]),), detail=rule_worst),
    ]  # fmt: skip


def _draft(before: Sequence[Entry]) -> str:
    """A written summary that names every ninth of what is salient."""
    template = TEMPLATES["terse"]
    names = sorted(Summariser(before, template).names)[::9]
    return "\n".join(template.format(name) for name in names)


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else 100.0


def _cost(log: Log, runs: int) -> Line:
    """CPU of one compaction against one pass of the patterns that are run over all of the same text."""
    text = ground(log.entries).salient.source
    model = Summariser(log.entries, TEMPLATES["terse"])

    def compacted() -> float:
        return _cpu(lambda: summarise(Job(log.name, log.entries, None, WINDOW), None))

    def passed() -> float:
        return _cpu(lambda: patterns.one_pass(text))

    ours, floor = in_turns(runs, compacted, passed)
    reader = statistics.median(_cpu(lambda: identifiers.salient(log.entries)) for _ in range(runs))
    asked = _cpu(lambda: summarise(Job(log.name, log.entries, None, WINDOW), model))
    detail = (
        f"{len(log.entries)} entries; one pass of the whole extractor takes {reader:.0f} ms "
        f"({statistics.median(ours) / reader:.2f} x); with two written summaries {asked:.0f} ms"
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
