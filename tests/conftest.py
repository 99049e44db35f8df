"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real inputs, or skip."""
    folder = Path(os.environ.get("VIROME_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "ontologies" / "taxdump.tar.gz").exists():
        pytest.skip(f"real inputs are absent: no {folder} (set VIROME_SHARED_DATA)")
    return folder


@pytest.fixture(scope="session")
def sample_inputs() -> Path:
    """Return the inputs manifest of the bundled synthetic sample."""
    return ROOT / "data" / "sample" / "inputs.toml"
