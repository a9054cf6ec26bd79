from __future__ import annotations

from agentmem.domain.entry import Entry
from agentmem.memory.manage.compact.receipt import ground
from agentmem.memory.manage.compact.trimming import trimmed


def test_lines_that_name_the_least_go_first() -> None:
    content = [{"type": "text", "text": "Mend src/parser.py and src/lexer.py, then run make test", "origin": "person"}]
    of = ground([Entry("message", "a1", None, "t", {"role": "user", "content": content})])
    text = (
        "# What was done\n"
        "The parser was looked at, src/parser.py, with great care and over a long stretch of the afternoon.\n"
        "- src/lexer.py\n"
        "All of it went well, as far as one can say that of such things at all.\n"
        "- src/parser.py\n"
    )
    assert trimmed(text, of, 0.0) == text
    assert trimmed(text, of, 0.4) == "# What was done\n- src/lexer.py\n- src/parser.py\n".replace(
        "- src/lexer.py",
        "The parser was looked at, src/parser.py, with great care and over a long stretch of the "
        "afternoon.\n- src/lexer.py",
    )
    assert trimmed(text, of, 0.75) == "# What was done\n- src/parser.py\n"
