"""The command `agentmem`: what must be quick is answered here, ahead of everything else."""

from __future__ import annotations

import gc
import os
import sys

INTERRUPTED = 130
_EARLY = b"interrupted before the task began"
_DOCUMENT = b'{"error": "interrupted"}\n'
_ENDINGS = {
    "json": b'{"result":"","session":null,"model":null,"stop":"interrupted","exit_code":130,"steps":0,'
    b'"usage":{"input":0,"output":0},"cost":null,"refusals":[],"error":"%s"}\n' % _EARLY,
    "stream-json": b'{"type":"failed","exit_code":130,"error":"%s"}\n' % _EARLY,
}
"""What an interrupted start prints: as it would be printed later, written down because nothing is loaded yet."""


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
        signal.signal(signal.SIGINT, lambda number, frame: _leave(argv))
    from agentmem.quick import plain_line

    line = plain_line(argv)
    if line is not None:
        from agentmem.run import run as run_line

        if line.prompt is None:  # a task has a handler of its own once an interrupt can be told
            signal.signal(signal.SIGINT, handler)
        return run_line(line)
    from agentmem.cli.typed import run

    signal.signal(signal.SIGINT, handler)
    gc.enable()
    return run(argv)


def _leave(argv: list[str]) -> None:
    """End at once, saying so in the form that the command line asks for; nothing may be loaded here."""
    output = ""
    for place, word in enumerate(argv):
        output = argv[place + 1] if word == "--output" and place + 1 < len(argv) else output
        output = word[len("--output=") :] if word.startswith("--output=") else output
    try:
        if told := _ENDINGS.get(output, _DOCUMENT if "--json" in argv else b""):
            os.write(1, told)
        if "-p" in argv or "--print" in argv:
            os.write(2, b"error: %s\n" % _EARLY)
    except OSError:
        pass  # nobody listens
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
