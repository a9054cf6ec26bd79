"""Places: where a work tree, its memory and the person's own level lie. Path arithmetic only, nothing is touched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Places:
    """The directories of one run. `root` holds MEMORY.md and the work tree; `shared` is the `.agent/` that linked
    work trees have in common (the main work tree's); `cwd` is where the person stands; `home` is the person's level.
    `others` are the roots in the repository's other work trees, where somebody looked for them."""

    root: Path
    cwd: Path
    home: Path
    shared: Path
    others: tuple[Path, ...] = ()

    @property
    def own(self) -> Path:
        """The work tree's own `.agent/` (config, handoff)."""
        return self.root / ".agent"

    @property
    def sessions(self) -> Path:
        """One `<id>.jsonl` a session."""
        return self.shared / "sessions"

    @property
    def offload(self) -> Path:
        """Tool output too big for the prompt, one directory a session."""
        return self.shared / "offload"

    @property
    def archive(self) -> Path:
        """Spans whose summary failed, one directory a session."""
        return self.shared / "archive"

    @property
    def blobs(self) -> Path:
        """Prompt parts that manifests name, by content."""
        return self.shared / "blobs"

    @property
    def queue(self) -> Path:
        """Claims that wait for a person."""
        return self.shared / "queue"

    @property
    def inbox(self) -> Path:
        """What happened, a turn a file, until a dream takes it."""
        return self.shared / "inbox"

    @property
    def memory_file(self) -> Path:
        """What is true."""
        return self.root / "MEMORY.md"

    @property
    def ledger(self) -> Path:
        """Why each belief is held."""
        return self.root / "memory" / "ledger.jsonl"
