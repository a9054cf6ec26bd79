"""Recaller: a session's way to what is remembered: what comes unasked at a turn, and what the model asks for.

The index is brought up to date beside the turn, never in its way: a search takes a moment at most, what is not indexed
then is scanned at its end, and a thread reads the rest.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Collection, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agentmem.domain.begun import Notice
from agentmem.domain.message import Part, Text
from agentmem.domain.tool import ToolResult
from agentmem.memory.memory import LogWriteError, recalled

if TYPE_CHECKING:
    from agentmem.agent.agent import Agent
    from agentmem.domain.event import Answer, Event

MOMENT = 0.05
"""Seconds that reading new files may take in a turn's way."""
_SLICE = 0.25


class Recaller:
    """Memory of one place for the sessions of one agent. `form` is how memories are shown to the model."""

    def __init__(self, finder: recalled.Finder, form: recalled.Form) -> None:
        self._finder = finder
        self._form = form
        self._leaving = threading.Event()
        self._reading: threading.Thread | None = None

    def begin(self, agent: Agent, parts: Sequence[Part]) -> Generator[Event, Answer | None, None]:
        """What comes unasked at a turn. A failure is told and survived."""
        said = "\n".join(part.text for part in parts if isinstance(part, Text) and part.origin == "person")
        if not said.strip():
            return
        shown = [entry.id for entry in agent.session.entries]
        system = "\n".join(section.text for section in agent.session.sections)
        try:
            found = recalled.remind(
                self._finder,
                recalled.Turned(said, agent.window, self._form, shown, lambda text: text in system),
                MOMENT,
            )
        except OSError as error:
            yield Notice("warning", f"memory was not searched: {error.strerror or error}")
            return
        if found.text or found.about.get("known"):
            agent.session.record_recall(found.text, found.about)
        if found.text:
            yield Notice("info", found.told)
        self._read_on()

    def answer(self, arguments: Mapping[str, Any], shown: Collection[str]) -> ToolResult:
        """What the model asked for, with arguments that were checked, but for the entries that it is shown anyhow."""
        number = int(arguments.get("page", 1))
        wanted = recalled.Wanted(
            arguments["query"],
            arguments.get("scope", "all"),
            arguments.get("as_of"),
            (number - 1) * recalled.PAGE,
            without=shown,
        )
        try:
            page = self._finder.find(wanted, 2.0)
        except OSError as error:
            return ToolResult(f"memory could not be searched: {error.strerror or error}", error=True)
        self._read_on()
        return ToolResult(recalled.listing(page, self._form, number))

    def lines(self, query: str) -> list[str]:
        """What a person asked for in the talk. Raises `OSError`."""
        page = self._finder.find(recalled.Wanted(query), 2.0)
        self._read_on()
        rows = [line for hit in page.hits for line in recalled.row(hit)]
        more = (
            f"{page.remaining} more: agentmem recall {shlex.quote(query)} --page 2" if page.remaining else "that is all"
        )
        return [*rows, more if page.hits else "Nothing in memory answers this.", *page.notes]

    def _read_on(self) -> None:
        """Read what the index lacks, in a thread, in slices that let a search in between."""
        if self._reading is None or not self._reading.is_alive():
            self._reading = threading.Thread(target=self._read, name="recall", daemon=True)
            self._reading.start()

    def _read(self) -> None:
        try:
            while not self._leaving.is_set() and not self._finder.catch_up(_SLICE):
                if self._leaving.wait(0.05):
                    return
        except (OSError, LogWriteError):
            return  # the next search tells what is wrong

    def close(self) -> None:
        """Let the reader end, and give the index back."""
        self._leaving.set()
        if self._reading is not None:
            self._reading.join(2.0)
        self._finder.close()
