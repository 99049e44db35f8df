"""Run the tests nearest to what changed, nearest first, until a minute is over.

``python -m tests.quick`` takes what differs from ``HEAD`` (``--since REF`` for another commit),
follows imports from the changed modules to the test files, and ends them at the limit, within a
test if need be. It is for the edit loop; ``make test`` remains the proof.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("flows", "query", "index", "ontology_etl", "tests")
FARTHEST = 3
"""Imports between a changed module and a test that is still run."""


def main() -> int:
    """Run the tests and return pytest's exit code; 0 where no test is near."""
    parser = argparse.ArgumentParser(prog="python -m tests.quick", description=__doc__)
    parser.add_argument("--since", default="HEAD", help="commit to compare with")
    parser.add_argument("--seconds", type=float, default=57.0, help="when to stop")
    began = time.monotonic()
    options = parser.parse_args()

    files = near_tests(changed_modules(options.since))
    if not files:
        print("no Python file that a test imports has changed: make test runs everything")
        return 0
    print(f"{len(files)} test files are near what changed, nearest first")
    fast = ["--exitfirst", "-m", "not server and not real", "-v"]
    command = [sys.executable, "-m", "pytest", *fast, *files]
    tests = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    try:
        return tests.wait(max(1.0, began + options.seconds - time.monotonic()))
    except subprocess.TimeoutExpired:
        print("\nthe time is over: what comes after the last file above was not run")
        return 0
    finally:
        if tests.poll() is None:
            os.killpg(tests.pid, signal.SIGKILL)


def changed_modules(since: str) -> list[str]:
    """Return the modules of this repository that differ from ``since``, new ones too."""
    changed = _git("diff", "--name-only", since, "--", "*.py")
    new = _git("ls-files", "--others", "--exclude-standard", "--", "*.py")
    return sorted({_module(name) for name in changed + new})


def near_tests(modules: list[str]) -> list[str]:
    """Return the test files that import ``modules`` within ``FARTHEST`` steps, nearest first."""
    graph = grimp.build_graph(*PACKAGES)
    seen = {module for module in modules if module in graph.modules}
    nearest = sorted(seen)
    edge = seen
    for _ in range(FARTHEST):
        importers = (graph.find_modules_that_directly_import(module) for module in edge)
        edge = set().union(*importers) - seen
        seen |= edge
        nearest += sorted(edge)
    tests = [module for module in nearest if module.startswith("tests.test_")]
    return [f"{test.replace('.', '/')}.py" for test in tests]


def _git(*words: str) -> list[str]:
    """Return the lines that git prints."""
    done = subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def _module(name: str) -> str:
    """Return the module of a file: ``index/store/read.py`` is ``index.store.read``."""
    dotted = name.removesuffix(".py").replace("/", ".")
    return dotted.removesuffix(".__init__")


if __name__ == "__main__":
    sys.exit(main())
