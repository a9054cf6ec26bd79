"""The house rules hold for agentmem's source, and each rule finds what it forbids."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import house
import pytest
from house import Module

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "agentmem"
MODULES = [
    Module(path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
]
LOCKS = ("requirements.lock", "requirements-test.lock", "constraints.txt")


@pytest.mark.parametrize("rule", house.RULES, ids=lambda rule: rule.__name__)
def test_the_source_keeps(rule: house.Rule) -> None:
    assert [found for module in MODULES for found in rule(module)] == []


def test_no_two_modules_have_one_name() -> None:
    assert house.twins(module.path for module in MODULES) == []


DOC = '"""A thing that is a thing."""\n'

# rule, path, source, what it must find
BROKEN: list[tuple[house.Rule, str, str, list[str]]] = [
    (house.file_length, "x.py", "a = 1\n" * 401, ["x.py:401: 401 lines, 400 at most"]),
    (
        house.function_length,
        "x.py",
        'def f():\n    """Say."""\n' + "    a = 1\n" * 41,
        ["x.py:1: f has 41 lines, 40 at most"],
    ),
    (house.names, "tools/path_utils.py", DOC, ["tools/path_utils.py:1: module name"]),
    (house.names, "x.py", "class HTTPHandler: pass", ["x.py:1: class name HTTPHandler"]),
    (house.names, "x.py", "class LoopV2: pass", ["x.py:1: class name LoopV2"]),
    (house.first_line, "x.py", "a = 1", ["x.py:1: first line is no sentence: ''"]),
    (house.first_line, "x.py", '"""Things of"""', ["x.py:1: first line is no sentence: 'Things of'"]),
    (house.leftovers, "x.py", "a = 1  # TODO later", ["x.py:1: TODO"]),
    (house.leftovers, "x.py", "a = 1\nb = 2  # noqa: E501", ["x.py:2: # noqa"]),
    (house.stubs, "x.py", "def f():\n    raise NotImplementedError", ["x.py:2: NotImplementedError"]),
    (house.stubs, "x.py", 'class A:\n    def f(self):\n        """Do."""\n        ...', ["x.py:2: f has no body"]),
    (
        house.heavy_imports,
        "model/price.py",
        "def f():\n    import litellm\nfrom litellm import x",
        ["model/price.py:3: imports litellm at module level"] * 2,
    ),
    (house.heavy_imports, "agent/loop.py", "def f():\n    from rich import box", ["agent/loop.py:2: imports rich"] * 2),
    (house.heavy_imports, "tools/x.py", "import http.client", ["tools/x.py:1: imports http.client"]),
    (house.heavy_imports, "tools/x.py", "from http import client", ["tools/x.py:1: imports http.client"]),
    (house.environment, "agent/loop.py", "import os\nx = os.environ.get('A')", ["agent/loop.py:2: os.environ"]),
    (house.environment, "agent/loop.py", "import os\nos.environ.update({})", ["agent/loop.py:2: os.environ"]),
    (house.environment, "model/litellm_call.py", "import os\nx = os.environ", ["model/litellm_call.py:2: os.environ"]),
    (house.environment, "agent/loop.py", "from os import getenv", ["agent/loop.py:1: os.getenv"]),
    (house.screen, "tools/ls.py", "import sys\nsys.stdout.write('a')", ["tools/ls.py:2: sys.stdout"]),
    (house.synchronous, "agent/loop.py", "async def f(): pass", ["agent/loop.py:1: async in the core"]),
    (house.on_import, "agent/loop.py", DOC + "start()", ["agent/loop.py:2: acts on import"]),
    (
        house.frozen_values,
        "domain/x.py",
        "@dataclass\nclass A: pass\n@dataclass(frozen=True, slots=True)\nclass B: pass",
        ["domain/x.py:2: A is not frozen with slots"],
    ),
]


@pytest.mark.parametrize(("rule", "path", "source", "found"), BROKEN, ids=[case[0].__name__ for case in BROKEN])
def test_a_rule_finds(rule: house.Rule, path: str, source: str, found: list[str]) -> None:
    assert rule(Module(path, source)) == found


def test_every_rule_is_shown_to_find_something() -> None:
    assert {case[0] for case in BROKEN} == set(house.RULES)


def test_what_the_rules_allow() -> None:
    source = (
        DOC + "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import litellm\n"
        "class Door(Protocol):\n    def f(self) -> int: ...\n"
        "def g() -> None:\n    import yaml\n"
    )
    modules = [
        Module("model/chat.py", source),
        Module("model/litellm_call.py", DOC + "def f():\n    os.environ.update({})"),
    ]
    assert [found for module in modules for rule in house.RULES for found in rule(module)] == []


def test_twins_are_found_and_tools_are_free() -> None:
    paths = [
        "memory/read/recall.py",
        "tools/recall.py",
        "agent/log.py",
        "model/log.py",
        "a/__init__.py",
        "b/__init__.py",
    ]
    assert house.twins(paths) == ["agent/log.py and model/log.py"]


def test_the_linter_is_silenced_nowhere_but_for_typer_options() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    ignores = config["tool"]["ruff"]["lint"]["per-file-ignores"]
    assert {path: rules for path, rules in ignores.items() if path.startswith("agentmem")} == {
        "agentmem/cli/recalling.py": ["PLR0913"],
        "agentmem/cli/root.py": ["PLR0913"],
        "agentmem/cli/rewinding.py": ["PLR0913"],
        "agentmem/cli/verifying.py": ["PLR0913"],
        "agentmem/cli/long.py": ["PLR0913"],
    }


# Tests


TESTS = sorted((ROOT / "tests").rglob("*.py"))


def patches(source: str) -> list[str]:
    """Names of patching tools that a test imports or is handed."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None) or ""
            found += [f"{module}.{alias.name}" for alias in node.names if "mock" in f"{module}.{alias.name}"]
        elif isinstance(node, ast.Attribute) and node.attr == "setattr":
            found.append("setattr")
    return found


def test_tests_patch_nothing() -> None:
    assert {path.name: found for path in TESTS if (found := patches(path.read_text(encoding="utf-8")))} == {}


def test_patching_is_found() -> None:
    source = (
        "from unittest import mock\nimport unittest.mock\ndef test_x(monkeypatch):\n    monkeypatch.setattr(a, 'b', 1)"
    )
    assert patches(source) == ["unittest.mock", ".unittest.mock", "setattr"]


def test_tests_mirror_the_tree() -> None:
    folders = {path.parent.relative_to(ROOT / "tests").as_posix() for path in TESTS} - {"."}
    rooms = {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("__init__.py")} | {"benchmarks"}
    assert folders - rooms == set()


def test_test_files_have_names_of_their_own() -> None:
    names = [path.name for path in TESTS if path.name not in ("conftest.py", "__init__.py")]
    assert sorted(names) == sorted(set(names))


# Papers


def hosts(text: str) -> list[str]:
    """Addresses and index options in a file that must name no registry."""
    return re.findall(r"https?://\S+|(?m:^ *(?:-i|-f|--index-url|--extra-index-url|--find-links)\b.*)", text)


@pytest.mark.parametrize("name", [*LOCKS, "Makefile", ".ci/run", ".ci/python", "pyproject.toml"])
def test_what_installs_names_no_host(name: str) -> None:
    assert hosts((ROOT / name).read_text(encoding="utf-8")) == []


def test_a_named_host_is_found() -> None:
    text = (
        "--index-url https://index.test/simple\na==1 \\\n    --hash=sha256:00\n  -f /wheels\nb @ http://b.test/b.whl\n"
    )
    assert hosts(text) == ["--index-url https://index.test/simple", "  -f /wheels", "http://b.test/b.whl"]


def pins(text: str) -> dict[str, list[str]]:
    """Name==version -> hashes of a lock file."""
    found: dict[str, list[str]] = {}
    pin = ""
    for line in text.splitlines():
        if start := re.match(r"([a-z0-9][a-z0-9.-]*==[^ ;]+)", line):
            found[pin := start.group(1)] = []
        elif digest := re.match(r"    --hash=(sha256:[0-9a-f]{64})( \\)?$", line):
            found[pin].append(digest.group(1))
    return found


def test_locks_pin_by_hash_and_agree() -> None:
    run, test, bounds = (pins((ROOT / name).read_text(encoding="utf-8")) for name in LOCKS)
    assert [pin for pin, hashes in (run | test).items() if not hashes] == []
    assert {pin: test.get(pin) for pin in run} == run
    build = {"hatchling", "pip", "packaging", "pathspec", "pluggy", "tomlkit", "trove-classifiers"}
    assert set(run) - set(bounds) == {pin for pin in set(run) - set(bounds) if pin.split("==")[0] in build}


def test_locks_hold_what_the_project_asks_for() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    def wanted(requirements: list[str]) -> set[str]:
        return {re.split(r"[^A-Za-z0-9-]", name)[0].lower() for name in requirements}

    groups = config["dependency-groups"]
    run, test = ({pin.split("==")[0] for pin in pins((ROOT / name).read_text(encoding="utf-8"))} for name in LOCKS[:2])
    assert (
        wanted(config["project"]["dependencies"] + groups["build"] + config["build-system"]["requires"]) - run == set()
    )
    assert wanted(groups["test"]) - test == set()


def test_the_changelog_has_something_unreleased() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    assert unreleased is not None
    assert re.search(r"^- \S", unreleased.group(1), re.M)


def rooms_named(text: str) -> list[str]:
    """What stands in the block of the house on a page: rooms, and modules beside them, in its order."""
    house_block = text.partition("## The house")[2].split("```")[1]
    return re.findall(r"(?<![/\w])(\w+/|\w+\.py)(?= )", house_block)


def test_the_house_is_drawn_as_it_stands_each_room_once() -> None:
    rooms = [f"{path.name}/" for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()]
    beside = [path.name for path in PACKAGE.glob("*.py") if not path.name.startswith("__")]
    assert sorted(rooms_named((ROOT / "AGENTS.md").read_text(encoding="utf-8"))) == sorted(rooms + beside)


def test_a_room_that_is_named_twice_is_found() -> None:
    text = "## The house\n```\na/ b/   1  faces · one door, a/b.py; c/d/ alone\nx.py 1 one · x.py two\n```\n"
    assert rooms_named(text) == ["a/", "b/", "x.py", "x.py"]


def papers() -> list[Path]:
    """The pages people read."""
    return [
        *sorted(ROOT.glob("*.md")),
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "benchmarks").glob("*.md")),
    ]


def unknown_targets(text: str, makefile: str) -> list[str]:
    """Targets that a page tells people to make and that the Makefile has not."""
    told = re.findall(r"`make ([a-z]+)\b|^\s*(?:\$ )?make ([a-z]+)\b", text, re.M)
    known = set(re.findall(r"^([a-z]+):", makefile, re.M))
    return sorted({one or other for one, other in told} - known)


def test_pages_tell_only_targets_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    unknown = {page.name: unknown_targets(page.read_text(encoding="utf-8"), makefile) for page in papers()}
    assert {name: targets for name, targets in unknown.items() if targets} == {}


def test_an_unknown_target_is_found() -> None:
    assert unknown_targets("run `make all`, then\n  make test", "test: x\n\techo\n") == ["all"]


def broken_links(page: Path, exists: Callable[[Path], bool]) -> list[str]:
    """Relative links of a Markdown page that lead nowhere; code is passed over."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.S)
    links = re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", text)
    targets = [link.split("#")[0] for link in links if not re.match(r"[a-z]+:", link)]
    return [target for target in targets if target and not exists(page.parent / target)]


def test_links_between_pages_lead_somewhere() -> None:
    broken = {page.name: broken_links(page, Path.exists) for page in papers()}
    assert {name: links for name, links in broken.items() if links} == {}


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[a](gone.md#top) [b](page.md) [c](https://x.test/y) `[d](code.md)`", encoding="utf-8")
    assert broken_links(page, Path.exists) == ["gone.md"]
