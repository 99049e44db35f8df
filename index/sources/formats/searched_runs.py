"""Runs that a search looked at, with or without a virus found: one row per run, tab-separated.

Licence: Serratus data, public domain. Columns run, virus_positive and, where known,
scientific_name, tax_id and spots. A run without a virus is a true negative only because it is
listed here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import RUN
from index.sources.layout import Layout, optional, required
from index.sources.numbers import taxid, whole_number
from index.sources.rejection import Rule
from index.sources.scopes import ANY_SEARCH
from index.sources.source import SERRATUS, Source
from index.sources.tabular import read_sound, to_table
from index.tables import Run, SearchedRun
from ontology_etl.curies import taxon_curie

LAYOUT: Final = Layout(
    "searched_runs",
    (
        required("run", "run accession", "ERR3841638").must_be(RUN),
        required("virus_positive", "whether a virus was found: True or False", "False"),
        optional("scientific_name", "organism as submitted", "Meloidogyne enterolobii"),
        optional("tax_id", "its NCBI taxonomy id", "390850"),
        optional("spots", "reads or read pairs", "28234354", unit="reads"),
        optional("source", "extract that the list belongs to", "nematodes", alias="extract"),
    ),
)
_OUTCOME: Final = pl.col("virus_positive").str.to_lowercase()
NO_OUTCOME: Final = Rule(
    "virus_positive is neither true nor false",
    ~_OUTCOME.fill_null("").is_in(["true", "false", "1", "0"]),
    shows="virus_positive",
)


def read(path: Path, *, source: str = "palm_virome") -> Records:
    """Return the listed runs as searched by ``source`` (of detections), each once.

    What was found is in the detections of that source; a list adds the runs where nothing was. It
    belongs to the extract that its column ``source`` names, else to a separate search where the
    manifest states its scope, else to every search of ``source``.
    """
    kept, rejected, counts = read_sound(path, LAYOUT, NO_OUTCOME)
    search = pl.coalesce("extract", pl.lit(ANY_SEARCH))
    searched = kept.select("run", source=pl.lit(source), search=search)
    runs = kept.select(
        "run",
        pl.col("scientific_name").alias("organism"),
        taxon_curie(taxid("tax_id")).alias("organism_curie"),
        whole_number("spots"),
    )
    return Records(
        run=to_table(runs, Run),
        searched=to_table(searched, SearchedRun),
        rejected=rejected,
        rows=counts,
    )


SOURCE: Final = Source(
    read, "runs that a search looked at, whether or not it found anything", SERRATUS, (LAYOUT,)
)
