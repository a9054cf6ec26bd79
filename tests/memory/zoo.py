"""A zoo of SKILL.md files made from what real ones look like, each with what a loader must make of it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["loaded", "warned", "refused"]


@dataclass(frozen=True)
class Beast:
    """One file: `clause` says why it is here; `said` are words that its warnings, or the reason of its refusal, hold.
    What is None is not looked at."""

    clause: str
    data: bytes
    state: State
    folder: str = ""
    file: str = "SKILL.md"
    name: str | None = None
    id: str | None = None
    description: str | None = None
    body: str | None = None
    said: tuple[str, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)


_NOUNS = ("invoice", "schema", "commit", "figure", "release", "report", "query", "layout", "ticket", "diagram")
_VERBS = ("Writes", "Reviews", "Converts", "Explains", "Drafts", "Checks", "Migrates", "Renders")
_WHEN = ("Use when asked for one", "Use it before a release", "For teams of any size", "Use after the tests pass")


class Keeper:
    """Makes words, names and plain texts, the same for a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"{self.random.choice(_NOUNS)}-{self.count}"

    def text(self) -> str:
        pick = self.random.choice
        return f"{pick(_VERBS)} {pick(_NOUNS)}s of a {pick(_NOUNS)}. {pick(_WHEN)}."


def skill(name: str, description: str, *more: str, body: str = "# How\n\nDo it.\n") -> str:
    return "\n".join(["---", f"name: {name}", f"description: {description}", *more, "---", body])


def beasts(seed: int = 7) -> list[Beast]:
    """The whole zoo."""
    keeper = Keeper(seed)
    kinds = (framing, descriptions, refused_by_yaml, keys, names, files, tools, rejected)
    return [beast for kind in kinds for beast in kind(keeper)]


def _plain(keeper: Keeper, clause: str, data: bytes, name: str, description: str, body: str) -> Beast:
    return Beast(clause, data, "loaded", name, "SKILL.md", name, name, description, body)


def framing(keeper: Keeper) -> Iterator[Beast]:
    """1: bytes around and between the lines; none of it is worth a warning."""
    for _ in range(3):
        ways = {
            "plain": lambda text: text.encode(),
            "BOM": lambda text: b"\xef\xbb\xbf" + text.encode(),
            "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
            "BOM and CRLF": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
            "mixed ends": lambda text: text.replace("\n", "\r\n", 3).encode(),
            "old Mac ends": lambda text: text.replace("\n", "\r").encode(),
            "no final newline": lambda text: text.rstrip("\n").encode(),
            "blanks after the delimiters": lambda text: text.replace("---\n", "---  \t\n").encode(),
        }
        for clause, way in ways.items():
            name, text = keeper.name(), keeper.text()
            yield _plain(keeper, clause, way(skill(name, text)), name, text, "# How\n\nDo it.")
        name, text = keeper.name(), keeper.text()
        yield _plain(keeper, "empty body", skill(name, text, body="").encode(), name, text, "")
        name, text = keeper.name(), keeper.text()
        bare = f"---\nname: {name}\ndescription: {text}\n---".encode()
        yield _plain(keeper, "closing delimiter as the last bytes", bare, name, text, "")
        name, text = keeper.name(), keeper.text()
        ruled = "One.\n\n---\n\nTwo.\n\n---\nname: no\n---\nThree."
        yield _plain(keeper, "rules in the body", skill(name, text, body=ruled).encode(), name, text, ruled)
        name, text = keeper.name(), keeper.text()
        quoted = skill(name, f'"--- {text} --- and ---"').encode()
        yield _plain(keeper, "delimiter in a quoted value", quoted, name, f"--- {text} --- and ---", "# How\n\nDo it.")
        name, text = keeper.name(), keeper.text()
        block = skill(name, f"|\n  {text}\n  ---\n  after").encode()
        yield _plain(keeper, "delimiter in a block", block, name, f"{text}\n---\nafter", "# How\n\nDo it.")


def descriptions(keeper: Keeper) -> Iterator[Beast]:
    """2: the styles of a description."""
    for _ in range(3):
        one, two = keeper.text(), keeper.text()
        styles = {
            "double-quoted": (json.dumps(f'{one} Says "hi": #1'), f'{one} Says "hi": #1'),
            "single-quoted": (f"'{one} It''s: fine'", f"{one} It's: fine"),
            "literal": (f"|\n  {one}\n  {two}", f"{one}\n{two}"),
            "folded": (f">\n  {one}\n  {two}", f"{one} {two}"),
            "folded and stripped": (f">-\n  {one}\n  {two}", f"{one} {two}"),
            "literal and stripped": (f"|-\n    {one}", one),
            "plain on several lines": (f"{one}\n  {two}\n  end", f"{one} {two} end"),
            "double-quoted on several lines": (f'"{one}\n  {two}"', f"{one} {two}"),
            "accents and dashes": (f"Prüft Maße — {one} “so”", f"Prüft Maße — {one} “so”"),
            "Chinese": ("生成发票并检查。适用于财务", "生成发票并检查。适用于财务"),
            "emoji": (f"🚀 {one} 👩‍💻", f"🚀 {one} 👩‍💻"),
            "angle brackets": (f"Turns <br> & </skill> into text. {one}", f"Turns <br> & </skill> into text. {one}"),
            "a colon without a blank": (f"Sees https://x.test:80/a#b. {one}", f"Sees https://x.test:80/a#b. {one}"),
            "a number": ("8004", "8004"),
        }
        for clause, (value, text) in styles.items():
            name = keeper.name()
            yield _plain(keeper, clause, skill(name, value).encode(), name, text, "# How\n\nDo it.")


def refused_by_yaml(keeper: Keeper) -> Iterator[Beast]:
    """3: plain values that YAML refuses or cuts, and a closing delimiter with a heading glued to it."""
    for _ in range(3):
        text = keeper.text()
        values = {
            "a colon": f"{text} Core rule: one at a time. Flags: --all",
            "a colon at the end": f"{text} Steps:",
            "a star": f"*Important* {text}",
            "a bracket": f"[Beta] {text}",
            "a backtick": f"`{text}` and more",
            "an at sign": f"@team {text}",
            "a brace": f"{{{{name}}}} {text}",
            "a percent sign": f"%d {text}",
            "an ampersand": f"&co {text}",
            "a bang": f"!new {text}",
            "a quotation that goes on": f'"Quick" {text}',
            "a hash": f"{text} Fixes issue #12 and #13",
            "a hash behind a blank": f"C # and F # code. {text}",
        }
        for clause, value in values.items():
            name = keeper.name()
            data = skill(name, value, "license: MIT").encode()
            yield Beast(clause, data, "warned", name, "SKILL.md", name, name, value, "# How\n\nDo it.", ("SKILL.md:3",))
        name = keeper.name()
        yield Beast(
            "two broken values, one warning",
            skill(name, f"{text} Rule: one", 'argument-hint: [action] e.g. "list"', "allowed-tools: Read").encode(),
            "warned",
            name,
            "SKILL.md",
            name,
            name,
            f"{text} Rule: one",
            said=("SKILL.md:3", "4"),
            fields={"argument-hint": '[action] e.g. "list"', "allowed-tools": "Read"},
        )
        name = keeper.name()
        yield Beast(
            "a broken value on several lines",
            skill(name, f"{text} Note: first\n  and: second\n  third", "license: MIT", body="B").encode(),
            "warned",
            name,
            "SKILL.md",
            name,
            name,
            f"{text} Note: first and: second third",
            "B",
            ("SKILL.md:3",),
            {"license": "MIT"},
        )
        name = keeper.name()
        glued = f"---\nname: {name}\ndescription: {text}\n---# Title\n\nText\n\n---\n\nEnd".encode()
        body = "# Title\n\nText\n\n---\n\nEnd"
        yield Beast(
            "a heading glued to the closing delimiter",
            glued,
            "warned",
            name,
            "SKILL.md",
            name,
            name,
            text,
            body,
            ("SKILL.md:4",),
        )
        name = keeper.name()
        yield Beast(
            "a tab before a value",
            f"---\nname: {name}\n\tlicense: MIT\ndescription: {text}\n---\nB".encode(),
            "warned",
            name,
            description=text,
            body="B",
        )


_FOREIGN = (
    "argument-hint: '[file]'",
    "disable-model-invocation: true",
    "user-invocable: false",
    "model: opus",
    "type: skill",
    "effort: high",
    "homepage: https://x.test/a:b",
    "author: A. N. Other <a@b.test>",
    "tags: [a, b]",
    "triggers: ['make one']",
    "keywords: a, b",
    "when_to_use: always",
    "hooks: {PreToolUse: [{matcher: Bash}]}",
    "context: fork",
    "mcp-servers:\n  - x\n  - y",
    "输入: 文本",
    "a key with blanks: yes",
    "requires:\n  bins:\n    - jq",
)


def keys(keeper: Keeper) -> Iterator[Beast]:
    """4: any key, and values that are no text."""
    for line in _FOREIGN:
        name, text = keeper.name(), keeper.text()
        yield _plain(
            keeper, f"key {line.split(':')[0]}", skill(name, text, line).encode(), name, text, "# How\n\nDo it."
        )
    typed = {
        "version: 1.0": "1.0",
        "version: 2026-01-02": "2026-01-02",
        "version: true": "true",
        "version: 0x1F": "0x1F",
    }
    for line, value in typed.items():
        name, text = keeper.name(), keeper.text()
        data = skill(name, text, line).encode()
        yield Beast(f"text out of {line}", data, "loaded", name, name=name, description=text, fields={"version": value})
    yield Beast("a name that is a number", skill("8004", "Serves.").encode(), "loaded", "8004", name="8004", id="8004")
    for line in (
        "license: null",
        "license: ~",
        "license:",
        "compatibility: [a, b]",
        "license: {a: b}",
        "metadata: null",
    ):
        name, text = keeper.name(), keeper.text()
        key = line.split(":")[0]
        data = skill(name, text, line).encode()
        yield Beast(f"ignored: {line}", data, "warned", name, name=name, description=text, said=(key,))
    for depth in range(1, 9):
        value: Any = "leaf"
        for level in range(depth):
            value = {f"level{level}": value, "bins": ["x", 1, None, True]}
        name, text = keeper.name(), keeper.text()
        data = skill(name, text, f"metadata: {json.dumps(value)}").encode()
        yield Beast(f"metadata {depth} deep", data, "loaded", name, name=name, description=text)
    name, text = keeper.name(), keeper.text()
    block = skill(name, text, "metadata:", "  author: me", "  version: '1.0'", "  list:", "    - a").encode()
    wanted = {"metadata": {"author": "me", "version": "1.0", "list": ["a"]}}
    yield Beast("metadata as a block", block, "loaded", name, name=name, description=text, fields=wanted)


def names(keeper: Keeper) -> Iterator[Beast]:
    """5: names that are no ids; descriptions and keys beyond the rules."""
    text = keeper.text()
    yield Beast(
        "no name", f"---\ndescription: {text}\n---\n".encode(), "warned", "dogfood", name="dogfood", id="dogfood"
    )
    yield Beast(
        "no name in an odd folder", f"---\ndescription: {text}\n---\n".encode(), "warned", "My Tool", id="my-tool"
    )
    for name in ("other", "another-name"):
        data = skill(name, text).encode()
        yield Beast("not the folder's name", data, "warned", f"f-{name}", name=name, id=name, said=(f"f-{name}",))
    odd = {
        "Upper-Case": "upper-case",
        "with blanks in it": "with-blanks-in-it",
        "under_score": "under-score",
        "'ns:name'": "ns-name",
        "-leading": "leading",
        "trailing-": "trailing",
        "two--hyphens": "two-hyphens",
        "dots.and+plus": "dots-and-plus",
        "Ärger": "arger",
        "x" * 80: "x" * 64,
        "CI/CD Pipeline": "ci-cd-pipeline",
        "../../etc/passwd": "etc-passwd",
        "/abs/path": "abs-path",
        "'--help'": "help",
        "-rf": "rf",
        "'..'": "folder-of-dots",
    }
    for name, own in odd.items():
        folder = own if own != "x" * 64 else "x"
        data = skill(name, text).encode()
        bare = name.strip("'")
        yield Beast(f"the name {name[:20]}", data, "warned", folder, name=bare, id=own, description=text)
    yield Beast("a folder like an option", skill("--all", text).encode(), "warned", "--all", name="--all", id="all")
    chinese = skill("公众号助手", text).encode()
    yield Beast("a name of no Latin letter", chinese, "warned", "gzh", name="公众号助手", id="gzh", description=text)
    long = ("word " * 300).strip()
    name = keeper.name()
    yield Beast("a long description", skill(name, long).encode(), "warned", name, name=name, description=long)
    fits = "w" * 1024
    name = keeper.name()
    yield Beast("the longest description", skill(name, fits).encode(), "loaded", name, name=name, description=fits)
    name = keeper.name()
    twice = f"---\nname: {name}\ndescription: {text}\ndescription: Second.\nlicense: A\nlicense: B\n---\n".encode()
    yield Beast(
        "keys twice",
        twice,
        "warned",
        name,
        name=name,
        description=text,
        said=("description", "license"),
        fields={"license": "A"},
    )


def files(keeper: Keeper) -> Iterator[Beast]:
    """6: other spellings of the file's name."""
    for file in ("skill.md", "Skill.md", "SKILL.MD", "sKiLl.mD"):
        name, text = keeper.name(), keeper.text()
        data = skill(name, text).encode()
        yield Beast(f"the file {file}", data, "warned", name, file, name, name, text, said=("SKILL.md",))


def tools(keeper: Keeper) -> Iterator[Beast]:
    """8: the forms of allowed-tools; the key holds what was written, the patterns are tested apart."""
    forms = {
        "allowed-tools: Bash, Read": "Bash, Read",
        "allowed-tools: Bash Read": "Bash Read",
        "allowed-tools: Bash": "Bash",
        "allowed-tools: Bash(git:*), Read": "Bash(git:*), Read",
        "allowed-tools: Bash(a:*) Read(*.csv)": "Bash(a:*) Read(*.csv)",
        "allowed-tools: [Bash, Read]": ["Bash", "Read"],
        "allowed-tools:\n  - Bash(git log *)\n  - Read": ["Bash(git log *)", "Read"],
        "allowed-tools: []": [],
    }
    for line, value in forms.items():
        name, text = keeper.name(), keeper.text()
        data = skill(name, text, line).encode()
        yield Beast(line, data, "loaded", name, name=name, description=text, fields={"allowed-tools": value})


def rejected(keeper: Keeper) -> Iterator[Beast]:
    """What must be refused, with a reason that is shown."""
    text = keeper.text()
    whole = skill("x", text)
    bad: dict[str, tuple[bytes, str]] = {
        "empty": (b"", "empty"),
        "blank": (b"  \n\t\n\n", "empty"),
        "a BOM alone": (b"\xef\xbb\xbf", "empty"),
        "a heading first": (b"# Title\n\n" + whole.encode(), "front matter"),
        "text alone": (b"Just do it.\n", "front matter"),
        "RTF": (b"{\\rtf1\\ansi\\ansicpg1252 ---\\par name: x}", "front matter"),
        "an HTML comment": (b"<!-- made by a tool -->\n" + whole.encode(), "front matter"),
        "in a code fence": (b"```yaml\n" + whole.encode() + b"```\n", "front matter"),
        "not closed": (f"---\nname: x\ndescription: {text}\n\n# Title\n\nText\n".encode(), "closed"),
        "not closed, nothing follows": (f"---\nname: x\ndescription: {text}".encode(), "closed"),
        "only a delimiter": (b"---\n", "closed"),
        "nothing between the delimiters": (b"---\n---\nBody\n", "description"),
        "a list": (b"---\n- name: x\n- description: y\n---\nBody\n", "keys"),
        "a text": (b"---\njust a text\n---\nBody\n", "keys"),
        "a quoted text": (b'---\n"name: x"\n---\nBody\n', "keys"),
        "no description": (b"---\nname: x\nlicense: MIT\n---\nBody\n", "description"),
        "an empty description": (b"---\nname: x\ndescription:\n---\nBody\n", "description"),
        "a blank description": (b"---\nname: x\ndescription: '  '\n---\nBody\n", "description"),
        "a description nobody sees": ("---\nname: x\ndescription: \u200b\u2060\n---\nBody\n".encode(), "description"),
        "a null description": (b"---\nname: x\ndescription: null\n---\nBody\n", "description"),
        "a list as description": (b"---\nname: x\ndescription: [a, b]\n---\nBody\n", "description"),
        "a block list as description": (b"---\nname: x\ndescription:\n- a\n- b\n---\nBody\n", "description"),
        "a map as description": (b"---\nname: x\ndescription: {a: b}\n---\nBody\n", "description"),
        "a block map as description": (b"---\nname: x\ndescription:\n  a: b\n---\nBody\n", "description"),
        "a NUL": (whole.encode().replace(b"Do", b"D\0"), "NUL"),
        "Latin-1": ("---\nname: x\ndescription: Prüft\n---\n".encode("latin-1"), "UTF-8"),
        "UTF-16": (whole.encode("utf-16"), "UTF-8"),
        "GBK": ("---\nname: x\ndescription: 生成发票\n---\n".encode("gbk"), "UTF-8"),
        "half a character": (whole.encode() + "é".encode()[:1], "UTF-8"),
        "too large": (whole.encode() + b"x" * 300_000, "larger than"),
    }
    for clause, (data, reason) in bad.items():
        yield Beast(clause, data, "refused", f"bad-{clause.replace(' ', '-').lower()}", said=(reason,))
