"""Facts about the viruses of the cohorts: the species ICTV lists, and hosts they are recorded in.

``ictv_msl41.tsv`` holds names, abbreviations, former names, ranks, genome and host source of ICTV's
Virus Metadata Resource (https://ictv.global/vmr, CC BY 4.0); ``known_hosts.tsv`` taxids of VIRION
(Carlson et al. 2022, doi:10.1128/mbio.02985-21, CC0 1.0).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

ICTV_SLICE: Final = "ictv_msl41.tsv"
KNOWN_HOSTS: Final = "known_hosts.tsv"
ICTV_COLUMNS: Final = (
    "ictv_id", "species", "genus", "family", "order", "isolate_type", "names", "abbreviations",
    "genome", "host_source", "previous_species", "species_taxid_taxdump2024",
)  # fmt: skip


def slice_ictv(path: Path, names: set[str]) -> pl.DataFrame:
    """Return the exemplar viruses of ICTV's list that any of ``names`` (lower case) names: by
    species, virus or former species.
    """
    listed = pl.read_csv(
        path,
        separator="\t",
        infer_schema=False,
        quote_char=None,
    )
    each = pl.concat_list(
        pl.col(column).fill_null("").str.to_lowercase().str.split(";")
        for column in ("species", "names", "previous_species")
    )
    known = each.list.eval(pl.element().str.strip_chars().is_in(sorted(names))).list.any()
    exemplar = pl.col("isolate_type") == "E"
    live = ~pl.col("species").is_in(["abolished", "created"])
    return listed.filter(exemplar & known & live).select(ICTV_COLUMNS).sort("ictv_id", "names")


def slice_known_hosts(path: Path, viruses: set[int], hosts: set[int]) -> pl.DataFrame:
    """Return host_taxid, virus_taxid: the recorded pairs of ``viruses`` and ``hosts``."""
    edges = pl.read_csv(
        path,
        separator="\t",
        infer_schema=False,
        quote_char=None,
    )
    pairs = edges.select(pl.col("host_taxid", "virus_taxid").cast(pl.Int64))
    met = pl.col("virus_taxid").is_in(sorted(viruses)) & pl.col("host_taxid").is_in(sorted(hosts))
    return pairs.filter(met).unique().sort("virus_taxid", "host_taxid")
