"""Joined virome records: viruses, host, tissue, disease and place of runs, as a table that joins
several Serratus exports.

Licence: that of the joined files (Serratus data: public domain; NCBI: US public domain). A row is a
virus in a run and repeats a row of the file that it was joined from; if that file is an input, too,
both are one detection. Rows of isolates (GenBank sequences) are not runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.config import MIN_SERRATUS_SCORE
from index.records import Records
from index.sources.accessions import BIOPROJECT, BIOSAMPLE, RUN, must_be
from index.sources.formats import palm_virome, serratus_nt, serratus_rdrp
from index.sources.formats.geography import country_of, stated_of_runs
from index.sources.layout import Layout, optional, required
from index.sources.numbers import number, percentage, position
from index.sources.rejection import Rule
from index.sources.scopes import search_of, viruses_of
from index.sources.source import NCBI, SERRATUS, Source
from index.sources.tabular import read_table, sound_rows, to_table
from index.tables import (
    Biosample,
    BiosampleAttribute,
    Detection,
    Place,
    Run,
    RunAttribute,
    SearchedRun,
)

LAYOUT: Final = Layout(
    "virome_records",
    (
        required("level", "run, or isolate for a sequence that is not of a run", "run"),
        required("run", "run accession", "ERR1173511"),
        required("biosample", "BioSample accession", "SAMEA3699122"),
        required("bioproject", "BioProject accession", "PRJEB12075"),
        optional("virus_id", "sOTU, accession of a genome, or phylum that was found", "u507489"),
        optional("virus_name", "virus as the source names it", "Bombus-associated virus Orth1"),
        optional("virus_family", "virus family", "Orthomyxoviridae"),
        optional("source", "extract that the row comes from", "nematodes", alias="extract"),
        optional("abundance", "how much was found", "44.0", unit="that of abundance_unit"),
        optional("abundance_unit", "n_reads or node_coverage", "node_coverage"),
        optional("pct_identity", "identity to the reference", "38.0", unit="percent"),
        optional("host_name", "organism as submitted", "Globodera rostochiensis"),
        optional("habitat", "habitat", "soil"),
        optional("tissue_raw", "tissue as submitted", "root"),
        optional("disease_raw", "disease as submitted", "yellows"),
        optional("country", "country or sea", "Peru"),
        optional("lat", "latitude", "-12.07", unit="degrees north"),
        optional("lon", "longitude", "-75.21", unit="degrees east"),
        optional("score", "Serratus score", "98", unit="0-100"),
    ),
)
ATTRIBUTES: Final = {"tissue_raw": "tissue", "disease_raw": "disease"}
VIRAL_NAME: Final = r"(?i)vir(?:us|oid|idae|inae|ales)|phage|satellite"
"""A pattern in the names of viruses."""
_IS_VIRUS: Final = {
    palm_virome.NAME: palm_virome.SOTU,
    serratus_nt.NAME: serratus_nt.REFSEQ,
    serratus_rdrp.NAME: serratus_rdrp.PHYLUM,
}
"""What a virus is called by each source that the table joins."""
_SOURCE: Final = pl.coalesce(
    pl.when(pl.col("virus_id").str.contains(pattern)).then(pl.lit(name))
    for name, pattern in _IS_VIRUS.items()
)
_IS_SCORE: Final = pl.col("score").is_null() | number("score").is_between(0, 100).fill_null(False)
NOT_A_VIRUS: Final = Rule(
    "no sOTU, accession or phylum, so no detection",
    pl.col("virus_id").is_not_null() & pl.col("source").is_null(),
    shows="virus_id",
    only_cell=True,
)


def read(path: Path, *, min_serratus_score: float = MIN_SERRATUS_SCORE) -> Records:
    """Return runs, what was found in them, sample attributes and places.

    Rows with a Serratus score below ``min_serratus_score`` (0-100) are rejected; they say that the
    run was searched. What is said of a run without a BioSample is an attribute of the run.
    """
    rules = (
        Rule("an isolate, not a run", pl.col("level") == "isolate"),
        must_be(RUN, "run"),
        Rule("score is not a number from 0 to 100", ~_IS_SCORE, shows="score"),
        Rule(f"score below {min_serratus_score:g}", number("score") < min_serratus_score),
        NOT_A_VIRUS,
    )
    rows = read_table(path, LAYOUT).with_columns(_SOURCE.alias("source"))
    kept, rejected, counts = sound_rows(rows, path, LAYOUT, *rules)
    linked = kept.select(
        "run",
        "habitat",
        "country",
        "lat",
        "lon",
        _accession("biosample", BIOSAMPLE),
        _accession("bioproject", BIOPROJECT),
        pl.col("host_name").alias("organism"),
        *(pl.col(column).alias(name) for column, name in ATTRIBUTES.items()),
    )
    of_samples = linked.drop_nulls("biosample")
    of_runs = linked.filter(pl.col("biosample").is_null())
    places = _places(linked)
    stated = pl.concat([_stated(of_runs, "run"), stated_of_runs(places)])
    detections = _detections(kept)
    search = pl.coalesce("extract", pl.lit(search_of(path)))
    looked_at = rows.filter(pl.col("level") == "run", pl.col("run").str.contains(RUN), _IS_SCORE)
    searched = looked_at.drop_nulls("source").with_columns(search=search)
    return Records(
        run=to_table(linked, Run),
        biosample=to_table(of_samples.select("biosample"), Biosample),
        biosample_attribute=to_table(_stated(of_samples, "biosample"), BiosampleAttribute),
        run_attribute=to_table(stated, RunAttribute),
        place=to_table(places.drop_nulls("biosample"), Place),
        detection=to_table(detections, Detection),
        searched=to_table(searched, SearchedRun),
        scope=viruses_of(_detections(looked_at), search),
        rejected=rejected,
        rows=counts,
    )


def _accession(column: str, pattern: str) -> pl.Expr:
    """Return ``column`` where it is an accession of the kind ``pattern``, else null."""
    return pl.when(pl.col(column).str.contains(pattern)).then(pl.col(column)).alias(column)


def _stated(rows: pl.DataFrame, of: str) -> pl.DataFrame:
    """Return [``of``, attribute, value] of the tissues and diseases that ``rows`` state."""
    stated = rows.unpivot([*ATTRIBUTES.values()], index=of, variable_name="attribute")
    return stated.drop_nulls("value")


def _detections(rows: pl.DataFrame) -> pl.DataFrame:
    """Return what ``rows`` say was found, with the ``extract`` that each comes from.

    A phylum has no identity: that to a whole phylum supports no species. The nearest record of an
    endogenous virus may be a plant genome: its name is not a virus name. An sOTU is named only
    where the identity to what it is named after is stated, too; else that is its ``nearest``.
    """
    found = rows.drop_nulls("source")
    amount = number("abundance")
    is_phylum = pl.col("source") == serratus_rdrp.NAME
    is_reads = pl.col("abundance_unit").str.contains("reads") & (amount >= 0)
    is_coverage = pl.col("abundance_unit").str.contains("coverage") & (amount >= 0)
    is_genome = pl.col("source") == serratus_nt.NAME
    is_viral = pl.col("virus_name").str.contains(VIRAL_NAME)
    is_named = is_viral & (is_genome | number("pct_identity").is_not_null())
    measured = found.select(
        "run",
        "source",
        "extract",
        number("score"),
        sotu="virus_id",
        reported_name=pl.when(~is_phylum & is_named).then("virus_name"),
        nearest=pl.when(~is_phylum & is_viral & ~is_named).then("virus_name"),
        family=pl.when(~is_phylum & is_named).then("virus_family"),
        phylum=pl.when(is_phylum).then("virus_id"),
        identity=pl.when(~is_phylum).then(percentage("pct_identity")),
        coverage=pl.when(is_coverage).then(amount),
        reads=pl.when(is_reads).then(amount).cast(pl.Int64, strict=False),
    )
    return measured.sort("score", "coverage", descending=True, nulls_last=True, maintain_order=True)


def _places(rows: pl.DataFrame) -> pl.DataFrame:
    """Return run, biosample and the place that each of ``rows`` states."""
    places = rows.select(
        "run",
        "biosample",
        country_of(pl.col("country")).alias("country"),
        pl.col("habitat").alias("biome"),
        *position("lat", "lon"),
    )
    return places.filter(~pl.all_horizontal(pl.exclude("run", "biosample").is_null()))


SOURCE: Final = Source(
    read, "viruses, host, tissue, disease and place of runs", f"{SERRATUS}; {NCBI}", (LAYOUT,)
)
