"""The house rules of AGENTS.md as functions: a module in, its violations out, each as ``path:line: what``."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

FILE_LINES = 400
FUNCTION_LINES = 40
FORBIDDEN_NAMES = frozenset(
    {"util", "utils", "helper", "helpers", "manager", "service", "handler", "base", "v2", "common", "misc"}
)

# Heavy packages: where each may be imported at all, and where at module level too, as path prefixes.
HEAVY: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "litellm": (("model/",), ()),
    "openai": ((), ()),
    "rich": (("terminal/",), ("terminal/",)),
    "prompt_toolkit": (("terminal/",), ("terminal/",)),
    "typer": (("cli/", "__main__.py", "terminal/"), ("cli/", "terminal/")),
    "yaml": (("",), ()),
    "pathspec": ((), ()),
    "watchfiles": (("workspace/",), ()),
    "http.client": (("model/",), ("model/",)),
    "logging": (("",), ()),
    "asyncio": (("terminal/", "serve/"), ("terminal/",)),
}
READS_ENVIRONMENT = ("cli/", "run.py", "streams.py", "app/")
# litellm reads its settings off the process's own environment, and nowhere else.
SETS_ENVIRONMENT = ("model/litellm_call.py",)
# scan.py is a program of its own: searches run it as a process and read what it prints.
OWNS_THE_SCREEN = ("cli/", "run.py", "streams.py", "app/", "__main__.py", "terminal/", "serve/", "workspace/scan.py")
SYNCHRONOUS = (
    "agent/",
    "tools/",
    "memory/",
    "model/",
    "workspace/",
    "domain/",
    "app/",
    "config.py",
    "configfile.py",
    "configkeys.py",
)


@dataclass(frozen=True)
class Module:
    """A source file; `path` is relative to ``agentmem/``."""

    path: str
    source: str

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed source."""
        return ast.parse(self.source)

    @property
    def stem(self) -> str:
        """The module's own name."""
        return PurePosixPath(self.path).stem

    def within(self, places: Iterable[str]) -> bool:
        """True when the module is one of `places`, or in one that ends in a slash; the empty place is everywhere."""
        return any(self.path.startswith(place) if place.endswith("/") else place in ("", self.path) for place in places)

    def at(self, node: ast.AST, what: str) -> str:
        """A violation at a node."""
        return f"{self.path}:{getattr(node, 'lineno', 1)}: {what}"


Rule = Callable[[Module], list[str]]


def file_length(module: Module) -> list[str]:
    """No file over 400 lines."""
    count = len(module.source.splitlines())
    return [f"{module.path}:{count}: {count} lines, {FILE_LINES} at most"] if count > FILE_LINES else []


def function_length(module: Module) -> list[str]:
    """No function body over 40 lines, its docstring not counted."""
    found = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
            length = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            if length > FUNCTION_LINES:
                found.append(module.at(node, f"{node.name} has {length} lines, {FUNCTION_LINES} at most"))
    return found


def names(module: Module) -> list[str]:
    """No module or class with a name that says nothing."""
    found = [f"{module.path}:1: module name" for _ in _empty_words(module.stem)]
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef):
            found += [module.at(node, f"class name {node.name}") for _ in _empty_words(node.name)]
    return found


def _empty_words(name: str) -> set[str]:
    words = re.findall(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+", name)
    return {word.lower() for word in words} & FORBIDDEN_NAMES


def first_line(module: Module) -> list[str]:
    """A module's docstring begins with a line that is a whole sentence."""
    line = (ast.get_docstring(module.tree) or "").split("\n")[0]
    return (
        []
        if line.endswith(".") and len(line.split()) > 2
        else [f"{module.path}:1: first line is no sentence: {line!r}"]
    )


def leftovers(module: Module) -> list[str]:
    """No note to oneself, no silenced linter, no switched-off coverage."""
    pattern = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|#\s*(noqa|ruff:|pragma:|pylint:)")
    return [
        f"{module.path}:{number}: {match.group().strip()}"
        for number, line in enumerate(module.source.split("\n"), 1)
        if (match := pattern.search(line))
    ]


def stubs(module: Module) -> list[str]:
    """No NotImplementedError, and no function without a body but in a Protocol."""
    protocols = {
        id(child)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and any(_dotted(base).endswith("Protocol") for base in node.bases)
        for child in node.body
    }
    found = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name) and node.id == "NotImplementedError":
            found.append(module.at(node, "NotImplementedError"))
        elif isinstance(node, ast.FunctionDef) and id(node) not in protocols and _is_ellipsis(node.body[-1]):
            found.append(module.at(node, f"{node.name} has no body"))
    return found


def _is_ellipsis(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...


def heavy_imports(module: Module) -> list[str]:
    """Heavy packages only in their room, and inside a function where they are not the room's very point."""
    found = []
    for node, name, at_top in _imports(module.tree):
        for package, (rooms, top_rooms) in HEAVY.items():
            if name != package and not name.startswith(package + "."):
                continue
            if not module.within(rooms):
                found.append(module.at(node, f"imports {package}"))
            elif at_top and not module.within(top_rooms):
                found.append(module.at(node, f"imports {package} at module level"))
    return found


def _imports(tree: ast.Module) -> Iterator[tuple[ast.stmt, str, bool]]:
    """(statement, dotted name, runs on import) of each import that is not for type checkers alone."""
    inner = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.walk(node)
    }
    for_types = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and _dotted(node.test).endswith("TYPE_CHECKING")
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name, id(node) not in inner
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node, node.module, id(node) not in inner
            for alias in node.names:
                yield node, f"{node.module}.{alias.name}", id(node) not in inner


def environment(module: Module) -> list[str]:
    """Only cli, run.py and app read the environment, and litellm's door alone sets it."""
    if module.within(READS_ENVIRONMENT):
        return []
    setting = {
        id(node.func.value)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update"
    }
    found = []
    for node in ast.walk(module.tree):
        name = _dotted(node) if isinstance(node, ast.Attribute) else ""
        if id(node) in setting and module.within(SETS_ENVIRONMENT):
            continue
        if name in ("os.environ", "os.getenv", "os.environb"):
            found.append(module.at(node, name))
        elif isinstance(node, ast.ImportFrom) and node.module == "os":
            found += [module.at(node, f"os.{x.name}") for x in node.names if x.name in ("environ", "getenv")]
    return found


def screen(module: Module) -> list[str]:
    """Only faces touch standard output and error."""
    if module.within(OWNS_THE_SCREEN):
        return []
    streams = ("sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__")
    return [
        module.at(node, _dotted(node))
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and _dotted(node) in streams
    ]


def synchronous(module: Module) -> list[str]:
    """The core is synchronous."""
    if not module.within(SYNCHRONOUS):
        return []
    kinds = ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith
    return [module.at(node, "async in the core") for node in ast.walk(module.tree) if isinstance(node, kinds)]


def on_import(module: Module) -> list[str]:
    """Nothing happens on import: at module level stand definitions and values, no bare call, loop or with."""
    if module.within(("cli/", "__main__.py")):
        return []
    acting = ast.For | ast.While | ast.With | ast.Delete | ast.Raise | ast.Assert
    return [
        module.at(node, "acts on import")
        for node in module.tree.body
        if isinstance(node, acting) or (isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant))
    ]


def frozen_values(module: Module) -> list[str]:
    """Each dataclass of the domain is frozen and has slots."""
    if not module.within(("domain/",)):
        return []
    found = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef):
            for decorator in node.decorator_list:
                call = decorator if isinstance(decorator, ast.Call) else None
                on = {k.arg for k in call.keywords if _is_true(k.value)} if call else set()
                if _dotted(call.func if call else decorator).endswith("dataclass") and not on >= {"frozen", "slots"}:
                    found.append(module.at(node, f"{node.name} is not frozen with slots"))
    return found


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _dotted(node: ast.AST) -> str:
    """``a.b.c`` of a chain of names, its end alone where the chain starts at something else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        start = _dotted(node.value)
        return f"{start}.{node.attr}" if start else node.attr
    return _dotted(node.value) if isinstance(node, ast.Subscript) else ""


RULES: tuple[Rule, ...] = (
    file_length,
    function_length,
    names,
    first_line,
    leftovers,
    stubs,
    heavy_imports,
    environment,
    screen,
    synchronous,
    on_import,
    frozen_values,
)


def twins(paths: Iterable[str]) -> list[str]:
    """Modules that share a name; a tool may be named like the operation it calls."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in sorted(paths):
        if not path.startswith("tools/") and not PurePosixPath(path).stem.startswith("__"):
            by_name[PurePosixPath(path).stem].append(path)
    return [" and ".join(same) for same in by_name.values() if len(same) > 1]
