from __future__ import annotations

from agentmem.memory.read.recall import related as lists
from agentmem.memory.read.recall.asking import MOST_RELATED, asked
from agentmem.memory.read.recall.related import related
from agentmem.memory.read.recall.terms import terms


def test_words_of_one_family_and_of_one_meaning() -> None:
    assert related("decid") == ("decis", "choos", "pick", "select")
    assert related("german") == ("germani",)
    assert related("film") == ("movi", "cinema")
    assert related("zebra") == ()


def test_it_goes_both_ways_and_never_to_itself() -> None:
    stems = set(lists._related())
    assert all(stem in related(other) and other != stem for stem in stems for other in related(stem))


def test_every_row_joins_words_that_a_stem_does_not() -> None:
    rows = f"{lists._FAMILIES};{lists._MEANINGS}".split(";")
    read = [[terms(word) for word in row.split()] for row in rows]
    assert all(len(one) == 1 for row in read for one in row)
    assert all(len({one[0] for one in row}) == len(row) > 1 for row in read)
    assert lists._MEANINGS.count(";") < 150


def test_a_query_takes_a_few_related_words_and_none_that_it_holds() -> None:
    assert asked("Which film did we pick?").related == {
        "film": ["movi", "cinema"],
        "pick": ["choos", "decid", "select"],
    }
    assert asked("movie or film").related == {"movi": ["cinema"], "film": ["cinema"]}
    assert asked("movie or film").stand_ins == ("cinema",)
    many = asked("mother father dog trip job gift party wedding doctor photo cost goal")
    assert len(many.stand_ins) <= MOST_RELATED == sum(map(len, many.related.values()))
