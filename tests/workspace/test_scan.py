from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from agentmem.workspace import scan


def test_it_prints_what_ripgrep_is_asked_to_print(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "a"
    path.write_bytes("é\nxx foo\n\nfoo".encode() + b"\xff")
    (tmp_path / "bin").write_bytes(b"foo\0")
    order = json.dumps({"python": "FOO", "whole": True, "ignore_case": True})
    scan.main([order, str(path), str(tmp_path / "bin"), str(tmp_path / "gone")])
    out, err = capfdbinary.readouterr()
    assert out == os.fsencode(path) + b"\x002:4:3:\n" + os.fsencode(path) + b"\x004:1:11:\n"
    assert err == f"'{tmp_path}/gone': No such file or directory (os error 2)\n".encode()


def test_line_by_line(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"ab\r\nb\nac")
    order = json.dumps({"python": "(?<=a).$", "whole": False, "ignore_case": False})
    scan.main([order, str(path)])
    assert capfdbinary.readouterr().out == os.fsencode(path) + b"\x001:2:0:\n" + os.fsencode(path) + b"\x003:2:6:\n"


@pytest.mark.parametrize("search", [scan.whole_search, scan.line_search])
@pytest.mark.parametrize(
    ("expression", "text", "wanted"),
    [
        ("x*", "a\n\nb", [(1, 1, 0), (2, 1, 2), (3, 1, 3)]),
        ("x*", "a\n", [(1, 1, 0)]),
        ("x*", "", []),
        ("$", "ab\ncd", [(1, 3, 0), (2, 1, 3)]),
        ("$", "ab\n", [(1, 3, 0)]),
        ("é", "ééé\né", [(1, 1, 0), (2, 1, 7)]),
        ("z", "a\nb\n", []),
    ],
)
def test_one_place_a_line(search: object, expression: str, text: str, wanted: list[tuple[int, int, int]]) -> None:
    assert callable(search)
    found = search(re.compile(expression, re.MULTILINE))
    assert list(scan.places(text.encode(), found)) == wanted
