"""Work: a long task done feature by feature, each in a session of its own, until all pass or a limit is reached.

    see that the base is sound -> one feature -> the harness runs its check -> commit through git itself -> reset

What it is at stands in `.agent/work.json`, so that it goes on after a stop or a kill at any point. A feature's flag is
set before its commit is made; when that is missing after a kill, it is made first of all.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from agentmem.agent.agent import Agent
from agentmem.agent.footing import repository, take_up
from agentmem.agent.setting_up import set_up
from agentmem.agent.stint import Stint, Working
from agentmem.agent.undertaking import Bounds, Report
from agentmem.agent.verify import Verifier
from agentmem.domain.begun import Notice
from agentmem.domain.cancel import Cancel
from agentmem.domain.event import Answer, Event
from agentmem.domain.feature import Feature
from agentmem.memory.memory import Attempt, tries


@dataclass(slots=True)
class Shift:
    """One run of work. `report` tells of it while it goes on and when it has ended."""

    agent: Agent
    goal: str
    bounds: Bounds
    cancel: Cancel
    report: Report

    def run(self) -> Working:
        """Work to an end; yields what the person is told. Raises `CannotWork`, and what memory raises."""
        stint = self._begin()
        began = self.agent.clock.monotonic()
        if stint.job.get("feature") and (dirty := stint.repo.dirty()):
            yield from self._finish(stint, dirty)
        yield from set_up(self.agent, self.cancel)
        while (over := self._over(began)) is None:
            feature = yield from self._next(stint)
            if feature is None:
                return
            going = yield from stint.run(feature)
            if not going:
                return
        self.report.stop, self.report.why = "limit", over

    def _begin(self) -> Stint:
        places = self.agent.session.places
        repo = repository(places, self.agent.env)
        job = take_up(places, repo, self.goal)
        self.goal = job["goal"]
        stint = Stint(self.agent, repo, job, self.bounds, self.report, self.cancel)
        stint.verifier().guards.begin()
        if self.bounds.again:
            self._try_again(stint)
        return stint

    def _over(self, began: float) -> str | None:
        bounds, report = self.bounds, self.report
        if bounds.sessions is not None and report.sessions >= bounds.sessions:
            return f"{report.sessions} sessions were run"
        if bounds.cost is not None and (report.cost or 0.0) >= bounds.cost:
            return f"{report.cost:.4f} of {bounds.cost:.4f} USD are spent"
        if bounds.seconds is not None and self.agent.clock.monotonic() - began >= bounds.seconds:
            return f"{bounds.seconds:g} s are over"
        return None

    def _finish(self, stint: Stint, dirty: tuple[str, ...]) -> Working:
        """After a kill: commit what passed and was not committed; anything else stays for the next attempt."""
        found = [one for one in stint.verifier().desk.read().features if one.id == stint.job["feature"]]
        if found and stint.verifier(about=dirty).state(found[0]) == "passing":
            yield from stint.commit(found[0])

    def _next(self, stint: Stint) -> Generator[Event, Answer | None, Feature | None]:
        """The feature to work on: the one that was begun, else the first that does not pass; None ends the work."""
        verifier = stint.verifier()
        found = verifier.desk.settle()
        if found.edited:
            yield Notice("info", f"features.json was changed by hand: {', '.join(found.edited)}; taken as yours")
        for own in found.mended:
            yield Notice("warning", f"{own}: the flag stood in features.json without evidence; it is off")
        left: list[str] = []
        for feature in found.features:
            begun = stint.job.get("feature") == feature.id and bool(stint.repo.dirty())
            if not begun and feature.passes and (yield from self._holds(verifier, feature)):
                continue
            if not feature.check.strip():
                left.append(f"{feature.id} has no check")
            elif tries(self.agent.session.places, feature.id)[1]:
                left.append(f"{feature.id} is set aside")
            else:
                return feature
        self.report.stop = "stuck" if left else "done"
        self.report.why = "; ".join(left) or "every feature passes"
        return None

    def _holds(self, verifier: Verifier, feature: Feature) -> Generator[Event, Answer | None, bool]:
        """Whether a feature that passed still does: stale evidence is made anew, which needs no session."""
        if verifier.state(feature) == "passing":
            return True
        done = verifier.verify(feature.id)
        yield Notice("info" if done.outcome == "passed" else "warning", f"{feature.id} was stale: {done.why}")
        return done.outcome == "passed"

    def _try_again(self, stint: Stint) -> None:
        """What was set aside may be tried again."""
        for feature in stint.verifier().desk.read().features:
            if tries(self.agent.session.places, feature.id)[1]:
                stint.learn(Attempt(feature.id, "again", "", feature.check, None, ""))
