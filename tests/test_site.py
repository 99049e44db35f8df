"""The documentation as a site: it builds without a broken link, and every page is in it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("material") is None, reason="mkdocs-material: make site installs it"
)


def built(config: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(config)]
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(
        [*command, "--site-dir", str(site)],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_site_has_every_page_and_no_broken_link(tmp_path: Path) -> None:
    done = built(ROOT / "mkdocs.yml", tmp_path)

    assert done.returncode == 0, done.stderr
    written = {path.stem for path in tmp_path.glob("*.html")} - {"404"}
    assert written == {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert (tmp_path / "beside" / "decisions" / "0020-association-tests.md.txt").exists()
