"""The files that a command is known to have written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.memory.read.touched import touched


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("echo a > b.txt", ("b.txt",)),
        ("echo a >> b.txt 2>&1", ("b.txt",)),
        ("make &> build.log", ("build.log",)),
        ("make 2> err.txt", ()),
        ("cat x > /dev/null", ()),
        ("sed -i '' 's/a b/c/g' a/b.ts", ("a/b.ts",)),
        ("sed 's/a/b/' x.py", ()),
        ("mv a b && cp -r c d", ("a", "b", "d")),
        ("ls | tee out.txt | wc -l", ("out.txt",)),
        ("git mv a.py b.py && git rm --cached c", ("a.py", "b.py")),
        ("cat > x.py <<'EOF'\nrm y\nEOF", ("x.py",)),
        ("cat > x.py <<EOF\nrm y\nEOF\ntouch z", ("x.py", "z")),
        ("a; rm b", ()),
        ("a || rm b", ()),
        ("rm $(cat list)", ()),
        ("rm *.pyc", ()),
        ("touch 'my file'", ()),
        ("echo 'unclosed > x", ()),
        ("python build.py", ()),
        ("echo x > y" + " z" * 3000, ()),
    ],
)
def test_what_a_command_wrote(command: str, expected: tuple[str, ...]) -> None:
    assert touched(command) == expected


@given(st.text(alphabet="ab >|&;<'\"$(\n-", max_size=40))
def test_any_command_can_be_read_and_names_stand_in_it(command: str) -> None:
    assert [path for path in touched(f"rm {command}") if path not in command.replace("'", "").replace('"', "")] == []
