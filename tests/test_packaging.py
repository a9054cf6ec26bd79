"""What is packed: the command, the prompts, the types and the built-in skills, and nothing of the workshop."""

from __future__ import annotations

import configparser
import email
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import agentmem

ROOT = Path(__file__).resolve().parents[1]


def build(kind: str, source: Path, target: Path) -> Path:
    """Build a wheel or an sdist of `source` into `target`, as an installer without network would."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)],
        cwd=source,
        check=True,
        capture_output=True,
    )
    (built,) = target.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """A wheel made from the source package, the longest way there is."""
    folder = tmp_path_factory.mktemp("packed")
    for name in ("sdist", "unpacked", "wheel"):
        (folder / name).mkdir()
    with tarfile.open(build("sdist", ROOT, folder / "sdist")) as packed:
        packed.extractall(folder / "unpacked", filter="data")
    (source,) = (folder / "unpacked").iterdir()
    return zipfile.ZipFile(build("wheel", source, folder / "wheel"))


def inside(folder: Path, prefix: str) -> set[str]:
    """The files of a source folder as they should be named in the wheel."""
    return {
        f"{prefix}/{path.relative_to(folder).as_posix()}"
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_the_package_and_the_skills_and_no_more(wheel: zipfile.ZipFile) -> None:
    metadata = f"agentmem_cli-{agentmem.__version__}.dist-info/"
    packed = {name for name in wheel.namelist() if not name.startswith(metadata)}
    assert packed == inside(ROOT / "agentmem", "agentmem") | inside(ROOT / "skills", "agentmem/builtin_skills")
    assert "agentmem/py.typed" in packed
    assert any(name.startswith("agentmem/builtin_skills/") and name.endswith("/SKILL.md") for name in packed)


def test_the_wheel_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    folder = f"agentmem_cli-{agentmem.__version__}.dist-info"
    metadata = email.message_from_bytes(wheel.read(f"{folder}/METADATA"))
    assert [metadata[key] for key in ("Name", "Version", "Requires-Python", "License-Expression")] == [
        "agentmem-cli",
        agentmem.__version__,
        ">=3.11",
        "MIT",
    ]
    assert wheel.read(f"{folder}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    needed = metadata.get_all("Requires-Dist") or []
    assert [one for one in needed if one.startswith("litellm")] == ["litellm!=1.82.7,!=1.82.8,<2,>=1.100"]
    assert [one for one in needed if one.startswith("typer")] == ["typer<0.29,>=0.20"]


def test_the_wheel_installs_one_command(wheel: zipfile.ZipFile) -> None:
    entries = configparser.ConfigParser()
    entries.read_string(wheel.read(f"agentmem_cli-{agentmem.__version__}.dist-info/entry_points.txt").decode())
    assert dict(entries["console_scripts"]) == {"agentmem": "agentmem.__main__:main"}


def test_the_command_answers_its_version_without_typer() -> None:
    code = (
        "import sys; sys.argv[1:] = ['--version']\n"
        "from agentmem.__main__ import main\n"
        "assert main() == 0\n"
        "print(sorted({'typer', 'click', 'rich', 'importlib.metadata', 'json', 'subprocess'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout == f"agentmem {agentmem.__version__}\n[]\n"
