"""Verify: the harness runs a feature's check itself; only what it saw end with 0 makes a feature pass.

Before and after the check runs, what guards it must be as it was accepted: see `agentmem.agent.guards`. The evidence
names what was covered, by hash, so that it goes stale with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agentmem.agent.guards import Guards
from agentmem.agent.proving import Watch
from agentmem.domain.cancel import Cancel
from agentmem.domain.clock import Clock
from agentmem.domain.feature import Covered, Evidence, Feature, State
from agentmem.domain.places import Places
from agentmem.memory.memory import FeatureList, keep_output
from agentmem.programs import find_shell
from agentmem.workspace import covers
from agentmem.workspace.live import Live
from agentmem.workspace.output import Output
from agentmem.workspace.process import Command, Ended, run
from agentmem.workspace.quiet import quiet
from agentmem.workspace.repo import repo_of
from agentmem.workspace.runners import silent
from agentmem.workspace.weaker import Weaker

LIMIT = 600.0
"""Seconds a check may take."""
NAMED = 200
"""Files that evidence names one by one."""
SHOWN = 2_000
"""Characters shown of the end of what a check printed."""

Outcome = Literal["passed", "failed", "asks", "nothing"]


@dataclass(frozen=True, slots=True)
class Verified:
    """What came of it. asks: `weaker` is for a person to see first, nothing is proven. nothing: there is no check to
    run, or it came to no end. `tail` is the end of what it printed, `output` where the whole lies, `why` a sentence."""

    feature: Feature
    outcome: Outcome
    why: str
    exit: int | None = None
    seconds: float = 0.0
    tail: str = ""
    output: str | None = None
    weaker: tuple[Weaker, ...] = ()
    notes: tuple[str, ...] = ()

    def told(self, *, tail: bool = True) -> str:
        """In lines, for a model or a person; without `tail` for one who saw what was printed."""
        lines = [f"{self.feature.id}: {self.why}", *(one.told() for one in self.weaker)]
        if tail and self.outcome == "failed" and self.tail:
            lines.append(self.tail)
        if self.output is not None and self.outcome == "failed":
            lines.append(f"[all it printed is in {self.output}]")
        return "\n".join((*lines, *self.notes))


@dataclass(frozen=True, slots=True)
class Verifier:
    """What verifying works with. `emit` hears what a check prints while it runs; `limit` is in seconds;
    `about` are files that the uncommitted work on a feature has touched."""

    places: Places
    clock: Clock
    env: Mapping[str, str]
    cancel: Cancel
    emit: Callable[[str], None] = lambda text: None
    limit: float = LIMIT
    about: tuple[str, ...] = ()

    @property
    def desk(self) -> FeatureList:
        """The list's desk."""
        return FeatureList(self.places, self.clock)

    @property
    def guards(self) -> Guards:
        """What the checks of the list rest on."""
        return Guards(self.places, self.env, self.desk)

    def verify(self, own: str, *, accept: bool = False) -> Verified:
        """Run the check of the feature called `own` and set its flag by what was seen; with `accept` a person has seen
        that the files it rests on have changed. Raises `FeatureMissing`, `ListUnreadable`, `BadGlob`, `MemoryBusy`,
        `OSError`."""
        feature = self.desk.settle().called(own)
        if not feature.check.strip():
            return Verified(feature, "nothing", "it has no check: give it one in features.json (`check`)")
        if accept:
            self.guards.accept(feature)
        elif found := self.guards.weakened(feature):
            return self._asks(feature, "not run: what its check rests on has changed", found)
        return self._run(feature)

    def _asks(self, feature: Feature, what: str, found: tuple[Weaker, ...]) -> Verified:
        notes = [f"to accept it: agentmem features verify {feature.id} --accept"]
        if any(not (covers.is_test(one.path) or covers.is_build(one.path)) for one in found):
            notes.append("what is no test of it but what it is about belongs in its `covers` (features.json)")
        return Verified(feature, "asks", f"{what}, which a person has to see", weaker=found, notes=tuple(notes))

    def state(self, feature: Feature) -> State:
        """How a feature stands now."""
        if not feature.passes or feature.evidence is None:
            return "failing"
        return "stale" if self.changed(feature) else "passing"

    def changed(self, feature: Feature) -> tuple[str, ...]:
        """What its evidence covered and is no longer as it was; one entry ``…`` where files are not named singly."""
        evidence = feature.evidence
        if evidence is None:
            return ()
        patterns = () if evidence.whole else feature.covers or tuple(evidence.covers)
        now = covers.covered(self.places.root, patterns)
        if now.tree == evidence.tree:
            return ()
        if not evidence.covers:
            return ("…",)
        paths = sorted({*now.files, *evidence.covers})
        return tuple(path for path in paths if now.files.get(path) != evidence.covers.get(path)) or ("…",)

    def _patterns(self, feature: Feature) -> Sequence[str]:
        """What a feature covers: what it says, or what its commits and the work on it have touched, up to 200 files;
        without either the whole work tree."""
        if feature.covers:
            return feature.covers
        repo = repo_of(self.places.root, self.env)
        touched = repo.touched(feature.id) if repo is not None and repo.top == self.places.root else ()
        found = tuple(sorted({*touched, *self.about}))
        return found if len(found) <= NAMED else ()

    def ran(self, command: str) -> Ended | None:
        """How a command ended that was run as a check is; None where it could not be started."""
        output = Output()
        try:
            return self._start(command, output)
        except (OSError, ValueError):
            return None
        finally:
            output.close()

    def _run(self, feature: Feature) -> Verified:
        output, at = Output(), self.clock.stamp()
        try:
            return self._judge(feature, self._start(feature.check, output), at, output)
        except (OSError, ValueError) as error:
            return Verified(feature, "nothing", f"its check could not be started: {error}")
        finally:
            output.close()

    def _start(self, command: str, output: Output) -> Ended:
        root, live = self.places.root, Live(self.emit)

        def take(piece: bytes) -> bool:
            output.add(piece)
            live.add(piece)
            return False

        shell = find_shell(self.env)
        argv = (shell, "-c", "--", command.encode())
        watch = Watch(self.places)
        try:
            ended = run(Command(argv, root, quiet(self.env, root), self.limit), self.cancel, take)
        finally:
            told = watch.settle()
        if told is not None:
            output.add(f"\n{told}\n".encode())
        live.finish()
        return ended

    def _judge(self, feature: Feature, ended: Ended, at: str, output: Output) -> Verified:
        kept: str | None = None
        notes: tuple[str, ...] = ()
        try:
            kept = keep_output(self.places, "features", f"{feature.id}-{self.clock.new_id()}.txt", output.whole())
        except OSError as error:
            notes = (f"[what it printed could not be kept: {error.strerror}]",)
        view = output.view()
        tail = (view.tail or view.head).rstrip()[-SHOWN:]
        seconds = round(ended.seconds, 2)
        mute = silent(feature.check, f"{view.head}\n{view.tail}")
        if ended.how == "exit" and ended.code == 0 and mute is None:
            if found := self.guards.weakened(feature):
                return self._asks(feature, "proves nothing: what its check rests on changed while it ran", found)
            if feature.covers and not covers.covered(self.places.root, feature.covers).files:
                named = ", ".join(feature.covers)
                why = f"its check passes, but `covers` ({named}) names no file: nothing could go stale"
                return Verified(feature, "nothing", why, 0, seconds, tail, kept, notes=notes)
            proven = self._prove(feature, at, seconds, kept)
            why = f"passes: `{feature.check}` ended with 0 after {seconds:g} s"
            return Verified(proven, "passed", why, 0, seconds, tail, kept, notes=notes)
        if ended.how == "cancelled":
            why = "its check was interrupted: nothing is known of it"
            return Verified(feature, "nothing", why, None, seconds, tail, kept)
        failed = self.desk.disproven(feature.id) if feature.passes else feature
        how = f"ended with {ended.code}"
        if ended.how == "timeout":
            how = f"took longer than {self.limit:g} s and was stopped"
        elif ended.code == 0:
            how += f", but {mute} did not say that it ran a test and came to its end: that proves nothing"
        why = f"fails: `{feature.check}` {how}"
        return Verified(failed, "failed", why, ended.code, seconds, tail, kept, notes=notes)

    def _prove(self, feature: Feature, at: str, seconds: float, output: str | None) -> Feature:
        root = self.places.root
        patterns = self._patterns(feature)
        covered = covers.covered(root, patterns)
        guards = self.guards.of(feature)
        repo = repo_of(root, self.env)
        evidence = Evidence(
            feature.check,
            0,
            at,
            seconds,
            repo.head() if repo is not None else None,
            covered.tree,
            _few(covered),
            _few(guards),
            output,
            not patterns,
        )
        self.guards.accept(feature)
        return self.desk.proven(feature.id, evidence)


def _few(found: Covered) -> Mapping[str, str]:
    return found.files if len(found.files) <= NAMED else {}
