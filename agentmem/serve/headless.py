"""The headless face: drives one turn without a person and writes its answer, its envelope or its Events."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TextIO

from agentmem import streams
from agentmem.domain.begun import Notice, StepStarted, TurnStarted
from agentmem.domain.cancel import Cancel
from agentmem.domain.visible import visible
from agentmem.serve.exits import FAILED, INTERRUPTED, MODEL, exit_code

if TYPE_CHECKING:
    from agentmem.domain.event import Answer, Event, TurnEnded, TurnStop
    from agentmem.domain.message import Usage

Output = Literal["text", "json", "stream-json"]

_STOPS: dict[int, TurnStop] = {MODEL: "model_error", INTERRUPTED: "interrupted"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a headless turn ended; `ended` is None when the turn broke off without saying so."""

    ended: TurnEnded | None
    exit_code: int


def run_lines(
    events: Generator[Event, Answer | None, None],
    out: TextIO,
    output: Output,
    err: TextIO,
    cancel: Cancel | None = None,
) -> Outcome:
    """Run a turn to its end. Whatever is asked goes unanswered, which is a refusal.

    `text` writes the answer alone to `out`, `json` one envelope, `stream-json` an Event a line; what else a person
    should know goes to `err`, and tool progress too when that is a terminal. When nobody reads `out` any more, nothing
    further is written and `cancel` is set. If the turn raises, the JSON forms still say so before it goes on up.
    """
    run = _Run(_Pipe(out, output, cancel), output, err)
    try:
        run.drive(events)
    finally:
        if run.ended is None:
            events.close()  # what broke off between two events must still end in the log
            run.broke_off(*_reason(sys.exception()))
    return run.outcome()


def write_failure(out: TextIO, output: Output, err: TextIO, error: str, exit_code: int) -> None:
    """Say that a run failed before a turn began: on `err` for people, on `out` in the JSON form that was asked for."""
    run = _Run(_Pipe(out, output, None), output, err)
    run.broke_off(error, exit_code)
    run.outcome()


class _Pipe:
    """Standard output that may lose its reader."""

    def __init__(self, out: TextIO, output: Output, cancel: Cancel | None) -> None:
        self.failure: str | None = None
        self._out = out
        self._cancel = cancel
        self._open = True
        if isinstance(out, io.TextIOWrapper):
            # JSON is UTF-8 by its standard; text keeps the person's encoding but must never fail on a character.
            out.reconfigure(encoding=None if output == "text" else "utf-8", errors="replace")

    def write(self, put: Callable[[TextIO], object]) -> None:
        if not self._open:
            return
        try:
            put(self._out)
            self._out.flush()
        except OSError as error:
            self._open = False
            if not isinstance(error, BrokenPipeError):  # a reader that went away knows
                self.failure = streams.unwritten(error)
            streams.discard(self._out)
            if self._cancel is not None:
                self._cancel.cancel()


class _Run:
    def __init__(self, pipe: _Pipe, output: Output, err: TextIO) -> None:
        self.ended: TurnEnded | None = None
        self._pipe = pipe
        self._output = output
        self._err = err
        self._model: str | None = None
        self._session: str | None = None
        self._steps = 0
        self._usage: Usage | None = None
        self._cost: float | None = None
        self._progress = output == "text" and err.isatty()

    def drive(self, events: Generator[Event, Answer | None, None]) -> None:
        for event in events:  # what is asked goes unanswered: nobody is here to say yes or no
            self._take(event)

    def outcome(self) -> Outcome:
        if self._pipe.failure is not None:
            self._tell(f"error: {self._pipe.failure}")
            return Outcome(self.ended, FAILED)
        return Outcome(self.ended, exit_code(self.ended.stop) if self.ended else FAILED)

    def broke_off(self, error: str, code: int = FAILED) -> None:
        self._tell(f"error: {error}")
        if self._output == "json":
            from agentmem.domain.message import Usage
            from agentmem.serve.envelope import Envelope

            stop, usage = _STOPS.get(code, "failed"), self._usage or Usage()
            self._print(
                Envelope(
                    "", self._session, self._model, stop, code, self._steps, usage, self._cost, error=error
                ).to_json()
            )
        elif self._output == "stream-json":
            self._print({"type": "failed", "exit_code": code, "error": error})

    def _take(self, event: Event) -> None:
        if self._output == "stream-json":
            from agentmem.serve.stream import event_to_json

            self._print(event_to_json(event))
        match event:
            case TurnStarted():
                self._model, self._session = event.model, event.session
            case Notice():
                if event.level != "info" or self._progress:
                    self._tell(f"{event.level}: {event.text}")
            case StepStarted():
                self._steps = event.step
            case _:
                self._follow(event)

    def _follow(self, event: Event) -> None:
        """Take an event that comes once the model has begun to answer."""
        from agentmem.domain.event import Compacted, Retrying, StepEnded, ToolEnded, ToolStarted, TurnEnded

        match event:
            case StepEnded():
                first = self._usage is None
                self._usage = event.usage if self._usage is None else self._usage + event.usage
                known = event.cost is not None and (first or self._cost is not None)
                self._cost = (self._cost or 0.0) + (event.cost or 0.0) if known else None
            case Retrying():
                self._tell(f"warning: {event.reason}; asking again in {event.wait:.0f} s (attempt {event.attempt})")
            case Compacted():
                undo = f"agentmem expand {self._session} {event.entry}"
                self._tell(f"compacted: {event.text}; {event.before:,} -> {event.after:,} tokens; undo: {undo}")
            case ToolStarted() if self._progress:
                self._tell(f"· {event.tool} {_gist(event.arguments)}".rstrip())
            case ToolEnded(tool="remember", refused=None):
                self._tell("\n".join(filter(None, (f"memory: {event.text}", event.diff))))
            case ToolEnded() if self._progress and event.error:
                self._tell(f"  {event.tool} failed" + (f" (exit {event.exit})" if event.exit is not None else ""))
            case TurnEnded():
                self._end(event)

    def _end(self, ended: TurnEnded) -> None:
        self.ended = ended
        if self._output == "json":
            from agentmem.serve.envelope import Envelope  # nothing before the answer needs it

            self._print(Envelope.of(ended, self._model).to_json())
        elif self._output == "text" and ended.text:
            self._pipe.write(lambda out: out.write(_answer(ended.text, out.isatty())))
        for got in ended.refusals:
            mode = "no permission mode" if got.allowed_by == "none" else f"permission mode {got.allowed_by}"
            self._tell(f"not run: {got.tool} {got.target} ({mode} would allow it)")
        if ended.error:
            self._tell(f"error: {ended.error}")

    def _print(self, value: Mapping[str, Any]) -> None:
        """Write one JSON object as a line."""
        from agentmem.serve.stream import write_line

        self._pipe.write(lambda out: write_line(out, value))

    def _tell(self, text: str) -> None:
        try:
            print(visible(text), file=self._err, flush=True)
        except OSError:  # nobody is there to be told
            streams.discard(self._err)


def _reason(error: BaseException | None) -> tuple[str, int]:
    """What to say of a turn that broke off, and the exit code."""
    if error is None:
        return "the turn ended without an outcome", FAILED
    if isinstance(error, KeyboardInterrupt):
        return "interrupted before the turn could end in order", INTERRUPTED
    return f"{type(error).__name__}: {error}".removesuffix(": "), FAILED


def _answer(text: str, terminal: bool) -> str:
    """The answer with its final newline; on a terminal nothing in it may steer the screen."""
    from agentmem.serve.stream import plain

    text = visible(text) if terminal else plain(text)
    return text if text.endswith("\n") else text + "\n"


def _gist(arguments: Mapping[str, object]) -> str:
    """The first argument that says what a call is about, on one short line."""
    values = arguments.values()
    first = next((value for value in values if isinstance(value, str) and value), "")
    line = first.split("\n", 1)[0]
    return line if len(line) <= 100 and line == first else line[:99] + "…"
