"""Kinds: what a piece of text names by its shape (a path, a URL, a hash, a number with its unit, a host, an error).

Every pattern begins where the class that it repeats begins, and repeats possessively: each character is looked at a
fixed number of times, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Shape = Literal["path", "hash", "number", "url", "host", "error", "name"]
"""``hash`` are ids of all sorts; ``name`` are names in code, which no receipt counts but a completion may give."""

LONGEST = 200
"""Characters of an identifier; what is longer is data."""
ERROR_MOST = 160
_CODE_MOST = 80

_BETWEEN = "\"'`<>()[]{}|,;=&\\→│…“”‘’«»"
_BREAKS = str.maketrans(dict.fromkeys(_BETWEEN, " "))
_DIGIT = re.compile(r"\d")
_URL = re.compile(r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,15}://[^\s\"'`<>\[\]{}|\\]{1,500}+")
_UNITS = (
    "ns us µs ms s sec secs second seconds m min mins minute minutes h hr hrs hour hours d day days week weeks "
    "month months year years B kB KB MB GB TB KiB MiB GiB k K M G bytes byte bits bit px pt em rem vh vw fps Hz "
    "kHz MHz GHz rpm rps qps tok tokens token lines line chars char characters character words word tests test "
    "files file errors error warnings warning failures failure failed passed skipped rows row columns column cols "
    "items item times x × percent requests request commits commit spaces messages message entries entry records "
    "record users sessions tasks issues functions usages colors retries attempts workers threads processes cores "
    "steps pages calls examples cases"
)
_NUMBER = re.compile(rf"\d(?<![\w.,/:#\[;$-]\d)\d*+(?:[.,_]\d++)*+[ -]?(?:%|(?:{'|'.join(_UNITS.split())})(?![\w/-]))")
_DRIVE = re.compile(r"(?<![\w])[A-Za-z]:\\[^\s\"'`<>|]{1,200}+")
_HEX = re.compile(r"[0-9a-f]{7,64}|[0-9A-F]{7,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ID = re.compile(
    r"#\d{1,8}|[A-Z][A-Z0-9]{1,9}-\d{1,7}|v?\d{1,4}(?:\.\d{1,6}){2,3}(?:[-+][\w.]{1,30})?|"
    r"[a-z]{2,8}_(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{12,64}"
)
_IP = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_PORTED = re.compile(r"[\w.-]{2,100}:\d{2,5}")
_SUFFIX = re.compile(r"(?::\d{1,7}){1,2}:?")
_FILE = re.compile(
    r"[\w@+~-][\w.@+~-]*\.([A-Za-z]\w{0,9})|\.(?:env[\w.-]{0,20}|git\w{1,12}|\w{1,20}rc|\w{1,20}ignore|editorconfig|tool-versions)"
)
_CODE = re.compile(r"[A-Za-z_$@:][\w$.:@!?-]*(?:/\d{1,2})?")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Za-z]_[A-Za-z0-9]|[A-Za-z]\d|[a-z]\.[a-z]|[A-Z]\w*\.[A-Za-z_]|::")
_DIRECTORIES_WORDS = (
    "src lib app apps test tests docs doc bin cmd pkg packages internal scripts assets config public dist build "
    "deps priv examples tools benchmarks vendor node_modules home usr etc var tmp opt"
)
_DIRECTORIES = frozenset(_DIRECTORIES_WORDS.split())
_EXTENSIONS_WORDS = (
    "py pyi pyx ts tsx js jsx mjs cjs json jsonl json5 md mdx rst txt html htm css scss sass less vue svelte ex "
    "exs eex heex leex erl hs rs go c h cc cpp hpp cs java kt kts scala rb php swift sql sh bash zsh fish ps1 bat "
    "yaml yml toml ini cfg conf env lock log csv tsv xml svg png jpg jpeg gif webp ico pdf zip gz tgz tar xz db "
    "sqlite proto graphql tf tfvars gradle cmake mk patch diff out output ipynb lua pl dart zig nix wasm pem key "
    "crt dockerfile plist"
)
_EXTENSIONS = frozenset(_EXTENSIONS_WORDS.split())
_TOPS_WORDS = "com org net io dev ai edu gov info app local internal lan test example cloud"
_TOPS = frozenset(_TOPS_WORDS.split())
_ERROR_MARK = re.compile(r"Error|Exception|error|ERROR|FAILED|fatal|panic")
_ERROR = re.compile(
    r"\b(?:[a-z]\w{0,30}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception): |"
    r"\b(?:error|Error|ERROR|fatal|panic)(?:\[\w+\]| [A-Z]{1,4}\d+)?: |\bFAILED "
)
_CODE_LINE = re.compile(
    r"(?:except|catch|raise|throw|class|def|import|return|if|elif|case|//|#|\*|const|let|var)\b|//|#|\*"
)
_EDGES_LEFT = "*+-!?:"
_EDGES_RIGHT = "*.:!?~+-"


_Names = tuple[tuple[Shape, str], ...]


@dataclass(slots=True)
class Memo:
    """What was read before, over many texts: each run of characters that was looked at, and what those name that name
    anything."""

    runs: set[str] = field(default_factory=set)
    names: dict[str, _Names] = field(default_factory=dict)


def named(text: str, memo: Memo) -> list[tuple[Shape, str]]:
    """All that a text names, each once, in a fixed order."""
    found: dict[tuple[Shape, str], None] = {}
    runs, names = runs_of(text), memo.names
    new = set(runs).difference(memo.runs)
    memo.runs |= new
    for run in new:
        if got := tuple(_pieces(run)):
            names[run] = got
    for run in filter(names.__contains__, runs):
        for one in names[run]:
            found[one] = None
    if "://" in text:
        found.update((("url", _url(one)), None) for one in _URL.findall(text))
    found.update((("number", one), None) for one in _NUMBER.findall(text))
    if ":\\" in text:
        found.update((("path", one.rstrip(".,;:!?)")), None) for one in _DRIVE.findall(text))
    found.update((("error", one), None) for one in errors(text))
    return list(found)


def runs_of(text: str) -> list[str]:
    """The runs of characters between blanks, quotes, brackets and the like, in order."""
    text = text.replace("</", "<")  # a closing tag is no absolute path
    if text.isascii():
        return text.translate(_BREAKS).split()
    for sign in _BETWEEN:
        text = text.replace(sign, " ")
    return text.split()


def _url(text: str) -> str:
    """A URL without what closes the sentence or the brackets around it."""
    end = text.rstrip(".,;:!?*")
    return end if not end.endswith(")") or "(" in end else end.rstrip(".,;:!?*)")


def errors(text: str) -> Iterator[str]:
    """The error texts in it, in order: from the name of the error to the end of its line, at most 160 characters."""
    at = 0
    while (mark := _ERROR_MARK.search(text, at)) is not None:
        start, end = text.rfind("\n", at, mark.start()) + 1 or at, text.find("\n", mark.start())
        end = len(text) if end < 0 else end
        line = text[start : min(end, start + 2_000)]
        at = end
        if not _CODE_LINE.match(line.lstrip()) and (found := _ERROR.search(line)) is not None:
            told = line[found.start() :].strip()
            if len(told) > ERROR_MOST:
                told = told[: told.rfind(" ", 0, ERROR_MOST) if " " in told[40:ERROR_MOST] else ERROR_MOST].rstrip()
            of_code = " " not in told[len(found.group()) :] or "${" in told or told.endswith((";", "{"))
            if not of_code or found.group() == "FAILED ":
                yield told


def _pieces(chunk: str) -> Iterator[tuple[Shape, str]]:
    """What one run of characters without a blank names."""
    if chunk.isalpha():
        if not chunk.islower() and not chunk.istitle() and 3 <= len(chunk) <= _CODE_MOST and _HUMP.search(chunk):
            yield from _code(chunk)
        return
    if len(chunk) > 4 * LONGEST or "://" in chunk:
        return
    text = chunk.lstrip(_EDGES_LEFT).rstrip(_EDGES_RIGHT)
    if not 3 <= len(text) <= LONGEST:
        if _ID.fullmatch(text):
            yield "hash", text
        return
    if (":" in text or "." in text) and _host(text):
        yield "host", text
        return
    bare = text[: found.start()] if (found := _tail(text)) is not None else text
    if _DIGIT.search(bare) and ((_HEX.fullmatch(bare) and not bare.isdigit()) or _ID.fullmatch(bare)):
        yield "hash", bare
    elif ("/" in bare or "." in bare) and _path(bare):
        yield "path", bare
    else:
        yield from _code(text)


def _code(text: str) -> Iterator[tuple[Shape, str]]:
    if len(text) <= _CODE_MOST and _HUMP.search(text) and _CODE.fullmatch(text):
        yield "name", text.partition("/")[0].strip(":.@-!?")


def _tail(text: str) -> re.Match[str] | None:
    """The line and column after a path (``:12``, ``:12:5``)."""
    at = text.find(":")
    return _SUFFIX.fullmatch(text, at) if at > 0 else None


def _host(text: str) -> bool:
    name, colon, port = text.rpartition(":")
    if colon and _PORTED.fullmatch(text):
        ending = name.rpartition(".")[2].lower()
        if name == "localhost" or _IP.fullmatch(name):
            return True
        if "." in name:
            return ending not in _EXTENSIONS and ending.isalpha() and len(ending) > 1
        return len(port) >= 4 and name.islower() and name[0].isalpha()
    return bool(_IP.fullmatch(text)) or (
        "." in text and "/" not in text and text.rpartition(".")[2] in _TOPS and text.islower() and "_" not in text
    )


def _path(text: str) -> bool:
    if any(sign in text for sign in "*?^#") or "//" in text or "$" in text[1:]:
        return False
    if "/" not in text:
        found = _FILE.fullmatch(text)
        return found is not None and (found[1] is None or found[1].lower() in _EXTENSIONS)
    parts = [part for part in text.split("/") if part]
    lettered = any(any(map(str.isalpha, part)) for part in parts)
    if not lettered or ":" in text or "%" in text or (text[0] == "~" and text[1] != "/"):
        return False
    if text.startswith(("/", "./", "../", "~/", "$")):
        return len("".join(parts)) > 2
    ending = parts[-1].rpartition(".")
    if text.startswith("@") or (ending[1] and ending[2].lower() in _EXTENSIONS):
        return True
    return (len(parts) > 2 and not text[0].isdigit()) or parts[0].lower() in _DIRECTORIES or text.endswith("/")
