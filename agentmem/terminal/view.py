"""The view of a turn: takes Events, gives blocks to print for good, draws what is still moving. It writes nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from rich.text import Text

from agentmem.domain.event import (
    Asked,
    CallDelta,
    Compacted,
    Event,
    Notice,
    Retrying,
    StepEnded,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolOutput,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    TurnStop,
)
from agentmem.domain.visible import visible
from agentmem.terminal.blocks import Block, Row, Whole
from agentmem.terminal.calls import Running, ended_call
from agentmem.terminal.gist import bill, counted, first_line, gist, spell
from agentmem.terminal.inline import indented, wrapped
from agentmem.terminal.tail import Tail

_STRIDE = 1000  # characters of thinking that come before the lines shown begin further on
_KEPT_WHOLE = 50  # outputs that can be shown again
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

_STOPS: Mapping[TurnStop, str] = {
    "done": "",
    "interrupted": "stopped",
    "max_turns": "stopped: the limit of steps is reached",
    "max_cost": "stopped: the limit of cost is reached",
    "repeated_call": "stopped: the same call again and again",
    "length": "stopped: the answer was cut at the model's length limit",
    "overflow": "stopped: the conversation no longer fits the model's window",
    "refusal": "the model declined to answer",
    "model_error": "the model could not be asked",
    "failed": "the turn failed",
}
_LEVELS = {"info": ("dim", "·"), "memory": ("green", "+"), "warning": ("yellow", "!"), "error": ("red", "✗")}


class _Flow(Protocol):
    def __call__(self, event: Any) -> list[Block]: ...


class View:
    """One conversation's view. `now` gives seconds of a clock that never jumps.

    `wholes` holds what was folded, the newest last, to be shown in full on request.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.wholes: deque[Whole] = deque(maxlen=_KEPT_WHOLE)
        self._now = now
        self._tail: Tail | None = None
        self._thinking = ""
        self._calls: dict[str, Running] = {}
        self._asked: dict[str, Running] = {}
        self._declined: set[str] = set()
        self._arriving: dict[int, tuple[str, int]] = {}
        self._began = self._resumes = 0.0
        self._doing = "starting"
        self._spoke = self._shown = False

    def take(self, event: Event) -> list[Block]:
        """What is final now that `event` came, in order."""
        flow = self._flows().get(type(event))
        return flow(event) if flow else []

    def live(self, width: int, rows: int) -> list[Text]:
        """What is unfinished, in at most `rows` lines of at most `width` cells: the newest end of it."""
        status = self._status(width)
        calls = [line for running in self._calls.values() for line in running.lines(width)]
        room = rows - 2 - min(len(calls), max(rows - 2, 0))
        text: list[Text] = []
        if self._tail is not None:
            for piece in self._tail.waiting():
                text += [*[Text("")] * piece.gap, *piece.lines(width)]
        elif self._thinking:
            # From a point that stays for a while, so that the lines do not break anew with every word.
            start = max(0, len(self._thinking) // _STRIDE - 1) * _STRIDE
            tail = visible(" ".join(self._thinking[start:].split()))
            text = [Text(""), *indented(wrapped(Text(tail, "dim italic"), width - 2)[-3:], "  ", "  ")]
        above = [*text[len(text) - room :], *calls] if room > 0 and len(text) > room else [*text, *calls]
        return [*above, Text(""), status][-max(rows, 1) :]

    def begin(self) -> None:
        """A turn is about to run."""
        self._began = self._now()
        self._doing = "starting"
        self._shown = False
        for calls in (self._calls, self._asked, self._declined):
            calls.clear()

    def declined(self, call_id: str) -> None:
        """The person said no to a call."""
        self._declined.add(call_id)

    def stopping(self) -> None:
        """The person stopped the turn."""
        self._doing = "stopping"

    def _flows(self) -> Mapping[type[Event], _Flow]:
        return {
            TurnStarted: lambda event: self._do("waiting for the model"),
            StepStarted: self._step,
            TextDelta: self._text,
            ThinkingDelta: self._think,
            CallDelta: self._arrive,
            Retrying: self._retry,
            StepEnded: lambda event: self._flush(),
            Asked: self._ask,
            ToolStarted: self._start,
            ToolOutput: self._output,
            ToolEnded: self._end,
            Notice: self._notice,
            Compacted: self._compacted,
            TurnEnded: self._over,
        }

    def _do(self, doing: str) -> list[Block]:
        if self._doing != "stopping":
            self._doing = doing
        return []

    def _step(self, event: StepStarted) -> list[Block]:
        self._spoke = self._shown = False
        self._resumes = 0.0
        return [*self._flush(), *self._do("waiting for the model")]

    def _text(self, event: TextDelta) -> list[Block]:
        out = self._thought()
        self._do("writing")
        self._spoke = True
        self._tail = self._tail or Tail()
        out += self._tail.feed(event.text)
        self._shown = self._shown or bool(out)
        return out

    def _think(self, event: ThinkingDelta) -> list[Block]:
        out = self._said()
        self._do("thinking")
        self._thinking += event.text
        return out

    def _arrive(self, event: CallDelta) -> list[Block]:
        out = [*self._thought(), *self._said()]
        name, size = self._arriving.get(event.index, ("", 0))
        name, size = name or event.name, size + len(event.arguments)
        self._arriving[event.index] = name, size
        self._do(f"writing {visible(name)} call · {counted(size, 'character')}")
        return out

    def _retry(self, event: Retrying) -> list[Block]:
        self._tail, self._thinking = None, ""
        self._arriving.clear()
        self._resumes = self._now() + event.wait
        void = " What is above of this answer is void." if self._shown else ""
        self._shown = self._spoke = False
        self._do(f"trying again, attempt {event.attempt + 1}")
        return [Row(f"{event.reason}; asking again.{void}", "yellow", "↻")]

    def _ask(self, event: Asked) -> list[Block]:
        self._do("waiting for your answer")
        self._asked[event.call_id] = Running(event.tool, event.arguments)
        return self._flush()

    def _start(self, event: ToolStarted) -> list[Block]:
        out = self._flush()
        self._calls[event.call_id] = Running(event.tool, event.arguments)
        self._do(f"running {visible(event.tool)}")
        return out

    def _output(self, event: ToolOutput) -> list[Block]:
        if running := self._calls.get(event.call_id):
            running.take(event.text)
        return []

    def _end(self, event: ToolEnded) -> list[Block]:
        running = self._calls.pop(event.call_id, None) or self._asked.get(event.call_id)
        about = gist(running.tool, running.arguments) if running else ""
        title = f"{visible(event.tool)}  {about}".rstrip()
        if event.diff:
            self.wholes.append(Whole(title, event.diff, diff=True))
        elif event.text:
            self.wholes.append(Whole(title, event.text))
        self._do("waiting for the model" if not self._calls else self._doing)
        return [*self._flush(), ended_call(event, about, event.call_id in self._declined)]

    def _notice(self, event: Notice) -> list[Block]:
        style, sign = _LEVELS[event.level]
        return [*self._flush(), Row(event.text, style, sign)]

    def _compacted(self, event: Compacted) -> list[Block]:
        line = f"{event.text} · {event.before:,} → {event.after:,} tokens · back: /expand {event.entry}"
        return [*self._flush(), Row(line, "dim", "⇣")]

    def _over(self, event: TurnEnded) -> list[Block]:
        out = self._flush()
        out += [running.stopped() for running in self._calls.values()]
        self._calls.clear()
        if event.text and not self._spoke and event.stop == "done":
            tail = Tail()
            out += [*tail.feed(event.text), *tail.close()]
        if stop := event.error or _STOPS[event.stop]:
            out.append(Row(stop, *(("yellow", "■") if event.stop == "interrupted" else ("red", "✗"))))
        spent = bill(event.usage, event.cost)
        steps = counted(event.steps, "step")
        return [*out, Row(f"{steps} · {spent} · {spell(self._now() - self._began)}", "dim")]

    def _flush(self) -> list[Block]:
        self._arriving.clear()
        return [*self._thought(), *self._said()]

    def _said(self) -> list[Block]:
        tail, self._tail = self._tail, None
        out: list[Block] = [*tail.close()] if tail else []
        self._shown = self._shown or bool(out)
        return out

    def _thought(self) -> list[Block]:
        thinking, self._thinking = self._thinking.strip(), ""
        if not thinking:
            return []
        self.wholes.append(Whole("thinking", thinking))
        self._shown = True
        return [Row(_glance(thinking), "dim italic", "∴", short=True)]

    def _status(self, width: int) -> Text:
        now = self._now()
        frame = _FRAMES[int(now * 8) % len(_FRAMES)]
        wait = f" in {spell(self._resumes - now)}" if self._resumes > now + 0.5 else ""
        line = Text(f"{frame} {self._doing}{wait} · {int(now - self._began)} s · Ctrl-C stops", "dim")
        line.truncate(width, overflow="ellipsis")
        return line


def _glance(thinking: str) -> str:
    more = thinking.count("\n") + 1
    return f"thought{f' ({more:,} lines)' if more > 1 else ''}: {first_line(thinking)}"
