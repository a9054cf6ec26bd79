"""The question before a call runs: what it shows, and which keys answer it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from rich.text import Text

from agentmem.domain.event import Answer, Asked
from agentmem.domain.visible import visible
from agentmem.terminal.blocks import Whole
from agentmem.terminal.gist import counted, gist
from agentmem.terminal.inline import folded, indented, wrapped
from agentmem.terminal.patch import patch_lines

_ANSWERS: dict[str, Answer] = {"y": "yes", "yes": "yes", "n": "no", "no": "no", "a": "always", "always": "always"}


@dataclass(frozen=True, slots=True)
class Question:
    """A call that needs a yes."""

    asked: Asked

    @property
    def choices(self) -> str:
        """The line of keys."""
        always = "a always · " if self.asked.can_always else ""
        return f"y yes · {always}n no (Esc) · Ctrl-O all of it · Ctrl-C stops the turn"

    def lines(self, width: int, rows: int) -> list[Text]:
        """The question in at most `rows` lines: what would run or change, why it is asked, and the keys."""
        asked = self.asked
        head = wrapped(Text.assemble(("? ", "bold yellow"), (visible(asked.tool), "bold"), " — allow this?"), width)
        why = wrapped(Text(visible(asked.reason), "dim"), width - 2) if asked.reason else []
        keys = wrapped(Text(self.choices, "yellow"), width - 2)
        body = self._body(width - 2)
        room = max(rows - len(head) - len(why) - len(keys) - 2, 1)
        if len(body) > room:
            left = len(body) - room + 1
            body = [*body[: room - 1], Text(f"… {counted(left, 'line')} more: Ctrl-O shows all", "bold yellow")]
        return [Text(""), *head, *indented([*why, *body, *keys], "  ", "  "), Text("")][: max(rows, 1)]

    def whole(self) -> Whole:
        """All that the call would do."""
        if self.asked.diff:
            return Whole(
                f"{self.asked.tool}  {gist(self.asked.tool, self.asked.arguments)}", self.asked.diff, diff=True
            )
        return Whole(self.asked.tool, "\n".join(line.plain for line in self._body(10_000)))

    def _body(self, width: int) -> list[Text]:
        asked = self.asked
        if asked.diff:
            return [*_text(gist(asked.tool, asked.arguments), width), *patch_lines(asked.diff, width)]
        arguments = dict(asked.arguments)
        command = arguments.pop("command", None) if asked.tool == "bash" else None
        body = indented(_text(command, width - 2), "$ ", "  ") if isinstance(command, str) else []
        for name, value in arguments.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            body += _text(f"{name}: {text}", width)
        return body

    def answer(self, keys: str) -> Answer | None:
        """The answer that typed characters give, None for anything else. ``\\x1b`` is Esc."""
        if keys == "\x1b":
            return "no"
        word = keys.strip().lower()
        answer = _ANSWERS.get(word)
        return None if answer == "always" and not self.asked.can_always else answer


def _text(text: str, width: int) -> list[Text]:
    return [part for row in text.split("\n") for part in folded(Text(visible(row).expandtabs(8)), width)]
