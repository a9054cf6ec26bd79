"""What 300 skills cost at the start, against reading their files and parsing front matter with PyYAML's C loader."""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agentmem.domain.places import Places
from agentmem.memory.memory import skills_in
from benchmarks.command import main
from benchmarks.line import Line, in_turns

RUNS = 11
COUNT = 300
BUDGET = 3.0
_WORDS = ("writes", "checks", "reviews", "the", "a", "an", "invoice", "report", "when", "asked", "for", "use")


@contextmanager
def project() -> Iterator[Places]:
    """A project with 300 skills of a usual size and shape, and a home for the cache."""
    chance = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="agentmem-bench-") as folder:
        root, home = Path(folder) / "work", Path(folder) / "home"
        home.mkdir()
        for number in range(COUNT):
            path = root / f"skills/skill-{number}/SKILL.md"
            path.parent.mkdir(parents=True)
            path.write_text(_text(number, chance), encoding="utf-8")
        yield Places(root, root, home, root / ".agent")


def _text(number: int, chance: random.Random) -> str:
    """The styles of a description and the keys come about as often as they do in public collections."""
    said = " ".join(chance.choice(_WORDS) for _ in range(26))
    value = (said, said, said, f'"{said}: yes"', f">-\n  {said}\n  {said[:60]}")[number % 5]
    more = ("", "license: MIT\n", "allowed-tools: Bash, Read\n", "metadata:\n  author: someone\n  version: '1.0'\n")
    return f"---\nname: skill-{number}\ndescription: {value}\n{more[number % 4]}---\n" + "Do this, then that.\n" * 400


def parsed(places: Places) -> int:
    """The floor: read each file, cut out its front matter, let PyYAML's C loader parse it."""
    import yaml

    count = 0
    for path in sorted((places.root / "skills").glob("*/SKILL.md")):
        head = path.read_text(encoding="utf-8").split("---\n", 2)[1]
        count += bool(yaml.load(head, yaml.CSafeLoader)["description"])
    return count


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of one run."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def measure(runs: int) -> list[Line]:
    """Finding and reading all skills in a warm process: with no cache, and from the cache."""
    with project() as places:

        def first() -> float:
            shutil.rmtree(places.home / "cache", ignore_errors=True)
            return timed(lambda: skills_in(places, True))

        def floor() -> float:
            return timed(lambda: parsed(places))

        first()
        floor()
        fresh = in_turns(runs, first, floor)
        cached = in_turns(runs, lambda: timed(lambda: skills_in(places, True)), floor)
    what, of = f"{COUNT} skills", "reading the files and parsing their heads with PyYAML"
    return [
        Line(f"{what}, first", "ms", BUDGET, fresh[0], of, fresh[1]),
        Line(f"{what}, known", "ms", 1.0, cached[0], of, cached[1]),
    ]


if __name__ == "__main__":
    sys.exit(main("skills", measure, RUNS))
