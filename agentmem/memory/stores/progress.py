"""The handoff files, `.agent/handoff/progress.md` and `brief.md`: what a fresh agent starts from.

# Progress

## Goal
Rename every command of the shop.

## Next
Rename `list`, then run `make test`.

## Seen by the harness
Session 2026-11-30T09-02-11-4f2a, until 2026-11-30T11:40:02Z.
- changed: src/cli.py
- ran: `make test` (exit 0)
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from agentmem import regular
from agentmem.domain.handoff import TITLES, Handoff
from agentmem.memory.stores import folder

MOST = 4 << 20  # bytes of a file
SEEN = "Seen by the harness"
_HEADING = re.compile(r"#{1,4}\s+(.*?)\s*#*\s*", re.ASCII)
_NAMES = {
    "goal": ("goal", "objective", "aim"),
    "done": ("done", "completed", "finished"),
    "flight": ("in flight", "in progress", "current", "now", "doing"),
    "next": ("next", "next steps", "next step", "to do", "todo"),
    "ruled_out": ("ruled out", "ruled out and why", "dead ends", "tried", "failed attempts"),
    "limits": ("limits", "limits and forbidden paths", "constraints", "forbidden paths", "rules"),
    "setup": ("setup and checks", "setup", "how to run and check", "how to run", "checks", "how to set up and start"),
    "brief": ("brief",),
    "seen": (SEEN.lower(),),
}
_FIELDS = {name: field for field, names in _NAMES.items() for name in names}


def parse(text: str) -> Handoff:
    """The handoff that Markdown with headings says, whoever wrote it; what stands under no heading known is left
    out."""
    found: dict[str, list[str]] = {}
    field: str | None = None
    fence = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~"):
            fence = "" if mark == fence else fence or mark
        heading = None if fence else _HEADING.fullmatch(line.strip())
        if heading is not None:
            title = heading.group(1).strip("*_: ").lower()
            field = _FIELDS.get(title, None if line.startswith(("# ", "## ")) else field)
            continue
        if field is not None:
            found.setdefault(field, []).append(line)
    return Handoff(**{name: "\n".join(rows).strip() for name, rows in found.items()})


def render(handoff: Handoff) -> str:
    """progress.md."""
    parts = ["# Progress"]
    for field, title in TITLES.items():
        text = getattr(handoff, field)
        parts.append(f"## {title}\n{_plain(text) or '(nothing)'}")
    if handoff.seen:
        parts.append(f"## {SEEN}\n{handoff.seen}")
    return "\n\n".join(parts) + "\n"


def read(own: Path) -> Handoff | None:
    """What the handoff files of a work tree (its `.agent/` is `own`) say, None where there is no progress.md. Raises
    `OSError` for one that cannot be read."""
    try:
        data = regular.read(own / "handoff" / "progress.md", MOST)
    except FileNotFoundError:
        return None
    found = parse(data.decode("utf-8", "replace"))
    try:
        brief = regular.read(own / "handoff" / "brief.md", MOST).decode("utf-8", "replace")
    except FileNotFoundError:
        brief = ""
    return replace(found, brief=_unheaded(brief))


def write(own: Path, handoff: Handoff) -> None:
    """Put both files in place, each at once. Raises `OSError`."""
    folder.make_agent_folder(own)
    folder.make_private(own / "handoff")
    folder.write_private(
        own / "handoff" / "brief.md", f"# Brief\n\n{handoff.brief.strip()}\n".encode("utf-8", "replace")
    )
    folder.write_private(own / "handoff" / "progress.md", render(handoff).encode("utf-8", "replace"))


def _plain(text: str) -> str:
    """A section's text without headings that would begin another section."""
    return re.sub(r"(?m)^(#{1,2}) ", r"### ", text.strip())


def _unheaded(text: str) -> str:
    head, _, rest = text.partition("\n")
    return rest.strip() if head.strip().lower() == "# brief" else text.strip()
