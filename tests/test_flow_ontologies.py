"""The drift command: what a new release changes, and what that touches in an index."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from flows.ontologies import main
from tests.conftest import BuiltIndex

LUNG = "BTO:0000763"


@pytest.fixture
def releases(sample_inputs: Path, tmp_path: Path) -> tuple[Path, Path]:
    old = sample_inputs.parent / "ontologies" / "bto.obo"
    new = tmp_path / "bto.obo"
    new.write_text(
        old.read_text(encoding="utf-8").replace("\nname: lung\n", "\nname: lung organ\n"),
        encoding="utf-8",
    )
    return old, new


def test_a_renamed_term_is_reported_with_its_uses(
    releases: tuple[Path, Path], sample_index: BuiltIndex, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = releases
    assert main(["diff", str(old), str(new), "--db", str(sample_index.path), "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)
    assert tables["changes"] == [
        {"change": "renamed", "curie": LUNG, "old": "lung", "new": "lung organ"}
    ]
    assert tables["annotations"][0]["uses"] > 0
    assert tables["reports"][0]["curie"] == LUNG


def test_equal_releases_change_nothing(
    releases: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", str(releases[0]), str(releases[0])]) == 0
    assert capsys.readouterr().out == "nothing changed\n"


def test_an_absent_release_is_named(
    releases: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", str(releases[0]), "absent.obo"]) == 3
    assert "absent.obo: no such file" in capsys.readouterr().err


def test_index_says_that_it_was_built_on_another_release(
    sample_inputs: Path,
    sample_index: BuiltIndex,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["check", "--db", str(sample_index.path), "--inputs"]
    assert main([*asked, str(sample_inputs)]) == 0
    shutil.copytree(sample_inputs.parent, tmp_path / "sample")
    bto = tmp_path / "sample" / "ontologies" / "bto.obo"
    bto.write_text(
        bto.read_text(encoding="utf-8").replace("name: lung", "name: lung organ"), encoding="utf-8"
    )
    capsys.readouterr()
    assert main([*asked, str(bto.parents[1] / sample_inputs.name), "--json"]) == 1
    states = {row["ontology"]: row["state"] for row in json.loads(capsys.readouterr().out)}
    assert states == {"BTO": "other", "DOID": "same", "ICTV": "same", "NCBITaxon": "same"}
