"""Files that other registries read agree with pyproject.toml: server.json, CITATION.cff, recipe."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest

from tests.conftest import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SERVER: dict[str, Any] = json.loads((ROOT / "server.json").read_text())
RECIPE = (ROOT / "recipe" / "meta.yaml").read_text()
CONDA_NAMES = {"duckdb": "python-duckdb", "igraph": "python-igraph"}


@pytest.mark.parametrize(
    "version",
    [
        SERVER["version"],
        SERVER["packages"][0]["version"],
        *re.findall(r"^version: (\S+)", (ROOT / "CITATION.cff").read_text(), re.MULTILINE),
        *re.findall(r'set version = "(.+?)"', RECIPE),
    ],
)
def test_version_is_that_of_the_project(version: str) -> None:
    assert version == PROJECT["version"]


def test_readme_has_the_name_that_the_mcp_registry_looks_for() -> None:
    assert f"mcp-name: {SERVER['name']}" in (ROOT / "README.md").read_text()


def test_the_package_is_started_by_its_own_name_with_a_command_of_ours() -> None:
    (package,) = SERVER["packages"]

    assert package["identifier"] in PROJECT["scripts"]
    assert [part["value"] for part in package["packageArguments"]] == ["mcp"]
    assert len(SERVER["description"]) <= 100


def test_recipe_needs_what_the_project_needs() -> None:
    needed = [re.match(r"([\w.-]+?)([<>=].*)", text) for text in PROJECT["dependencies"]]
    wanted = {f"{CONDA_NAMES.get(found[1], found[1])} {found[2]}" for found in needed if found}
    listed = re.search(r"\n  run:\n(.*?)\n\n", RECIPE, re.DOTALL)

    assert listed is not None
    assert set(re.findall(r"- (.+)", listed[1])) - {"python >=3.11"} == wanted


def test_recipe_has_the_scripts_of_the_project() -> None:
    scripts = {f"{name} = {target}" for name, target in PROJECT["scripts"].items()}

    assert scripts <= set(re.findall(r"- (\S+ = \S+)", RECIPE))
