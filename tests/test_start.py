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


def loaded(arguments: list[str], cwd: Path) -> set[str]:
    """The modules that `agentmem ARGUMENTS` has imported when it is done."""
    code = (
        "import json, sys\n"
        "from agentmem.__main__ import main\n"
        "sys.argv[1:] = json.loads(sys.argv[1])\n"
        "code = main()\n"
        "print('\\n' + json.dumps([code, sorted(sys.modules)]))"
    )
    env = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(cwd),
        "AGENTMEM_HOME": str(cwd / "home"),
        "PYTHONPATH": str(ROOT),
        "OPENAI_API_KEY": "sk-test",
    }
    ran = subprocess.run(
        [sys.executable, "-c", code, json.dumps(arguments)],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    code, modules = json.loads(ran.stdout.splitlines()[-1])
    assert code == 0, ran.stdout + ran.stderr
    return set(modules)


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
        modules = loaded(arguments, tmp_path)
    assert modules & (HEAVY - allowed) == set()
    assert ("typer" in modules) == (arguments == ["--help"])
