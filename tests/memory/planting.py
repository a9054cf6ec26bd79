"""A project in which words stand in everything that is kept; and a search of raw bytes that shares no code with it."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import unicodedata
import zlib
from collections.abc import Iterator
from pathlib import Path

from agentmem.domain.claim import Claim
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.message import Reply, Text, Thinking, ToolCall
from agentmem.domain.places import Places
from agentmem.domain.tool import ToolResult
from agentmem.memory.memory import Session, new_session, noting, remember
from agentmem.memory.stores import queue
from agentmem.memory.stores.folder import make_private, write_private
from agentmem.workspace.checkpoints.vault import open_vault

WORDS = "Café Zürich 47"
FORMS = ("Café Zürich 47", "CAFÉ  ZÜRICH 47", "cafe\u0301\nzu\u0308rich 47", "ｃafé zürich\t47", "ca\u00adfé zürich 47")


def plant(places: Places, clock: Clock) -> str:
    """Put the words everywhere; gives the id of the session that says them."""
    desk = Desk(places, clock)
    remember(desk, Claim(f"The office is at {WORDS} since May"))
    remember(desk, Claim(f"I like the coffee at {WORDS}", "preference"))
    remember(desk, Claim("The build runs on Otto"))
    session = talk(places, clock)
    nested = new_session(places, clock, "0", parent=session.id)
    said(nested, f"task: look at {FORMS[2]}")
    nested.close()
    archive = places.shared / "archive" / session.id
    files = {
        archive / "span.md": f"user: {FORMS[1]}\n",
        places.own / "handoff" / "brief.md": f"Goal: move to {FORMS[0]}.\n",
        places.own / "handoff" / "progress.md": f"- done: {FORMS[2]}\n",
        places.own / "handoff" / "features.json": json.dumps([{"id": "f1", "description": FORMS[3], "passes": False}]),
        places.home / "history": json.dumps(f"where is {FORMS[0]}?") + "\n",
        places.shared / "sessions" / ".left.jsonl.999999.new": f"half of {WORDS}",
        places.shared / "later" / "unknown.jsonl": json.dumps({"note": FORMS[4]}) + "\n",
        places.root
        / "memory"
        / "2026-11-01.md": f"## 10:00 Lunch ^e0123456789ab\r\nWanted: {FORMS[0]}\r\nby hand: é\r\n",
    }
    for path, text in files.items():
        make_private(path.parent)
        write_private(path, text.encode())
    with sqlite3.connect(places.shared / "index.sqlite") as index:
        index.execute("create table said (text)")
        index.execute("insert into said values (?)", (WORDS,))
    index.close()
    queue.put(places.queue, {"id": "q0123456789ab", "at": "", "category": "fact", "text": f"We meet at {WORDS}"})
    checkpoints(places, clock, session.id)
    return session.id


def said(session: Session, text: str) -> None:
    session.begin_epoch((), 200_000)
    session.record_user([Text(text, "person")])
    session.record_call("x/y", b"body")


def talk(places: Places, clock: Clock) -> Session:
    """A session that says the words in every kind of entry."""
    session = new_session(places, clock, "0")
    said(session, f"Where is {FORMS[0]}? It's {FORMS[2]}.")
    raw = json.dumps({"q": json.dumps({"deep": FORMS[0]})})
    calls = (
        Thinking(f"they mean {FORMS[1]}", "c2lnbmVk", "x"),
        Text(f"Looking for {FORMS[3]}", "agent"),
        ToolCall("t1", "bash", {"command": f"grep '{FORMS[0]}' {raw}", FORMS[0]: ["x", FORMS[4]]}),
    )
    session.record_reply(Reply(calls, "tool_use"))
    session.record_result(
        calls[2], ToolResult(f"found: {raw}", offload=session.outputs.keep(FORMS[1].encode(), ".txt")), 3
    )
    session.record_notice(f"a notice of {FORMS[0]}")
    session.record_reply(Reply((Text(f"It is at {FORMS[0]}.", "agent"),), "end"))
    session.rename(f"about {FORMS[0]}")
    session.label(f"label {FORMS[0]}")
    session.record_user([Text("and otherwise?", "person")])
    session.record_reply(Reply((Text("All is well.", "agent"),), "end"))
    session.sync()
    session.close()
    noting.close(session, clock)
    return session


def checkpoints(places: Places, clock: Clock, session: str) -> None:
    vault = open_vault(places, session, clock, os.environ)
    for name, text in (("a.txt", f"at {FORMS[1]}\n"), ("b.txt", "nothing\n")):
        (places.root / name).write_text(text)
        vault.keep([str(places.root / name)])
    vault.snap(10.0)
    (places.root / "a.txt").write_text("clean\n")
    vault.keep([str(places.root / "a.txt")])
    vault.snap(10.0)
    vault.close()


def leaks(places: Places, words: str = WORDS) -> list[str]:
    """Every file and git object that holds the words in any form, what people wrote themselves aside."""
    return sorted({name for name, data in everything(places) if _stands_in(words, data)})


def everything(places: Places) -> Iterator[tuple[str, bytes]]:
    roots = [places.own, places.shared, places.home, places.root / "memory", places.root / "MEMORY.md"]
    for root in dict.fromkeys(roots):
        paths = [root] if root.is_file() else sorted(path for path in root.rglob("*") if path.is_file())
        for path in paths:
            if path.is_symlink():
                continue
            data = path.read_bytes()
            yield str(path), data
            if "objects" in path.parts and len(path.parent.name) == 2:
                yield str(path), zlib.decompress(data)
    for git in (*places.shared.glob("*.git"), *places.home.glob("*.git")):
        listed = _git(git, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")
        for line in listed.decode().split("\n"):
            if line:
                name, kind = line.split()
                yield f"{git}:{name}", _git(git, "cat-file", kind, name)


def _git(folder: Path, *words: str) -> bytes:
    return subprocess.run(["git", f"--git-dir={folder}", *words], capture_output=True, check=True).stdout


def _stands_in(words: str, data: bytes) -> bool:
    text, wanted = data.decode("utf-8", "replace"), _plain(words)
    for _ in range(6):
        if wanted in _plain(text):
            return True
        text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda one: chr(int(one[1], 16)), text)
        text = re.sub(r"\\([\"\\/nrt])", lambda one: {"n": "\n", "r": "\r", "t": "\t"}.get(one[1], one[1]), text)
    return False


def _plain(text: str) -> str:
    kept = "".join(sign for sign in unicodedata.normalize("NFKD", text) if unicodedata.category(sign) != "Cf")
    return "".join(kept.casefold().split())
