"""A line is one write at the file's end: told by the system's own count of writes, and by a second writer beside it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

WRITER = """
import sys
from pathlib import Path
from agentmem.domain.clock import Clock
from agentmem.domain.entry import Entry, Header
from agentmem.memory.stores.log import LogWriter

def count():
    with open("/proc/self/io") as file:
        return int(dict(line.split(": ") for line in file.read().splitlines())["syscw"])

path, sizes, torn = Path(sys.argv[1]), [int(word) for word in sys.argv[3:]], sys.argv[2]
clock = Clock()
writer = LogWriter.open(path, clock) if path.exists() else LogWriter.create(path, Header("s", "", "/", "0"), clock)
counted = Path("/proc/self/io").exists()
for number, size in enumerate(sizes):
    before = count() if counted else 0
    writer.append(Entry("message", f"{sys.argv[2]}{number}", None, "", {"content": sys.argv[2] * size}))
    print(count() - before if counted else 1)
writer.close()
"""


def run(path: Path, mark: str, *sizes: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", WRITER, str(path), mark, *map(str, sizes)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).resolve().parents[2])


def told(writer: subprocess.Popen[str]) -> list[int]:
    out, _ = writer.communicate(timeout=60)
    assert writer.returncode == 0
    return [int(line) for line in out.split()]


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="the system tells no process what it wrote")
def test_a_line_is_one_write_whatever_its_size(tmp_path: Path) -> None:
    path = tmp_path / "sessions" / "s.jsonl"
    sizes = (0, 10, 5_000, 70_000, 2_000_000)
    assert told(run(path, "a", *sizes)) == [2, 1, 1, 1, 1]  # the first one brings the header
    assert told(run(path, "b", *sizes)) == [1, 1, 1, 1, 1]


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="the system tells no process what it wrote")
def test_what_mends_a_torn_end_is_in_the_same_write(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"type":"mess')
    assert told(run(path, "a", 100, 100)) == [1, 1]
    assert [line[:13] for line in path.read_bytes().split(b"\n")] == [b'{"type":"mess', *([b'{"type":"mess'] * 2), b""]


STRANGER = """
import os, sys
handle = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
print("ready", flush=True)
line = b'{"type":"x","id":"%s"}\\n' % (b"s" * 3000)
for _ in range(4000):
    os.write(handle, line)
"""


def test_who_writes_beside_it_tears_no_line_and_loses_none(tmp_path: Path) -> None:
    """As one would that pays no heed to the lock: each line stands whole, none over another."""
    path = tmp_path / "sessions" / "s.jsonl"
    assert len(told(run(path, "a", 1))) == 1
    with subprocess.Popen([sys.executable, "-c", STRANGER, str(path)], stdout=subprocess.PIPE, text=True) as beside:
        assert beside.stdout is not None and beside.stdout.readline() == "ready\n"
        assert len(told(run(path, "b", *([200_000] * 60)))) == 60
    assert beside.returncode == 0
    kinds = [json.loads(line)["type"] for line in path.read_bytes().split(b"\n") if line]
    assert (kinds.count("x"), kinds.count("message"), kinds.count("session")) == (4000, 61, 1)
