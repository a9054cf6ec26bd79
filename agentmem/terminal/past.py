r"""Past input: what the person typed before, one JSON string a line, oldest first, in a file of their own.

"fix the failing test"
"two\nlines"
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from prompt_toolkit.history import History

from agentmem import regular

if TYPE_CHECKING:
    from pathlib import Path

_READ = 1 << 19  # bytes of the file's end that are read


class Past(History):
    """Prompt-toolkit's history over a file in the person's own folder. It is made at the first message; a file that
    cannot be used is no error.

    `whole` gives a message as it was sent, for what stands in the input in short.
    """

    def __init__(self, path: Path, whole: Callable[[str], str]) -> None:
        super().__init__()
        self._path = path
        self._whole = whole

    def load_history_strings(self) -> Iterable[str]:
        """The messages, newest first; lines that are no JSON string are passed over."""
        try:
            with os.fdopen(regular.opened(self._path), "rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - _READ))
                lines = file.read().split(b"\n")
        except OSError:
            return []
        # The first line may have been cut by the limit, then it is no JSON.
        return [text for line in reversed(lines) if (text := _string(line))]

    def append_string(self, string: str) -> None:
        """Add what was sent, once when it repeats."""
        string = self._whole(string)
        if string != next(iter(self._loaded_strings), None):
            super().append_string(string)

    def store_string(self, string: str) -> None:
        """One line, in one write, so that several sessions can share the file; a mark stands for each secret in it."""
        import json

        from agentmem.memory.memory import without_secrets  # loaded when the first message is sent

        line = (
            json.dumps(without_secrets(string, self._path.parent), ensure_ascii=False).encode("utf-8", "replace")
            + b"\n"
        )
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = regular.opened(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)
        except OSError:
            return  # a full or foreign disk must not cost the message


def _string(line: bytes) -> str | None:
    import json

    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
