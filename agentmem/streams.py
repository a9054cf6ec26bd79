"""Standard streams: all three are there from the start, and what was not written at the end is told."""

from __future__ import annotations

import errno
import os
import sys

TYPE_CHECKING = False  # typing's own costs nine milliseconds, a third of `agentmem --version`
if TYPE_CHECKING:
    from typing import TextIO

FAILED = 1

_UNWRITTEN = (errno.ENOSPC, errno.EBADF, errno.EFBIG, errno.EIO, errno.EPIPE)


def fill() -> None:
    """Stand in for each standard stream that the parent closed. Else the next file that is opened gets its number, and
    what was meant for nobody goes into it. Reading finds nothing, writing fails as it does on a closed descriptor."""
    if sys.stdin is None:
        sys.stdin = os.fdopen(_void(os.O_RDONLY), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = os.fdopen(_void(os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(_void(os.O_WRONLY), "w", encoding="utf-8")


def finish(code: int) -> int:
    """Write what the streams still hold, and return the exit code: `code`, or a failure where stdout could not be
    written, which is told on stderr."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        code = code or give_up(error)
    try:
        sys.stderr.flush()
    except (OSError, ValueError):
        discard(sys.stderr)
    return code


def lost(error: Exception) -> bool:
    """Whether a failure is that of standard output: what it holds cannot be written either; where it holds
    nothing back, the failure must speak for itself."""
    if not isinstance(error, OSError) or error.filename is not None:
        return False
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        return True
    return bool(getattr(sys.stdout, "write_through", False)) and error.errno in _UNWRITTEN and _may_fail(error.errno)


def give_up(error: Exception) -> int:
    """Write no more to standard output, tell why unless its reader went away, and return the exit code."""
    discard(sys.stdout)
    if not isinstance(error, BrokenPipeError):
        tell(unwritten(error))
    return FAILED


def tell(text: str) -> None:
    """Write a line for the person to stderr; where that cannot be written there is nobody to tell. What a failure
    quotes of a file must not steer the terminal."""
    from agentmem.domain.visible import visible

    try:
        sys.stderr.write(f"agentmem: {visible(text)}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        discard(sys.stderr)


def unwritten(error: Exception) -> str:
    """What to say when standard output cannot be written."""
    number = error.errno if isinstance(error, OSError) else errno.EBADF
    cause = "it is closed" if number in (errno.EBADF, None) else os.strerror(number)
    return f"standard output cannot be written: {cause}"


def discard(stream: TextIO) -> None:
    """Python flushes a stream again when it exits; what it still holds goes nowhere instead of failing there."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, descriptor)
    os.close(sink)


def _may_fail(number: int) -> bool:
    """Whether standard output can fail so: a pipe or a terminal has no disk that fills up."""
    import stat

    try:
        mode = os.fstat(sys.stdout.fileno()).st_mode
    except (OSError, ValueError):
        return True
    has_disk = stat.S_ISREG(mode) or (stat.S_ISCHR(mode) and not sys.stdout.isatty())
    return has_disk or number not in (errno.ENOSPC, errno.EFBIG)


def _void(flags: int) -> int:
    """A descriptor of nothing. The lowest free number is given, which is that of the stream that was closed; a child
    process must find it open too."""
    descriptor = os.open(os.devnull, flags)
    if descriptor <= 2:
        os.set_inheritable(descriptor, True)
    return descriptor
