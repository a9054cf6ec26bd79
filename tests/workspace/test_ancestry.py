from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentmem.workspace.ancestry import Forebear, is_agentmem, of_proc, of_ps, under_an_agent

ROOT = Path(__file__).resolve().parents[2]
ASK = (
    "import os, sys; sys.path.insert(0, sys.argv[1]);"
    "from agentmem.workspace.ancestry import under_an_agent; print(under_an_agent(os.environ) or 'a person')"
)
on_linux = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")


def asked(script: str, **env: str) -> str:
    """What a process says that `script`, a shell text, starts as `$ask`."""
    clean = {"PATH": os.environ["PATH"], "ask": ASK, "py": sys.executable, "root": str(ROOT)}
    ran = subprocess.run(("sh", "-c", script), env=clean | env, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def test_a_person_is_a_person() -> None:
    assert asked('"$py" -c "$ask" "$root"; true') == "a person"


@pytest.mark.parametrize("name", ["AGENTMEM_AGENT", "AGENTMEM_CALL", "AGENTMEM_TASK"])
def test_a_mark_in_its_own_environment(name: str) -> None:
    assert asked('"$py" -c "$ask" "$root"; true', **{name: "1"}) == f"{name} is set"


@on_linux
@pytest.mark.parametrize(
    "unset",
    [
        'env -u AGENTMEM_AGENT "$py" -c "$ask" "$root"; true',
        'unset AGENTMEM_AGENT; "$py" -c "$ask" "$root"; true',
        'AGENTMEM_AGENT= "$py" -c "$ask" "$root"; true',
        'env -i "$py" -c "$ask" "$root"; true',
        'env -i sh -c \'"$0" -c "$1" "$2"; true\' "$py" "$ask" "$root"; true',
    ],
)
def test_a_child_that_unsets_the_variable_is_known_by_its_parent(unset: str) -> None:
    assert "runs for an agent" in asked(unset, AGENTMEM_AGENT="1")


@on_linux
def test_an_agentmem_above_is_an_agent(tmp_path: Path) -> None:
    program = tmp_path / "agentmem"
    program.write_text("import subprocess, sys; subprocess.run(sys.argv[1:], check=True)")
    assert "is an agent" in asked(f'"$py" {program} "$py" -c "$ask" "$root"; true')


@pytest.mark.parametrize(
    ("words", "is_one"),
    [
        ("agentmem remember x", True),
        ("/usr/bin/python3.11 /home/me/.local/bin/agentmem -p x", True),
        ("python -m agentmem", True),
        ("python3 -I -X dev -m agentmem demo", True),
        ("python /src/agentmem/__main__.py", True),
        ("python -m pytest agentmem", False),
        ("python build.py agentmem", False),
        ("timeout 5 agentmem remember x", False),
        ("sudo agentmem remember x", False),
        ("uv run agentmem remember x", False),
        ("vim agentmem", False),
        ("bash -c agentmem", False),
        ("python", False),
        ("", False),
    ],
)
def test_which_command_lines_run_agentmem(words: str, is_one: bool) -> None:
    assert is_agentmem(words.encode().split()) is is_one


@on_linux
def test_proc_and_ps_tell_the_same() -> None:
    env = {"AGENTMEM_CALL": "1.2"}
    with subprocess.Popen(("cat",), env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as child:
        try:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(b"!")
            assert child.stdout.read(1) == b"!"  # it runs
            expected = Forebear(child.pid, os.getpid(), True, False)
            assert of_proc(child.pid) == expected
            if Path("/bin/ps").exists():
                assert of_ps(child.pid) == expected
        finally:
            child.kill()
    assert of_proc(child.pid) is None
    assert of_ps(child.pid) is None


def test_the_search_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    assert under_an_agent({}, lambda pid: Forebear(pid, pid, False, False)) is None
    assert under_an_agent({}, lambda pid: None) is None
    far = iter(range(50))
    assert (
        under_an_agent({}, lambda pid: Forebear(pid, 99, False, next(far) == 40)) == "its parent process 99 is an agent"
    )
