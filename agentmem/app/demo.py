"""The demo: a real session on a scratch repository with a real failing test; only the model is scripted."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmem.agent.agent import Agent
from agentmem.app.wiring import Options, make_agent

TASK = (
    "The discount test fails. Find out why, mend it, run the tests again and commit. "
    "Remember this decision: prices are whole cents, never floats."
)

PRICES = '''\
"""Prices of the shop, in whole cents."""


def discounted(cents: int, percent: int) -> int:
    """The price after a discount, rounded half up to a whole cent."""
    return cents - cents * percent // 100
'''

TESTS = """\
import unittest

from prices import discounted


class Discounted(unittest.TestCase):
    def test_half_a_cent_is_rounded_up(self):
        self.assertEqual(discounted(250, 10), 225)
        self.assertEqual(discounted(999, 10), 899)

    def test_no_discount(self):
        self.assertEqual(discounted(999, 0), 999)


if __name__ == "__main__":
    unittest.main()
"""

RUN_TESTS = f"{shlex.quote(sys.executable)} -B -m unittest -q"
OLD = "return cents - cents * percent // 100"
NEW = "return (cents * (100 - percent) + 50) // 100"


HANDOFF = """\
# Progress
## Goal
The discount test passes: a price after a discount is rounded half up to a whole cent.
## Done
`discounted` in prices.py rounds the price and not the discount; both tests pass; committed.
## In flight
nothing
## Next
Add a test for a discount of 100 % to test_prices.py.
## Ruled out
Rounding the discount down before it is taken off: the price ends a cent too high.
## Limits
Prices are whole cents, never floats.
## Setup and checks
`python -m unittest -q`
# Brief
The shop is two files. The arithmetic is in whole cents and should stay there.
"""
READ_BACK = """\
## Goal
The discount test passes; prices are rounded half up to a whole cent.
## Done
discounted rounds the price, committed
## Next
Add a test for a discount of 100 % to test_prices.py
## Limits
Prices are whole cents, never floats.
## Ruled out
rounding the discount down first
"""
ANEW = """
Now a reset: the session ends with a handoff, one who saw nothing else reads it back, and a fresh session goes on."""
NEXT = "Where do we stand?"


def _call(name: str, **arguments: object) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


SCRIPT: tuple[Mapping[str, Any], ...] = (
    {
        "text": "I will read the code and see the test fail first.",
        "tool_calls": [_call("read", path="prices.py"), _call("read", path="test_prices.py")],
        "usage": {"input": 1900, "output": 64},
    },
    {"tool_calls": [_call("bash", command=RUN_TESTS)], "usage": {"input": 2300, "output": 31}},
    {
        "text": "The discount is rounded down before it is taken off, so the price ends a cent too high.",
        "tool_calls": [_call("edit", path="prices.py", edits=[{"old": OLD, "new": NEW}])],
        "usage": {"input": 2500, "output": 88},
    },
    {"tool_calls": [_call("bash", command=RUN_TESTS)], "usage": {"input": 2700, "output": 31}},
    {
        "tool_calls": [
            _call("remember", text="prices are whole cents, never floats", category="decision"),
            _call("bash", command="git commit -qam 'Round a discounted price half up' && git log --oneline"),
        ],
        "usage": {"input": 2800, "output": 75},
    },
    {
        "text": "Mended: `discounted` rounded the discount down instead of rounding the price half up. "
        "Both tests pass, the fix is committed, and the decision about whole cents is in MEMORY.md.",
        "usage": {"input": 3000, "output": 52},
    },
    {"text": HANDOFF, "usage": {"input": 3300, "output": 160}},
    {"text": READ_BACK, "usage": {"input": 1500, "output": 90}},
    {
        "text": "The goal: a shop whose prices are right to the cent. The next step: a test for a discount of 100 %. "
        "I know this from .agent/handoff/progress.md; of the talk before I have seen nothing.",
        "usage": {"input": 1700, "output": 48},
    },
)


@dataclass(frozen=True, slots=True)
class Scene:
    """Where the demo plays: the scratch repository, and the agent in it whose model is scripted."""

    shop: Path
    agent: Agent


class DemoError(Exception):
    """The demo could not be set up; the message says what is missing."""


def stage(folder: Path | None, env: Mapping[str, str]) -> Scene:
    """Set the demo up in `folder` (a new temporary one by default): a repository with a failing test, a script for the
    model, and an agent that may do all. The person's own level is not touched. Raises DemoError."""
    place = folder.absolute() if folder else Path(tempfile.mkdtemp(prefix="agentmem-demo-"))
    shop = prepare(place)
    os.chdir(shop)
    options = Options(model=f"scripted:{script_file(place)}", mode="full")
    return Scene(shop, make_agent(options, {**env, "AGENTMEM_HOME": str(place / "home")}))


def prepare(folder: Path) -> Path:
    """Make the scratch repository in `folder`/shop and the script beside it; returns the repository.

    Raises DemoError when the folder cannot be made, or git is missing or fails.
    """
    shop = folder / "shop"
    try:
        shop.mkdir(parents=True)
    except OSError as error:
        raise DemoError(f"{shop} cannot be made: {error.strerror}; name another place with --dir") from error
    (shop / "prices.py").write_text(PRICES, encoding="utf-8")
    (shop / "test_prices.py").write_text(TESTS, encoding="utf-8")
    script_file(folder).write_text("".join(json.dumps(reply) + "\n" for reply in SCRIPT), encoding="utf-8")
    for arguments in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "agentmem demo"),
        ("config", "user.email", "demo@localhost"),
        ("config", "commit.gpgsign", "false"),
        ("add", "."),
        ("commit", "-qm", "A shop with one wrong price"),
    ):
        _git(shop, *arguments)
    return shop


def script_file(folder: Path) -> Path:
    """Where the scripted model's replies lie."""
    return folder / "model.jsonl"


def _git(shop: Path, *arguments: str) -> None:
    try:
        subprocess.run(
            ["git", "-c", "core.hooksPath=/dev/null", *arguments], cwd=shop, check=True, capture_output=True, text=True
        )
    except FileNotFoundError as error:
        raise DemoError("the demo needs git; install it and run `agentmem demo` again") from error
    except subprocess.CalledProcessError as error:
        raise DemoError(f"git {arguments[0]} failed in {shop}: {error.stderr.strip()}") from error


OPENING = """\
A demo on a scratch repository: {shop}
Only the model is scripted. The loop, the tools, the log and the files are the real ones.

you: {task}"""


def opening(scene: Scene) -> str:
    """What will be played, and what in it is real."""
    return OPENING.format(shop=scene.shop, task=TASK)


def closing(scene: Scene) -> str:
    """Where everything lies and how to look at it."""
    shop, log = scene.shop, scene.agent.log
    place = shlex.quote(str(shop))
    return f"""
Everything it did and learnt lies in files. Look at them:

  cd {place}
  git log -p                       what the agent changed
  cat MEMORY.md                    what it holds to be true
  cat memory/ledger.jsonl          why: who said it, in which session
  cat {shlex.quote(str(log.relative_to(shop)))}
                                   every step of this session, a line each

With your own model: set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start Ollama; then run `agentmem` in your repository.
"""
