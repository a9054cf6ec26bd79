"""Stint: one session on one feature, from its task to its commit, or to what the next attempt should know."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from agentmem.agent.agent import Agent
from agentmem.agent.handover import Seat, arrival
from agentmem.agent.limits import Limits
from agentmem.agent.reset import Wish, begin_anew, quietly, reset, ruled
from agentmem.agent.undertaking import Bounds, Report
from agentmem.agent.verify import Verified, Verifier
from agentmem.domain.begun import Notice
from agentmem.domain.cancel import Cancel
from agentmem.domain.event import Answer, Asked, Event, TurnEnded
from agentmem.domain.feature import Feature
from agentmem.domain.message import Part, Text
from agentmem.domain.places import Places
from agentmem.memory.memory import Attempt, learn, lessons, tries, write_job
from agentmem.workspace.repo import TRAILER, Repo, RepoFailed

_SUBJECT = 72
_BASE = 2  # checks that are run to see that the base is sound

Working: TypeAlias = "Generator[Event, Answer | None, Any]"


@dataclass(frozen=True, slots=True)
class Stint:
    """What a stint works with: `job` is what stands in `.agent/work.json`, `report` tells what came of it."""

    agent: Agent
    repo: Repo
    job: dict[str, Any]
    bounds: Bounds
    report: Report
    cancel: Cancel

    @property
    def _places(self) -> Places:
        return self.agent.session.places

    def verifier(self, about: tuple[str, ...] = ()) -> Verifier:
        """What runs checks here; `about` are files that the uncommitted work on a feature has touched."""
        agent = self.agent
        return Verifier(self._places, agent.clock, agent.env, self.cancel, about=about)

    def run(self, feature: Feature) -> Generator[Event, Answer | None, bool]:
        """One session on one feature; gives whether the work goes on."""
        agent, report = self.agent, self.report
        report.sessions += 1
        yield Notice("info", f"session {report.sessions}: {feature.id}: {_subject(feature)}")
        base = yield from self._base(feature)
        again = self.job.get("feature") == feature.id
        self.job.update(
            feature=feature.id, head=self.job.get("head") if again else self.repo.head(), session=agent.session_id
        )
        write_job(self._places, self.job)
        agent.session.set_state({"goal": self.job["goal"] or None, "branch": self.job["branch"], "feature": feature.id})
        agent.session.rename(f"{feature.id}: {_subject(feature)}")
        agent.limits = replace(agent.limits, max_cost=self._left(agent.limits))
        ended = yield from quietly(agent.turn(self._task(feature, base), self.cancel))
        self._count(ended)
        if ended.stop in ("interrupted", "model_error", "failed"):
            report.stop, report.why = ended.stop, ended.error or ""
            return False
        done = yield from self._verified(feature)
        if self.cancel.cancelled or agent.halt.cancelled:
            report.stop = "interrupted"
            if done.outcome != "passed":
                return False
        if done.outcome == "passed":
            yield from self.commit(done.feature)
        else:
            yield from self._failed(ended, done)
        if report.stop == "interrupted":
            return False
        yield from self._reset()
        return True

    def commit(self, feature: Feature) -> Working:
        """Commit what a feature that passes has changed. A hook that refuses makes it a failed attempt."""
        try:
            if self.repo.dirty():
                head = self.repo.commit(_message(feature))
                yield Notice("info", f"committed {head[:12]}: {_subject(feature)}")
        except RepoFailed as error:
            self.learn(Attempt(feature.id, "refused", "", "git commit", 1, str(error)))
            yield Notice("warning", f"git did not take the commit of {feature.id}: {error}")
            yield from self._aside(feature)
            return
        left = self.repo.dirty()
        if left:
            yield Notice("warning", f"a hook left changes behind ({', '.join(left[:5])}): the next commit takes them")
        self.job["left"] = list(left)
        self.report.passed.append(feature.id)
        self.job.update(feature=None, head=None)
        write_job(self._places, self.job)

    def learn(self, attempt: Attempt) -> None:
        """Keep what an attempt taught, for the next one. Raises `OSError`."""
        agent = self.agent
        learn(self._places, agent.clock.stamp(), agent.session_id, attempt, agent.session.entries)

    def _left(self, limits: Limits) -> float | None:
        if self.bounds.cost is None:
            return limits.max_cost
        return max(self.bounds.cost - (self.report.cost or 0.0), 0.0)

    def _count(self, ended: TurnEnded) -> None:
        if ended.cost is not None:
            self.report.cost = (self.report.cost or 0.0) + ended.cost

    def _base(self, feature: Feature) -> Generator[Event, Answer | None, str]:
        """Run a few checks that passed; gives what the agent is told of the base."""
        verifier = self.verifier()
        passing = [one for one in verifier.desk.read().features if one.passes and one.id != feature.id and one.check]
        broken = []
        for one in sorted(passing, key=lambda one: one.evidence.at if one.evidence else "")[-_BASE:]:
            done = verifier.verify(one.id)
            if done.outcome != "passed":
                broken.append(done.told())
                yield Notice("warning", f"the base is not sound: {done.told(tail=False)}")
        if not broken:
            return ""
        return "The base is not sound; mend that first:\n" + "\n".join(broken) + "\n"

    def _task(self, feature: Feature, base: str) -> list[Part]:
        steps = "".join(f"\n- {step}" for step in feature.steps)
        told = f"{feature.id}: {feature.description}{steps}\nCheck: `{feature.check}`"
        text = Path(__file__).with_name("stint.md").read_text(encoding="utf-8").strip()
        text = text.replace("{feature}", told).replace("{base}", base)
        if learnt := lessons(self._places, feature.id):
            text += f"\n\nEarlier attempts at it, which did not pass; their changes are still there:\n\n{learnt}"
        seat = Seat(self._places, self.agent.clock, self.agent.env)
        first = [] if self.agent.session.header.reset else [Text(arrival(seat), "harness")]
        return [*first, Text(text, "harness")]

    def _verified(self, feature: Feature) -> Generator[Event, Answer | None, Verified]:
        about = self.repo.changed_since(self.job.get("head"))
        yield Notice("info", f"verifying {feature.id}: {feature.check}")
        verifier = self.verifier(about=about)
        done = verifier.verify(feature.id)
        if done.outcome == "asks":
            shown = "\n".join(one.told() for one in done.weaker)
            arguments = {"feature": feature.id, "check": feature.check}
            why = f"what its check rests on has changed:\n{shown}"
            answer = yield Asked("verify", "verify", arguments, why, None, False)
            if answer in ("yes", "always"):
                done = verifier.verify(feature.id, accept=True)
        yield Notice("info" if done.outcome == "passed" else "warning", f"{feature.id}: {done.why}")
        return done

    def _failed(self, ended: TurnEnded, done: Verified) -> Working:
        feature = done.feature
        outcome = "asks" if done.outcome == "asks" else "failed"
        said = done.tail if done.outcome == "failed" else done.told()
        self.learn(Attempt(feature.id, outcome, ended.text, feature.check, done.exit, said))
        yield from self._aside(feature)

    def _aside(self, feature: Feature) -> Working:
        """After too many failed attempts a feature is set aside, and what they changed is put on git's stash."""
        count, _ = tries(self._places, feature.id)
        if count < self.bounds.failures:
            return
        kept = self.repo.stash(f"agentmem: {feature.id} set aside after {count} attempts")
        where = f"; its changes: git stash apply {kept[:12]}" if kept else ""
        self.learn(Attempt(feature.id, "aside", "", feature.check, None, where))
        self.report.aside.append(feature.id)
        self.job.update(feature=None, head=None)
        write_job(self._places, self.job)
        told = f"{feature.id} is set aside after {count} failed attempts{where}; again: agentmem work --again"
        yield Notice("warning", told)

    def _reset(self) -> Working:
        """A fresh session for the next feature; the rule-made handoff where the model's is not enough."""
        agent = self.agent
        found = self.verifier().desk.read().features
        following = next((one for one in found if not one.passes), None)
        note = f"{following.id}: {following.description}" if following else "every feature passes: see that it holds"
        ended = yield from quietly(reset(agent, Wish(note), self.cancel))
        self._count(ended)
        if ended.stop == "failed" and not self.cancel.cancelled:
            begin_anew(agent, ruled(agent, Wish(note)))
            yield Notice("info", "the handoff is made by rule from the log")


def _subject(feature: Feature) -> str:
    line = " ".join(feature.description.split())
    return line if len(line) <= _SUBJECT else line[: _SUBJECT - 1] + "…"


def _message(feature: Feature) -> str:
    evidence = feature.evidence
    seen = (
        f"Checked with `{' '.join(evidence.command.split())}` (exit 0, {evidence.seconds:g} s).\n\n" if evidence else ""
    )
    return f"{_subject(feature)}\n\n{seen}{TRAILER}: {feature.id}\n"
