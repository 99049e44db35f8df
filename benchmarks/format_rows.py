"""Compare what files give with the rows that somebody expected of them (``expected.tsv``).

A row has file, run, what, key and value, and a kind of row (``what``) says where it should be. A
file that names a virus and gives no taxid is compared by the name that another row has for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl

from benchmarks.grounding_accuracy import read_tsv
from index.records import Records

Row = Mapping[str, Any]
_NOTHING: Final = "nothing"


@dataclass(frozen=True)
class Met:
    """How many rows were expected of some files, and which of them they do not give."""

    expected: int
    missed: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.expected - len(self.missed)} of {self.expected}"


def rows_met(cases: Path, files: Collection[str], records: Records | None) -> Met:
    """Return which expected rows of ``files`` are in ``records``; None if no file was read."""
    listed = read_tsv(cases / "expected.tsv").with_columns(pl.all().fill_null(""))
    names = dict(
        key.split(" ", 1) for key in listed["key"] if re.match(r"NCBITaxon:\d+ (?!identity)", key)
    )
    wanted = listed.filter(pl.col("file").is_in(list(files))).to_dicts()
    missed = [
        f"{row['run']} {row['what']} {row['key']} {row['value']}".strip()
        for row in wanted
        if not _is_met(row, records, names)
    ]
    return Met(len(wanted), tuple(missed))


def _is_met(row: Row, records: Records | None, names: Mapping[str, str]) -> bool:
    if records is None:
        return bool(row["what"] == _NOTHING)
    return row["what"] in _KINDS and _KINDS[row["what"]](row, records, names)


def _detection(row: Row, records: Records, names: Mapping[str, str]) -> bool:
    """A virus in a run with its reads and, where it is expected, its identity."""
    curie, _, said = row["key"].partition(" ")
    name = names.get(curie, said)
    of_virus = (pl.col("virus") == curie) | (pl.col("reported_name") == name)
    found = _of_run(records.detection, row).filter(of_virus, pl.col("reads") == int(row["value"]))
    identity = re.search(r"identity ([\d.]+)", said)
    if identity:
        found = found.filter((pl.col("identity") - float(identity[1])).abs() < 1e-6)
    return bool(len(found))


def _hit(row: Row, records: Records, _: Mapping[str, str]) -> bool:
    """A hit of the query, with the share of its k-mers as a score of 0 to 100."""
    is_share = (pl.col("score") - 100 * float(row["value"])).abs() < 1e-6
    return bool(len(_of_run(records.detection, row).filter(is_share)))


def _searched(row: Row, records: Records, _: Mapping[str, str]) -> bool:
    return bool(len(_of_run(records.searched, row)))


def _without_detection(row: Row, records: Records, _: Mapping[str, str]) -> bool:
    is_known = bool(len(_of_run(records.run, row)))
    return is_known and _of_run(records.detection, row).is_empty()


def _contig(row: Row, records: Records, _: Mapping[str, str]) -> bool:
    """A contig of a run: its family, group and score, quality, or nearest sequence and identity."""
    of_run = _of_run(records.viral_sequence, row)
    contigs = of_run.filter(pl.col("sequence") == row["key"]).to_dicts()
    return any(_says(contig, row["value"]) for contig in contigs)


def _says(contig: Row, value: str) -> bool:
    first, _, rest = value.partition(" ")
    if first == "family":
        return bool(contig["family"] == rest)
    if value == "unclassified virus":
        return contig["family"] is None
    if rest.endswith("%"):
        return bool(contig["nearest"] == first and contig["identity"] == float(rest[:-1]))
    if rest:
        is_score = abs((contig["score"] or 0) - 100 * float(rest)) < 1e-6
        return bool(contig["virus_group"] == first and is_score)
    return bool(contig["quality"] == value)


def _sequence(row: Row, records: Records, names: Mapping[str, str]) -> bool:
    """A deposited sequence: its virus, or the host of its sample."""
    accession, _, what = row["key"].partition(" ")
    is_it = (pl.col("sequence") == accession) & (pl.col("run").fill_null("") == row["run"])
    found = records.viral_sequence.filter(is_it)
    if what == "taxon":
        name = names.get(row["value"], "")
        of_virus = (pl.col("virus") == row["value"]) | (pl.col("reported_name") == name)
        return bool(len(found.filter(of_virus)))
    hosts = _attributes(records, found["biosample"].to_list(), "host")
    return _is_value(hosts, row["value"]) and bool(len(found))


def _run(row: Row, records: Records, _: Mapping[str, str]) -> bool:
    runs = _of_run(records.run, row)
    if row["key"] in runs.columns:
        return row["value"] in map(str, runs[row["key"]].to_list())
    named = _of_run(records.run_attribute, row).filter(pl.col("value") == row["value"])
    return bool(len(named))


def _attribute(row: Row, records: Records, _: Mapping[str, str]) -> bool:
    biosample, _, attribute = row["key"].partition(" ")
    return _is_value(_attributes(records, [biosample], attribute), row["value"])


def _attributes(records: Records, biosamples: list[str], attribute: str) -> list[str]:
    """Return what samples state for an attribute, "host_disease" or "host disease"."""
    name = pl.col("attribute").str.replace_all("_", " ")
    of_samples = pl.col("biosample").is_in(biosamples)
    return records.biosample_attribute.filter(of_samples, name == attribute)["value"].to_list()


def _is_value(stated: list[str], value: str) -> bool:
    return not stated if value.startswith("(none") else value in stated


def _of_run(table: pl.DataFrame, row: Row) -> pl.DataFrame:
    return table.filter(pl.col("run") == row["run"])


_KINDS: Final[Mapping[str, Callable[[Row, Records, Mapping[str, str]], bool]]] = {
    "detection reads": _detection,
    "hit": _hit,
    "searched": _searched,
    "run without detection": _without_detection,
    "contig": _contig,
    "sequence": _sequence,
    "run": _run,
    "biosample attribute": _attribute,
}
