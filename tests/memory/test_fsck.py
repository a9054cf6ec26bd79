"""What the doctor finds in the logs: each trouble with its place and its mending, and nothing changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from agentmem.domain.clock import Clock
from agentmem.domain.message import Reply, Text, ToolCall
from agentmem.domain.places import Places
from agentmem.domain.tool import ToolResult
from agentmem.memory import memory
from agentmem.memory.read import fsck
from agentmem.memory.read.fsck import READ, Trouble

CALL = ToolCall("c", "bash", {"command": "x"})


def talked(places: Places, clock: Clock) -> Path:
    session = memory.new_session(places, clock, "0")
    session.begin_epoch((), 200_000)
    session.record_user([Text("go", "person")])
    session.record_call("m", b"body")
    session.record_reply(Reply((CALL,), "tool_use"))
    session.record_result(CALL, ToolResult("cut", offload=session.outputs.keep(b"whole", ".txt")), 1)
    session.close()
    return session.path


def troubles(places: Places) -> list[Trouble]:
    before = {path: path.read_bytes() for path in places.shared.rglob("*") if path.is_file()}
    found = fsck.check(places).troubles
    assert {path: path.read_bytes() for path in places.shared.rglob("*") if path.is_file()} == before
    return found


def gone() -> int:
    return int(subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True).stdout)


def test_a_sound_place_has_no_trouble(places: Places, clock: Clock) -> None:
    assert (troubles(places), fsck.check(places).logs) == ([], 0)
    talked(places, clock)
    found = fsck.check(places)
    assert (found.troubles, found.logs, found.sound) == ([], 1, 1)


def test_damage_is_told_by_file_and_line_wherever_it_is(places: Places, clock: Clock) -> None:
    path = talked(places, clock)
    rows = path.read_bytes().split(b"\n")
    rows.insert(2, b"\0\0")
    rows.insert(4, b"\0")
    path.write_bytes(b"\n".join(rows) + b'{"torn')
    assert troubles(places) == [
        Trouble(f"{path}:3", "skipped (NUL bytes) (also lines 5)", READ),
        Trouble(f"{path}:9", "skipped (cut short or no JSON)", READ),
    ]
    assert (fsck.check(places).logs, fsck.check(places).sound) == (1, 0)


def test_sub_sessions_and_headerless_logs_are_read_too(places: Places, clock: Clock) -> None:
    path = talked(places, clock)
    sub = places.sessions / "sub.jsonl"
    sub.write_text('{"type":"session","id":"sub","version":9,"at":"t","cwd":"/","parent_session":"x"}\n[1]\n')
    (places.sessions / "bare.jsonl").write_text('{"type":"message","id":"a","parent_id":null}\n')
    for one in (sub, places.sessions / "bare.jsonl"):
        one.chmod(0o600)
    found = {(trouble.where, trouble.what, trouble.mend) for trouble in troubles(places)}
    assert found == {
        (f"{places.sessions}/bare.jsonl", "missing: the header that belongs first",
         "nothing to do: the file's name says which session it is"),
        (f"{places.sessions}/bare.jsonl:1", "kept, but not readable (a message of an unknown role)",
         "nothing to do: it stays in the file, and no reader can show it"),
        (f"{sub}:1", "written by a newer agentmem (log version 9)", "update agentmem"),
        (f"{sub}:2", "skipped (no object)", READ),
    }  # fmt: skip
    assert path.exists()


def test_what_a_log_names_and_is_gone(places: Places, clock: Clock) -> None:
    path = talked(places, clock)
    (kept,) = (places.offload / path.stem).iterdir()
    kept.unlink()
    for blob in places.blobs.iterdir():
        blob.unlink()
    epoch = next(json.loads(row)["epoch"] for row in path.read_text().splitlines() if '"call"' in row)
    name = os.path.relpath(kept, places.root)
    assert [(one.where, one.what) for one in troubles(places)] == [
        (f"{path}:6", f"the whole output is gone: {name}"),
        (f"{path}:4", f"the prompt parts {epoch}… that this request was made of are gone"),
    ]


def test_a_blob_with_other_bytes_is_wrong(places: Places, clock: Clock) -> None:
    talked(places, clock)
    blob = next(iter(sorted(places.blobs.iterdir())))
    blob.write_bytes(b"{}")
    (trouble,) = troubles(places)
    assert (trouble.where, trouble.wrong) == (str(blob), True)
    assert trouble.mend.startswith(f"rm {blob}")


def test_snapshots_that_point_nowhere(places: Places, clock: Clock) -> None:
    path = talked(places, clock)
    rows = path.read_bytes().rstrip(b"\n").split(b"\n")
    kept = json.loads(rows[1])["id"]

    def snapshot(own: str, first: str, offset: int, segments: list[dict[str, object]]) -> bytes:
        body = {"form": "summary", "first_kept": first, "first_kept_offset": offset, "segments": segments}
        return json.dumps({"type": "compaction", "id": own, "parent_id": kept, "at": "t", **body}).encode()

    good = snapshot("s1", kept, len(rows[0]) + 1, [])
    rows += [good, snapshot("s2", kept, 7, [{"entry": "lost", "offset": 1}]), snapshot("s3", "nobody", 0, [])]
    path.write_bytes(b"\n".join(rows) + b"\n")
    assert [(one.where, one.what, one.wrong) for one in troubles(places)] == [
        (f"{path}:8", f"{kept} is not at byte 7, where it is said to be", False),
        (f"{path}:8", "lost, which this snapshot shows, is gone", True),
        (f"{path}:9", "the first entry that this snapshot keeps is gone: what it covers is shown whole", True),
    ]


def test_what_dead_processes_left_and_living_ones_have(places: Places, clock: Clock) -> None:
    path = talked(places, clock)
    pid = gone()
    lock, half = path.with_suffix(".lock"), places.blobs / f".abc.{pid}.new"
    lock.write_text(json.dumps({"pid": pid, "at": "t"}))
    half.write_text("")
    (places.blobs / f".abc.{os.getpid()}.new").write_text("")
    for one in (lock, half, places.blobs / f".abc.{os.getpid()}.new"):
        one.chmod(0o600)
    assert sorted((one.where, one.mend) for one in troubles(places)) == sorted(
        [(str(half), f"rm {half}"), (str(lock), f"nothing to do: the next one takes it over; or rm {lock}")]
    )
    lock.write_text(json.dumps({"pid": os.getpid(), "at": "t"}))
    half.unlink()
    assert troubles(places) == []


def test_what_others_can_read_and_the_roll(places: Places, clock: Clock) -> None:
    path = talked(places, clock)
    path.chmod(0o644)
    places.offload.chmod(0o755)
    roll = places.shared / "sessions.jsonl"
    roll.write_bytes(b'{"at":"t"}\nno json\n')
    assert [(one.where, one.mend, one.wrong) for one in troubles(places)] == [
        (f"{roll}:2", f"nothing to do: only people read it; rm {roll} has it made anew", False),
        (str(path), f"chmod 600 {path}", True),
        (str(places.offload), f"chmod 700 {places.offload}", True),
    ]
    roll.unlink()
    assert troubles(places)[0].what == "is gone"


def test_a_log_that_cannot_be_read_is_a_trouble(places: Places, clock: Clock) -> None:
    path = talked(places, clock)
    if os.getuid() == 0:
        path.unlink()
        path.mkdir()  # root reads everything but this
        assert fsck.check(places).logs == 0
        return
    path.chmod(0)
    (trouble,) = fsck.check(places).troubles
    assert (trouble.what, trouble.wrong) == ("cannot be read: Permission denied", True)
