from __future__ import annotations

from agentmem.domain.entry import Entry
from agentmem.memory.read.gauge import Gauge

FRAME = 40


def said(role: str, text: str, **more: object) -> Entry:
    return Entry("message", f"{role}{len(text)}", None, "t", {"role": role, "content": text, **more})


def test_before_any_count_every_byte_is_a_token() -> None:
    gauge = Gauge("é")
    entries = [said("user", "hello")]
    assert gauge.most(entries, 100) == 100 + 2 + FRAME + 5
    entries.append(said("tool", "x" * 10, call_id="c"))
    assert gauge.most(entries, 100) == 100 + 2 + FRAME + 5 + FRAME + 10


def test_a_count_takes_the_place_of_all_before_it() -> None:
    gauge = Gauge("")
    entries = [said("user", "x" * 9_000), said("assistant", "ok", usage={"input": 2_000, "output": 30})]
    assert gauge.most(entries, 100) == 2_030
    entries.append(said("user", "more"))
    assert gauge.most(entries, 100) == 2_030 + FRAME + 4


def test_another_model_and_a_cut_make_the_count_void() -> None:
    gauge = Gauge("")
    entries = [said("assistant", "ok", usage={"input": 2_000, "output": 30}), Entry("model", "m", None, "t", {})]
    assert gauge.most(entries, 100) == 100
    assert Gauge("").most([*entries[:1], Entry("reset", "r", None, "t")], 7) == 7


def test_a_reply_without_a_count_counts_by_its_bytes() -> None:
    assert Gauge("").most([said("assistant", "ok", usage={"input": 0, "output": 5})], 1) == 1 + FRAME + 2
