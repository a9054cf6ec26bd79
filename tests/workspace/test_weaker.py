from __future__ import annotations

import pytest

from agentmem.workspace.weaker import fronts, weaker

OLD = b"import app\n\n\ndef test_a():\n    x = app.run()\n    assert x == 1\n\n\ndef test_b():\n    assert app.b()\n"


@pytest.mark.parametrize(
    ("path", "after"),
    [
        ("tests/test_a.py", None),
        ("tests/test_a.py", b""),
        ("tests/test_a.py", OLD.replace(b"    assert x == 1\n", b"")),
        ("tests/test_a.py", OLD.replace(b"x == 1", b"x")),
        ("tests/test_a.py", OLD.replace(b"    x = app.run()\n", b"    return\n    x = app.run()\n")),
        (
            "tests/test_a.py",
            OLD.replace(b"    x = app.run()\n", b"    import pytest; pytest.skip('later')\n    x = app.run()\n"),
        ),
        (
            "tests/test_a.py",
            OLD.replace(b"    assert x", b'    """\n    assert x').replace(b"== 1\n", b'== 1\n    """\n'),
        ),
        ("tests/test_a.py", b"import pytest\npytestmark = pytest.mark.skip\n" + OLD),
        ("tests/test_a.py", OLD + b"\n\ndef test_a():\n    assert True\n"),
        ("tests/test_a.py", OLD + b"\nimport sys\nsys.exit(0)\n"),
        ("tests/test_a.py", OLD + b"\ndel test_a\n"),
        ("tests/test_a.py", b"\n".join(reversed(OLD.split(b"\n")))),
        ("Makefile", b"test:\n\tpytest || true\n"),
        ("pyproject.toml", b'[tool.pytest.ini_options]\naddopts = "--deselect tests/test_a.py"\n'),
    ],
)
def test_what_may_weaken_is_shown(path: str, after: bytes | None) -> None:
    before = {"Makefile": b"test:\n\tpytest\n", "pyproject.toml": b"[tool.pytest.ini_options]\n"}.get(path, OLD)
    found = weaker(path, before, after)
    assert found is not None
    assert found.told().startswith(f"{path}: ")


@pytest.mark.parametrize("path", ["conftest.py", "tests/conftest.py", "sitecustomize.py"])
def test_a_new_hook_is_shown(path: str) -> None:
    found = weaker(path, None, b"x = 1\n")
    assert found is not None and found.why == "is new, and changes how every test runs"


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("tests/test_a.py", OLD, OLD),
        ("tests/test_a.py", OLD, OLD + b"\n\ndef test_c():\n    assert app.c() == [1]\n"),
        ("tests/test_a.py", OLD, OLD.replace(b"\n\n\ndef", b"\n\ndef")),
        ("tests/test_a.py", OLD, OLD.replace(b"import app\n", b"import app\nimport json\n")),
        ("tests/test_new.py", None, b"def test_n():\n    assert True\n"),
        ("pyproject.toml", b"[project]\ndependencies = [\n]\n", b'[project]\ndependencies = [\n  "rich",\n]\n'),
    ],
)
def test_what_only_adds_goes_through(path: str, before: bytes | None, after: bytes) -> None:
    assert weaker(path, before, after) is None


def test_many_equal_lines_take_no_longer_than_a_look() -> None:
    before = b"    x()\n" * 50_000
    found = weaker("tests/test_x.py", before, before[:-9])
    assert found is not None and found.lines == ("- x()",)


@pytest.mark.parametrize(
    ("path", "before", "came"),
    [
        ("Makefile", b"test:\n\tpytest\n", b"test:\n\ttrue\n"),
        ("rules.mk", b"x:\n\ty\n", b"override SHELL = /bin/true\n"),
        ("package.json", b'{"scripts": {\n"test": "jest",\n', b'"test": "true"\n}}'),
        ("setup.cfg", b"[metadata]\n", b"[tool:pytest]\npython_files = ok_*.py\n"),
    ],
)
def test_a_build_file_that_now_says_otherwise_is_shown(path: str, before: bytes, came: bytes) -> None:
    assert weaker(path, before, before) is None
    assert weaker(path, before, before + came) is not None


def test_a_new_build_file_in_front_of_another_is_shown() -> None:
    there = ("Makefile", "sub/justfile", "tests/test_a.py")
    steering = b"[pytest]\ntestpaths = x\n"
    found = {
        path: one and one.why
        for path, data in {
            "GNUmakefile": b"",
            "sub/makefile": b"",
            "sub/.justfile": b"",
            "pytest.ini": steering,
            "pyproject.toml": b"[project]\n",
            "notes.ini": steering,
        }.items()
        for one in [fronts(path, data, there)]
    }
    assert found == {
        "GNUmakefile": "is new, and may be read in place of Makefile",
        "sub/makefile": None,
        "sub/.justfile": "is new, and may be read in place of sub/justfile",
        "pytest.ini": "is new, and says which tests run",
        "pyproject.toml": None,
        "notes.ini": None,
    }
