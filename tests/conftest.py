"""What every room's tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentmem.domain.places import Places


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
