"""Weaker: which changes of tests and build files may let a check pass that would have failed before.

Rules, not judgement: what was there must still be there, in its order, and what came in between must not be of the kind
that ends, skips or replaces a test. What they let through can still be wrong; what they stop is for a person to see.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from agentmem.workspace.covers import is_build

_ENDS = re.compile(
    r"\b(skip\w*|xfail|todo|only|ignore\w*|disabled?|return|exit|_exit|quit|abort|deselect|patch|pass|continue|break)\b"
    r"|\|\||\"\"\"|'''|/\*|`|#if 0|\bif (False|0|false)\b"
    r"|\bx(it|describe|test)\b|\bt\.Skip|@Ignore|\bexcept\b|\bcatch\b",
    re.IGNORECASE,
)
_ENDS_ANYWHERE = re.compile(
    r"\bpytestmark\b|\bcollect_ignore|\ballow_module_level\b|\bsys\.exit\b|\bos\._exit\b|\bprocess\.exit\b|\bos\.Exit\b"
    r"|\bpytest_\w+\b|\b__tracebackhide__\b|\bunittest\.skip|\bload_tests\b|\b__test__\b|\bglobals\(\)|\bdel\b"
)
_NAMED = re.compile(r"\b(?:def|class|func|function|fn|it|test|describe)\b[\s(\"'`]*([^\s(:\"'`]+)")
_HOOKS = frozenset({"conftest.py", "sitecustomize.py", "usercustomize.py", "pytest.py", "unittest.py"})
_FRONTS = ({"gnumakefile", "makefile"}, {"justfile", ".justfile"})
_STEERS = re.compile(
    r"addopts|testpaths|python_(?:files|classes|functions)|norecursedirs|collect_\w+|required_plugins|usefixtures"
    r"|\bSHELL\b|\bSHELLFLAGS\b|\bMAKEFLAGS\b|^\.IGNORE\b|\[(?:tool:)?pytest\]|\[tool\.pytest|test(?:Match|Regex|Runner|PathIgnorePatterns)|passWithNoTests|setupFiles"
)
_RULE = re.compile(r"""^(?:override\s+)?\s*["']?([\w.%/-]+)["']?\s*::?(?!=)""")
_RULED = ("akefile", ".mk", "justfile", ".just", "package.json")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Weaker:
    """One change for a person to see: the file, what is wrong, and some of its lines (``-`` gone, ``+`` come)."""

    path: str
    why: str
    lines: tuple[str, ...] = ()

    def told(self) -> str:
        """In a few lines."""
        return "\n".join((f"{self.path}: {self.why}", *(f"    {line}" for line in self.lines)))


def weaker(path: str, before: bytes | None, after: bytes | None) -> Weaker | None:
    """What a person should see of the change of a test or build file, None where nothing of it weakens. None for bytes
    is a file that was, or is, not there."""
    if before == after:
        return None
    if after is None:
        return Weaker(path, "was removed")
    if before is None:
        hooks = path.rpartition("/")[2] in _HOOKS
        return Weaker(path, "is new, and changes how every test runs") if hooks else None
    old, new = _lines(before), _lines(after)
    gone = _not_in_order(old, new)
    if gone:
        return Weaker(path, "lost or changed lines", tuple(f"- {line.strip()}" for line in islice(gone, _SHOWN)))
    inside, behind = _came(old, new)
    ending = [line for line in (*inside, *behind) if _ENDS_ANYWHERE.search(line)]
    ending += [line for line in (inside if not is_build(path) else (*inside, *behind)) if _ENDS.search(line)]
    ending += _defined_again(old, (*inside, *behind))
    if is_build(path):
        ending += [line for line in (*inside, *behind) if _STEERS.search(line)]
        ending += _ruled_again(path, old, (*inside, *behind))
    if ending:
        shown = tuple(f"+ {line.strip()}" for line in islice(dict.fromkeys(ending), _SHOWN))
        return Weaker(path, "got lines that may end, skip or replace what is tested", shown)
    return None


def fronts(path: str, after: bytes | None, accepted: Iterable[str]) -> Weaker | None:
    """What a person should see of a build file that is new where there are tests already, `accepted` with the build
    files beside them: one that is read in place of another, or that says which tests run; None for any other."""
    folder, _, name = path.rpartition("/")
    beside = {one.rpartition("/")[2].lower(): one for one in accepted if one.rpartition("/")[0] == folder}
    for family in _FRONTS:
        if name.lower() in family and (there := next((one for key, one in beside.items() if key in family), None)):
            return Weaker(path, f"is new, and may be read in place of {there}")
    if after is None or not is_build(path):
        return None
    lines = [line for line in _lines(after) if _STEERS.search(line)]
    shown = tuple(f"+ {line.strip()}" for line in islice(lines, _SHOWN))
    return Weaker(path, "is new, and says which tests run", shown) if lines else None


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "replace")
    return [line.rstrip() for line in text.split("\n") if line.strip()]


def _not_in_order(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """The old lines that the new text does not hold in their order."""
    gone: list[str] = []
    at = 0
    places: dict[str, list[int]] = {}
    for number, line in enumerate(new):
        places.setdefault(line, []).append(number)
    for line in old:
        there = places.get(line, [])
        first = bisect_left(there, at)
        if first == len(there):
            gone.append(line)
        else:
            at = there[first] + 1
    return gone


def _came(old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines that came between the old ones, and those that came behind the last of them. The old ones are taken
    as late as they can be: what stands before one may belong to it."""
    left = list(old)
    behind: list[str] = []
    inside: list[str] = []
    for line in reversed(new):
        if left and left[-1] == line:
            left.pop()
        elif len(left) == len(old):
            behind.append(line)
        else:
            inside.append(line)
    return inside[::-1], behind[::-1]


def _defined_again(old: Iterable[str], came: Iterable[str]) -> list[str]:
    """Lines that define a name anew which was there: the later one would take the earlier one's place."""
    known = {found.group(1) for line in old if (found := _NAMED.search(line))}
    return [line for line in came if (found := _NAMED.search(line)) and found.group(1) in known]


def _ruled_again(path: str, old: Iterable[str], came: Iterable[str]) -> list[str]:
    """Lines of a build file that give a rule or a script anew which was there: the later one counts."""
    if not path.endswith(_RULED):
        return []
    known = {found.group(1) for line in old if (found := _RULE.match(line))} - {".PHONY"}
    return [line for line in came if (found := _RULE.match(line)) and found.group(1) in known]
