from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from planting import FORMS, WORDS, leaks, plant, said, talk

from agentmem.domain.belief import fold
from agentmem.domain.claim import Claim
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.message import Reply, Text
from agentmem.domain.obstacle import StillOpen
from agentmem.domain.places import Places
from agentmem.memory.memory import (
    LogWriteError,
    Session,
    check,
    history,
    new_session,
    oversight,
    remember,
    resume_session,
)
from agentmem.memory.read.beliefs import beliefs
from agentmem.memory.read.tellers import tellers
from agentmem.memory.stores import episodic, ledger, versions
from agentmem.memory.stores.bullets import derived
from agentmem.memory.stores.log import LogWriter
from agentmem.memory.write.gate import chronicle
from agentmem.memory.write.gate.adoption import catch_up


def forgotten(places: Places, clock: Clock, query: str = WORDS, own: Session | None = None) -> oversight.Receipt:
    wish, _ = oversight.sought(places, query)
    return oversight.forget(wish, places, clock, own)


def kinds(seen: oversight.Sightings) -> set[str]:
    return {one.holding.kind for one in seen.found}


def test_after_forgetting_no_byte_anywhere_holds_the_words_and_every_file_is_sound(
    places: Places, clock: Clock
) -> None:
    session = plant(places, clock)
    logs = {path: path.stat() for path in places.sessions.glob("*.jsonl")}
    assert len(leaks(places)) > 20
    _, seen = oversight.sought(places, WORDS)
    assert kinds(seen) == {"memory", "page", "ledger", "log", "lines", "json", "text", "blob", "derived", "left", "git"}
    receipt = forgotten(places, clock)
    assert leaks(places) == []
    assert receipt.done and receipt.left.found == [] and receipt.before.count > 20
    for path, before in logs.items():
        after = path.stat()
        assert (after.st_size, after.st_mtime_ns, after.st_mode) == (before.st_size, before.st_mtime_ns, before.st_mode)
        for line in path.read_bytes().split(b"\n")[:-1]:
            json.loads(line)
    for path in (*places.shared.rglob("*.json"), *places.own.rglob("*.json")):
        json.loads(path.read_bytes())
    assert [trouble for trouble in check(places).troubles if trouble.wrong] == []
    for git in (*places.shared.glob("*.git"), places.home / "history.git"):
        assert subprocess.run(["git", f"--git-dir={git}", "fsck", "--full", "--no-dangling"]).returncode == 0
    resumed = resume_session(places, clock, session)
    assert resumed.name == "about [forgotten_____]"
    assert resumed.entries[-1].message() is not None
    resumed.close()
    assert (places.root / "memory" / "2026-11-01.md").read_bytes() == (
        b"## 10:00 Lunch ^e0123456789ab\r\nWanted: [forgotten]\r\nby hand: \xc3\xa9\r\n"
    )


def test_the_second_time_nothing_is_there_and_it_is_known_when_it_went(places: Places, clock: Clock) -> None:
    plant(places, clock)
    forgotten(places, clock)
    wish, seen = oversight.sought(places, "cafe\u0301 zürich 47")
    assert seen.found == []
    assert oversight.forgotten_on(places, wish) == "2026-11-30T12:02:11Z"
    other, _ = oversight.sought(places, "other words")
    assert oversight.forgotten_on(places, other) is None
    for path in (places.shared / "forgotten.jsonl", places.ledger):
        assert "Caf" not in path.read_text()
        assert '"hmac":"' in path.read_text()


def test_a_call_that_sent_the_words_is_forgotten_and_not_wrong(places: Places, clock: Clock) -> None:
    session = plant(places, clock)
    past = history(places, session)
    assert [past.forgotten(call) for call in past.calls] == [False]
    forgotten(places, clock)
    past = history(places, session)
    assert [past.forgotten(call) for call in past.calls] == [True]


def test_a_prompt_part_that_is_gone_makes_its_call_forgotten(places: Places, clock: Clock) -> None:
    places.memory_file.write_text(f"- We are at {WORDS}\n")
    session = new_session(places, clock, "0")
    said(session, "hello")
    session.close()
    forgotten(places, clock)
    past = history(places, session.id)
    assert [past.forgotten(call) for call in past.calls] == [True]
    assert [trouble for trouble in check(places).troubles if "blob" in trouble.where or "parts" in trouble.what] == []


def test_a_session_that_another_process_writes_leaves_everything_as_it_is(places: Places, clock: Clock) -> None:
    session = plant(places, clock)
    writer = LogWriter.open(places.sessions / f"{session}.jsonl", clock)
    before = snapshot(places)
    with pytest.raises(StillOpen) as refused:
        forgotten(places, clock)
    writer.close()
    assert f"session {session} is in use by process {os.getpid()}" in str(refused.value)
    assert snapshot(places) == before
    assert forgotten(places, clock).done


def snapshot(places: Places) -> dict[str, bytes]:
    skipped = (".lock", "memory.lock")
    paths = [path for root in (places.root, places.home) for path in root.rglob("*") if path.is_file()]
    return {str(path): path.read_bytes() for path in paths if not path.name.endswith(skipped)}


def test_a_session_elsewhere_that_shows_the_words_to_its_model_counts_as_holding_them(
    places: Places, clock: Clock, tmp_path: Path
) -> None:
    places.memory_file.write_text(f"- We are at {WORDS}\n")
    live = new_session(places, clock, "0")
    said(live, "hello")
    assert WORDS.encode() not in live.path.read_bytes()
    with pytest.raises(StillOpen):
        forgotten(places, clock)
    live.close()
    assert forgotten(places, clock).done


def test_ones_own_session_goes_on_without_the_words(places: Places, clock: Clock) -> None:
    places.memory_file.write_text(f"- We are at {WORDS}\n")
    own = new_session(places, clock, "0")
    said(own, f"forget {FORMS[2]} please")
    own.record_reply(Reply((Text(f"all of {WORDS}?", "agent"),), "end"))
    assert forgotten(places, clock, own=own).done
    shown = own.prompt()
    assert WORDS not in str(shown) and FORMS[2] not in str(shown)
    entry = own.record_user([Text("go on", "person")])
    own.record_call("x/y", b"more")
    own.sync()
    with pytest.raises(Exception, match="in use"):
        LogWriter.open(own.path, clock)
    own.close()
    assert entry.id in own.path.read_text()
    assert leaks(places) == []
    assert [trouble.what for trouble in check(places).troubles if trouble.wrong] == []


def test_a_fact_goes_by_its_id_and_the_others_stay(places: Places, clock: Clock) -> None:
    places.memory_file.write_bytes(b"\xef\xbb\xbf# Mine\r\n\r\n- by hand\r\n## Facts\r\n- older ^mabc\r\n")
    desk = Desk(places, clock)
    kept = remember(desk, Claim("The build runs on Otto"))
    gone = remember(desk, Claim("The vault opens with seven turns"))
    receipt = forgotten(places, clock, str(gone.id))
    assert receipt.facts == (gone.id,)
    assert places.memory_file.read_bytes() == (
        b"\xef\xbb\xbf# Mine\r\n\r\n- by hand\r\n## Facts\r\n- older ^mabc\r\n"
        + f"- The build runs on Otto ^{kept.id}\r\n".encode()
    )
    told = fold(ledger.records(places.ledger))
    assert (told[str(gone.id)].forgotten, told[str(gone.id)].text, told[str(kept.id)].forgotten) == (True, "", False)
    assert leaks(places, "seven turns") == []
    start = str(kept.id)[:8] if str(kept.id)[:8] != str(gone.id)[:8] else str(kept.id)
    assert forgotten(places, clock, f"^{start}").facts == (kept.id,)


def test_a_belief_that_loses_some_words_is_still_the_persons(places: Places, clock: Clock) -> None:
    desk = Desk(places, clock)
    fact = remember(desk, Claim("Ann and Bob own deploys"))
    with places.memory_file.open("a") as file:
        file.write("- by hand: Ann lives at Elm Road\n- Ann\n")
    catch_up(desk.level("project"), desk, True, lambda level: [])
    hand = {one.belief.fact for one in beliefs(places)} - {fact.id}
    receipt = forgotten(places, clock, "ann")
    now = {one.belief.text: (one.word, one.belief.fact) for one in beliefs(places)}
    assert now == {
        "by hand: [forgotten] lives at Elm Road": ("person", derived("by hand: [forgotten] lives at Elm Road")),
        "[forgotten] and Bob own deploys": ("person", fact.id),
    }
    assert set(receipt.facts) == hand
    assert catch_up(desk.level("project"), desk, True, lambda level: []) is None
    told = fold(ledger.records(places.ledger))
    assert {own for own, belief in told.items() if belief.forgotten} == hand


def test_what_stays_in_a_day_file_is_told_by_whoever_told_it(places: Places, clock: Clock) -> None:
    desk = Desk(places, clock)
    text = "## 09:14 Own  ^e1\nsession s0, entries a..b\nWanted: ask Ann."
    chronicle.episode("e1", "2026-11-30", text, desk)
    day, forged = places.root / "memory" / "2026-11-30.md", "## Forged\nAnn said so.\n"
    with day.open("a") as file:
        file.write(f"\n{forged}")
    (places.root / "memory" / "2026-11-29.md").mkdir()
    chronicle.hold([forged], desk.level("project"), desk)
    forgotten(places, clock, "ann")
    told = tellers(places, "project")
    assert "Ann" not in day.read_text()
    assert [told(section) for section in episodic.sections(day.read_text())] == ["harness", "tool"]


def test_links_are_not_followed_out_and_what_is_the_persons_is_named(
    places: Places, clock: Clock, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "MEMORY.md").write_text(f"- {WORDS}\n")
    (outside / "x.txt").write_text(WORDS)
    places.memory_file.symlink_to(outside / "MEMORY.md")
    talk(places, clock)
    (places.offload / "away").symlink_to(outside)
    (places.shared / "archive").symlink_to(outside)
    (places.root / "AGENT.md").write_text(f"You know {WORDS}.\n")
    skill = places.root / "skills" / "visit" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(WORDS)
    twin = tmp_path / "twin.txt"
    os.link(next(places.offload.rglob("*.txt")), twin)
    receipt = forgotten(places, clock)
    assert receipt.done
    assert (outside / "MEMORY.md").read_text() == f"- {WORDS}\n" and (outside / "x.txt").read_text() == WORDS
    assert [path.name for path in receipt.left.yours] == ["AGENT.md", "SKILL.md"]
    assert sorted(path.name for path in receipt.left.away) == ["MEMORY.md", "archive", "away"]
    assert [path.name for path in receipt.before.twins] == [next(places.offload.rglob("*.txt")).name]
    assert FORMS[1] in twin.read_text()


def test_what_cannot_be_read_is_left_and_said(places: Places, clock: Clock) -> None:
    plant(places, clock)
    pack = places.shared / "checkpoints.git" / "objects" / "pack"
    pack.mkdir()
    (pack / "pack-1.pack").write_bytes(b"PACK?")
    receipt = forgotten(places, clock)
    assert (receipt.done, len(receipt.left.unreadable)) == (False, 1)
    assert "without an index" in receipt.left.unreadable[0]
    (pack / "pack-1.pack").unlink()
    assert leaks(places) == []


def test_a_word_that_records_are_made_of_goes_only_where_it_was_said(places: Places, clock: Clock) -> None:
    session = new_session(places, clock, "0")
    said(session, "the message for the user")
    session.close()
    receipt = forgotten(places, clock, "message")
    assert receipt.done and receipt.left.kept >= 1
    read = resume_session(places, clock, session.id)
    message = read.entries[0].message()
    assert message is not None and message.parts[0] == Text("the [_____] for the user", "person")
    read.close()


def test_words_in_the_name_of_the_folder_stay_there_alone_and_are_counted(tmp_path: Path, clock: Clock) -> None:
    root, gone = tmp_path / "elm-road", tmp_path / "trees" / "elm-road"
    for folder in (root, gone):
        folder.mkdir(parents=True)
    places = Places(root=root, cwd=root, home=tmp_path / "home", shared=root / ".agent")
    remember(Desk(places, clock), Claim("We call it elm-road, said the person", "fact", scope="project"))
    other = Desk(replace(places, root=gone, cwd=gone), clock)
    remember(other, Claim("The build runs on Otto", "fact", scope="project"))
    lying = versions.project(places).roots()
    (root / "memory" / "about-elm-road.md").write_text("a page of the person's\n")
    receipt = forgotten(places, clock, "elm-road")
    assert (receipt.done, receipt.left.count) == (True, 0)
    # Each work tree: where it lies, and its branch. The intents are named after branches too, and gone by then.
    assert receipt.left.kept == 4
    assert receipt.left.yours == [root / "memory" / "about-elm-road.md"]
    assert versions.project(places).roots() == lying
    assert set(versions.project(places).branches()) == set(lying)
    assert "elm-road" not in places.memory_file.read_text() + places.ledger.read_text()


@pytest.mark.parametrize(
    "words", ["memory", "ledger", "agentmem", "principal", "add", "true", "core", "files", "commit", "user", "2026-11"]
)
def test_words_that_files_are_made_of_leave_what_was_said_and_no_file_broken(
    places: Places, clock: Clock, words: str
) -> None:
    desk = Desk(places, clock)
    own = str(remember(desk, Claim(f"The plan says {words} and then Otto")).id)
    remember(desk, Claim("The build runs on Mondays"))
    session = talk(places, clock)
    said(resumed := resume_session(places, clock, session.id), f"Where is {words} gone?")
    resumed.close()
    receipt = forgotten(places, clock, words)
    assert (receipt.done, receipt.left.count) == (True, 0)
    assert [one.belief.text for one in beliefs(places)] == [
        "The plan says [forgotten] and then Otto",
        "The build runs on Mondays",
    ]
    versions_now = versions.project(places)
    held = [one for one in versions_now.log() if own in one.all("Fact")]
    assert [one.one("Principal") for one in held] == ["user"]
    assert (
        versions_now.at(held[0].id, "MEMORY.md")
        == f"## Facts\n- The plan says [forgotten] and then Otto ^{own}\n".encode()
    )
    path = str(versions_now.path)
    assert subprocess.run(["git", "--git-dir", path, "fsck", "--strict", "--full"], capture_output=True).returncode == 0
    assert f"## Facts\n- The plan says [forgotten] and then Otto ^{own}\n" in places.memory_file.read_text()
    assert catch_up(desk.level("project"), desk, True, lambda level: []) is None


def test_letters_of_an_id_are_no_words(places: Places, clock: Clock) -> None:
    desk = Desk(places, clock)
    own = str(remember(desk, Claim("The plan is 0000 percent done")).id)
    assert "0000" in own
    receipt = forgotten(places, clock, "0000")
    assert (receipt.done, receipt.left.kept > 0) == (True, True)
    assert places.memory_file.read_text() == f"## Facts\n- The plan is [forgotten] percent done ^{own}\n"


def test_an_id_that_a_person_gave_hides_no_words(places: Places, clock: Clock) -> None:
    places.memory_file.write_text("- a line ^elm-road-7\n")
    assert forgotten(places, clock, "elm-road-7").done
    assert places.memory_file.read_text() == "- a line ^[forgotten]\n"


def test_a_waiting_claim_with_the_words_waits_no_more(places: Places, clock: Clock) -> None:
    plant(places, clock)
    forgotten(places, clock)
    assert list((places.queue / "waiting").glob("*")) == []
    kept = json.loads((places.queue / "rejected" / "q0123456789ab.json").read_bytes())
    assert (kept["text"], kept["why"]) == ("We meet at [forgotten_____]", "forgotten")


CRASH = """
import os, signal, sys
sys.path[:0] = sys.argv[5:]
from pathlib import Path
from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory.memory import oversight
root, home, at, words = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
places = Places(root, root, home, root / ".agent")
wish, _ = oversight.sought(places, words)
count = 0
def counted(real):
    def call(*given, **named):
        global count
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **named)
    return call
for name in ("write", "fsync", "replace", "unlink"):
    setattr(os, name, counted(getattr(os, name)))
oversight.forget(wish, places, Clock())
print(count)
"""


def killed(places: Places, at: int) -> subprocess.CompletedProcess[str]:
    here = str(Path(__file__).resolve().parents[2])
    words = [str(places.root), str(places.home), str(at), WORDS, here]
    return subprocess.run([sys.executable, "-c", CRASH, *words], capture_output=True, text=True)


@pytest.mark.parametrize("steps", [5, pytest.param(60, marks=pytest.mark.proof)])
def test_killed_at_any_touch_of_the_disk_files_are_valid_and_running_it_again_finishes(
    places: Places, clock: Clock, steps: int
) -> None:
    plant(places, clock)
    whole = snapshot(places)
    ran = killed(places, 0)
    assert ran.returncode == 0, ran.stderr
    total = int(ran.stdout)
    assert total > 60 and leaks(places) == []
    for at in {1, *range(3, total, max(1, total // steps)), total}:
        restore(places, whole)
        assert killed(places, at).returncode == -signal.SIGKILL, at
        for path in places.sessions.glob("*.jsonl"):
            for line in path.read_bytes().split(b"\n")[:-1]:
                json.loads(line)
        assert json.loads((places.own / "handoff" / "features.json").read_bytes())
        wish, seen = oversight.sought(places, WORDS)
        if seen.found:
            assert oversight.forget(wish, places, Clock()).done, at
        assert leaks(places) == [], at
        assert [one.what for one in check(places).troubles if one.wrong] == [], at


def restore(places: Places, whole: dict[str, bytes]) -> None:
    for path in snapshot(places).keys() - whole.keys():
        Path(path).unlink()
    for name, data in whole.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != data:
            path.unlink(missing_ok=True)
            path.write_bytes(data)
            path.chmod(0o600)


def test_a_log_that_cannot_be_rewritten_stays_whole(places: Places, clock: Clock) -> None:
    session = talk(places, clock)
    before = session.path.read_bytes()
    (session.path.parent / f".{session.path.name}.{os.getpid()}.new").mkdir()
    with pytest.raises((LogWriteError, OSError)):
        forgotten(places, clock)
    assert session.path.read_bytes() == before
