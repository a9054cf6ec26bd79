from __future__ import annotations

import pytest

from agentmem.memory.read import imports


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@RULES.md\n\nlocal note", ["RULES.md"]),
        ("see @docs/a.md, @docs/b.md. And (@c.md)", ["docs/a.md", "docs/b.md"]),
        ("- @a.md\n* @a.md\n\t@./b.md", ["a.md", "./b.md"]),
        ("mail me@x.md or `@code.md` or ``a ` @b.md``", []),
        ("```\n@in.md\n```\n@out.md", ["out.md"]),
        ("~~~sh\n@in.md\n```\n@in2.md\n~~~~\n@out.md", ["out.md"]),
        ("````\n```\n@in.md\n````\n@out.md", ["out.md"]),
        ("```\n@in.md\n``` not closed\n@in2.md", []),
        ("`open @x.md", ["x.md"]),
        ("@ alone and @@twice", ["@twice"]),
        ("@~/own.md @/abs.md **@bold.md**", ["~/own.md", "/abs.md"]),
    ],
)
def test_what_a_text_imports(text: str, found: list[str]) -> None:
    assert imports.targets(text) == found


def test_only_what_looks_like_a_file_is_worth_a_note() -> None:
    assert all(map(imports.looks_like_a_file, ["GONE.md", "a/b.TXT", "./x", "../y", "~/z", "/etc/x"]))
    assert not any(map(imports.looks_like_a_file, ["resvg/resvg-js", ".github/workflows", "someone", "app.route"]))


def test_a_text_of_nothing_but_imports() -> None:
    assert imports.only_imports("@a.md\n\n@b.md\n")
    assert not imports.only_imports("@a.md\nand more")
