from __future__ import annotations

import stat
from pathlib import Path

from agentmem.terminal.past import Past


def same(text: str) -> str:
    return text


def test_messages_come_back_newest_first(tmp_path: Path) -> None:
    path = tmp_path / "home" / "history"
    past = Past(path, same)
    for text in ("fix the test", "two\nlines", "日本語 \ud800"):
        past.append_string(text)
    assert path.read_text() == '"fix the test"\n"two\\nlines"\n"日本語 ?"\n'
    assert list(Past(path, same).load_history_strings()) == ["日本語 ?", "two\nlines", "fix the test"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_nothing_is_made_before_the_first_message(tmp_path: Path) -> None:
    path = tmp_path / "home" / "history"
    assert list(Past(path, same).load_history_strings()) == []
    assert not path.parent.exists()


def test_what_is_no_message_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_bytes(b'"one"\n{"a":1}\nbroken\xff\n\n"two"\n"torn')
    assert list(Past(path, same).load_history_strings()) == ["two", "one"]


def test_only_the_end_of_a_long_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text('"old"\n' + '"' + "x" * 600_000 + '"\n"new"\n')
    assert list(Past(path, same).load_history_strings()) == ["new"]


def test_a_repeat_is_kept_once_and_chips_are_kept_whole(tmp_path: Path) -> None:
    path = tmp_path / "history"
    past = Past(path, lambda text: text.replace("[chip]", "all of it"))
    past.append_string("see [chip]")
    past.append_string("see all of it")
    assert path.read_text() == '"see all of it"\n'
    assert past.get_strings() == ["see all of it"]


def test_a_place_that_cannot_be_written_costs_no_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    past = Past(tmp_path / "file" / "history", same)
    past.append_string("kept for now")
    assert past.get_strings() == ["kept for now"]


def test_a_secret_that_was_typed_is_a_mark_in_the_file(tmp_path: Path) -> None:
    past = Past(tmp_path / "home" / "history", same)
    past.append_string("the password is swordfish")
    past.append_string("use ghp_" + "a1B2" * 9)
    kept = list(Past(tmp_path / "home" / "history", same).load_history_strings())
    assert [one[:-6] for one in kept] == ["use [redacted: github token", "the password is [redacted: password"]
    assert list(past.get_strings()) == ["the password is swordfish", "use ghp_" + "a1B2" * 9]
