"""Many compactions by a model that writes good summaries: they are made again as one, the prompt stays bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from scripts import log_of, make_agent, play
from test_pressure import compacted, few, long

from agentmem.agent.agent import Agent
from agentmem.agent.limits import Limits
from agentmem.domain.cancel import Cancel
from agentmem.domain.message import Reply, Text
from agentmem.domain.places import Places
from agentmem.domain.prompt import Prompt
from agentmem.model.door import ModelError, Piece
from agentmem.model.legal import fault
from agentmem.model.scripted import scripted_body
from agentmem.model.shape import SCRIPTED_SHAPE

NAMES = re.compile(r"src/\w+\.py|never touch \w+/")
REMADE = "two summaries were made again as one"


class Writer:
    """A model that answers at length, and sums up by naming what was named; every request must be legal."""

    model = "scripted:writer"
    shape: Mapping[str, Any] = SCRIPTED_SHAPE

    def __init__(self) -> None:
        self.answers = 0
        self.asides = 0
        self.down = False

    def body(self, prompt: Prompt) -> bytes:
        return scripted_body(self.model, prompt)

    def stream(self, prompt: Prompt, cancel: Cancel) -> Iterator[Piece]:
        assert fault(prompt) is None
        if prompt.tools:
            self.answers += 1
            yield Reply((Text(long(self.answers), "agent"),), "end")
            return
        self.asides += 1
        if self.down:
            raise ModelError("bad_request", "no route")
        text = prompt.messages[0].text
        record = text[text.find("<record") : text.rfind("</record>")]
        said = dict.fromkeys(re.findall(r"do part \d+; never touch \w+/", record))
        rows = (*said, *dict.fromkeys(NAMES.findall(record)), "It went well as far as can be seen. " * 12)
        yield Reply((Text("\n".join(rows), "agent"),), "end")

    def close(self) -> None:
        """There is nothing to give back."""


def agent_with(places: Places, door: Writer, resume: str | None = None) -> Agent:
    agent = make_agent(places, [], own_tools=few(), window=6_000, limits=Limits(), resume=resume)
    return replace(agent, door=door)


def test_summaries_that_outgrow_their_share_are_made_again_as_one(places: Places) -> None:
    door = Writer()
    with agent_with(places, door) as agent:
        said, used = [], []
        for number in range(40):
            events = play(agent, f"do part {number}; never touch vendor/")
            said += [one.text for one in compacted(events)]
            used.append(agent.context()[0])
        assert said.count(REMADE) >= 2
        assert max(used) < 0.85 * 6_000
        lines = [line for line in log_of(agent) if line["type"] == "compaction"]
        remade = [line for line in lines if line.get("retold")]
        for line in remade:
            places_of = [one["entry"] for one in line["segments"]]
            assert places_of.count(line["id"]) == 1
            assert places_of.index(line["id"]) < len(places_of) - 1 or len(places_of) == 1
            own = next(one for one in line["segments"] if one["entry"] == line["id"])
            assert own["level"] >= 1
        firsts = [one["first"] for one in lines[-1]["segments"]]
        assert len(set(firsts)) == len(firsts)
        assert "never touch vendor/" in agent.session.prompt().messages[0].text
        shown = agent.session.prompt()
    with agent_with(places, door, resume=agent.session_id) as resumed:
        assert resumed.session.prompt() == shown


def test_while_the_model_fails_the_old_summaries_stand(places: Places) -> None:
    door = Writer()
    with agent_with(places, door) as agent:
        for number in range(14):
            play(agent, f"do part {number}; never touch vendor/")
        good = sum(line.get("form") == "summary" for line in log_of(agent))
        door.down = True
        for number in range(14, 22):
            events = play(agent, f"do part {number}; never touch vendor/")
            assert fault(agent.session.prompt()) is None
            assert len([one for one in events if getattr(one, "stop", None) == "done"]) == 1
        assert good >= 2
        told = agent.session.prompt().messages[0].text
        assert "src/part_1.py" in told
        door.down = False
        for number in range(22, 30):
            play(agent, f"do part {number}; never touch vendor/")
        last = [line for line in log_of(agent) if line["type"] == "compaction"][-1]
        assert last["form"] == "summary"
        assert not any(one.get("stand_in") for one in last["segments"])
