from __future__ import annotations

import pytest

from agentmem.tools.placeholder import placeholder

LEFT_OUT = """# ... rest unchanged
// ... existing code ...
/* ... rest of the file ... */
<!-- ... existing markup unchanged ... -->
# rest of the code unchanged
// existing code here
# unchanged
-- rest of the query stays the same
# ... keep existing imports ...
// rest of the function remains the same
{/* ... existing code ... */}
# [... other methods unchanged ...]
(rest of methods ...)
[... code omitted ...]
// ...existing code...
# … rest of code
// (previous code)
# Rest of the implementation remains unchanged.
/* unchanged code */
// remaining implementation..."""

MEANT = """    ...
x = [1, ...]
# TODO: handle the rest
# see the rest of the docs here for more
print("...")
# Loading...
// existing users keep their settings
# same as above but for y
# ...
func(...args)
// Keep the existing connection open
- rest of the day
# The remaining methods are tested in test_b.py
# code
other = "existing code"
/* spread operator: ...rest */
const {a, ...rest} = props;
* existing behaviour is kept
# Wait for the previous command to finish...
// remaining lines are comments
def f(self, *args): ...
logger.info("keep going...")
// restore the previous state
# unchanged files are skipped
{...existing}
<Component {...rest} />
(...rest) => rest
[...other, x]"""


@pytest.mark.parametrize("line", LEFT_OUT.split("\n"))
def test_left_out(line: str) -> None:
    assert placeholder(f"a()\n    {line}\nb()", "a()\nb()") == line
    assert placeholder(f"a()\n{line}", f"x\n  {line}\ny") is None


@pytest.mark.parametrize("line", MEANT.split("\n"))
def test_meant(line: str) -> None:
    assert placeholder(f"a()\n{line}\nb()", "a()\nb()") is None


def test_long_lines_are_text() -> None:
    assert placeholder("# ... rest " + "of " * 100_000, "") is None
