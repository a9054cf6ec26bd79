"""A script is read whole, and what is wrong with it is told with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmem.domain.message import Usage
from agentmem.model.door import ModelError
from agentmem.model.script import ScriptedCall, ScriptedReply, read_script


def write(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_every_field_is_read(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '{"text":"Hi","thinking":"hm","usage":{"input":9,"output":4,"cached":2},"stop":"length","delay_ms":250,"note":1}',
        "",
        '{"tool_calls":[{"name":"read","arguments":{"path":"ä"},"id":"x"},{"name":"ls"},{"name":"w","raw":"{\\"a"}]}',
        "  ",
        "{}",
    )
    assert read_script(path) == (
        ScriptedReply("Hi", "hm", (), Usage(9, 4, 2), "length", None, 0.25),
        ScriptedReply(
            calls=(
                ScriptedCall("read", '{"path": "ä"}', "x"),
                ScriptedCall("ls", "{}", None),
                ScriptedCall("w", '{"a', None),
            )
        ),
        ScriptedReply(),
    )


def test_errors_are_text_or_an_object(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '{"error":"it broke"}',
        '{"error":{"failure":"rate_limit","message":"slow","retry_after":3,"status":429}}',
        '{"error":{"failure":"overflow"}}',
    )
    errors = [reply.error for reply in read_script(path)]
    assert [(e.failure, str(e), e.status, e.retry_after) for e in errors if e] == [
        ("server", "it broke", None, None),
        ("rate_limit", "slow", 429, 3),
        ("overflow", "overflow", None, None),
    ]


def test_a_byte_order_mark_and_crlf_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"text":"a"}\r\n{"text":"b"}\r\n')
    assert [reply.text for reply in read_script(path)] == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"text":', "Expecting value: line 1 column 9 (char 8)"),
        ("[]", "the line must be a JSON object"),
        ('{"texts":"a","x":1}', "none of its keys is known: texts, x"),
        ('{"text":1}', "text has the wrong type (int)"),
        ('{"tool_calls":{}}', "tool_calls has the wrong type (dict)"),
        ('{"tool_calls":["read"]}', "each of tool_calls must be an object with a name"),
        ('{"tool_calls":[{"name":""}]}', "each of tool_calls must be an object with a name"),
        (
            '{"tool_calls":[{"name":"a","arguments":[]}]}',
            "a call's arguments must be an object, its raw arguments a string",
        ),
        ('{"usage":7}', "usage has the wrong type (int)"),
        ('{"stop":"never"}', "stop must be one of end, tool_use, length, refusal, interrupted"),
        ('{"delay_ms":-1}', "delay_ms must be a number of milliseconds"),
        ('{"delay_ms":true}', "delay_ms has the wrong type (bool)"),
        ('{"error":7}', "error must be a string or an object"),
        ("[" * 100_000, "maximum recursion depth exceeded"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, why: str) -> None:
    path = write(tmp_path, '{"text":"fine"}', "", line)
    with pytest.raises(ModelError) as caught:
        read_script(path)
    assert caught.value.failure == "bad_request"
    assert str(caught.value).startswith(f"{path}:3: no reply of a script: {why}")


def test_an_unknown_failure_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r":1: .* error.failure must be one of refused_key, .*, dry$"):
        read_script(write(tmp_path, '{"error":{"failure":"nope"}}'))


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"text":"a"}\n{"text":"\xff"}\n')
    with pytest.raises(ModelError, match=r":2: no reply of a script: 'utf-8' codec"):
        read_script(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        read_script(tmp_path / "gone.jsonl")
    assert str(caught.value) == f"the script {tmp_path}/gone.jsonl cannot be read: No such file or directory"
