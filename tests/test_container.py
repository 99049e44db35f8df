"""The Containerfile, read and not built: its files exist, its commands are ours, it is not root."""

from __future__ import annotations

import json
import re
import tomllib

from tests.conftest import ROOT

TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8")
LINES = [
    line.split(maxsplit=1)
    for line in re.sub(r"\\\n\s*", "", TEXT).splitlines()
    if line and not line.startswith("#")
]
KNOWN = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "EXPOSE", "CMD"}


def given(instruction: str) -> list[str]:
    return [rest for name, rest in LINES if name == instruction]


def test_instructions_are_known_and_files_that_are_copied_exist() -> None:
    copied = [rest.split()[:-1] for rest in given("COPY") if not rest.startswith("--from")]

    assert {name for name, _ in LINES} <= KNOWN
    assert [path for paths in copied for path in paths if not (ROOT / path).exists()] == []


def test_every_package_of_the_wheel_is_copied() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"]}

    assert needed <= {path for rest in given("COPY") for path in rest.split()}


def test_base_images_have_a_version_and_the_last_user_is_not_root() -> None:
    assert [name for name in given("FROM") if not re.search(r":\d+\.\d+", name)] == []
    assert int(given("USER")[-1]) > 0


def test_the_command_is_one_of_ours_and_its_port_is_exposed() -> None:
    (command,) = (json.loads(rest) for rest in given("CMD"))

    assert command[:2] == ["virome", "serve"]
    assert command[-1] in given("EXPOSE")
