"""Names are chosen by what they bring, within their room."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentmem.memory.manage.compact.choosing import choose, cost
from agentmem.memory.read.contained import within
from agentmem.memory.read.identifiers import Identifier, Kind, stands
from agentmem.memory.read.kinds import Memo


def _name(text: str, kind: Kind = "path") -> Identifier:
    return Identifier(kind, text, 1, 0, 1.0)


def _chosen(worth: dict[Identifier, float], shown: str, room: int, enough: float = 1e9) -> list[str]:
    inner = within(((one.text, one.kind == "command") for one in worth), Memo())
    return [one.text for one in choose(worth, inner, shown, room, enough)]


def test_a_name_brings_all_that_stands_in_it() -> None:
    worth = {_name("src/db/pool.py"): 1.0, _name("pool.py"): 5.0, _name("src/db"): 5.0, _name("notes.md"): 1.0}
    assert _chosen(worth, "", 100) == ["src/db/pool.py", "notes.md"]
    assert _chosen(worth, "", 15) == ["src/db/pool.py"]


def test_a_longer_one_takes_the_place_of_its_pieces() -> None:
    worth = {_name("make pool.py", "command"): 1.0, _name("pool.py"): 9.0, _name("b.md"): 1.0}
    assert _chosen(worth, "", 18) == ["make pool.py", "b.md"]
    assert _chosen(worth, "", 12) == ["pool.py"]


def test_what_stands_in_the_text_brings_nothing() -> None:
    worth = {_name("src/db/pool.py"): 1.0, _name("pool.py"): 9.0, _name("notes.md"): 2.0}
    assert _chosen(worth, "see /work/src/db/pool.py", 100) == ["notes.md"]


def test_the_most_for_its_length_first_until_it_is_enough() -> None:
    worth = {_name("a_rather_long_name.py"): 2.0, _name("b.py"): 1.0, _name("c.py"): 0.5}
    assert _chosen(worth, "", 100) == ["b.py", "c.py", "a_rather_long_name.py"]
    assert _chosen(worth, "", 100, 1.0) == ["b.py"]
    assert _chosen(worth, "", 10) == ["b.py", "c.py"]


_PATHS = st.lists(st.sampled_from(["a", "b", "cc", "d.py"]), min_size=1, max_size=4).map("/".join)


@given(st.dictionaries(_PATHS.map(_name), st.floats(0.1, 9.0), max_size=12), _PATHS, st.integers(0, 40))
def test_the_room_is_kept_and_nothing_is_told_twice(worth: dict[Identifier, float], shown: str, room: int) -> None:
    chosen = _chosen(worth, shown, room)
    assert sum(cost(_name(one)) for one in chosen) <= room
    for at, one in enumerate(chosen):
        assert not stands(one, "\n".join((shown, *chosen[:at], *chosen[at + 1 :])), whole=False)


@given(st.dictionaries(_PATHS.map(_name), st.floats(0.1, 9.0), max_size=12))
def test_where_there_is_room_all_of_them_stand_there(worth: dict[Identifier, float]) -> None:
    told = "\n".join(_chosen(worth, "", 10_000))
    assert [one.text for one in worth if not stands(one.text, told, whole=False)] == []
