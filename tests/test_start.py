"""Start-up: what a run does not need is not imported on its way."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.model_server import serving

ROOT = Path(__file__).resolve().parents[1]
HEAVY = {
    "aiohttp",
    "asyncio",
    "email.message",
    "httpx",
    "importlib.metadata",
    "litellm",
    "logging",
    "openai",
    "pathspec",
    "prompt_toolkit",
    "pydantic",
    "requests",
    "rich",
    "urllib.request",
    "yaml",
}


# What may be loaded when the first request of a plain run goes out, by room. Every module here costs each start part of
# a millisecond, and each dataclass in it a third of one: what only an answer, a call, a failure or a command needs is
# imported by the function that needs it.
BEFORE_A_REQUEST: dict[str, set[str]] = {
    "": {"__main__", "config", "quick", "regular", "run", "streams"},
    "agent": {"agent", "keeper", "limits", "loop"},
    "app": {"home", "interrupt", "piped", "wiring"},
    "domain": {
        "begun",
        "cancel",
        "category",
        "clock",
        "entry",
        "message",
        "mode",
        "places",
        "prompt",
        "tool",
        "visible",
    },
    "memory": {"enrolment", "entrance", "fullness", "memory", "repertoire", "session", "sessionlog", "standing"},
    "memory.read": {
        "assemble",
        "cut",
        "fence",
        "growth",
        "instructions",
        "manifest",
        "replay",
        "shipped",
        "stems",
        "tree",
        "working",
    },
    "memory.stores": {"blobs", "folder", "lines", "log", "offload", "roll", "skillplaces", "texts"},
    "memory.write": {"outputs", "record", "redact", "token"},
    "model": {
        "address",
        "callids",
        "catalog",
        "chat",
        "chat_body",
        "choice",
        "dial",
        "dialect",
        "door",
        "endpoint",
        "exchange",
        "halves",
        "http",
        "naming",
        "peek",
        "pricelist",
        "provider",
        "rendering",
        "retry",
        "shape",
        "timeouts",
        "keyring",
    },
    "serve": {"exits", "headless"},
    "tools": {"later", "specs"},
    "workspace": {"grants", "paths", "straying", "worktree"},
}
NOT_BEFORE_A_REQUEST = HEAVY | {
    "argparse",
    "bz2",
    "datetime",
    "difflib",
    "email",
    "encodings.idna",
    "http.client",
    "importlib.util",
    "lzma",
    "queue",
    "random",
    "shutil",
    "ssl",
    "subprocess",
    "tempfile",
    "unicodedata",
}


def loaded(arguments: list[str], cwd: Path) -> tuple[set[str], set[str]]:
    """The modules that `agentmem ARGUMENTS` has imported when it first connects, and when it is done."""
    code = (
        "import sys\n"
        "first = []\n"
        "def watch(event, arguments):\n"
        "    if event == 'socket.connect' and not first:\n"
        "        first.extend(sys.modules)\n"
        "sys.addaudithook(watch)\n"
        "from agentmem.__main__ import main\n"
        "code = main()\n"
        "import gc, json\n"
        "print('\\n' + json.dumps([code, gc.isenabled(), first, list(sys.modules)]))"
    )
    env = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(cwd),
        "AGENTMEM_HOME": str(cwd / "home"),
        "PYTHONPATH": str(ROOT),
        "OPENAI_API_KEY": "sk-test",
    }
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    code, collects, first, last = json.loads(ran.stdout.splitlines()[-1])
    assert (code, collects) == (0, True), ran.stdout + ran.stderr
    return set(first), set(last)


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        (["--version"], set()),
        (["--help"], set()),
        (["-p", "hi", "--model", "openai/bench", "--output", "json"], {"email.message"}),
    ],
    ids=["version", "help", "a run over a direct door"],
)
def test_heavy_packages_are_not_loaded(arguments: list[str], allowed: set[str], tmp_path: Path) -> None:
    with serving() as server:
        if "-p" in arguments:
            arguments = [*arguments, "--api-base", server.api_base("run", 1), "--permission", "full"]
        _, modules = loaded(arguments, tmp_path)
    assert modules & (HEAVY - allowed) == set()
    assert ("typer" in modules) == (arguments == ["--help"])


def test_a_first_request_waits_for_nothing_it_does_not_need(tmp_path: Path) -> None:
    with serving() as server:
        where = server.api_base("run", 0)
        first, last = loaded(["-p", "hi", "--model", "openai/bench", "--api-base", where], tmp_path)
    own = {name.removeprefix("agentmem").strip(".") for name in first if name.partition(".")[0] == "agentmem"}
    rooms = {
        room[:end] for room in BEFORE_A_REQUEST for end in range(len(room) + 1) if room[end : end + 1] in (".", "")
    }
    allowed = {f"{room}.{name}".strip(".") for room, names in BEFORE_A_REQUEST.items() for name in names}
    assert own - allowed - rooms == set()
    assert first & NOT_BEFORE_A_REQUEST == set()
    assert {"http.client", "agentmem.model.chat_reply"} <= last - first
