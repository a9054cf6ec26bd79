"""Skills on a real terminal: trusted, called by name, seen before first use, told when they change."""

from __future__ import annotations

from collections.abc import Callable

from terminal.test_crossing import ENTER, Terminal, terminal

from agentmem.domain.places import Places

__all__ = ["terminal"]  # the fixture


def test_a_skill_is_trusted_called_and_changed(places: Places, terminal: Callable[..., Terminal]) -> None:
    path = places.root / ".claude/skills/deploy/SKILL.md"
    (path.parent / "scripts").mkdir(parents=True)
    path.write_text("---\nname: deploy\ndescription: Deploys the shop.\n---\nShip $ARGUMENTS.\n")
    (path.parent / "scripts/run.sh").write_text("true\n")
    screen = terminal(columns=110, rows=40)
    screen.shows("skills of this project are not offered, its folder is not trusted: deploy")
    screen.type("/deploy now" + ENTER)
    screen.shows("There is no command /deploy.")
    screen.type("/trust" + ENTER)
    screen.shows("its skills are offered from your next message on")
    screen.type("/dep")
    screen.shows("Deploys the shop.")
    screen.type("loy the shop" + ENTER)
    screen.shows("this is its first use; 1 script")
    screen.shows("scripts: scripts/run.sh")
    screen.type("y")
    screen.shows("skill deploy (slash)")
    screen.shows("answer 1")
    new = places.root / ".claude/skills/fresh/SKILL.md"
    new.parent.mkdir()
    new.write_text("---\nname: fresh\ndescription: Brand new.\n---\nBody\n")
    taken = places.root / ".claude/skills/model/SKILL.md"
    taken.parent.mkdir()
    taken.write_text("---\nname: model\ndescription: Draws a model.\ndisable-model-invocation: true\n---\nBody\n")
    screen.type("/skills" + ENTER)
    screen.shows("fresh          project   Brand new.")
    screen.shows("/model is a command of agentmem, not the skill model")
    screen.type("/fresh" + ENTER)
    screen.shows("skills changed: new: fresh (Brand new.)")
    screen.shows("answer 2")
    (log,) = (places.root / ".agent/sessions").glob("*.jsonl")
    assert "Ship the shop." in log.read_text()
