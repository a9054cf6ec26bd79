"""Watch: tells that something below some folders changed, by watchfiles, in a thread of its own.

Where there is nothing to watch yet, the folders are looked for once a second, and watchfiles is not even loaded. Where
watching fails (no watches left, an odd file system) it says so once a second.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence

LOOK = 1.0
"""Seconds between two looks for folders that were not there."""
_DEBOUNCE, _STEP = 50, 10  # milliseconds: an edit is seen within 20


class Watch:
    """Watches the folders that `folders` gives, as long as they are these; with `only` the file of that name in them,
    and nothing below. `told` is called, in the watching thread, when something changed."""

    def __init__(
        self, folders: Callable[[], Sequence[str]], only: str | None = None, told: Callable[[], None] = lambda: None
    ) -> None:
        self._folders = folders
        self._only = only
        self._told = told
        self._changed = threading.Event()
        self._stop = threading.Event()
        self._blind = False
        self._taken = -LOOK
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, once."""
        if self._thread is None:
            known = tuple(self._folders())
            self._thread = threading.Thread(target=self._run, args=(known,), name="watch", daemon=True)
            self._thread.start()

    @property
    def pending(self) -> bool:
        """Whether something may have changed since `take`."""
        return self._changed.is_set() or (self._blind and time.monotonic() - self._taken > LOOK)

    def take(self) -> bool:
        """The same, and from here on only what changes later counts."""
        pending = self.pending
        if pending:
            self._changed.clear()
            self._taken = time.monotonic()
        return pending

    def stop(self) -> None:
        """End."""
        self._stop.set()

    def _run(self, known: tuple[str, ...]) -> None:
        while not self._stop.is_set():
            folders = tuple(self._folders())
            if folders != known:
                self._changed.set()
                known = folders
            if not folders:
                self._stop.wait(LOOK)
                continue
            try:
                self._watch(folders)
            except (OSError, RuntimeError, ImportError):
                self._blind = True
                return

    def _watch(self, folders: tuple[str, ...]) -> None:
        """Until the folders are others. Raises what watchfiles raises."""
        import watchfiles

        steps = watchfiles.watch(
            *folders,
            watch_filter=lambda change, path: self._only in (None, os.path.basename(path)),
            recursive=self._only is None,
            debounce=_DEBOUNCE,
            step=_STEP,
            stop_event=self._stop,
            rust_timeout=int(LOOK * 1000),
            yield_on_timeout=True,
            raise_interrupt=False,
        )
        for changes in steps:
            if changes:
                self._changed.set()
                self._told()
            if tuple(self._folders()) != folders:
                return
