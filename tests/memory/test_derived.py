from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from agentmem.memory.stores.derived import Derived, Form

FIRST = Form(("CREATE TABLE a(x INT)", "CREATE VIRTUAL TABLE b USING fts5(y)"), 1)
SECOND = Form(("CREATE TABLE b(z INT)",), 2)


def names(derived: Derived) -> list[str]:
    rows = derived.db.execute("SELECT name FROM sqlite_master WHERE type='table' ORDER BY name")
    return [str(row[0]) for row in rows if not str(row[0]).startswith("b_")]


def test_of_another_version_it_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "below" / "it.sqlite"
    first = Derived(path, FIRST, wait=0.1)
    with first.writing():
        first.db.execute("INSERT INTO a VALUES (1)")
    assert names(first) == ["a", "b"] and path.stat().st_mode & 0o777 == 0o600
    first.close()
    again = Derived(path, FIRST, wait=0.1)
    assert again.db.execute("SELECT x FROM a").fetchall() == [(1,)]
    again.close()
    second = Derived(path, SECOND, wait=0.1)
    assert names(second) == ["b"]
    assert second.db.execute("SELECT count(*) FROM sqlite_master WHERE name LIKE 'b!_%' ESCAPE '!'").fetchone() == (0,)
    second.close()


def test_a_change_is_whole_or_nothing(tmp_path: Path) -> None:
    derived = Derived(tmp_path / "it.sqlite", FIRST, wait=0.1)
    with pytest.raises(ValueError, match="halfway"), derived.writing():
        with derived.writing():  # a part of it
            derived.db.execute("INSERT INTO a VALUES (1)")
        raise ValueError("halfway")
    assert derived.db.execute("SELECT x FROM a").fetchall() == []
    derived.close()


def test_it_stands_until_its_file_is_another(tmp_path: Path) -> None:
    derived = Derived(tmp_path / "it.sqlite", FIRST, wait=0.1)
    assert derived.stands
    (tmp_path / "it.sqlite").unlink()
    assert not derived.stands
    (tmp_path / "it.sqlite").touch()
    assert not derived.stands
    derived.close()


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "it.sqlite"
    path.write_bytes(b"no database" * 999)
    with pytest.raises(sqlite3.DatabaseError):
        Derived(path, FIRST, wait=0.1)


class Overtaken(Derived):
    """One that looked when the tables were not there yet."""

    looked = False

    def _version(self) -> int:
        before, self.looked = self.looked, True
        return super()._version() if before else 0


def test_one_that_another_process_made_and_fills_is_opened(tmp_path: Path) -> None:
    first = Derived(tmp_path / "it.sqlite", FIRST, wait=0.1)
    with first.writing():
        second = Overtaken(tmp_path / "it.sqlite", FIRST, wait=0.0)
        assert names(second) == ["a", "b"]
    second.close()
    first.close()


def test_without_a_file_it_is_gone_when_it_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        derived = Derived(None, FIRST, wait=0.1)
        with derived.writing():
            derived.db.execute("INSERT INTO a VALUES (1)")
        assert derived.stands and derived.db.execute("SELECT x FROM a").fetchall() == [(1,)]
        derived.close()
    assert list(tmp_path.iterdir()) == []
