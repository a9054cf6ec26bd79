"""Tools: what a model may do, as values; and what a tool gets to do it with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from agentmem.domain.cancel import Cancel
from agentmem.domain.places import Places
from agentmem.domain.prompt import ToolSpec

if TYPE_CHECKING:
    from agentmem.domain.claim import Claim, Verdict

AccessKind = Literal["read", "write", "run", "remember", "forget"]


@dataclass(frozen=True, slots=True)
class Access:
    """One thing a call wants to touch: `target` is an absolute path, links resolved (read, write), or a command (run).

    `named` is the target as the model wrote it, for the person who is asked.
    """

    kind: AccessKind
    target: str
    named: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave. `text` goes to the model; `diff` (unified, as it is on disk) only to the person.

    `offload` is where the whole output lies when `text` holds only a part of it, relative to the root. `malformed` says
    that the call could not be run as it was written: ``tool`` (there is none of that name) or ``arguments``.
    """

    text: str
    error: bool = False
    exit: int | None = None
    diff: str | None = None
    offload: str | None = None
    malformed: str | None = None


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks of a feature list. `command` gives the command that a feature's check is, "" for none; `run` has the
    harness run it (what it prints goes to the second argument) and sets the feature's flag by what was seen."""

    command: Callable[[str], str]
    run: Callable[[str, Callable[[str], None]], ToolResult]


@dataclass(frozen=True, slots=True)
class Letting:
    """What has words forgotten: `look` says where they stand, `go` does it and gives the receipt."""

    look: Callable[[str], str]
    go: Callable[[str], ToolResult]


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What one call runs with.

    `seen` maps a file's real path to the digest of its bytes when the model last read or wrote it (shared by the calls
    of a session). `offload(data, suffix)` puts a whole output on disk and gives its path relative to the root. `emit`
    tells the person of output while it comes. `propose` takes a claim to the gate. `spawn` runs a task in a session of
    its own and gives its answer; None where no further session may be started. `verify` are the checks of the feature
    list, None where nothing may be verified. `skill(name)` says whether the skill of that name follows the result; None
    where there are none; `draft(text)` lets a SKILL.md wait for the person. `compact` asks for a compaction before the
    next step, and takes what it must keep; None where the session is kept whole. `recall` searches memory with a
    call's arguments. `forget` has words forgotten, None where nothing may be.
    """

    places: Places
    cancel: Cancel
    call_id: str
    seen: MutableMapping[str, str]
    offload: Callable[[bytes, str], str]
    propose: Callable[[Claim], Verdict]
    emit: Callable[[str], None] = lambda text: None
    env: Mapping[str, str] = field(default_factory=dict)
    spawn: Callable[[str], ToolResult] | None = None
    verify: Checks | None = None
    skill: Callable[[str], ToolResult] | None = None
    compact: Callable[[str], None] | None = None
    draft: Callable[[str], Verdict] | None = None
    forget: Letting | None = None
    recall: Callable[[Mapping[str, Any]], ToolResult] | None = None

    @property
    def cwd(self) -> Path:
        """Where relative paths start."""
        return self.places.cwd


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what the model is told of it, what a call would touch, and how it runs.

    `run` never raises for what a user or a model can cause: it answers with an error result. `preview` gives the diff a
    call would make, None when there is none to show. Calls of tools that only read may run side by side.
    """

    spec: ToolSpec
    run: Callable[[Mapping[str, Any], ToolContext], ToolResult]
    access: Callable[[Mapping[str, Any], ToolContext], tuple[Access, ...]]
    reads_only: bool = False
    preview: Callable[[Mapping[str, Any], ToolContext], str | None] | None = None

    @property
    def name(self) -> str:
        """The name the model calls it by."""
        return self.spec.name
