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

IN_ONE_PROCESS = """
import importlib, io, json, pkgutil, sys
from contextlib import redirect_stdout
for package in ("flows", "ontology_etl", "index", "query"):
    for found in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
from flows.cli.virome import main
from flows.options import choose_target
manifest = str(choose_target(None, None).inputs)
said = {}
for words in json.loads(sys.argv[1]):
    sys.argv = ["virome", *(manifest if word == "MANIFEST" else word for word in words)]
    with redirect_stdout(io.StringIO()) as shown:
        try:
            code = main()
        except SystemExit as ended:
            code = ended.code
    said[" ".join(words[:2])] = [code or 0, shown.getvalue()]
files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
print(json.dumps([files, manifest, said]))
"""
"""Imports every module and runs commands: most of the time of each goes into starting Python."""


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


def test_every_module_and_command_works_outside_the_checkout(
    installed: Installed, sample_index: BuiltIndex
) -> None:
    bats, db = "Which viruses are found in bats?", ["--db", str(sample_index.path)]
    commands = [
        ["inputs", "check", "MANIFEST", "--no-grounding", "--rows", "10"],
        ["doctor", "--no-server", *db],
        ["global", bats, "--no-llm", "--no-journal", *db],
        ["search", "bats", "--json"],
        ["atlas", "atlas.html", *db],
    ]
    done = installed.run("python", "-W", "ignore", "-c", IN_ONE_PROCESS, json.dumps(commands))

    assert done.returncode == 0, done.stderr
    files, manifest, said = json.loads(done.stdout)
    ours = [path for name, path in files.items() if name.split(".")[0] in ("query", "flows")]
    assert len(ours) > 150
    environment = str(ROOT / ".venv")
    from_checkout = [path for path in files.values() if path and path.startswith(f"{ROOT}/")]
    assert [path for path in from_checkout if not path.startswith(environment)] == []

    assert str(installed.scripts.parent) in manifest
    checked, doctor, answered, missing, _ = said.values()
    assert "a build would read every file" in checked[1]
    assert doctor[0] == answered[0] == 0
    assert len(doctor[1]) > 100
    assert len(answered[1]) > 100
    assert missing[0] != 0
    assert (installed.folder / "atlas.html").stat().st_size > 100_000
    assert "flows.index" in json.loads(missing[1])["remedy"]


def test_the_programs_of_the_wheel_start(installed: Installed) -> None:
    shown = installed.run("virome", "--help").stdout
    version = installed.run("query", "--version")

    lines = [line.split() for line in shown.split("Commands:")[1].splitlines()]
    listed = {words[0] for words in lines if words}
    asking = {str(command.name) for command in query_app.registered_commands}
    assert asking | {"index", "inputs", "ontologies", "schedule", "query"} <= listed
    assert version.returncode == 0, version.stderr
