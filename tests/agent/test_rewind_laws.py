"""Laws of rewinding: what tools wrote comes back to the byte, what others did is untouched, and a rewind comes back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from keeping import disk

from agentmem.agent.keeper import Keeper
from agentmem.agent.rewind import Rewind
from agentmem.domain.cancel import Cancel
from agentmem.domain.clock import Clock
from agentmem.domain.message import Text, ToolCall
from agentmem.domain.places import Places
from agentmem.domain.tool import Access
from agentmem.memory.memory import Session, new_session

NAMES = ("a", "b", "d/c", "d/e/f", "exec", "link")
Deed = tuple[str, str, bytes]

by_tools = st.tuples(st.sampled_from(["tool", "tool", "turn"]), st.sampled_from(NAMES), st.binary(max_size=30))
by_others = st.tuples(
    st.sampled_from(["write", "remove", "chmod", "symlink", "run"]),
    st.sampled_from(["a", "x", "y/z", "link"]),
    st.binary(max_size=9),
)


class Scene:
    """A work tree, a session and a keeper, without a model."""

    def __init__(self, folder: Path) -> None:
        root, home = folder / "w", folder / "home"
        root.mkdir()
        home.mkdir()
        self.root = root
        clock = Clock()
        self.session: Session = new_session(Places(root, root, home, root / ".agent"), clock, "0")
        self.keeper = Keeper(self.session, clock, {"PATH": os.environ["PATH"]}, wait=30.0)
        self.rewind = Rewind(self.session, self.keeper)
        self.calls = 0

    def turn(self) -> str:
        entry = self.session.record_user([Text("go", "person")])
        self.keeper.begin(self.session.id, entry.id)
        return entry.id

    def call(self, access: Access, work: Callable[[], None]) -> None:
        self.calls += 1
        call = ToolCall(f"c{self.calls}", "tool")
        assert self.keeper.before(call, [access], Cancel()) == []
        work()
        self.keeper.after(call)

    def do(self, deed: Deed) -> None:
        kind, name, data = deed
        path = self.root / name
        if kind == "tool":
            self.call(Access("write", os.path.realpath(path), name), lambda: put(Path(os.path.realpath(path)), data))
        elif kind == "run":
            self.call(Access("run", "command", "command"), lambda: put(self.root / "made" / name, data))
        elif kind == "turn":
            self.turn()
        elif kind == "write":
            put(path, data)
        elif kind == "remove":
            path.unlink(missing_ok=True)
        elif kind == "chmod" and path.is_file() and not path.is_symlink():
            path.chmod(0o600 if data else 0o755)
        elif kind == "symlink" and not path.exists() and not path.is_symlink():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to("nowhere")


def put(path: Path, data: bytes) -> None:
    if path.is_dir() or any(parent.is_file() for parent in path.parents):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


@contextmanager
def scene() -> Iterator[Scene]:
    with tempfile.TemporaryDirectory() as name:
        made = Scene(Path(name))
        put(made.root / "a", b"first a")
        put(made.root / "exec", b"#!/bin/sh\n")
        (made.root / "exec").chmod(0o750)
        (made.root / "link").symlink_to("a")
        try:
            yield made
        finally:
            made.keeper.close()
            made.session.close()


@settings(max_examples=settings.default.max_examples // 8)
@given(st.lists(by_tools, max_size=8), st.lists(by_tools, max_size=8), st.data())
def test_tools_alone_go_back_to_the_byte_and_forth_again(
    first: list[Deed], then: list[Deed], data: st.DataObject
) -> None:
    with scene() as made:
        states = [(made.turn(), disk(made.root))]
        for deed in (*first, *then):
            if deed[0] == "turn":
                states.append((made.turn(), disk(made.root)))
            else:
                made.do(deed)
        last = disk(made.root)
        to, wanted = data.draw(st.sampled_from(states))
        plan = made.rewind.plan(to)
        assert plan.asked == ()
        past = made.rewind.past(to)
        assert made.rewind.perform(past, plan, "files").failed == ()
        assert disk(made.root) == wanted
        if plan.back:
            assert made.rewind.undo(made.rewind.plan_undo()).failed == ()
            assert disk(made.root) == last
            # And from there to any other moment.
            to, wanted = data.draw(st.sampled_from(states))
            made.rewind.perform(made.rewind.past(to), made.rewind.plan(to), "files")
            assert disk(made.root) == wanted


@settings(max_examples=settings.default.max_examples // 5)
@given(st.lists(st.one_of(by_tools, by_others), max_size=12), st.lists(by_others, max_size=4))
def test_what_others_did_is_untouched_until_the_person_says_so(deeds: list[Deed], late: list[Deed]) -> None:
    with scene() as made:
        to = made.turn()
        for deed in (*deeds, *late):
            made.do(deed)
        last = disk(made.root)
        plan = made.rewind.plan(to)
        changed = {step.path for step in plan.back}
        made.rewind.perform(made.rewind.past(to), plan, "files")
        now = disk(made.root)
        assert {path for path in last.keys() | now.keys() if last.get(path) != now.get(path)} == changed
        assert not changed & {step.path for step in plan.asked}
        if plan.back:
            made.rewind.undo(made.rewind.plan_undo())
            assert disk(made.root) == last
        made.rewind.perform(made.rewind.past(to), made.rewind.plan(to), "files", everything=True)
        swept = disk(made.root)
        created = {path for path, _ in plan.stays}
        assert all(swept[path] == last[path] for path in created if path in last)
        if plan.back or plan.asked:
            made.rewind.undo(made.rewind.plan_undo(), everything=True)
            made.rewind.undo(made.rewind.plan_undo(), everything=True)
            assert disk(made.root) == swept
