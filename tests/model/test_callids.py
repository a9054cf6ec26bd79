from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmem.model.callids import CHAT_IDS, MESSAGES_IDS, MISTRAL_IDS, CallIds, IdForm

FORMS = [MESSAGES_IDS, CHAT_IDS, MISTRAL_IDS]


@pytest.mark.parametrize("form", FORMS)
@given(ids=st.lists(st.text(st.characters(exclude_categories=()), max_size=80), unique=True, max_size=30))
def test_legal_injective_and_stable(form: IdForm, ids: list[str]) -> None:
    mapped = CallIds(form)
    given_ids = [mapped.legal(one) for one in ids]
    assert all(re.fullmatch(form.legal, one) for one in given_ids)
    assert len(set(given_ids)) == len(ids)
    assert [mapped.legal(one) for one in ids] == given_ids
    shorter = CallIds(form)
    assert [shorter.legal(one) for one in ids[: len(ids) // 2]] == given_ids[: len(ids) // 2]


@pytest.mark.parametrize("form", FORMS)
def test_an_id_that_equals_anothers_mapped_form(form: IdForm) -> None:
    thief = CallIds(form).legal("call_9|fc_77")
    for order in (["call_9|fc_77", thief], [thief, "call_9|fc_77"]):
        ids = CallIds(form)
        first, second = (ids.legal(one) for one in order)
        assert first == thief
        assert second != thief
        # And one that equals what the second fell back to.
        assert ids.legal(second) not in (first, second)


def test_legal_ones_stay() -> None:
    assert CallIds(MESSAGES_IDS).legal("toolu_01-a") == "toolu_01-a"
    assert CallIds(MESSAGES_IDS).legal("x" * 64) == "x" * 64
    assert CallIds(MISTRAL_IDS).legal("aB3dE6gH9") == "aB3dE6gH9"


def test_known_forms() -> None:
    assert CallIds(CHAT_IDS).legal("call_9|fc_77") == "call_bfe72a9931ba13ba25d3d72f"
    assert CallIds(MISTRAL_IDS).legal("call_1") == "SDuU76nh7"
    assert CallIds(MESSAGES_IDS).legal("é") == "call_e62ced1159419255faae5955"
