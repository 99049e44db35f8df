"""Resolve each detection to a virus with its lineage, and decide what may be stated.

A detection resolves by the taxid that its source gives (merged ones by their successor), else by
its sequence accession, else by its name; a name that several viruses share resolves to none. If
nothing resolves, its taxon is its family or phylum. ``index.annotation.identity`` decides what may
be said of the virus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from index.annotation.called import with_called
from index.annotation.identity import HIGHER_RANKS, state_viruses, virus_lineage
from index.annotation.sotu_names import judge_names, library_viruses, name_by_evidence, share_names
from index.annotation.virus_table import describe_viruses
from index.annotation.virus_taxonomy import VirusTaxonomy
from index.tables import Detection, ViralSequence
from ontology_etl.tables import Rejected, conform, gather_rejected, with_absent
from ontology_etl.viruses.names import VirusNames, settle_in_families, settle_names

WAYS: Final = ("taxid", "accession", "name", *HIGHER_RANKS)
"""How a detection finds its virus, the most trusted way first."""
_ACCESSION: Final = r"^([A-Z]{1,2}_?\d{5,8})(?:\.\d+)?$"


@dataclass(frozen=True)
class ResolvedViruses:
    """Detections with their viruses, the table of viruses, renamed sOTUs, and unresolved names.

    ``ways`` counts detections by how they resolved and has a key for every way.
    """

    detection: pl.DataFrame
    virus: pl.DataFrame
    sotu_name: pl.DataFrame
    rejected: pl.DataFrame
    ways: dict[str, int]


def resolve_viruses(
    detection: pl.DataFrame, taxonomy: VirusTaxonomy, *, run: pl.DataFrame
) -> ResolvedViruses:
    """Return ``detection`` with virus, lineage and what may be stated of each, and the viruses.

    The organism labels of ``run`` are evidence for the names of sOTUs. Taxa other than viruses that
    a classifier found are left out and counted.
    """
    reported_name = pl.coalesce("reported_name", "species").alias("reported_name")
    names = taxonomy.names
    of_viruses, no_viruses = _split_cellular(detection.with_columns(reported_name), taxonomy)
    found = find_viruses(of_viruses, names)
    libraries = library_viruses(run, names)
    taxa = pl.concat([found["virus"], libraries["evidence"].alias("virus")])
    ranks = virus_lineage(taxa, taxonomy)
    sotu_name = judge_names(found, libraries, ranks, taxonomy)
    lineage = with_called(ranks, taxonomy)
    named = share_names(name_by_evidence(found, sotu_name), ranks)
    resolved = state_viruses(named, lineage)
    met = pl.concat([resolved["virus"], resolved["taxon"]]).drop_nulls().unique()
    virus = describe_viruses(met, lineage, taxonomy)
    ways = found.group_by("way").agg(pl.len()).sort("way")

    return ResolvedViruses(
        detection=conform(resolved, Detection),
        virus=virus,
        sotu_name=sotu_name,
        rejected=gather_rejected([_unresolved(found), no_viruses]),
        ways=dict(ways.iter_rows()),
    )


def find_viruses(detection: pl.DataFrame, names: VirusNames) -> pl.DataFrame:
    """Return ``detection`` with ``virus``, the ``way`` it was found and the ``candidates`` of an
    ambiguous name.

    ``way`` is one of ``WAYS``, or ambiguous, unknown or unnamed.
    """
    columns = ["virus", "sotu", "reported_name", *HIGHER_RANKS]
    distinct = detection.select(columns).unique()
    identified = _with_identifiers(_with_higher_taxa(distinct, names), names)
    judged = identified.with_columns(way=_way())
    found = [pl.when(pl.col("way") == way).then(f"by_{way}") for way in WAYS]
    answers = judged.select(*columns, "way", "candidates", found=pl.coalesce(found))
    joined = detection.join(answers, on=columns, how="left", nulls_equal=True)
    return joined.with_columns(virus="found").drop("found")


def resolve_sequences(sequence: pl.DataFrame, names: VirusNames) -> pl.DataFrame:
    """Return ``sequence`` (contract ViralSequence) with the virus that each means."""
    filled = with_absent(sequence, {"sotu": pl.String, "phylum": pl.String})
    return conform(find_viruses(filled, names), ViralSequence)


def _with_identifiers(asked: pl.DataFrame, names: VirusNames) -> pl.DataFrame:
    """Return ``asked`` with the viruses that its taxid, accession and name mean, and candidates."""
    accession = pl.col("sotu").str.extract(_ACCESSION)
    keyed = asked.with_columns(accession=accession)
    taxa = names.live.select(virus="curie", by_taxid="virus")
    accessions = names.accessions.rename({"virus": "by_accession"})
    named = keyed.select("by_family", name="reported_name")
    settled = settle_in_families(named.rename({"by_family": "family"}).drop_nulls("name"), names)
    by_name = settled.select(
        "candidates",
        reported_name="name",
        by_family="family",
        by_name="virus",
    )
    identified = keyed.join(taxa, on="virus", how="left").join(
        accessions, on="accession", how="left"
    )
    by = ["reported_name", "by_family"]
    return identified.join(by_name, on=by, how="left", nulls_equal=True)


def _with_higher_taxa(asked: pl.DataFrame, names: VirusNames) -> pl.DataFrame:
    """Return ``asked`` with the taxa of its reported family and phylum."""
    met = asked
    for rank in HIGHER_RANKS:
        higher = settle_names(asked[rank], names.names, names.species)
        taxa = higher.rename({"name": rank, "virus": f"by_{rank}"})
        met = met.join(taxa.drop("candidates"), on=rank, how="left")
    return met


def _way() -> pl.Expr:
    """Return how a detection resolves: the first way that finds a virus, or why it does not."""
    several = pl.col("candidates").list.len() > 1
    is_unnamed = pl.col("reported_name").is_null() & pl.col("family").is_null()
    finds = {way: pl.col(f"by_{way}").is_not_null() for way in WAYS}
    by_rank = {way: finds.pop(way) for way in HIGHER_RANKS}
    applies = {**finds, "ambiguous": several, **by_rank, "unnamed": is_unnamed}
    ways = [pl.when(condition).then(pl.lit(way)) for way, condition in applies.items()]
    return pl.coalesce(*ways, pl.lit("unknown"))


def _split_cellular(
    detection: pl.DataFrame, taxonomy: VirusTaxonomy
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``detection`` without taxa other than viruses, which Rejected rows count by source."""
    taxa = detection.select("virus").drop_nulls().unique()
    unlisted = taxa.join(taxonomy.names.live, left_on="virus", right_on="curie", how="anti")
    cellular = taxonomy.terms(unlisted["virus"])
    is_cellular = pl.col("virus").is_in(cellular["curie"].implode()).fill_null(False)
    counted = (
        detection.filter(is_cellular)
        .group_by("source")
        .agg(rows=pl.len(), taxa=pl.col("virus").n_unique())
    )
    rows = counted.select(
        source=pl.format("detection {}", "source"),
        row=pl.lit(None, pl.Int64),
        reason=pl.format("{} taxa that are no viruses ({} rows)", "taxa", "rows"),
    )
    return detection.filter(~is_cellular), rows


def _unresolved(found: pl.DataFrame) -> pl.DataFrame:
    """Return a Rejected row per source and name without a virus, which counts its detections."""
    is_lost = pl.col("way").is_in(["ambiguous", "unknown"])
    lost = found.filter(is_lost, pl.col("virus").is_null())
    named = lost.with_columns(name=pl.coalesce("reported_name", "family"))
    counted = named.group_by("source", "way", "name").agg(
        rows=pl.len(),
        candidates=pl.col("candidates").first().list.join(", "),
    )
    several = pl.format(
        "virus {} is several taxa ({}): {} detections", "name", "candidates", "rows"
    )
    unknown = pl.format("virus {} is not a known taxon: {} detections", "name", "rows")
    is_ambiguous = pl.col("way") == "ambiguous"
    rows = counted.select(
        source=pl.format("detection {}", "source"),
        row=pl.lit(None, pl.Int64),
        reason=pl.when(is_ambiguous).then(several).otherwise(unknown),
    )
    return conform(rows, Rejected)
