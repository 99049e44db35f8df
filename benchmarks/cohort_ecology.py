"""The ecology that synthetic cohorts are drawn from (``cohort_ecology.toml``), as padded numpy
tables.
"""

from __future__ import annotations

import tarfile
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

FOLDER: Final = Path(__file__).resolve().parent
SLICES: Final = FOLDER.parent / "data" / "sample" / "ontologies"

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Texts = npt.NDArray[np.object_]
Bools = npt.NDArray[np.bool_]

RULED: Final = "RNA-Seq"
"""The library strategy that is searched by rule."""


@dataclass(frozen=True)
class Choice:
    """Labels to choose from, one row per kind of study, with their cumulative weights."""

    labels: Texts  # (studies, k); padded with ""
    cumulative: Floats  # (studies, k); 1 from the last label on
    counts: Ints  # (studies,)

    def pick(self, study: Ints, uniform: Floats) -> Ints:
        """Return the position of the label each (study, uniform in 0-1) falls on; -1 where there is
        none.
        """
        passed = uniform[:, None] >= self.cumulative[study]
        position = passed.sum(axis=1)
        last = self.counts[study] - 1
        within = np.minimum(position, last)
        return np.where(last < 0, -1, within)

    def label(self, study: Ints, position: Ints) -> Texts:
        """Return the label at each position; "" for position -1."""
        some_label = np.maximum(position, 0)
        labels = self.labels[study, some_label]
        chosen: Texts = np.where(position < 0, "", labels)
        return chosen


@dataclass(frozen=True)
class Ecology:
    """Kinds of study with their hosts, viruses, tissues, diseases, places and contrasts; one row
    per kind.
    """

    keys: tuple[str, ...]
    organism: Choice
    host: Choice  # parallel to organism
    tissue: Choice
    disease: Choice
    place: Choice  # one row per kind of study and organism
    place_row: Ints  # (studies, k), parallel to organism
    virus: Choice  # labels are species
    family: Texts  # (studies, k), parallel to virus
    species: tuple[str, ...]  # every species once, sorted
    species_number: Ints  # (studies, k), into species; -1 where padded
    stat: Choice
    stat_share: Floats  # (studies, k)
    contrast: Texts  # (studies, 4): attribute, value that carries the virus, other value, family
    log2_fold: Floats  # (studies,)
    biome: Texts
    strategy: Texts  # (studies,) library strategy
    listed: Bools  # (studies,) whether its runs are on the list of what was searched
    without_bioproject: Bools  # (studies,)
    of_runs: Texts  # (studies, 3): attribute and value of the runs' own, its meaning; empty: none
    questions: tuple[tuple[str, ...], ...]
    phylum: dict[str, str]  # by family
    family_of: dict[str, str]  # by species
    spellings: dict[str, list[str]]
    names: dict[str, list[str]]  # species -> what studies call it instead
    ambiguous: tuple[str, ...]  # names of several viruses
    former_places: dict[str, str]  # former name of a country -> its name today
    implied_hosts: dict[str, str]  # metagenome -> host that its name says
    pairs: dict[str, tuple[str, str]]  # plausibility -> virus, host: an example of each
    positions: dict[str, tuple[float, float]]  # degrees north and east, by country
    accessions: dict[
        str, tuple[str, str, str]
    ]  # RefSeq accession -> species, family, kind of study


def read_ecology(path: Path = FOLDER / "cohort_ecology.toml") -> Ecology:
    """Return the ecology at ``path``."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    studies: list[dict[str, Any]] = raw["study"]
    viruses = [study["viruses"] for study in studies]
    species = tuple(sorted({name for listed in viruses for name, _, _ in listed}))
    number = {name: position for position, name in enumerate(species)}
    virus = _choice([[(name, weight) for name, _, weight in listed] for listed in viruses])
    places = [
        entry[2] if len(entry) > 2 else study["countries"]
        for study in studies
        for entry in study["organisms"]
    ]
    contrasts = [study["contrast"] for study in studies]
    return Ecology(
        keys=tuple(study["key"] for study in studies),
        organism=_choice([[(entry[0], 1.0) for entry in study["organisms"]] for study in studies]),
        host=_choice([[(entry[1], 1.0) for entry in study["organisms"]] for study in studies]),
        tissue=_choice([list(study["tissues"].items()) for study in studies]),
        disease=_choice([list(study["diseases"].items()) for study in studies]),
        place=_choice([[(name, 1.0) for name in listed] for listed in places]),
        place_row=np.array(
            _padded(_numbered(len(study["organisms"]) for study in studies), 0), dtype=np.int64
        ),
        virus=virus,
        family=_padded([[family for _, family, _ in listed] for listed in viruses]),
        species=species,
        species_number=np.vectorize(lambda name: number.get(name, -1), otypes=[np.int64])(
            virus.labels
        ),
        stat=_choice([[(name, 1.0) for name, _ in study["stat"]] for study in studies]),
        stat_share=np.array(
            _padded([[share for _, share in study["stat"]] for study in studies], 0.0), dtype=float
        ),
        contrast=_padded([contrast[:4] for contrast in contrasts]),
        log2_fold=np.array([contrast[4] for contrast in contrasts], dtype=float),
        biome=np.array([study["biome"] for study in studies], dtype=object),
        strategy=np.array([study.get("strategy", RULED) for study in studies], dtype=object),
        listed=np.array([study.get("listed", False) for study in studies], dtype=bool),
        without_bioproject=np.array(
            [not study.get("bioproject", True) for study in studies], dtype=bool
        ),
        of_runs=np.array([study.get("of_runs", ("", "", "")) for study in studies], dtype=object),
        questions=tuple(tuple(study["questions"]) for study in studies),
        phylum={family: phylum for phylum, families in raw["phyla"].items() for family in families},
        family_of={name: family for listed in viruses for name, family, _ in listed},
        spellings=raw["spellings"],
        names=raw["names"],
        ambiguous=tuple(raw["ambiguous_names"]),
        former_places=raw["former_places"],
        implied_hosts=raw["implied_hosts"],
        pairs={kind: (virus, host) for kind, (virus, host) in raw["pairs"].items()},
        positions={name: (north, east) for name, (north, east) in raw["places"].items()},
        accessions={
            name: (virus, family, key) for name, (virus, family, key) in raw["accessions"].items()
        },
    )


def read_taxa(path: Path = SLICES / "taxdump.tar.gz") -> dict[str, int]:
    """Return the taxonomy id of every scientific name in a taxdump, by lower-case name; the highest
    id wins.
    """
    with tarfile.open(path) as archive:
        member = archive.extractfile("names.dmp")
        assert member is not None
        lines = member.read().decode().splitlines()
    cells = (line.split("\t|\t") for line in lines)
    named = sorted(
        (int(number), name.lower())
        for number, name, _, kind in cells
        if kind.startswith("scientific name")
    )
    return {name: number for number, name in named}


def _choice(options: Sequence[Sequence[tuple[str, float]]]) -> Choice:
    labels = []
    weights = []
    for listed in options:
        labels.append([label for label, _ in listed])
        weights.append([weight for _, weight in listed])
    padded = np.array(_padded(weights, 0.0), dtype=float)
    totals = padded.sum(axis=1, keepdims=True)
    cumulative = np.cumsum(padded, axis=1) / np.maximum(totals, 1e-12)
    counts = [len(listed) for listed in options]
    return Choice(
        labels=_padded(labels),
        cumulative=cumulative,
        counts=np.array(counts),
    )


def _numbered(lengths: Iterable[int]) -> list[list[int]]:
    """Return rows of the given lengths that number their cells on and on."""
    rows, first = [], 0
    for length in lengths:
        rows.append(list(range(first, first + length)))
        first += length
    return rows


def _padded(rows: Sequence[Sequence[Any]], fill: Any = "") -> Texts:
    width = max(1, *(len(row) for row in rows))
    padded = []
    for row in rows:
        padding = [fill] * (width - len(row))
        padded.append([*row, *padding])
    return np.array(padded, dtype=object)
