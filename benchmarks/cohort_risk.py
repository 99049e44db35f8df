"""The risk group register of the sample: the group that published lists state for its viruses.

Facts alone, from ``cohort_risk_groups.toml``; what no list states is left out and stays unknown.
"""

from __future__ import annotations

import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import polars as pl

from benchmarks.cohort_ecology import FOLDER, SLICES, Ecology

LISTS: Final = FOLDER / "cohort_risk_groups.toml"
REGISTER: Final = "risk_groups.tsv"


def risk_register(
    ecology: Ecology, *, lists: Path = LISTS, taxdump: Path = SLICES / "taxdump.tar.gz"
) -> pl.DataFrame:
    """Return name, ncbi_taxid, rg_human_derived and basis of the listed species, sorted by name.

    Raises ``ValueError`` where a listed species is not in the cohorts, or has no taxon.
    """
    listed = sorted(_listed(lists))
    taxa = _taxa(taxdump)
    known = {*ecology.species, *(virus for virus, _, _ in ecology.accessions.values())}
    unknown = [name for name, _, _ in listed if name not in known or name.lower() not in taxa]
    if unknown:
        raise ValueError(f"{lists}: not in the cohorts or the taxonomy: {', '.join(unknown)}")
    rows = [(name, taxa[name.lower()], group, basis) for name, group, basis in listed]
    columns = {
        "name": pl.String,
        "ncbi_taxid": pl.Int64,
        "rg_human_derived": pl.String,
        "basis": pl.String,
    }
    return pl.DataFrame(
        rows,
        schema=columns,
        orient="row",
    )


def _listed(path: Path) -> Iterator[tuple[str, str, str]]:
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["list"]:
        for name in entry["species"]:
            yield name, entry["group"], entry["basis"]


def _taxa(path: Path) -> dict[str, int]:
    """Return the taxid of every name in a taxdump, by lower-case name; scientific names win."""
    with tarfile.open(path) as archive:
        member = archive.extractfile("names.dmp")
        assert member is not None
        lines = member.read().decode().splitlines()
    found: dict[str, int] = {}
    for line in lines:
        number, name, _, kind = line.split("\t|\t")
        if kind.startswith("scientific name") or name.lower() not in found:
            found[name.lower()] = int(number)
    return found
