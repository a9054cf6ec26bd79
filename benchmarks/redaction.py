"""Looking for secrets in a megabyte of code and of hostile text, against one plain pass over it."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from agentmem.memory.write.redact import spans
from benchmarks.command import main
from benchmarks.line import Line, in_turns

RUNS = 7
SIZE = 1_000_000
HOSTILE = ("password = ", "token token=", "sk-", "__________", "://a:", "eyJaaaaaaaa-", "-----END PRIVATE KEY-----")


def measure(runs: int) -> list[Line]:
    """Milliseconds of CPU a megabyte; the plain pass looks at each letter once, in a loop."""
    sources = sorted(Path(__file__).parents[1].glob("agentmem/**/*.py"))
    code = "".join(path.read_text(encoding="utf-8") for path in sources)
    texts = [("code", (code * (SIZE // len(code) + 1))[:SIZE], 5.0)]
    texts += [(f"`{piece}` without end", (piece * (SIZE // len(piece) + 1))[:SIZE], 60.0) for piece in HOSTILE]
    lines = []
    for name, text, budget in texts:
        looked, passed = in_turns(runs, lambda text=text: _looked(text), lambda text=text: _passed(text))  # type: ignore[misc]
        lines.append(Line(f"secrets in 1 MB of {name}", "ms", budget, looked, "one plain pass", passed))
    return lines


def _looked(text: str) -> float:
    begun = time.process_time()
    spans(text)
    return (time.process_time() - begun) * 1000


def _passed(text: str) -> float:
    begun = time.process_time()
    for letter in text:
        letter.isalnum()
    return (time.process_time() - begun) * 1000


if __name__ == "__main__":
    sys.exit(main("redaction", measure, RUNS))
