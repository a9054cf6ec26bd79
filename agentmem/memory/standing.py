"""Standing: the epoch that a session's prompts stand in, its parts on disk, and the instruction files told since."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from agentmem.domain.places import Places
from agentmem.domain.prompt import ToolSpec
from agentmem.memory.read import assemble
from agentmem.memory.read.assemble import Epoch, Frame, Shown
from agentmem.memory.read.instructions import Instruction, Loader
from agentmem.memory.stores import blobs, folder
from agentmem.memory.stores.log import LogWriteError, cause

if TYPE_CHECKING:
    from agentmem.memory.repertoire import Repertoire


class Standing:
    """What holds still. `unsynced` are the files that are on disk and not yet durable; `skills` those whose cards the
    next epoch holds, None for none."""

    def __init__(self, places: Places) -> None:
        self.skills: Repertoire | None = None
        self.unsynced: list[Path] = []
        self.shown = Shown()
        self._places = places
        self._untold: list[Instruction] = []
        self._loader: Loader | None = None
        self._epoch: Epoch | None = None
        self._kept = False

    @property
    def epoch(self) -> Epoch:
        """The epoch. Raises `RuntimeError` before the first."""
        if self._epoch is None:
            raise RuntimeError("begin_epoch comes before the first prompt of a session")
        return self._epoch

    def begin(self, tools: tuple[ToolSpec, ...], window: int, frame: Frame) -> Epoch:
        """Read all that goes before the messages of a branch of which `frame` tells."""
        self._loader = assemble.loader(self._places, window, frame.told)
        frame = replace(frame, shown=self.shown)
        if self.skills is not None:
            frame = replace(frame, cards=self.skills.cards(window))
        self._epoch = assemble.begin(self._places, self._loader, tools, window, frame)
        self._kept, self._untold = False, []
        return self._epoch

    def again(self, frame: Frame) -> None:
        """Begin anew with the same tools and window, where an epoch stands."""
        if self._epoch is not None:
            if self.skills is not None:
                self.skills.renew()
            self.begin(self._epoch.tools, self._epoch.window, frame)

    def keep(self) -> None:
        """Put the epoch's parts on disk, once. Raises `LogWriteError`."""
        if self._kept:
            return
        epoch = self.epoch
        try:
            folder.make_agent_folder(self._places.shared)
            for data in (*(section.data for section in epoch.sections), epoch.manifest):
                path, written = blobs.put(self._places.blobs, data)
                self.unsynced += [path] if written else []
        except OSError as error:
            raise LogWriteError(self._places.blobs, cause(error)) from error
        self._kept = True

    def sync(self) -> None:
        """Make the parts durable. Raises `LogWriteError`."""
        while self.unsynced:
            try:
                folder.sync_file(self.unsynced[-1])
            except OSError as error:
                raise LogWriteError(self.unsynced[-1], cause(error)) from error
            self.unsynced.pop()

    def nested(self, path: Path) -> tuple[Instruction, ...]:
        """See `Session.nested`."""
        if self._loader is None:
            return ()
        found = self._loader.nested(path)
        self._untold += found
        return found

    def tell(self, text: str) -> list[str]:
        """The paths of the instruction files waiting to be told that `text` holds; they count as told."""
        files = [one for one in self._untold if one.block in text or one.text.strip() in text]
        self._untold = [one for one in self._untold if one not in files]
        return [one.path for one in files]
