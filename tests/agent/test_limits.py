"""Limits: what a turn has spent, as far as it can be known."""

from __future__ import annotations

from agentmem.agent.limits import Limits, Spent
from agentmem.domain.message import Usage


def test_a_cost_is_told_only_when_every_step_was_priced() -> None:
    spent = Spent()
    assert spent.cost is None
    spent.add(Usage(), 0.25)
    spent.add(Usage(), 0.5)
    assert spent.cost == 0.75
    spent.add(Usage(), None)
    spent.add(Usage(), 0.5)
    assert spent.cost is None


def test_the_cost_limit_holds_from_the_first_step() -> None:
    spent = Spent()
    over = spent.over(Limits(max_cost=0.0))
    assert over is not None
    assert over[0] == "max_cost"
    assert spent.over(Limits(max_cost=0.5)) is None
    spent.add(Usage(), 0.5)
    assert spent.over(Limits(max_cost=0.5)) is not None
    assert spent.left(Limits(max_cost=2.0)) == Limits(199, 1.5)


def test_a_task_that_came_to_no_reply_leaves_the_cost_known() -> None:
    spent, task, unpriced = Spent(), Spent(), Spent()
    spent.add(Usage(), 0.25)
    spent.add_turn(task)
    assert spent.cost == 0.25
    unpriced.add(Usage(), None)
    spent.add_turn(unpriced)
    assert spent.cost is None
