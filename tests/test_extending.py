"""docs/extending.md: every recipe is applied to a copy of the code, and what it adds works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT

PAGE = ROOT / "docs" / "extending.md"
PACKAGES = ("flows", "index", "ontology_etl", "query", "tests")
NUMBERS = {"two": 2, "three": 3, "four": 4}


@dataclass(frozen=True)
class Recipe:
    """One section of the page: its change as a diff, how many files it may touch, its check."""

    title: str
    most_files: int
    change: str
    check: str


def read_recipes() -> list[Recipe]:
    sections = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    return [_recipe(section) for section in sections]


def _recipe(section: str) -> Recipe:
    title, _, body = section.partition("\n")
    number = re.search(r"(two|three|four) files", title)
    change = re.search(r"```diff\n(.*?)```", body, re.DOTALL)
    check = re.search(r"```python\n(.*?)```", body, re.DOTALL)
    assert number is not None
    assert change is not None
    assert check is not None
    return Recipe(title, NUMBERS[number[1]], change[1], check[1])


def apply_change(change: str, folder: Path) -> None:
    """Change the files of ``folder`` as the diff says; context decides where, not line numbers."""
    for part in re.split(r"(?m)^(?=--- )", change)[1:]:
        head, *hunks = re.split(r"(?m)^@@ .*\n", part)
        new_file = head.startswith("--- /dev/null")
        path = folder / re.search(r"\+\+\+ b/(\S+)", head)[1]  # type: ignore[index]
        text = "" if new_file else path.read_text(encoding="utf-8")
        for hunk in hunks:
            text = _replace_once(text, hunk)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _replace_once(text: str, hunk: str) -> str:
    lines = [(line[:1], line[1:]) for line in hunk.splitlines() if line]
    before = "\n".join(line for mark, line in lines if mark in " -")
    after = "\n".join(line for mark, line in lines if mark in " +")
    assert text.count(before) == 1 or not before, f"not found once:\n{before}"
    return text.replace(before, after, 1) if before else after + "\n"


@pytest.mark.parametrize("half", [slice(0, 3), slice(3, None)], ids=["first", "last"])
def test_recipes_touch_few_files_and_work(half: slice, tmp_path: Path) -> None:
    """Three recipes share a copy of the code and the start of a program."""
    ignored = shutil.ignore_patterns("__pycache__")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignored)
    recipes = read_recipes()[half]
    assert len(recipes) == 3
    for recipe in recipes:
        touched = set(re.findall(r"(?m)^\+\+\+ b/(\S+)", recipe.change))
        assert len(touched) <= recipe.most_files
        apply_change(recipe.change, tmp_path)
    checks = [f"exec(compile({one.check!r}, {one.title!r}, 'exec'), {{}})" for one in recipes]
    done = subprocess.run(
        [sys.executable, "-P", "-c", "\n".join(checks)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_recipe_that_fits_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\n")
    change = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-three\n+four\n"
    with pytest.raises(AssertionError, match="not found once"):
        apply_change(change, tmp_path)
