"""Change: new bytes for one file, checked before anything is written, shown as a diff, then stored."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agentmem.domain.tool import Access, ToolContext, ToolResult
from agentmem.tools.diff import unified
from agentmem.tools.target import name_in, printable, trouble
from agentmem.workspace.file import Changed, NotRegular, digest, load, store
from agentmem.workspace.permission import memory_refusal

FILE_MOST = 64_000_000  # bytes of a file that is changed in memory


class Refused(Exception):
    """A change that must not be made; the message is for the model."""


@dataclass(frozen=True, slots=True)
class Change:
    """`before` (None: there is no file) becomes `after` at `path`; `named` is the path as the model wrote it, `done`
    says what was done."""

    path: Path
    named: str
    before: bytes | None
    after: bytes
    done: str

    def diff(self, context: ToolContext) -> str:
        """The change as a unified diff."""
        return unified(self.before, self.after, name_in(context, self.path))


def current(path: Path, named: str, context: ToolContext) -> bytes | None:
    """The bytes of the file to be changed, None when there is none. Raises `Refused` for what is no file to change: the
    agent's memory, a directory or device, what the system does not give."""
    refusal = memory_refusal(Access("write", str(path), named), context.places)
    if refusal is not None:
        raise Refused(refusal)
    try:
        if path.stat().st_size > FILE_MOST:
            raise Refused(f"{printable(named)} is larger than {FILE_MOST // 1_000_000} MB: change it with bash")
        return load(path)
    except FileNotFoundError:
        return None
    except NotRegular as error:
        raise Refused(f"{printable(named)} is {error}, not a file") from error
    except OSError as error:
        raise Refused(trouble(error, named, path)) from error


def check_fresh(path: Path, before: bytes, named: str, context: ToolContext) -> None:
    """Raise `Refused` when the file is not what the model last read or wrote; equal bytes written anew are none."""
    seen = context.seen.get(str(path))
    if seen is not None and seen != digest(before):
        raise Refused(f"{printable(named)} changed on disk since it was read; read it again. Nothing was written")


def encoded(text: str, what: str) -> bytes:
    """Text from a model as UTF-8. Raises `Refused` for half a character, which no file can hold."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refused(
            f"{what} holds half a character (a lone surrogate) at {error.start}; nothing was written"
        ) from error


def make(change: Change, context: ToolContext) -> ToolResult:
    """Store the change and remember its bytes as seen. A refusal of the system is an error result."""
    try:
        links = change.path.stat().st_nlink if change.before is not None else 1
        store(change.path, change.after, change.before)
    except Changed:
        message = (
            f"{printable(change.named)} was changed by another program just now; read it again. Nothing was written"
        )
        return ToolResult(message, error=True)
    except NotRegular as error:
        return ToolResult(f"{printable(change.named)} is {error}, not a file", error=True)
    except OSError as error:
        return ToolResult(trouble(error, change.named, change.path), error=True)
    context.seen[str(change.path)] = digest(change.after)
    note = f"\n[it had {links} hard links; the other names keep the old text]" if links > 1 else ""
    return ToolResult(change.done + note, diff=change.diff(context))
