"""What an import may cost: a subprocess with nothing loaded tells what came along."""

from __future__ import annotations

import json
import os
import subprocess
import sys


def loaded(module: str, names: str) -> list[str]:
    code = f"import json, sys, {module}; print(json.dumps([n for n in {names.split()!r} if n in sys.modules]))"
    env = {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE_")}  # it imports more
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    return json.loads(done.stdout)


def test_the_contract_needs_no_network() -> None:
    assert loaded("agentmem.model.door", "http.client ssl socket urllib.parse litellm") == []


def test_the_direct_doors_need_the_standard_library_alone() -> None:
    heavy = "litellm httpx openai requests yaml asyncio subprocess logging agentmem.model.failures"
    assert loaded("agentmem.model.chat, agentmem.model.messages, agentmem.model.retry", heavy) == []
