"""The command `agentmem`: what must be quick is answered here, ahead of everything else."""

from __future__ import annotations

import gc
import os
import sys

INTERRUPTED = 130


def main() -> int:
    """Run the command line; returns the exit code."""
    from agentmem import streams

    streams.fill()
    try:
        code = _answer(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OSError as error:
        if not streams.lost(error):
            raise
        code = streams.give_up(error)
    return streams.finish(code)


def _answer(argv: list[str]) -> int:
    if argv in (["--version"], ["-V"]):
        from agentmem import __version__

        sys.stdout.write(f"agentmem {__version__}\n")
        return 0
    # What is loaded at the start stays to the end: looking for garbage among it is a fifteenth of a start.
    gc.disable()
    import signal

    # Nothing is written yet, and an exception in the midst of an import can get lost: an interrupt ends at once.
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    from agentmem.quick import plain_line

    line = plain_line(argv)
    if line is not None:
        from agentmem.run import run as run_line

        if line.prompt is None:  # a task has a handler of its own once an interrupt can be told
            signal.signal(signal.SIGINT, handler)
        return run_line(line)
    from agentmem.cli.root import run

    signal.signal(signal.SIGINT, handler)
    gc.enable()
    return run(argv)


if __name__ == "__main__":
    sys.exit(main())
