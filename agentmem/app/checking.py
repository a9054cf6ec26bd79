"""Checking: the feature list for the command line, its checks run on the person's word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agentmem.agent.verify import Verified, Verifier
from agentmem.app.consent import require_person
from agentmem.app.home import places_of
from agentmem.domain.cancel import Cancel
from agentmem.domain.clock import Clock
from agentmem.domain.feature import Feature, State
from agentmem.domain.measure import age, since
from agentmem.domain.visible import visible
from agentmem.workspace.covers import guarding

Which = Literal["open", "all", "stale"]
_BAR = 24
_MARKS: Mapping[State, str] = {"passing": "✓", "stale": "~", "failing": "·"}


@dataclass(frozen=True, slots=True)
class Row:
    """A feature and how it stands; `seconds` since its evidence, `changed` what that covered and is not as it was."""

    feature: Feature
    state: State
    seconds: float | None
    changed: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The object of `agentmem features --json`."""
        aged = None if self.seconds is None else int(self.seconds)
        return {**self.feature.to_json(), "state": self.state, "age_seconds": aged, "changed": list(self.changed)}


@dataclass(frozen=True, slots=True)
class Sheet:
    """The list and what the person should know of it."""

    rows: tuple[Row, ...]
    told: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The document of `agentmem features --json`."""
        passing = sum(row.state == "passing" for row in self.rows)
        rows = [row.to_json() for row in self.rows]
        return {"features": rows, "passing": passing, "total": len(rows), "notes": list(self.told)}

    def lines(self) -> list[str]:
        """The same for people."""
        if not self.rows:
            return ['no features yet; add one: agentmem features add "log in by mail" --check "pytest -q tests/login"']
        passing = sum(row.state == "passing" for row in self.rows)
        done = _BAR * passing // len(self.rows)
        wide = max(len(visible(row.feature.id)) for row in self.rows)
        bar = f"{'█' * done}{'░' * (_BAR - done)} {passing} of {len(self.rows)} pass"
        return [bar, *(_line(row, wide) for row in self.rows)]


def sheet(env: Mapping[str, str], clock: Clock | None = None) -> Sheet:
    """The feature list as it stands. Raises `ListUnreadable`, `OSError`."""
    clock = clock or Clock()
    verifier = _verifier(env, clock, Cancel())
    found = verifier.desk.settle()
    if found.features:
        verifier.guards.begin()
    told = [f"features.json was changed by hand: {', '.join(found.edited)}; taken as yours"] if found.edited else []
    told += [f"{own}: the flag stood there without evidence of this machine; it is off" for own in found.mended]
    return Sheet(tuple(_row(verifier, one, clock) for one in found.features), tuple(told))


def add(new: Feature, env: Mapping[str, str], clock: Clock | None = None) -> Feature:
    """Put a feature on the list. Raises `NotThePerson`, `BadGlob`, `FeatureTaken`, `ListUnreadable`,
    `OSError`."""
    require_person(env, "add features")
    verifier = _verifier(env, clock or Clock(), Cancel())
    guarding(verifier.places.root, new, new.check)  # a pattern that means nothing is told first
    (added,) = verifier.desk.add([new])
    verifier.guards.begin()
    return added


@dataclass(frozen=True, slots=True)
class Wish:
    """Which checks to run: the features named, or all that do not pass, all, or the stale ones. With `accept` the
    person has seen what has changed in the tests."""

    named: Sequence[str] = ()
    which: Which = "open"
    accept: bool = False


def check(wish: Wish, env: Mapping[str, str], cancel: Cancel, emit: Callable[[str], None]) -> list[Verified]:
    """Run checks, one after the other. Raises `NotThePerson`, `FeatureMissing`, `ListUnreadable`, `OSError`."""
    require_person(env, "have features verified by a command (a model calls the tool `verify`)")
    verifier = _verifier(env, Clock(), cancel, emit)
    verifier.guards.begin()
    found = verifier.desk.settle()
    chosen = [found.called(own) for own in wish.named] or [
        one for one in found.features if _wanted(verifier, one, wish)
    ]
    done = []
    for feature in chosen:
        done.append(verifier.verify(feature.id, accept=wish.accept))
        if cancel.cancelled:
            break
    return done


def to_json(done: Verified) -> dict[str, Any]:
    """An object of `agentmem features verify --json`."""
    return {
        "id": done.feature.id,
        "outcome": done.outcome,
        "passes": done.feature.passes,
        "why": done.why,
        "exit": done.exit,
        "seconds": done.seconds,
        "output": done.output,
        "weaker": [{"path": one.path, "why": one.why, "lines": list(one.lines)} for one in done.weaker],
        "evidence": done.feature.evidence and done.feature.evidence.to_json(),
    }


def _wanted(verifier: Verifier, feature: Feature, wish: Wish) -> bool:
    if wish.which == "all":
        return True
    state = verifier.state(feature)
    return state == "stale" if wish.which == "stale" else state != "passing"


def _verifier(
    env: Mapping[str, str], clock: Clock, cancel: Cancel, emit: Callable[[str], None] = lambda text: None
) -> Verifier:
    return Verifier(places_of(env), clock, env, cancel, emit)


def _row(verifier: Verifier, feature: Feature, clock: Clock) -> Row:
    evidence = feature.evidence
    changed = verifier.changed(feature) if feature.passes else ()
    seconds = None if evidence is None else since(evidence.at, clock.now())
    return Row(feature, verifier.state(feature), seconds, changed)


def _line(row: Row, wide: int) -> str:
    one = row.feature
    said = f"{_MARKS[row.state]} {visible(one.id):<{wide}}  {visible(one.description)}"
    if row.state == "failing":
        return said if one.check else f"{said}  (no check)"
    ago = "" if row.seconds is None else f", seen {age(row.seconds)} ago" if row.seconds >= 5 else ", seen just now"
    if row.state == "passing":
        return f"{said}  (passes{ago})"
    named = ", ".join(visible(path) for path in row.changed[:3] if path != "…")
    more = f" and {len(row.changed) - 3} more" if len(row.changed) > 3 else ""
    return f"{said}  (stale{ago}; changed since: {named or 'files it covers'}{more})"
