"""Summary: a span told by a model and checked against what it replaces, else told by rule with the span archived."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from agentmem.domain.entry import Entry
from agentmem.domain.message import Message, Reply, Text
from agentmem.domain.prompt import Prompt
from agentmem.memory.manage.compact.receipt import Ground, Receipt, ground, receipt, span_tokens
from agentmem.memory.manage.compact.retelling import chunks
from agentmem.memory.manage.compact.ruled import completion, ruled
from agentmem.memory.manage.compact.trimming import SHARES, trimmed
from agentmem.memory.manage.compact.written import Written, check
from agentmem.memory.read import fence
from agentmem.memory.read.weight import BYTES_A_TOKEN
from agentmem.memory.stores import archive

Outcome = Literal["accepted", "ruled"]

SHARE = 0.04
"""Of a span's tokens, for its summary."""
LEAST = 1_500
"""Tokens that a summary of a short span may take, if that is no more than a fifth of it."""
_PROMPT_SHARE = 0.7  # of the window, for all that is asked at once: estimates are rough, and the reply needs room
_INSTRUCTION_SHARE = 0.1
_WORDS_A_TOKEN = 0.3  # asked for, of the budget: the rest is for what the summary will lack
_SECTION = re.compile(r"^(#{1,6})[ \t]+Compact Instructions[ \t]*:?[ \t]*$", re.IGNORECASE | re.MULTILINE)
_MISSING_TOLD = 60
ENOUGH = 0.95
"""Of the salient identifiers, that a summary is to hold; under it the words of the model make room."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What an ask gave: a `reply`, or None with the `fault` in words; `too_long` when the provider said that the
    prompt does not fit its window."""

    reply: Reply | None
    fault: str = ""
    too_long: bool = False


Ask = Callable[[Prompt], Answered]
"""Asks the model once, without tools; retries of a lost connection are the caller's, inside one ask. What a provider or
a network does is an `Answered`; an exception that stops the work passes through, and then nothing was changed."""


@dataclass(frozen=True, slots=True)
class Job:
    """A span to summarise and what it is done with.

    `span` are entries of one branch, root first, whole steps (no call without its result where there is one). `window`
    is in tokens, of the model that is asked. `focus` is what the person gave with ``--focus``; `compact` the
    ``### Compact Instructions`` of AGENT.md (see `compact_instructions`); `instructions` the instruction files' texts.
    `budget` is how many tokens the text may take, None for `allowance`; what must not be missing may take more, unless
    it is `strict`. At most `calls` asks are made. A failed span
    goes to ``<archive>/<session>/``; without `archive` a failure leaves no file.
    """

    session: str
    span: tuple[Entry, ...]
    archive: Path | None
    window: int
    focus: str = ""
    compact: str = ""
    instructions: tuple[str, ...] = ()
    budget: int | None = None
    calls: int = 2
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary that may stand for its span. `outcome` is ``accepted`` when a model wrote it and it was checked (it may
    be completed by rule), ``ruled`` when it is made by rule alone; then `fault` says why ("" where no model was to be
    asked) and `archive` is the file that holds the span whole. `calls` counts asks; `tokens` is an estimate of `text`.
    """

    text: str
    receipt: Receipt
    outcome: Outcome
    calls: int
    tokens: int
    archive: Path | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Nothing may be removed: the span says nothing, or no summary is shorter than it, or a failed span could not be
    archived; `reason` is for the person."""

    reason: str
    calls: int = 0


def summarise(job: Job, ask: Ask | None) -> Summary | Refusal:
    """Summarise a span: one ask, one more with what is missing, then completion by rule. With `ask` None the summary is
    made by rule. Does not raise for a full disk or a failing model."""
    of = ground(job.span)
    if not of.salient.source.strip():
        return Refusal("there is nothing in it to summarise")
    job = job if job.budget is not None else replace(job, budget=allowed(of.before))
    if ask is None:
        return _by_rule(job, of)
    work = _Work(job, of, ask)
    best = work.write()
    if best is None:
        return _by_rule(job, of, work.calls, work.fault or "the model was not asked")
    return _completed(job, of, best, work.calls) or _by_rule(
        job, of, work.calls, "it would be as long as what it sums up"
    )


def allowance(span: Sequence[Entry]) -> int:
    """How many tokens a summary of this span may take: 4 % of the span's; of a short one 1,500, up to a fifth."""
    return allowed(span_tokens(span))


def allowed(tokens: int) -> int:
    """How many tokens a summary of a span of so many may take."""
    return max(int(tokens * SHARE), min(LEAST, tokens // 5), 1)


def compact_instructions(profile: str) -> str:
    """The text of the section ``### Compact Instructions`` (any level) of an AGENT.md; "" where it has none."""
    found = _SECTION.search(profile)
    if found is None:
        return ""
    rest = profile[found.end() :]
    end = re.search(rf"^#{{1,{len(found[1])}}}[ \t]", rest, re.MULTILINE)
    return (rest if end is None else rest[: end.start()]).strip()


class _Work:
    """One job with a model: its asks, and why the last of them failed."""

    def __init__(self, job: Job, of: Ground, ask: Ask) -> None:
        self.job, self.of, self.ask = job, of, ask
        self.calls = 0
        self.fault = ""
        self.too_long = False
        self.budget = job.budget or 1
        self.room = max(2_000, int(job.window * _PROMPT_SHARE * BYTES_A_TOKEN) - len(_system()) - _size(_beside(job)))

    def write(self) -> Written | None:
        """What the model wrote of the span, checked; None when it failed."""
        while self.calls < self.job.calls:
            parts = chunks(self.job.span, self.room)
            written = self._whole(parts[0][1]) if len(parts) == 1 else self._parts(parts)
            if written is not None or not self.too_long:
                return written
            self.room //= 2
        return None

    def _whole(self, text: str) -> Written | None:
        first = self._asked(text, self.of, self.budget)
        if self.too_long or self.calls >= self.job.calls:
            return first
        lacks = None if first is None else receipt(self.of, first.text)
        if lacks is not None and lacks.passed:
            return first
        told = _again(self.fault, lacks.missing if lacks else (), first.text if first else "")
        second = self._asked(text, self.of, self.budget, told)
        kept = [one for one in (first, second) if one is not None]
        return max(kept, key=lambda one: receipt(self.of, one.text).survival, default=None)

    def _parts(self, parts: Sequence[tuple[tuple[Entry, ...], str]]) -> Written | None:
        """The newest chunks by the model, as many as calls are left; the older ones by rule."""
        by_rule = len(parts) - (self.job.calls - self.calls)
        texts: list[str] = []
        out: list[str] = []
        for number, (entries, text) in enumerate(parts):
            of = ground(entries)
            share = max(1, self.budget * of.before // max(1, self.of.before))
            if number < by_rule:
                texts.append(ruled(of, share, strict=self.job.strict))
            elif (made := self._asked(text, of, share)) is None:
                return None
            else:
                texts.append(made.text)
                out += made.invented
        return Written("\n\n".join(text for text in texts if text), "", tuple(out))

    def _asked(self, text: str, of: Ground, budget: int, again: str = "") -> Written | None:
        self.calls += 1
        answered = self.ask(_prompt(self.job, text, budget, again))
        self.too_long = answered.too_long
        if answered.reply is None:
            self.fault = answered.fault or "the model could not be reached"
            return None
        most = budget * 5 // 4 if self.job.strict else max(2 * budget, of.before // 4)
        checked = check(answered.reply, of, most, (*self.job.instructions, self.job.focus, self.job.compact))
        self.fault = checked.fault
        return checked if checked.text else None


def _prompt(job: Job, text: str, budget: int, again: str) -> Prompt:
    parts = [
        _beside(job),
        _block("record", text),
        f"Write the summary of the record, in at most {int(budget * _WORDS_A_TOKEN)} words.",
        again,
    ]
    return Prompt(_system(), (), (Message("user", (Text("\n\n".join(part for part in parts if part), "harness"),)),))


def _block(mark: str, text: str) -> str:
    """A text between marks that it cannot close."""
    return fence.block(mark, re.sub(rf"(?i)<(?=/?{mark}\b)", "&lt;", text))


def _beside(job: Job) -> str:
    """What stands before the record: the project's instructions, its own order, and what the person asks to keep."""
    most = int(job.window * _INSTRUCTION_SHARE * BYTES_A_TOKEN)
    rules = "\n\n".join(job.instructions)
    rules = rules if _size(rules) <= most else rules.encode()[:most].decode("utf-8", "ignore")
    parts = []
    if rules.strip():
        parts.append(
            "The project's instructions, which the agent has before it all the time: do not repeat them, but keep what "
            "in the record bears on them.\n" + _block("project-instructions", rules)
        )
    if job.compact.strip():
        parts.append(
            "The project asks for another order; it goes before the one above:\n" + _block("order", job.compact[:most])
        )
    if job.focus.strip():
        parts.append("The person asks to keep above all:\n" + _block("focus", job.focus[:most]))
    return "\n\n".join(parts)


def _again(fault: str, missing: Sequence[str], before: str) -> str:
    if fault:
        return f"An earlier summary was refused: {fault}. Write it anew, from the record alone."
    names = "\n".join(missing[:_MISSING_TOLD])
    return (
        "Your earlier summary stands below. It lacks the following, which must stand in it exactly as it is here. "
        f"Write the whole summary again with them.\n{_block('missing', names)}\n{_block('earlier-summary', before)}"
    )


def _completed(job: Job, of: Ground, written: Written, calls: int) -> Summary | None:
    """The written summary with what it lacks; where that has no room for enough of it, without the lines that say the
    least. None when it is no shorter than the span."""
    best: tuple[str, Receipt] | None = None
    for share in SHARES:
        kept = trimmed(written.text, of, share) if share else written.text
        room = int((job.budget or 1) * BYTES_A_TOKEN) - _size(kept)
        added = completion(of, kept, room, strict=job.strict)
        text = f"{kept}\n\n{added}" if added else kept
        told = receipt(of, text, written.invented)
        if best is None or told.survival > best[1].survival:
            best = text, told
        if best[1].survival >= ENOUGH:
            break
    if best is None or best[1].after >= of.before:
        return None
    return Summary(best[0], best[1], "accepted", calls, best[1].after)


def _by_rule(job: Job, of: Ground, calls: int = 0, fault: str = "") -> Summary | Refusal:
    text = ruled(of, job.budget or 1, strict=job.strict)
    told = receipt(of, text)
    if told.after >= of.before or not text:
        return Refusal("a summary would not be shorter than what it stands for", calls)
    kept = None
    if fault and job.archive is not None:
        try:
            kept = archive.put(job.archive, job.session, job.span, fault)
        except OSError as error:
            why = error.strerror or str(error)
            return Refusal(f"the summary failed ({fault}) and what it stands for could not be archived ({why})", calls)
    return Summary(text, told, "ruled", calls, told.after, kept, fault)


def _system() -> str:
    return Path(__file__).with_name("summary.md").read_text(encoding="utf-8").strip()


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
