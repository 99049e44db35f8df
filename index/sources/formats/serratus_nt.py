"""Serratus nucleotide search: runs aligned to RefSeq virus genomes, one row per run and genome.

Source: Edgar et al. 2022, doi:10.1038/s41586-021-04332-2. Licence: Serratus data, public domain.
The score (0-100) is the covered share of the genome; most rows are a read or two, noise that
``min_serratus_score`` takes out and counts. A run with such rows alone was searched and nothing was
found. A virus of several segments has an accession for each and is judged as one: where one segment
reaches the score, the reads of the others count too. What a file can find are the genomes that it
names, below the score too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.config import MIN_SERRATUS_SCORE
from index.records import Records
from index.row_counts import counted_rows
from index.sources.accessions import BIOSAMPLE, RUN, must_match
from index.sources.layout import Layout, optional, required
from index.sources.numbers import number, percentage, taxid, whole_number
from index.sources.rejection import Rule, Split, counted
from index.sources.scopes import search_of, viruses_of
from index.sources.source import SERRATUS, Companion, Method, Source
from index.sources.tabular import (
    collect,
    collect_all,
    read_sound,
    scan_table,
    sound_rows,
    to_table,
)
from index.tables import Detection, Run, SearchedRun
from ontology_etl.curies import taxon_curie
from ontology_etl.errors import EmptyTableError
from ontology_etl.tables import gather_rejected

LAYOUT: Final = Layout(
    "serratus_nt",
    (
        required("run_id", "run accession", "DRR062881").must_be(RUN),
        required("sequence_accession", "accession of the genome", "NC_007605.1"),
        required(
            "score", "covered share of the genome, as Serratus scores it", "100", unit="0-100"
        ),
        optional("percent_identity", "mean identity of the reads", "99", unit="percent"),
        optional("n_reads", "reads aligned", "6252187", unit="reads"),
        optional("BioSample", "BioSample accession", "SAMD00004763").may_be(BIOSAMPLE),
        optional(
            "viral_name",
            "name of the virus, where no file of accessions names it",
            "Epstein-Barr virus",
        ),
    ),
)
ACCESSIONS: Final = Layout(
    "virus_accessions",
    (
        required("sequence_accession", "accession of the genome", "NC_000883.2"),
        optional("taxid", "its taxon in NCBI Taxonomy", "10798"),
        optional("virus_name", "name of the virus", "Human parvovirus B19"),
        optional(
            "taxon_name_vhdb",
            "its name in Virus-Host DB, which is preferred",
            "Human parvovirus B19",
        ),
        optional("family", "virus family", "Parvoviridae"),
    ),
)
REFSEQ: Final = r"^[A-Z]{1,2}_?\d{5,}(?:\.\d+)?$"
NOT_A_SCORE: Final = Rule(
    "score is not a number from 0 to 100",
    ~number("score").fill_null(-1).is_between(0, 100),
    shows="score",
)
NOT_A_GENOME: Final = must_match(REFSEQ, "sequence_accession", "not a sequence accession")
NOT_FAMILIES: Final = ("unassigned", "unclassified")
NAME: Final = "serratus_nt"
_NAMES: Final = dict.fromkeys(
    ("sequence_accession", "virus", "species", "family", "segment_of"), pl.String
)


def read(
    path: Path, *, accessions: Path | None = None, min_serratus_score: float = MIN_SERRATUS_SCORE
) -> Records:
    """Return the detections of viruses with a score of at least ``min_serratus_score``, their runs,
    and every run of the file as searched: one whose rows are all below the score, too.

    ``accessions`` names the genomes (columns sequence_accession, taxid, virus_name or
    taxon_name_vhdb, family); without it the virus is named by the file's own ``viral_name`` or not
    at all, and every accession is judged alone. Rows of viruses below the score are never all in
    memory.
    """
    lines = scan_table(path, LAYOUT).with_columns(number=number("score"))
    low = pl.col("number").is_between(0, min_serratus_score, closed="left").fill_null(False)
    listed = _listed(accessions) if accessions else None
    names = pl.DataFrame(schema=_NAMES) if listed is None else _names(listed.kept)

    counts_of = lines.select(lines=pl.len(), below=low.sum())
    of_file = [counts_of, lines.filter(~low), _runs(lines.filter(low)), _genomes(lines)]
    totals, strong, below, genomes = collect_all(of_file, path)
    read, lines_below = totals.row(0)
    if read == 0:
        raise EmptyTableError(path)
    weak = collect(_other_segments(lines.filter(low), strong, names), path)
    kept, rejected, _ = sound_rows(
        pl.concat([strong, weak]), path, LAYOUT, NOT_A_GENOME, NOT_A_SCORE
    )
    left_out = lines_below - len(weak)
    too_low = counted(path.name, f"score below {min_serratus_score:g}", left_out)
    counts = counted_rows(
        path.name, LAYOUT.name, read=read, kept=len(kept), rejected=read - len(kept)
    )
    runs = kept.select(run="run_id", biosample="BioSample")
    refused = [rejected, too_low]
    if listed is not None:
        refused.append(listed.rejected)
        counts = pl.concat([counts, listed.rows])
    return Records(
        run=to_table(runs, Run),
        detection=to_table(_detections(kept, names), Detection),
        searched=to_table(_searched(path, below, kept), SearchedRun),
        scope=_scope(path, genomes, names),
        rejected=gather_rejected(refused),
        rows=counts,
    )


def _runs(lines: pl.LazyFrame) -> pl.LazyFrame:
    """Return run: every run of ``lines``."""
    is_run = pl.col("run_id").str.contains(RUN)
    return lines.filter(is_run).select(run="run_id").unique()


def _genomes(lines: pl.LazyFrame) -> pl.LazyFrame:
    """Return sotu, viral_name: every genome that ``lines`` name."""
    accession = pl.col("sequence_accession")
    sound = lines.filter(accession.str.contains(REFSEQ))
    return sound.group_by(sotu=accession).agg(pl.col("viral_name").drop_nulls().min())


def _scope(path: Path, genomes: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """Return the ``genomes`` that the file names as what its search can find."""
    named = names.rename({"sequence_accession": "sotu"})
    known = genomes.join(named, on="sotu", how="left")
    found = known.select(
        "sotu",
        "virus",
        "family",
        reported_name=pl.coalesce("species", "viral_name"),
        source=pl.lit(NAME),
    )
    return viruses_of(found, search_of(path))


def _searched(path: Path, below: pl.DataFrame, kept: pl.DataFrame) -> pl.DataFrame:
    """Return [run, source, search] of the runs ``below`` and of the lines ``kept``: a line below
    the score says that the run was searched and the virus not found.
    """
    runs = pl.concat([kept.select(run="run_id"), below]).unique()
    return runs.with_columns(source=pl.lit(NAME), search=pl.lit(search_of(path)))


def _other_segments(low: pl.LazyFrame, strong: pl.DataFrame, names: pl.DataFrame) -> pl.LazyFrame:
    """Return the lines of ``low`` that are segments of a virus in ``strong``, in the same run."""
    several = pl.len().over("segment_of") > 1
    segment = names.filter(several).select("sequence_accession", "segment_of")
    passing = strong.filter(pl.col("number").is_not_null())
    key = ["run_id", "segment_of"]
    found = passing.join(segment, on="sequence_accession").select(key).unique()
    named = low.join(segment.lazy(), on="sequence_accession")
    return named.join(found.lazy(), on=key, how="semi").drop("segment_of")


def _detections(rows: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    named = rows.join(names, on="sequence_accession", how="left", maintain_order="left")
    best_first = named.sort("number", descending=True, maintain_order=True)
    return best_first.select(
        "virus",
        "family",
        identity=percentage("percent_identity"),
        reads=whole_number("n_reads"),
        run="run_id",
        sotu="sequence_accession",
        reported_name=pl.coalesce("species", "viral_name"),
        score="number",
        source=pl.lit(NAME),
    )


def _listed(path: Path) -> Split:
    """Return the genomes that the file at ``path`` lists."""
    nameless = Rule("no sequence accession", pl.col("sequence_accession").is_null())
    return read_sound(path, ACCESSIONS, nameless)


def _names(rows: pl.DataFrame) -> pl.DataFrame:
    """Return sequence_accession, virus, species, family and segment_of; families as Latin names,
    placeholders null.

    ``segment_of`` is the virus an accession is a segment of: its taxon, so that two names of one
    virus are one, and its name where the file gives no taxon.
    """
    family = pl.col("family").str.to_lowercase().str.to_titlecase()
    latin = family.str.ends_with("viridae") & ~family.str.to_lowercase().is_in(NOT_FAMILIES)
    first = rows.unique("sequence_accession", keep="first", maintain_order=True)
    named = first.select(
        "sequence_accession",
        virus=taxon_curie(taxid("taxid")),
        species=pl.coalesce("taxon_name_vhdb", "virus_name"),
        family=pl.when(latin).then(family),
    )
    return named.with_columns(segment_of=pl.coalesce("virus", "species"))


SOURCE: Final = Source(
    read,
    "runs aligned to RefSeq virus genomes, Serratus",
    SERRATUS,
    (LAYOUT,),
    {"accessions": Companion("names of the genomes", (ACCESSIONS,))},
    method=Method(
        "reads aligned to genomes of RefSeq",
        "reads",
        identity="of the reads, nucleotides",
        cut="genomes with a score below min_serratus_score",
    ),
)
