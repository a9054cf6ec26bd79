"""The command `agentmem`: what must be quick is answered here, ahead of everything else."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Run the command line; returns the exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from agentmem import __version__

        sys.stdout.write(f"agentmem {__version__}\n")
        return 0
    # What is loaded at the start stays to the end: looking for garbage among it is a fifteenth of a start.
    gc.disable()
    from agentmem.quick import plain_line

    line = plain_line(sys.argv[1:])
    if line is not None:
        from agentmem.run import run as run_line

        return run_line(line)
    from agentmem.cli.root import run

    gc.enable()
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
