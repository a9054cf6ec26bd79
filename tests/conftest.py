"""What every room's tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from agentmem.domain.places import Places

# No time limit an example (other work runs on the same cores), and the same examples on every run but the long one.
settings.register_profile("test", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("proof", deadline=None, max_examples=2_000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "test"))

# A job in a shell's background ignores interrupts, and so would every program that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of field cases and data beside the checkout; a test that needs it skips where it is missing."""
    folder = Path(os.environ.get("AGENTMEM_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    if not folder.is_dir():
        pytest.skip(f"needs the shared cases and data; none at {folder} (set AGENTMEM_SHARED)")
    return folder


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """An empty work tree and an empty person's level in a temporary folder."""
    root, home = tmp_path / "w", tmp_path / "home"
    root.mkdir()
    home.mkdir()
    return Places(root=root, cwd=root, home=home, shared=root / ".agent")
