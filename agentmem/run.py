"""Run: one task or a conversation, from a command line that was read to its exit code."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agentmem import streams
from agentmem.quick import Line
from agentmem.serve.exits import FAILED, INTERRUPTED


def run(line: Line) -> int:
    """Run what the command line says; returns the exit code. What a person can mend becomes a line on stderr."""
    if line.resume == "":
        return guarded(lambda: _chosen(line))
    return guarded(lambda: _talk(line) if line.prompt is None else _task(line, line.prompt))


def _chosen(line: Line) -> int:
    """Let the person choose the session to resume, then run."""
    from agentmem.app import listing

    if line.prompt is not None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        sys.stderr.write(f"agentmem: -r needs a session here: agentmem -r SESSION\n{listing.newest(os.environ)}\n")
        return 2
    found = listing.heads(os.environ)
    if not found:
        sys.stderr.write("agentmem: there are no sessions here yet; start one with `agentmem`\n")
        return 1
    import time

    from agentmem.terminal.choices import session_choices
    from agentmem.terminal.picker import pick

    own = pick("resume", session_choices(found, time.time(), os.getcwd()))
    return _talk(replace(line, resume=own)) if own is not None else 0


def guarded(work: Callable[[], int], also: Callable[[str, int], None] | None = None) -> int:
    """The exit code of `work`; a failure that a person can mend is told on stderr in one line, and to `also` with its
    exit code."""
    try:
        return work()
    except KeyboardInterrupt:
        if also is not None:
            also("interrupted", INTERRUPTED)
        return INTERRUPTED
    except Exception as error:
        if streams.lost(error):
            return streams.give_up(error)
        text, code = _mendable(error)
        streams.tell(text)
        if also is not None:
            also(text, code)
        return code


def _mendable(error: Exception) -> tuple[str, int]:
    """What to say of a failure that a person can mend, and its exit code; a defect is raised again."""
    from agentmem.app.mendable import EXPECTED

    code = next((code for kind, code in EXPECTED.items() if isinstance(error, kind)), None)
    if code is not None:
        return str(error), code
    if not isinstance(error, OSError):
        raise error
    cause = error.strerror or str(error) or type(error).__name__
    names = [os.fsdecode(name) for name in (error.filename, error.filename2) if isinstance(name, str | bytes)]
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        cause += "; make room for it, then run this again"
    return f"{' -> '.join(names)}: {cause}" if names else cause, FAILED


def _agent(line: Line) -> Any:
    """The agent that the command line asks for; from here on garbage is collected, of what was loaded so far none."""
    from agentmem.app.wiring import Options, make_agent

    mode: Any = line.permission
    said = (line.model, line.api_base, mode, line.max_turns, line.max_cost, line.resume, line.last, line.fork)
    options = Options(*said, compacts=not line.whole, written=not line.no_model)
    agent = make_agent(options, os.environ)
    gc.freeze()
    gc.enable()
    return agent


def _task(line: Line, prompt: str) -> int:
    from agentmem.app.interrupt import interruptible
    from agentmem.app.piped import task_parts
    from agentmem.domain.cancel import Cancel
    from agentmem.serve.headless import run_lines, write_failure

    output: Any = line.output
    cancel = Cancel()
    with interruptible(cancel, begun=False) as interrupts:
        try:
            parts = task_parts(prompt, sys.stdin, sys.stderr, bool(os.environ.get("AGENTMEM_AGENT")))
            agent = _agent(line)
            interrupts.begin()
            if cancel.cancelled:  # an exception in the midst of an import can get lost
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            write_failure(sys.stdout, output, sys.stderr, "interrupted before the task began", INTERRUPTED)
            return INTERRUPTED
        except Exception as error:
            text, code = _mendable(error)
            write_failure(sys.stdout, output, sys.stderr, text, code)
            return code
        with agent:
            return run_lines(agent.opened(parts, cancel), sys.stdout, output, sys.stderr, cancel).exit_code


def _talk(line: Line) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        sys.stderr.write('agentmem: this needs a terminal; for a script use `agentmem -p "…"`\n')
        return 2
    from agentmem.terminal.face import run as talk

    made: list[Any] = []

    def make() -> Any:
        import time

        from agentmem.app.listing import offer
        from agentmem.app.wiring import watching
        from agentmem.terminal.talk import CannotStart

        try:
            agent = _agent(line)
            agent.watch = watching(agent.skills)
            made.append(agent)
            if line.resume is None and not line.last and (last := offer(os.environ, time.time())):
                agent.notices = (*agent.notices, last)
            return agent
        except Exception as error:
            text, code = _mendable(error)
            raise CannotStart(text, code) from error

    from agentmem.app.home import home_of

    try:
        return talk(make, home_of(os.environ) / "history", os.environ)
    finally:
        for agent in made:
            agent.close()
