"""Marking: where the secrets of a MEMORY.md stand, and what stands for them."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmem.domain.places import Places
from agentmem.memory.stores import folder, whereabouts
from agentmem.memory.stores.bullets import keyed, parse
from agentmem.memory.write import marking, redact, secrecy

HMAC = b"k" * 32
KEY = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGlRQTL3x1l2m3n4o5p6q7r8s9t0\n-----END EC PRIVATE KEY-----"
SECRETS = (
    "AKIAIOSFODNN7EXAMPLQ",
    "the password is swordfishery",
    "postgres://app:s3cr3tpw99@db/app",
    "login: ana / hunterhunter",
    KEY,
)


@pytest.fixture
def keyed_places(places: Places) -> Places:
    folder.make_private(places.home)
    folder.make_private(places.shared)
    (places.home / "hmac.key").write_bytes(HMAC)
    return places


def kinds(text: str, places: Places) -> list[tuple[int, int, str]]:
    found = marking.marked(text.encode(), "project", places)
    return [(one.line, one.last, one.kind) for one in found.secrets]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- we use pnpm\n", []),
        ("- we use pnpm\n- the deploy key is AKIAIOSFODNN7EXAMPLQ\n", [(2, 2, "aws key")]),
        ("- the password is swordfishery ^m7f3a2c9d01b8\n", [(1, 1, "password")]),
        ("- the wifi password\n  is swordfishery\n", [(2, 2, "password")]),
        ("\ufeff- x\r\n- the password is swordfishery\r\n", [(2, 2, "password")]),
        ("- x\r- the password is swordfishery\r- y", [(2, 2, "password")]),
        (f"a\n\n{KEY}\nb\n", [(3, 5, "private key")]),
        (
            "- the password is swordfishery\n- type swordfishery, not swordfisherys\n",
            [(1, 1, "password"), (2, 2, "password")],
        ),
        ("- the password is required\n- password policy: 12 characters\n", []),
        ("- the password is [redacted: password 7396]\n", []),
        ("- api key 9f8e7d6c5b4a39281706f5e4d3c2b1a0zz stands here\n", [(1, 1, "secret")]),
    ],
)
def test_where_secrets_stand(text: str, expected: list[tuple[int, int, str]], keyed_places: Places) -> None:
    assert kinds(text, keyed_places) == expected


def test_marks_stand_for_them_and_lines_keep_their_numbers(keyed_places: Places) -> None:
    text = f"- x\r\n{KEY}\n- the password is swordfishery ^m7f3a2c9d01b8\n- y\n"
    found = marking.marked(text.encode(), "project", keyed_places)
    assert found.text() == (
        "- x\n[redacted: private key f277]\n\n\n- the password is [redacted: password 0d02] ^m7f3a2c9d01b8\n- y\n"
    )
    assert found.rows == {2, 3, 4, 5}
    assert [one.text for one in found.withheld().values()] == [
        "[redacted: private key f277]",
        "the password is [redacted: password 0d02]",
    ]


lines = st.lists(
    st.one_of(st.sampled_from(SECRETS), st.text(st.characters(codec="utf-8"), max_size=20)), min_size=1, max_size=6
)


@given(lines, st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=60)
def test_a_marked_file_has_the_same_lines_and_comes_back_whole(rows: list[str], end: str) -> None:
    data = end.join(f"- {row}" for row in rows).encode()
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "hmac.key").write_bytes(HMAC)
        places = Places(*(Path(home),) * 4)
        found = marking.marked(data, "user", places)
        assert (found.data.count(b"\n"), found.data.count(b"\r")) == (data.count(b"\n"), data.count(b"\r"))
        assert marking.raw(found.data, data, "user", places) == data
        assert marking.marked(found.data, "user", places).secrets == ()


@given(lines)
@settings(max_examples=60)
def test_nothing_that_the_gate_refuses_is_left_in_a_marked_file(rows: list[str]) -> None:
    text = "\n".join(f"- {row}" for row in rows)
    clean = redact.Redactor(lambda: HMAC)
    out, at = [], 0
    for start, end, kind in marking._spans(text):
        out += [text[at:start], clean.mark(kind, text[start:end])]
        at = end
    left = "".join([*out, text[at:]])
    assert [one.text for one in keyed(parse(left)).values() if redact.said(one.text)] == []


def test_a_restored_version_gets_back_what_stands_there_still(keyed_places: Places) -> None:
    now = f"- the password is swordfishery\r\n{KEY}\n- z\n".encode()
    version = marking.marked(now, "project", keyed_places).data + b"- [redacted: api key 1234]\n"
    assert marking.raw(version, now, "project", keyed_places) == now + b"- [redacted: api key 1234]\n"
    assert marking.raw(version, b"- z\n", "project", keyed_places) == version


def test_what_was_found_is_kept_by_hash_without_a_secret_in_it(keyed_places: Places) -> None:
    kept = keyed_places.shared / "marks.json"
    data = b"- key AKIAIOSFODNN7EXAMPLQ\n- other\n"
    found = marking._found(data, keyed_places.home, kept)
    assert b"AKIAIOSFODNN7EXAMPLQ" not in kept.read_bytes()
    assert marking._found(data, keyed_places.home, kept) == found
    held = json.loads(kept.read_text())
    assert whereabouts.read(kept, held["key"], keyed_places.home) == found
    assert whereabouts.read(kept, whereabouts.key_of(data + b"x"), keyed_places.home) is None


def test_a_forged_note_that_a_file_is_harmless_is_not_heeded(keyed_places: Places) -> None:
    kept = keyed_places.shared / "marks.json"
    data = b"- key AKIAIOSFODNN7EXAMPLQ\n"
    marking._found(data, keyed_places.home, kept)
    held = json.loads(kept.read_text())
    kept.write_text(json.dumps({**held, "places": []}))
    assert [kind for *_, kind in marking._found(data, keyed_places.home, kept)] == ["aws key"]
    kept.write_text("[]")
    assert [kind for *_, kind in marking._found(data, keyed_places.home, kept)] == ["aws key"]


@pytest.mark.parametrize("text", [*SECRETS, "we use pnpm", "api key 9f8e7d6c5b4a39281706f5e4d3c2b1a0zz"])
def test_a_secret_is_found_where_the_gate_finds_one(text: str) -> None:
    assert bool(secrecy.spans(text)) is secrecy.secret(text)
