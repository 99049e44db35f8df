"""The built wheel in an environment of its own: no file of the checkout is needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from query.cli.app import app as query_app
from tests.conftest import ROOT, BuiltIndex

IMPORT_ALL = """
import importlib, json, pkgutil, sys
for package in ("flows", "ontology_etl", "index", "query"):
    for found in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
print(json.dumps({name: getattr(module, "__file__", None) for name, module in sys.modules.items()}))
"""


@dataclass(frozen=True)
class Installed:
    """A wheel installed in a virtual environment; commands run in an empty ``folder``."""

    scripts: Path
    folder: Path

    def run(self, program: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment as its user does, outside the checkout."""
        hidden = ("PYTHONPATH", "VIRTUAL_ENV", "VIROME_DB")
        environ = {name: value for name, value in os.environ.items() if name not in hidden}
        command = [str(self.scripts / program), *words]
        return subprocess.run(
            command, cwd=self.folder, env=environ, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build the wheel once and install it; its dependencies are those of this environment."""
    made = tmp_path_factory.mktemp("wheel")
    python = [sys.executable, "-m"]
    build = ["build", "--wheel", "--no-isolation", "--outdir", str(made), str(ROOT)]
    subprocess.run([*python, *build], check=True, capture_output=True)
    (wheel,) = made.glob("*.whl")
    environment = made / "venv"
    venv.create(environment, with_pip=False, symlinks=True)
    inner = {"base": str(environment), "platbase": str(environment)}
    own = Path(sysconfig.get_path("purelib", vars=inner))
    (own / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    scripts = environment / "bin"
    pip = ["pip", "--python", str(scripts / "python"), "install", "--no-deps", "--no-index"]
    subprocess.run([*python, *pip, "--quiet", str(wheel)], check=True, capture_output=True)
    folder = made / "elsewhere"
    folder.mkdir()
    return Installed(scripts, folder)


def test_every_module_is_imported_from_the_wheel(installed: Installed) -> None:
    done = installed.run("python", "-W", "ignore", "-c", IMPORT_ALL)

    assert done.returncode == 0, done.stderr
    files = json.loads(done.stdout)
    ours = [path for name, path in files.items() if name.split(".")[0] in ("query", "flows")]
    assert len(ours) > 150
    environment = str(ROOT / ".venv")
    from_checkout = [path for path in files.values() if path and path.startswith(f"{ROOT}/")]
    assert [path for path in from_checkout if not path.startswith(environment)] == []


def test_the_sample_is_in_the_wheel_and_can_be_read(installed: Installed) -> None:
    chosen = "from flows.options import choose_target as c; print(c(None, None).inputs)"
    manifest = installed.run("python", "-c", chosen).stdout.strip()

    done = installed.run("virome", "inputs", "check", manifest, "--no-grounding", "--rows", "10")

    assert str(installed.scripts.parent) in manifest
    assert "a build would read every file" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("virome", "doctor", "--no-server"),
        ("virome", "global", "Which viruses are found in bats?", "--no-llm", "--no-journal"),
        ("query", "atlas", "atlas.html"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_command_works_outside_the_checkout(
    words: tuple[str, ...], installed: Installed, sample_index: BuiltIndex
) -> None:
    done = installed.run(*words, "--db", str(sample_index.path))

    assert done.returncode == 0, done.stderr
    assert len(done.stdout) > 100


def test_virome_has_every_command_of_query_and_of_the_builds(installed: Installed) -> None:
    shown = installed.run("virome", "--help").stdout

    lines = [line.split() for line in shown.split("Commands:")[1].splitlines()]
    listed = {words[0] for words in lines if words}
    asking = {str(command.name) for command in query_app.registered_commands}
    assert asking | {"index", "inputs", "ontologies", "schedule", "query"} <= listed


def test_without_an_index_the_next_command_builds_the_sample(installed: Installed) -> None:
    done = installed.run("virome", "global", "Which viruses are found in bats?", "--json")

    assert done.returncode != 0
    assert "flows.index" in json.loads(done.stdout)["remedy"]
