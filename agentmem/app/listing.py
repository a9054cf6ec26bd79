"""Listing: the sessions of a project, for people and for programs."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentmem.app.home import places_of
from agentmem.domain.measure import age, size
from agentmem.domain.visible import visible
from agentmem.memory.memory import (
    SessionHead,
    last_session,
    list_sessions,
    session_at_a_glance,
    session_holder,
    survey_sessions,
)

_TITLE = 60  # characters of a title where nobody says how wide the screen is
_NEWEST = 5
_OFFERED = 48  # characters


def heads(env: Mapping[str, str], *, every: bool = False) -> list[SessionHead]:
    """The sessions of the project around the working directory, newest first; sub-sessions only where `every` one is
    wanted."""
    return list_sessions(places_of(env), every=every)


def survey(env: Mapping[str, str], *, every: bool = False) -> tuple[list[SessionHead], list[str]]:
    """The same, and a line for each session log here that cannot be read, with the cause."""
    found, failures = survey_sessions(places_of(env), every=every)
    return found, [f"{failure.filename} cannot be read: {failure.strerror}" for failure in failures]


def to_json(found: Sequence[SessionHead]) -> list[dict[str, Any]]:
    """One object a session; `changed` is in seconds since 1970, `bytes` the log's size, `forked_from` and
    `reset_from` a session."""
    return [
        {
            "id": one.id,
            "name": one.name or None,
            "at": one.at,
            "cwd": one.cwd,
            "preview": one.preview,
            "last": one.last,
            "changed": one.mtime,
            "bytes": one.size,
            "parent_session": one.parent,
            "forked_from": one.origin,
            "reset_from": one.follows,
        }
        for one in found
    ]


def table(found: Sequence[SessionHead], now: float, columns: int | None = None) -> str:
    """A line a session: id, age, size, directory, name or what it began with, cut to `columns` where that is given."""
    if not found:
        return "no sessions here yet; start one with `agentmem`"
    here = os.getcwd()
    rows = [(one.id, age(now - one.mtime), size(one.size), _where(one.cwd, here), _title(one)) for one in found]
    wide = [max(len(row[column]) for row in rows) for column in range(4)]
    out = []
    for own, old, big, where, title in rows:
        line = f"{own:<{wide[0]}}  {old:>{wide[1]}}  {big:>{wide[2]}}  {where:<{wide[3]}}  "
        out.append((line + title[: max(16, columns - len(line)) if columns else _TITLE]).rstrip())
    return "\n".join(out)


def newest(env: Mapping[str, str]) -> str:
    """The newest sessions, for whoever named none."""
    found = heads(env)[:_NEWEST]
    return table(found, time.time())


def offer(env: Mapping[str, str], now: float) -> str | None:
    """The session that `-c` would go on with, in a line, or why that is not known; None without one, or while another
    process writes it."""
    places = places_of(env)
    try:
        own = last_session(places)
    except OSError as failure:  # a new session begins all the same
        return f"{failure.filename} cannot be read: {failure.strerror}; `agentmem doctor` says more"
    if own is None or session_holder(places, own) is not None:
        return None
    head = session_at_a_glance(places, own)
    if head is None or not head.title:
        return None
    old = age(now - head.mtime)
    title = visible(head.title)
    short = title if len(title) <= _OFFERED else f"{title[: _OFFERED - 1].rstrip()}…"
    return f"last session here: {short} ({old if old == 'now' else f'{old} ago'}): agentmem -c continues it"


def _where(folder: str, here: str) -> str:
    """A directory as seen from here, on one line."""
    if folder == here:
        return "."
    shown = os.path.relpath(folder, here) if folder.startswith(here.rstrip("/") + "/") else folder
    home = str(Path.home())
    return visible(f"~{shown.removeprefix(home)}" if shown.startswith(home + "/") else shown or "?").replace("\n", "␊")


def _title(one: SessionHead) -> str:
    of = f"(of {one.parent}) " if one.parent else ""
    return visible(of + (f"{one.name} · {one.preview}" if one.name else one.preview))
