"""The headless face: drives one turn without a person and writes its answer, its envelope or its Events."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TextIO

from agentmem.domain.begun import Notice, StepStarted, TurnStarted
from agentmem.domain.cancel import Cancel
from agentmem.domain.visible import visible
from agentmem.serve.exits import FAILED, INTERRUPTED, MODEL, exit_code

if TYPE_CHECKING:
    from agentmem.domain.event import Answer, Event, TurnEnded, TurnStop

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
            run.broke_off(*_reason(sys.exception()))
    return run.outcome()


def write_failure(out: TextIO, output: Output, err: TextIO, error: str, exit_code: int) -> None:
    """Say that a run failed before a turn began: on `err` for people, on `out` in the JSON form that was asked for."""
    _Run(_Pipe(out, output, None), output, err).broke_off(error, exit_code)


class _Pipe:
    """Standard output that may lose its reader."""

    def __init__(self, out: TextIO, output: Output, cancel: Cancel | None) -> None:
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
        except BrokenPipeError:
            self._open = False
            self._discard_rest()
            if self._cancel is not None:
                self._cancel.cancel()

    def _discard_rest(self) -> None:
        """Python flushes the stream again when it exits; what it still holds goes nowhere instead of failing there."""
        try:
            descriptor = self._out.fileno()
        except (OSError, ValueError):
            return
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, descriptor)
        os.close(sink)


class _Run:
    def __init__(self, pipe: _Pipe, output: Output, err: TextIO) -> None:
        self.ended: TurnEnded | None = None
        self._pipe = pipe
        self._output = output
        self._err = err
        self._model: str | None = None
        self._session: str | None = None
        self._progress = output == "text" and err.isatty()

    def drive(self, events: Generator[Event, Answer | None, None]) -> None:
        for event in events:  # what is asked goes unanswered: nobody is here to say yes or no
            self._take(event)

    def outcome(self) -> Outcome:
        return Outcome(self.ended, exit_code(self.ended.stop) if self.ended else FAILED)

    def broke_off(self, error: str, code: int = FAILED) -> None:
        self._tell(f"error: {error}")
        if self._output == "json":
            from agentmem.serve.envelope import Envelope

            stop = _STOPS.get(code, "failed")
            self._print(Envelope("", self._session, self._model, stop, code, error=error).to_json())
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
                pass
            case _:
                self._follow(event)

    def _follow(self, event: Event) -> None:
        """Take an event that comes once the model has begun to answer."""
        from agentmem.domain.event import Retrying, ToolEnded, ToolStarted, TurnEnded

        match event:
            case Retrying():
                self._tell(f"warning: {event.reason}; asking again in {event.wait:.0f} s (attempt {event.attempt})")
            case ToolStarted() if self._progress:
                self._tell(f"· {event.tool} {_gist(event.arguments)}".rstrip())
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
        except BrokenPipeError:
            return


def _reason(error: BaseException | None) -> tuple[str, int]:
    """What to say of a turn that broke off, and the exit code."""
    if error is None:
        return "the turn ended without an outcome", FAILED
    text = f"{type(error).__name__}: {error}".removesuffix(": ")
    return text, INTERRUPTED if isinstance(error, KeyboardInterrupt) else FAILED


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
