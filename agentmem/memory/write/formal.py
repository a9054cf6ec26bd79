"""Formal: what is nobody's words in the files that the harness writes: ids, seals, hashes and the names of git's lines.

A word such as `cafe` or `user` may stand in them by chance; taken out there, a file would be no file of its kind any
more. Only what has the very shape that the harness gives it counts, so that no words hide in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_ID = rb"[a-z][0-9a-f]{9,40}"
_SESSION = rb"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[0-9a-f]+"
_ENTRY = rb"[0-9a-f]{8,40}"
_WORDS = rb"user|curator|agent|tool|project|import|dream|harness"
_OPS = rb"ADD|UPDATE|EXPIRE|FORGET|FOUND|CAME|EDIT|TRUST|REMOVED|RESTORE|EPISODE"
_WHO = rb"agentmem <agentmem@localhost> \d+ \+0000"
_SUBJECT = rb"(?:(?:%s)(?: %s)?(?:, )?)+" % (_OPS, _ID)

PAGE = re.compile(
    rb"(?<=[ \t]\^)%s(?=[ \t]*\r?$)|^session %s(?:, entries %s(?:\.\.%s)?)? \xc2\xb7 importance \d+ \xc2\xb7 outcome: "
    % (_ID, _SESSION, _ENTRY, _ENTRY),
    re.MULTILINE,
)
"""In Markdown: the id at a line's end, and the line that names an episode's session."""

GIT = re.compile(
    rb"^(?:tree|parent|object) [0-9a-f]{40}$|^(?:author|committer) %s$|^(?:[0-9a-f]{40} ){2}%s\t(?:%s)?|^%s$"
    rb"|^(?:Op: (?:%s)|(?:Principal|Approved-By): (?:%s)|(?:Fact|Ledger|Replaces): %s|Session: %s|Entry: %s"
    rb"|Seal: [0-9a-f]{32})$|^\[\w+\]$|^\t\w+ = (?:true|false|\d+)$"
    % (_WHO, _WHO, _SUBJECT, _SUBJECT, _OPS, _WORDS, _ID, _SESSION, _ENTRY),
    re.MULTILINE,
)
"""In a private git directory: a commit's head and trailers, the lines of its logs and of its config."""


NAME = re.compile(rb"MEMORY\.md|memory|ledger\.jsonl|\d{4}-\d\d-\d\d\.md|skills|SKILL\.md|files|outside|seen")
"""The files and folders of a private git directory that the harness itself gave their names."""


def apart(spans: Sequence[tuple[int, int]], data: bytes, form: re.Pattern[bytes]) -> list[tuple[int, int]]:
    """The spans that are not wholly part of what is formal."""
    if not spans:
        return []
    formal = [match.span() for match in form.finditer(data)]
    return [(start, end) for start, end in spans if not any(at <= start and end <= to for at, to in formal)]
