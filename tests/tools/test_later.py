"""A tool is offered by its spec, and its module is loaded by the first call."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from agentmem.domain.tool import Access, Tool, ToolContext, ToolResult
from agentmem.tools import tools


@pytest.mark.parametrize("tool", tools(), ids=lambda tool: tool.name)
def test_what_is_offered_is_what_the_module_has(tool: Tool) -> None:
    own: Tool = import_module(f"agentmem.tools.{tool.name}").TOOL
    assert (tool.spec, tool.reads_only, tool.preview is None) == (own.spec, own.reads_only, own.preview is None)


def test_a_call_goes_to_the_tool(context: ToolContext) -> None:
    write = next(tool for tool in tools() if tool.name == "write")
    arguments = {"path": "f", "content": "one\n"}
    assert write.access(arguments, context) == (Access("write", str(context.cwd / "f"), "f"),)
    assert write.preview is not None
    assert write.preview(arguments, context) == "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+one\n"
    result = write.run(arguments, context)
    assert (result.error, (context.cwd / "f").read_text()) == (False, "one\n")
    assert write.run({}, context) == ToolResult(
        "write: `path` is missing. Wanted: path: string, content: string", error=True, malformed="arguments"
    )


def test_the_specs_name_the_limits_that_hold() -> None:
    from agentmem.tools import ls, page, specs

    assert f"at most {page.LINES_MOST} lines" in specs.READ.description
    assert f"At most {ls.ENTRIES_MOST} entries" in specs.LS.description


def test_no_tool_is_loaded_before_it_is_called() -> None:
    code = (
        "import sys\nfrom agentmem.tools import tools\nnames = [tool.name for tool in tools()]\n"
        "print([name for name in names if f'agentmem.tools.{name}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
