"""Archive files, `.agent/archive/<session>/<first>-<last>-<digest>.md`: spans whose summary failed, whole and durable.

# Archived: 212 entries of 2026-11-30T09-02-11-4f2a91, c3… to k9…

Their summary failed (the reply was empty). Each line is an entry as it stands in the session's log; the same as text
follows.

```jsonl
{"type":"message","id":"c3…","parent_id":"a1…","at":"…","role":"user","content":[…]}
```

## user · c3… · 2026-11-30T09:02:11Z

the text, as it is
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from agentmem.domain.entry import Entry
from agentmem.domain.message import Image, Part, Text, Thinking
from agentmem.memory.stores import folder, lines

_OPENS, _CLOSES = b"\n```jsonl\n", b"\n```\n"


def put(archive: Path, session: str, span: Sequence[Entry], why: str) -> Path:
    """Keep a span whole, fsynced with its folder; `why` its summary failed is told in it. The same span has the same
    file. Raises `OSError`."""
    place = archive / _name(session)
    rows = b"".join(_line(entry) for entry in span).rstrip(b"\n")
    path = place / f"{_name(span[0].id)}-{_name(span[-1].id)}-{sha256(rows).hexdigest()[:8]}.md"
    told = (
        f"# Archived: {len(span)} entries of {session}, {span[0].id} to {span[-1].id}\n\n"
        f"Their summary failed ({' '.join(why.split())}). Each line is an entry as it stands in the session's log;\n"
        "the same as text follows.\n"
    )
    text = "\n".join(_told(entry) for entry in span)
    data = _bytes(told) + _OPENS + rows + _CLOSES + _bytes("\n" + text)
    folder.make_private(place)
    staged = path.with_name(f".{path.name}.new")
    try:
        folder.write_new(staged, data, 0o600, durable=True)
        staged.replace(path)
        for one in (place, archive, archive.parent):
            folder.sync_folder(one)
    except OSError:
        staged.unlink(missing_ok=True)
        raise
    return path


def read(path: Path) -> tuple[Entry, ...]:
    """The entries of an archive file. Raises `OSError`, `ValueError` where the file is not whole."""
    _, opened, rest = path.read_bytes().partition(_OPENS)
    rows, closed, _ = rest.partition(_CLOSES)
    if not (opened and closed):
        raise ValueError(f"{path} is no whole archive file")
    found = []
    for row in rows.split(b"\n"):
        objects, fault = lines.parse(row)
        if fault is not None or len(objects) != 1:
            raise ValueError(f"{path} holds a line that is no entry: {fault}")
        body = objects[0]
        kind, own, parent, at = (body.pop(key, None) for key in ("type", "id", "parent_id", "at"))
        found.append(Entry(str(kind), str(own), parent, str(at), body))
    return tuple(found)


def _line(entry: Entry) -> bytes:
    value = entry.to_json()
    try:
        return lines.dump(value)
    except (ValueError, RecursionError):
        return lines.dump(lines.sound(value))


def _told(entry: Entry) -> str:
    message = entry.message()
    head = f"## {entry.type if message is None else message.role} · {entry.id} · {entry.at}\n"
    return head if message is None else head + "".join(f"\n{text}\n" for part in message.parts for text in _texts(part))


def _texts(part: Part) -> Iterator[str]:
    match part:
        case Text() | Thinking():
            yield part.text
        case Image():
            yield f"[an image, {part.media_type}]"
        case _:
            yield f"[{part.name}]" + (f"\n{part.raw}" if part.raw else "")
            for key, value in part.arguments.items():
                yield f"{key}:\n{value}" if isinstance(value, str) else f"{key}: {value}"


def _name(own: str) -> str:
    """An id as a part of a file's name."""
    return re.sub(r"[^\w.-]", "_", own).lstrip(".")[:60] or "_"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
