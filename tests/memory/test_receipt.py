"""The receipt: what a summary kept, by kind."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from spans import Talk, work

from agentmem.memory.manage.compact.receipt import Count, ground, receipt
from agentmem.memory.read.identifiers import KINDS

DECISION = "We use psycopg instead of asyncpg because the pool is synchronous."
LIMIT = "Move the tests to PostgreSQL 15 on localhost:5433. Never touch vendor/legacy.py."


def test_the_receipt_of_a_summary() -> None:
    of = ground(work().span)
    text = f"- {DECISION}\n- src/db/pool.py changed; `make lint` passed; took 42 s on localhost:54333"
    found = receipt(of, text, ("made/up.py",))
    assert found.to_json() == {
        "span": of.digest,
        "survival": 0.4444,
        "passed": False,
        "kinds": {
            "decision": {"salient": 2, "kept": 1, "missing": [LIMIT]},
            "path": {"salient": 3, "kept": 1, "missing": ["tests/conftest.py", "vendor/legacy.py"]},
            "command": {"salient": 2, "kept": 1, "missing": ["git commit -am 'pool'"]},
            "number": {"salient": 1, "kept": 1},
            "host": {"salient": 1, "kept": 0, "missing": ["localhost:5433"]},
        },
        "must": [LIMIT, "tests/conftest.py", "pytest tests/db -q", "OperationalError: connection to port 5433 failed"],
        "invented": ["made/up.py"],
        "tokens": {"before": of.before, "after": 36},
    }


def test_a_span_that_names_nothing_is_kept_by_any_text() -> None:
    found = receipt(ground(Talk().user("hello there").agent("hi").span), "they met")
    assert (found.survival, found.passed, found.missing) == (1.0, True, ())


def test_nine_of_ten_pass_unless_one_of_them_must_not_be_missing() -> None:
    talk = Talk()
    for number in range(10):
        talk.user(f"look at a/{number}.py")
    nine = "\n".join(f"a/{number}.py" for number in range(9))
    assert receipt(ground(talk.span), nine).passed
    assert not receipt(ground(talk.edit("a/9.py").span), nine).passed


def test_one_changed_byte_of_the_span_is_another_digest() -> None:
    one, two = Talk().user("a b").span, Talk().user("a c").span
    assert ground(one).digest != ground(two).digest
    assert ground(one).digest == ground(Talk().user("a b").span).digest


def test_a_log_entry_lists_at_most_fifty_names() -> None:
    talk = Talk()
    for number in range(60):
        talk.user(f"look at a/{number}.py")
    count = receipt(ground(talk.span), "none").kinds["path"]
    assert (count.salient, count.kept, len(count.missing)) == (60, 0, 60)
    assert len(count.to_json()["missing"]) == 50


NAMES = ["a/b.py", "c.json", "12 files", "localhost:80", "a35c73d", "decided: use d/e.py now"]


@given(st.lists(st.sampled_from(NAMES), max_size=6), st.lists(st.sampled_from(NAMES), max_size=6))
def test_the_counts_add_up(named: list[str], told: list[str]) -> None:
    talk = Talk()
    for name in named:
        talk.user(f"see {name}")
    of = ground(talk.span)
    found = receipt(of, "\n".join(told))
    for kind in KINDS:
        count: Count = found.kinds[kind]
        assert count.salient == len(of.salient.found[kind]) == count.kept + len(count.missing)
        assert set(count.missing) <= {one.text for one in of.salient.found[kind]}
    assert 0 <= found.survival <= 1
    assert found.passed == (found.survival >= 0.9 and not found.must)
    assert receipt(of, of.salient.source).survival == 1.0
