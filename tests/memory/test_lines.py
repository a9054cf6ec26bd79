from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from agentmem.memory.stores import lines
from agentmem.memory.stores.lines import Fault


def read(tmp_path: Path, data: bytes) -> tuple[list[lines.Line], list[Fault]]:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    return lines.read(path)


def test_line_ends_are_newlines_alone(tmp_path: Path) -> None:
    value = {"text": "a\u2028b\u2029c\u0085d\x0be\rf"}
    assert lines.dump(value).count(b"\n") == 1
    assert read(tmp_path, lines.dump(value) * 2) == ([(1, value), (2, value)], [])


def test_compact_and_readable_by_people() -> None:
    assert lines.dump({"a": [1, "é"]}) == '{"a":[1,"é"]}\n'.encode()


@pytest.mark.parametrize(
    ("raw", "objects", "fault"),
    [
        (b'{"a":1}', [{"a": 1}], None),
        (b'{"a":1}\r\n', [{"a": 1}], None),
        (b'\xef\xbb\xbf{"a":1}\n', [{"a": 1}], None),
        (b"\n", [], None),
        (b"   \n", [], "only blanks"),
        (b"\0" * 300 + b"\n", [], "NUL bytes"),
        (b"\0" * 30 + b'{"a":1}\n', [{"a": 1}], None),
        (b'{"type":"message","role":"assist', [], "cut short or no JSON"),
        (b'{"a":"caf\xc3', [], "cut short or no JSON"),
        (b'{"a":"caf\xc3"}', [{"a": "caf\ufffd"}], "damaged characters"),
        (b'{"a":1}{"b":2}\n', [{"a": 1}, {"b": 2}], None),
        (b'{"a":1} {"b":2\n', [{"a": 1}], "cut short or no JSON"),
        (b'"text"\n', [], "no object"),
        (b"42\n", [], "no object"),
        (b"[1]\n", [], "no object"),
        (b"[" * 100_000 + b"\n", [], "cut short or no JSON"),
        (b'{"a":' + b"9" * 5000 + b"}\n", [], "cut short or no JSON"),
        (b'{"a":"ok \\ud83d!"}\n', [{"a": "ok \ufffd!"}], None),
        (b'{"a":"\\udc80"}\n', [{"a": "\ufffd"}], None),
        (b'{"a":"\\ud83d\\ude00"}\n', [{"a": "\U0001f600"}], None),
        (b'{"a":NaN}\n', [{"a": "NaN"}], None),
    ],
)
def test_every_whole_object_of_a_line_counts(raw: bytes, objects: list[object], fault: str | None) -> None:
    assert lines.parse(raw) == (objects, fault)


def test_an_object_inside_a_damaged_one_never_counts() -> None:
    forged = b'{"type":"message","id":"x","parent_id":null,"role":"user","content":[]}'
    assert lines.parse(b'{"arguments":' + forged) == ([], "cut short or no JSON")
    assert lines.parse(b"\0\0" + forged + b"]}") == ([json.loads(forged)], "cut short or no JSON")


def test_faults_name_their_lines(tmp_path: Path) -> None:
    good = b'{"a":1}\n'
    found, faults = read(tmp_path, good * 4 + b"\0" * 300 + b"\n" + good * 5 + b'{"a"')
    assert [number for number, _ in found] == [1, 2, 3, 4, 6, 7, 8, 9, 10]
    assert faults == [Fault(5, "NUL bytes"), Fault(11, "cut short or no JSON")]


def test_sound_values_are_what_every_json_reader_takes() -> None:
    deep: dict[str, object] = {}
    for _ in range(5000):
        deep = {"d": deep}
    odd = {"half": "a\ud83db", "pair": "\ud83d\ude00", "inf": math.inf, 3: ("x", None), "ok": 1.5, "set": {1}}
    assert lines.sound(odd) == {
        "half": "a\ufffdb",
        "pair": "\U0001f600",
        "inf": "inf",
        "3": ["x", None],
        "ok": 1.5,
        "set": "[set: not kept]",
    }
    assert json.loads(lines.dump(lines.sound({"deep": deep})))["deep"]["d"]["d"]
