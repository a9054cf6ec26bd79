"""Work: a long task done feature by feature, each in a session of its own, until all pass or a limit is reached.

    see that the base is sound -> one feature -> the harness runs its check -> commit through git itself -> reset

What it is at stands in `.agent/work.json`, so that it goes on after a stop or a kill at any point. A feature's flag is
set before its commit is made; when that is missing after a kill, it is made first of all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

from agentmem.agent.agent import Agent
from agentmem.agent.handover import Seat, arrival
from agentmem.agent.limits import Limits
from agentmem.agent.reset import Wish, begin_anew, quietly, reset, ruled
from agentmem.agent.setting_up import set_up
from agentmem.agent.verify import Verified, Verifier
from agentmem.domain.begun import Notice
from agentmem.domain.cancel import Cancel
from agentmem.domain.event import Answer, Asked, Event, TurnEnded
from agentmem.domain.feature import Feature
from agentmem.domain.message import Part, Text
from agentmem.domain.places import Places
from agentmem.memory.memory import Attempt, learn, lessons, read_job, tries, write_job
from agentmem.workspace.repo import TRAILER, Repo, RepoFailed, repo_of

_SUBJECT = 72
_SLUG = 40
_BASE = 2  # checks that are run to see that the base is sound

Working: TypeAlias = "Generator[Event, Answer | None, Any]"


class CannotWork(Exception):
    """Work cannot begin here; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much work may take, None is no limit: sessions, USD, seconds; and after how many failed attempts a feature is
    set aside. With `again` those that were set aside are taken up again."""

    sessions: int | None = None
    cost: float | None = None
    seconds: float | None = None
    failures: int = 3
    again: bool = False


@dataclass(slots=True)
class Report:
    """What came of it. `stop` is ``done`` (nothing is left), ``stuck`` (what is left is set aside or has no check),
    ``limit``, ``interrupted``, ``model_error`` or ``failed``; `why` says more."""

    sessions: int = 0
    passed: list[str] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    cost: float | None = None
    stop: str = "done"
    why: str = ""


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
        repo = self._repo()
        job = self._job(repo)
        self._verifier().guards.begin()
        if self.bounds.again:
            self._take_up()
        began = self.agent.clock.monotonic()
        if job.get("feature") and (dirty := repo.dirty()):
            yield from self._finish(repo, job, dirty)
        yield from set_up(self.agent, self.cancel)
        while (over := self._over(began)) is None:
            feature = yield from self._next(repo, job)
            if feature is None:
                return
            going = yield from self._session(repo, job, feature)
            if not going:
                return
        self.report.stop, self.report.why = "limit", over

    def _repo(self) -> Repo:
        places = self.agent.session.places
        repo = repo_of(places.root, self.agent.env)
        if repo is None:
            raise CannotWork(f"{places.root} is no git repository, and work commits what passes: git init")
        if repo.top.resolve() != places.root.resolve():
            raise CannotWork(f"work runs at the top of the repository: cd {repo.top}")
        if operation := repo.operation():
            raise CannotWork(f"a {operation} is under way: end it first")
        return repo

    def _job(self, repo: Repo) -> dict[str, Any]:
        """What it goes on with, on its branch. Raises `CannotWork` where the tree holds changes of others."""
        places = self.agent.session.places
        kept = read_job(places)
        goal = self.goal or str(kept.get("goal") or "")
        branch = str(kept.get("branch") or "") if goal == kept.get("goal") else ""
        branch = branch or f"agentmem/{_slug(goal)}"
        dirty = repo.dirty()
        left = kept.get("left")
        ours = bool(kept.get("feature")) or (isinstance(left, list) and set(dirty) <= set(map(str, left)))
        own = ours and repo.branch() == kept.get("branch") == branch
        if dirty and not own:
            named = ", ".join(dirty[:5]) + (f" and {len(dirty) - 5} more" if len(dirty) > 5 else "")
            raise CannotWork(f"the work tree has changes that are not committed ({named}): commit or stash them first")
        if lacks := repo.anonymous():
            raise CannotWork(f"git does not know who you are, and work commits in your name: {lacks}")
        if repo.branch() != branch:
            repo.switch(branch)
        if repo.head() is None:
            repo.begin()
        job = {**kept, "goal": goal, "branch": branch, "feature": kept.get("feature") if own else None}
        write_job(places, job)
        self.goal = goal
        return job

    def _over(self, began: float) -> str | None:
        bounds, report = self.bounds, self.report
        if bounds.sessions is not None and report.sessions >= bounds.sessions:
            return f"{report.sessions} sessions were run"
        if bounds.cost is not None and (report.cost or 0.0) >= bounds.cost:
            return f"{report.cost:.4f} of {bounds.cost:.4f} USD are spent"
        if bounds.seconds is not None and self.agent.clock.monotonic() - began >= bounds.seconds:
            return f"{bounds.seconds:g} s are over"
        return None

    def _verifier(self, emit: Callable[[str], None] = lambda text: None, about: tuple[str, ...] = ()) -> Verifier:
        agent = self.agent
        return Verifier(agent.session.places, agent.clock, agent.env, self.cancel, emit, about=about)

    def _finish(self, repo: Repo, job: dict[str, Any], dirty: tuple[str, ...]) -> Working:
        """After a kill: commit what passed and was not committed; anything else stays for the next attempt."""
        found = [one for one in self._verifier().desk.read().features if one.id == job["feature"]]
        if found and self._verifier(about=dirty).state(found[0]) == "passing":
            yield from self._commit(repo, job, found[0])

    def _next(self, repo: Repo, job: dict[str, Any]) -> Generator[Event, Answer | None, Feature | None]:
        """The feature to work on: the one that was begun, else the first that does not pass; None ends the work."""
        verifier = self._verifier()
        found = verifier.desk.settle()
        if found.edited:
            yield Notice("info", f"features.json was changed by hand: {', '.join(found.edited)}; taken as yours")
        for own in found.mended:
            yield Notice("warning", f"{own}: the flag stood in features.json without evidence; it is off")
        left: list[str] = []
        for feature in found.features:
            begun = job.get("feature") == feature.id and bool(repo.dirty())
            if not begun and feature.passes and (yield from self._holds(verifier, feature)):
                continue
            if not feature.check.strip():
                left.append(f"{feature.id} has no check")
            elif tries(self._places, feature.id)[1]:
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

    def _take_up(self) -> None:
        """What was set aside may be tried again."""
        for feature in self._verifier().desk.read().features:
            if tries(self._places, feature.id)[1]:
                self._learn(feature, Attempt(feature.id, "again", "", feature.check, None, ""))

    @property
    def _places(self) -> Places:
        return self.agent.session.places

    def _session(self, repo: Repo, job: dict[str, Any], feature: Feature) -> Generator[Event, Answer | None, bool]:
        """One session on one feature; gives whether the work goes on."""
        agent, report = self.agent, self.report
        report.sessions += 1
        yield Notice("info", f"session {report.sessions}: {feature.id}: {_subject(feature)}")
        base = yield from self._base(feature)
        again = job.get("feature") == feature.id
        job.update(feature=feature.id, head=job.get("head") if again else repo.head(), session=agent.session_id)
        write_job(self._places, job)
        agent.session.set_state({"goal": self.goal or None, "branch": job["branch"], "feature": feature.id})
        agent.session.rename(f"{feature.id}: {_subject(feature)}")
        agent.limits = replace(agent.limits, max_cost=self._left(agent.limits))
        ended = yield from quietly(agent.turn(self._task(feature, base), self.cancel))
        self._count(ended)
        if ended.stop in ("interrupted", "model_error", "failed"):
            report.stop, report.why = ended.stop, ended.error or ""
            return False
        done = yield from self._verified(repo, job, feature)
        if self.cancel.cancelled or agent.halt.cancelled:
            report.stop = "interrupted"
            if done.outcome != "passed":
                return False
        if done.outcome == "passed":
            yield from self._commit(repo, job, done.feature)
        else:
            yield from self._failed(repo, job, ended, done)
        if report.stop == "interrupted":
            return False
        yield from self._reset()
        return True

    def _left(self, limits: Limits) -> float | None:
        if self.bounds.cost is None:
            return limits.max_cost
        return max(self.bounds.cost - (self.report.cost or 0.0), 0.0)

    def _count(self, ended: TurnEnded) -> None:
        if ended.cost is not None:
            self.report.cost = (self.report.cost or 0.0) + ended.cost

    def _base(self, feature: Feature) -> Generator[Event, Answer | None, str]:
        """Run a few checks that passed; gives what the agent is told of the base."""
        verifier = self._verifier()
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
        text = Path(__file__).with_name("work.md").read_text(encoding="utf-8").strip()
        text = text.replace("{feature}", told).replace("{base}", base)
        if learnt := lessons(self._places, feature.id):
            text += f"\n\nEarlier attempts at it, which did not pass; their changes are still there:\n\n{learnt}"
        seat = Seat(self._places, self.agent.clock, self.agent.env)
        first = [] if self.agent.session.header.reset else [Text(arrival(seat), "harness")]
        return [*first, Text(text, "harness")]

    def _verified(self, repo: Repo, job: dict[str, Any], feature: Feature) -> Generator[Event, Answer | None, Verified]:
        about = repo.changed_since(job.get("head"))
        yield Notice("info", f"verifying {feature.id}: {feature.check}")
        verifier = self._verifier(about=about)
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

    def _commit(self, repo: Repo, job: dict[str, Any], feature: Feature) -> Working:
        """Commit what a feature that passes has changed. A hook that refuses makes it a failed attempt."""
        try:
            if repo.dirty():
                head = repo.commit(_message(feature))
                yield Notice("info", f"committed {head[:12]}: {_subject(feature)}")
        except RepoFailed as error:
            self._learn(feature, Attempt(feature.id, "refused", "", "git commit", 1, str(error)))
            yield Notice("warning", f"git did not take the commit of {feature.id}: {error}")
            yield from self._aside(repo, job, feature)
            return
        left = repo.dirty()
        if left:
            yield Notice("warning", f"a hook left changes behind ({', '.join(left[:5])}): the next commit takes them")
        job["left"] = list(left)
        self.report.passed.append(feature.id)
        job.update(feature=None, head=None)
        write_job(self._places, job)

    def _failed(self, repo: Repo, job: dict[str, Any], ended: TurnEnded, done: Verified) -> Working:
        feature = done.feature
        outcome = "asks" if done.outcome == "asks" else "failed"
        said = done.tail if done.outcome == "failed" else done.told()
        self._learn(feature, Attempt(feature.id, outcome, ended.text, feature.check, done.exit, said))
        yield from self._aside(repo, job, feature)

    def _aside(self, repo: Repo, job: dict[str, Any], feature: Feature) -> Working:
        """After too many failed attempts a feature is set aside, and what they changed is put on git's stash."""
        count, _ = tries(self._places, feature.id)
        if count < self.bounds.failures:
            return
        kept = repo.stash(f"agentmem: {feature.id} set aside after {count} attempts")
        where = f"; its changes: git stash apply {kept[:12]}" if kept else ""
        self._learn(feature, Attempt(feature.id, "aside", "", feature.check, None, where))
        self.report.aside.append(feature.id)
        job.update(feature=None, head=None)
        write_job(self._places, job)
        told = f"{feature.id} is set aside after {count} failed attempts{where}; again: agentmem work --again"
        yield Notice("warning", told)

    def _learn(self, feature: Feature, attempt: Attempt) -> None:
        agent = self.agent
        learn(self._places, agent.clock.stamp(), agent.session_id, attempt, agent.session.entries)

    def _reset(self) -> Working:
        """A fresh session for the next feature; the rule-made handoff where the model's is not enough."""
        agent = self.agent
        found = self._verifier().desk.read().features
        following = next((one for one in found if not one.passes), None)
        note = f"{following.id}: {following.description}" if following else "every feature passes: see that it holds"
        ended = yield from quietly(reset(agent, Wish(note), self.cancel))
        self._count(ended)
        if ended.stop == "failed" and not self.cancel.cancelled:
            begin_anew(agent, ruled(agent, Wish(note)))
            yield Notice("info", "the handoff is made by rule from the log")


def _slug(goal: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", goal.lower()).strip("-")[:_SLUG].strip("-")
    if words or not goal.strip():
        return words or "features"
    return f"features-{crc32(goal.encode('utf-8', 'replace')):08x}"  # a goal in another script has a branch of its own


def _subject(feature: Feature) -> str:
    line = " ".join(feature.description.split())
    return line if len(line) <= _SUBJECT else line[: _SUBJECT - 1] + "…"


def _message(feature: Feature) -> str:
    evidence = feature.evidence
    seen = (
        f"Checked with `{' '.join(evidence.command.split())}` (exit 0, {evidence.seconds:g} s).\n\n" if evidence else ""
    )
    return f"{_subject(feature)}\n\n{seen}{TRAILER}: {feature.id}\n"
