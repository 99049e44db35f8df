"""NCBI STAT: k-mers of a run that are assigned to each taxon, as counts by taxonomy id or as shares
by name.

Source: Katz et al., STAT: a fast, scalable, MinHash-based k-mer tool, Genome Biology 2021,
doi:10.1186/s13059-021-02490-0. Licence: US public domain (NCBI). Three layouts, distinguished by
their columns:

- ``acc, tax_id, total_count`` (the cloud table): share = total_count / total_count of the root
  (tax_id 1). Without a
  root row the total is unknown and the run's rows are rejected: a table cut to one taxon would make
  every share 1.
- ``run, taxid, kmer_perc`` (the table ``sra_stat`` of Serratus and Logan): share = kmer_perc / 100,
  as far as it was rounded, or kmer / total_kmers where both are there;
- ``run_id, order_name, kmer_perc``: share = kmer_perc / 100; the name is looked up in ``taxdump``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import RUN
from index.sources.formats.taxon_names import taxon_ids
from index.sources.layout import Layout, optional, required
from index.sources.numbers import number, taxid
from index.sources.rejection import Rule
from index.sources.source import NCBI, Companion, Source
from index.sources.tabular import choose_layout, read_table, sound_rows, to_table
from index.tables import Run, StatHit
from ontology_etl.curies import taxon_curie

BY_TAXON: Final = Layout(
    "ncbi_stat",
    (
        required("acc", "run accession", "SRR423939").must_be(RUN),
        required(
            "tax_id", "NCBI taxonomy identifier; 1, the root, gives the total of the run", "5475"
        ),
        required("total_count", "k-mers of the taxon and all below it", "262653987", unit="k-mers"),
    ),
)
BY_NAME: Final = Layout(
    "ncbi_stat by name",
    (
        required("run_id", "run accession", "DRR024752").must_be(RUN),
        required("order_name", "scientific name of a taxon", "Diptera"),
        required("kmer_perc", "share of the k-mers of the run", "98.98", unit="percent"),
    ),
    needs="taxdump",
)
LOGAN: Final = Layout(
    "ncbi_stat of Logan",
    (
        required("run", "run accession", "SRR423939").must_be(RUN),
        required("taxid", "NCBI taxonomy identifier", "5475", alias="tax_id"),
        required("kmer_perc", "share of the k-mers of the run", "98.98", unit="percent"),
        optional("kmer", "k-mers of the taxon and all below it", "262653987", unit="k-mers"),
        optional("total_kmers", "k-mers of the run", "268000000", unit="k-mers"),
    ),
)
LAYOUTS: Final = (BY_TAXON, BY_NAME, LOGAN)
ROOT: Final = 1
ROUNDING: Final = 1.01  # published percentages add up to 100.01 now and then
NOT_A_TAXON: Final = Rule("not a taxonomy id", pl.col("taxon").is_null(), shows="tax_id")
TAXON_RULES: Final = (
    NOT_A_TAXON,
    Rule(
        "count is not a number of at least 0",
        ~(pl.col("count") >= 0).fill_null(False),
        shows="total_count",
    ),
    Rule("no root row for the run, so its total is unknown", pl.col("total").is_null()),
    Rule("more k-mers than the root of the run", pl.col("count") > pl.col("total")),
)
NOT_A_SHARE: Final = Rule(
    "share is not a percentage",
    ~pl.col("share").is_between(0, ROUNDING).fill_null(False),
    shows="kmer_perc",
)
NAME_RULES: Final = (
    NOT_A_SHARE,
    Rule("no taxon of this name", pl.col("curie").is_null(), shows="order_name"),
)


def read(path: Path, *, taxdump: Path | None = None) -> Records:
    """Return the share of each run's k-mers of each taxon; ``taxdump`` resolves names of taxa."""
    layout = choose_layout(path, LAYOUTS)
    if layout is BY_NAME:
        return _by_name(path, taxdump)
    if layout is LOGAN:
        return _of_logan(path)
    rows = read_table(path, BY_TAXON).with_columns(
        taxon=taxid("tax_id"),
        count=pl.col("total_count").cast(pl.Int64, strict=False),
    )
    with_total = rows.join(_totals(rows), on="acc", how="left", maintain_order="left")
    kept, rejected, counts = sound_rows(with_total, path, BY_TAXON, *TAXON_RULES)
    below_root = kept.filter(pl.col("taxon") != ROOT)
    shares = below_root.select(
        run="acc",
        curie=taxon_curie(pl.col("taxon")),
        share=pl.col("count") / pl.col("total"),
    )
    return _records(shares, rejected, counts)


def _of_logan(path: Path) -> Records:
    counted = pl.when(number("total_kmers") > 0).then(number("kmer") / number("total_kmers"))
    rows = read_table(path, LOGAN).with_columns(
        taxon=taxid("tax_id"),
        share=pl.coalesce(counted, number("kmer_perc") / 100),
    )
    kept, rejected, counts = sound_rows(rows, path, LOGAN, NOT_A_TAXON, NOT_A_SHARE)
    shares = kept.filter(pl.col("taxon") != ROOT).select(
        "run",
        pl.col("share").clip(0, 1),
        curie=taxon_curie(pl.col("taxon")),
    )
    return _records(shares, rejected, counts)


def _totals(rows: pl.DataFrame) -> pl.DataFrame:
    """Return acc and total: the k-mers of the root of each run."""
    roots = rows.filter(pl.col("taxon") == ROOT, pl.col("count") > 0)
    return roots.group_by("acc").agg(total=pl.col("count").max())


def _by_name(path: Path, taxdump: Path | None) -> Records:
    rows = read_table(path, BY_NAME).with_columns(
        name=pl.col("order_name").str.to_lowercase(), share=number("kmer_perc") / 100
    )
    known = pl.DataFrame(schema={"name": pl.String, "curie": pl.String})
    taxa = known if taxdump is None else taxon_ids(taxdump, rows["name"])
    named = rows.join(taxa, on="name", how="left", maintain_order="left")
    kept, rejected, counts = sound_rows(named, path, BY_NAME, *NAME_RULES)
    shares = kept.select("curie", pl.col("share").clip(0, 1), run="run_id")
    return _records(shares, rejected, counts)


def _records(shares: pl.DataFrame, rejected: pl.DataFrame, counts: pl.DataFrame) -> Records:
    largest_first = shares.sort("share", descending=True, maintain_order=True)
    return Records(
        run=to_table(shares.select("run"), Run),
        stat_hit=to_table(largest_first, StatHit),
        rejected=rejected,
        rows=counts,
    )


SOURCE: Final = Source(
    read,
    "k-mer shares per run and taxon, NCBI STAT",
    NCBI,
    LAYOUTS,
    {"taxdump": Companion("NCBI taxdump archive, for taxa that are given by name")},
)
