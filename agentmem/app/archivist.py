"""The archivist: what `agentmem sessions` does with one session: read, fork, name and remove it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from agentmem import __version__
from agentmem.app.consent import agree, require_person
from agentmem.app.home import places_of
from agentmem.domain.clock import Clock
from agentmem.domain.measure import size
from agentmem.domain.visible import visible
from agentmem.memory.memory import (
    Tree,
    Twig,
    branch_of,
    find_session,
    fork_session,
    labels_of,
    name_of,
    outline,
    read_session,
    remove_session,
    resume_session,
    session_at_a_glance,
)
from agentmem.workspace.checkpoints.repository import forget


def opened(called: str, env: Mapping[str, str]) -> Tree:
    """All of a session. Raises `SessionMissing`, `LogWriteError`."""
    return read_session(places_of(env), called)


def branch_to_json(tree: Tree, at: str | None) -> dict[str, Any]:
    """A session's branch: header, name, and its entries as they stand in the log, root first."""
    return {
        "session": tree.header.to_json(),
        "name": name_of(tree.entries) or None,
        "entries": [entry.to_json() for entry in branch_of(tree, at)],
        "notices": list(tree.notices),
    }


def tree_to_json(tree: Tree) -> dict[str, Any]:
    """A session's tree: each entry with its parent, what kind it is, its label; the current leaf."""
    labels = labels_of(tree.entries)
    path = {entry.id for entry in tree.branch()}
    return {
        "session": tree.header.id,
        "name": name_of(tree.entries) or None,
        "leaf": tree.entries[-1].id if tree.entries else None,
        "entries": [
            {
                "id": entry.id,
                "parent_id": entry.parent_id,
                "type": entry.type,
                "role": entry.body.get("role"),
                "at": entry.at,
                "label": labels.get(entry.id),
                "on_path": entry.id in path,
            }
            for entry in tree.entries
        ],
        "notices": list(tree.notices),
    }


def drawn(tree: Tree, columns: int | None = None) -> str:
    """The tree as lines, a row for each message, cut to `columns` where that is given."""
    rows = outline(tree)
    name = name_of(tree.entries)
    head = f"session {tree.header.id}" + (f" · {name}" if name else "")
    body = [_drawn_row(row, columns) for row in rows] or ["(nothing was said)"]
    return "\n".join([visible(head), *body])


_WHO = {"you": "you  ", "agent": "agent", "mark": "·    "}


def _drawn_row(row: Twig, columns: int | None) -> str:
    calls = f"  ({row.calls} call{'s' if row.calls > 1 else ''})" if row.calls else ""
    label = f"  [{row.label}]" if row.label else ""
    after = visible(f"{label}{calls}{'  ← here' if row.here else ''}")
    start = f"{row.id[:12]:<12} {'*' if row.on_path else ' '} {row.rails}{_WHO[row.who]} "
    room = max(12, columns - len(start) - len(after)) if columns else 100
    text = visible(row.text)
    return start + (text if len(text) <= room else f"{text[: room - 1]}…") + after


def fork(called: str, at: str | None, env: Mapping[str, str]) -> str:
    """Fork a session at an entry; gives the fork's id. Raises `SessionMissing`, `EntryMissing`, `LogWriteError`."""
    return fork_session(places_of(env), Clock(), __version__, called, at)


def rename(called: str, name: str, env: Mapping[str, str]) -> tuple[str, str]:
    """Name a session; gives its id and the name as it was kept. Raises `SessionMissing`, `SessionBusy`,
    `LogWriteError`."""
    session = resume_session(places_of(env), Clock(), called)
    try:
        session.rename(name)
        session.sync()
    finally:
        session.close()
    return session.id, session.name


def delete(called: str, env: Mapping[str, str], ask: Callable[[str], str] | None, *, yes: bool = False) -> list[str]:
    """Remove a session for good once the person says `yes`, already or when asked (`ask` None: nobody is there); gives
    what was removed and what was kept, a line each.

    Raises `NotThePerson` under an agent, `NotAgreed`, `NobodyToAsk`, `SessionMissing`, `SessionBusy`, `LogWriteError`.
    """
    require_person(env, "delete a session")
    places = places_of(env)
    own = find_session(places, called)
    if not yes:
        head = session_at_a_glance(places, own)
        about = f" ({size(head.size)}: {visible(head.title)[:60]})" if head else ""
        agree(f"Delete session {own}{about} for good?", ask)
    removed = remove_session(places, Clock(), own)
    for path in removed.paths:
        forget(places.shared / "checkpoints.git", path.stem)
    told = [f"removed {os.path.relpath(path, places.cwd)}" for path in removed.paths]
    return told + [f"kept {kept}" for kept in removed.kept]
