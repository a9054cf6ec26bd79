"""What a call of an agent can reach, and what one in a sub-session cannot."""

from __future__ import annotations

from dataclasses import replace

from scripts import make_agent

from agentmem.agent.toolcontext import context_for
from agentmem.domain.cancel import Cancel
from agentmem.domain.claim import Claim
from agentmem.domain.message import ToolCall
from agentmem.domain.places import Places
from agentmem.domain.tool import ToolContext

CALL = ToolCall("c", "x")
REACH = ("verify", "skill", "compact", "draft", "recall", "forget", "spawn")


def reached(context: ToolContext) -> set[str]:
    return {name for name in REACH if getattr(context, name) is not None}


def test_an_agent_reaches_what_it_was_given(places: Places) -> None:
    with make_agent(places, []) as agent:
        assert agent.skills is None and agent.memories is None and agent.limits.compacts
        assert reached(context_for(agent, CALL, Cancel())) == {"verify", "compact", "draft", "forget"}
        agent.tools = {}
        agent.limits = replace(agent.limits, compacts=False)
        assert reached(context_for(agent, CALL, Cancel())) == {"draft", "forget"}


def test_a_sub_session_reaches_nothing_that_lasts(places: Places) -> None:
    with make_agent(places, []) as agent:
        agent.giver = "s1"
        context = context_for(agent, CALL, Cancel())
        verdict = context.propose(Claim("x is y"))
    assert reached(context) == {"compact"}
    assert (verdict.outcome, verdict.id, places.queue.exists()) == ("refused", None, False)


def test_a_call_shares_what_the_model_has_read_and_may_wish(places: Places) -> None:
    with make_agent(places, []) as agent:
        context = context_for(agent, CALL, Cancel())
        assert (context.call_id, context.seen is agent.seen, context.cwd) == ("c", True, places.cwd)
        assert context.compact is not None
        context.compact("the plan")
        assert agent.spent.wish == "the plan"
