"""Kraken 2 reports: one file a run, a line a taxon, without a header.

Source: Wood et al., Improved metagenomic analysis with Kraken 2, Genome Biology 2019,
doi:10.1186/s13059-019-1891-0. The run is in the name of the file, or an option. Viruses are the
taxa below Viruses (10239), by the indentation of their names. A species counts the reads of all
below it; where one strain has them all, it is named instead. Above species a taxon counts its own
reads. Licence: that of the data in the report.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.delimited_cells import scan_cells
from index.sources.layout import LINE_FLAGS, Layout, required
from index.sources.linked_names import NAMES, read_names
from index.sources.mapped import FileOptions, Spec, records_of
from index.sources.source import Method, Source, cut_lines
from index.sources.tabular import collect, dialect_of

VIRUSES: Final = "10239"
LAYOUT: Final = Layout(
    "kraken_report",
    (
        required("percent", "reads of the taxon and all below it", "0.04", unit="percent"),
        required("clade_reads", "reads of the taxon and all below it", "812", unit="reads"),
        required("own_reads", "reads of the taxon itself", "812", unit="reads"),
        required("rank", "U, R, D, K, P, C, O, F, G or S, with a number below it", "D"),
        required("taxid", "NCBI taxonomy identifier", "10239"),
        required("name", "name, indented by two blanks a level", "Viruses"),
    ),
    first_line=r"^\s*\d{1,3}\.\d+\t\d+\t\d+\t(?:\d+\t\d+\t)?[URDKPCOFGS]\d*\t\d+\t *\S",
)
_PLAIN: Final = LAYOUT.names
_WITH_MINIMIZERS: Final = (*_PLAIN[:3], "minimizers", "distinct", *_PLAIN[3:])
"""Columns of a report made with --report-minimizer-data."""
SPEC: Final = Spec(LAYOUT, source="kraken2", run="file name", own=True, searched=True)


def read(path: Path, *, run: str = "", names: Path | None = None) -> Records:
    """Return the viruses of a report, and its run as searched, with viruses or without."""
    said = FileOptions(run=run, linked=read_names(names) if names else {})
    return records_of(_with_reads(_lines(path)), path, SPEC, said)


def _lines(path: Path) -> pl.DataFrame:
    """Return row, LINE_FLAGS and the columns of a report, with the depth of each name."""
    cells = len(dialect_of(path).header)
    columns = _WITH_MINIMIZERS if cells == len(_WITH_MINIMIZERS) else _PLAIN
    lines = scan_cells(path, columns, "\t", skip=0)
    named = lines.rename({str(place): name for place, name in enumerate(columns)})
    name = pl.col("name")
    depth = name.str.len_chars() - name.str.strip_chars_start(" ").str.len_chars()
    trimmed = pl.exclude("row", *LINE_FLAGS, "depth").str.strip_chars()
    return collect(named.with_columns(depth=depth).with_columns(trimmed), path)


def _with_reads(lines: pl.DataFrame) -> pl.DataFrame:
    """Return ``lines`` with is_viral and reads: a species has its clade's, lower taxa have none."""
    reads: list[str | None] = []
    viral: list[bool] = []
    above: list[tuple[int, int]] = []
    columns = lines.select("depth", "rank", "taxid", "clade_reads", "own_reads").rows()
    for place, (depth, rank, taxid, clade, own) in enumerate(columns):
        while above and above[-1][0] >= (depth or 0):
            above.pop()
        parent = above[-1][1] if above else None
        is_viral = taxid == VIRUSES or (parent is not None and viral[parent])
        below_species = parent is not None and _is_species(columns[parent][1])
        inherits = parent is not None and below_species and reads[parent] == clade
        if parent is not None and inherits:
            reads[parent] = "0"
        counted = clade if _is_species(rank) or inherits else own
        reads.append("0" if below_species and not inherits else counted)
        viral.append(is_viral)
        above.append((depth or 0, place))
    return lines.select(
        "row",
        *LINE_FLAGS,
        *_PLAIN[:5],
        virus="name",
        reads=pl.Series(reads, dtype=pl.String),
        is_viral=pl.Series(viral, dtype=pl.Boolean),
    )


def _is_species(rank: str | None) -> bool:
    """Return whether the reads of a line are those of its clade: a species, or its only strain."""
    return rank is not None and rank.startswith("S")


SOURCE: Final = Source(
    read,
    "Kraken 2 report: reads of each taxon of one run",
    "that of the data in them",
    (LAYOUT,),
    {"names": NAMES},
    method=Method("reads classified by k-mers", "reads"),
    starts=LAYOUT.first_line,
    cut=cut_lines,
)
