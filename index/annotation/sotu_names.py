"""Decide which virus an sOTU is if its runs contradict the name that its source gives it.

A source without identities names an sOTU after the nearest record it knows, which may be of another
species: what one export calls Culex flavivirus is in libraries of dengue virus. Two things in a run
are evidence for a virus: an organism label that names it, and hits of other sources that reach the
identity of a species. They count for only one sOTU of a run, the deepest of their family, so that a
virus of the cell line is not named after the virus that the cells were infected with. If the only
evidence is labels, the sOTU is probably the virus of the label but keeps the name of its source: a
library of a virus may hold another virus of the same family.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from index.annotation.identity import HIGHER_RANKS, SPECIES_IDENTITY
from index.annotation.virus_taxonomy import VirusTaxonomy
from index.tables import SotuName
from ontology_etl.tables import conform
from ontology_etl.viruses.names import VirusNames, settle_names

LEAST_RUNS: Final = 10
"""Runs that must agree on another virus."""
LEAST_AGREEMENT: Final = 0.9
"""Share of the runs with evidence that must agree on that virus."""
MOST_AS_REPORTED: Final = 0.1
"""Share of the runs with evidence that may support the name of the source."""
_SOTU: Final = ("source", "sotu")
_NOT_SPELT_OUT: Final = "abbreviation"


def library_viruses(run: pl.DataFrame, names: VirusNames) -> pl.DataFrame:
    """Return run, evidence: the virus of each run whose organism label is the name of a virus."""
    spelt_out = names.names.filter(pl.col("kind") != _NOT_SPELT_OUT)
    settled = settle_names(run["organism"], spelt_out, names.species)
    meant = settled.drop_nulls("virus").select(organism="name", evidence="virus")
    return run.select("run", "organism").join(meant, on="organism").select("run", "evidence")


def judge_names(
    found: pl.DataFrame, libraries: pl.DataFrame, lineage: pl.DataFrame, taxonomy: VirusTaxonomy
) -> pl.DataFrame:
    """Return one row per sOTU whose name other evidence contradicts, as the table ``sotu_name``.

    ``found`` are detections with their virus and the ``way`` it was found, ``libraries`` [run,
    evidence] the labels that are viruses, ``lineage`` the ranks of the viruses of both. At least
    ``LEAST_RUNS`` runs and ``LEAST_AGREEMENT`` of those with evidence must agree on one species.
    """
    placed = found.join(
        lineage.select("virus", its_family="family_curie", its_species="species_curie"),
        on="virus",
        how="left",
    )
    claims = placed.filter(
        pl.col("identity").is_null(),
        pl.col("reported_name").is_not_null(),
        pl.col("its_species").is_not_null(),
        ~pl.col("way").is_in(HIGHER_RANKS),
    )
    evidence = _evidence(_deepest(placed, claims), _speaking(placed, libraries, lineage))
    voted = _votes(evidence).filter(
        pl.col("runs_agreeing") >= LEAST_RUNS,
        pl.col("runs_agreeing") >= LEAST_AGREEMENT * pl.col("runs_with_evidence"),
        pl.col("runs_as_reported") <= MOST_AS_REPORTED * pl.col("runs_with_evidence"),
        pl.col("species") != pl.col("its_species"),
    )
    chosen = voted.join(_most_specific(evidence, voted, taxonomy), on=_SOTU)
    named = claims.group_by(_SOTU).agg(
        pl.col("reported_name").first(),
        runs=pl.col("run").n_unique(),
        reported=pl.col("virus").first(),
    )
    return conform(chosen.join(named, on=_SOTU), SotuName)


def name_by_evidence(found: pl.DataFrame, sotu_name: pl.DataFrame) -> pl.DataFrame:
    """Return ``found`` with the virus of ``sotu_name``, and whether hits of another source name it.

    Evidence from labels alone does not count as naming.
    """
    seen = sotu_name.filter(pl.col("runs_with_hits") > 0)
    judged = seen.select(*_SOTU, by="virus")
    named = found.join(judged, on=_SOTU, how="left")
    is_claim = pl.col("identity").is_null() & pl.col("by").is_not_null()
    return named.with_columns(
        by_evidence=is_claim,
        virus=pl.when(is_claim).then("by").otherwise("virus"),
    ).drop("by")


def share_names(found: pl.DataFrame, lineage: pl.DataFrame) -> pl.DataFrame:
    """Return ``found`` with a species for hits without one, if other hits of the sOTU agree on it.

    It is filled in only if the identity supports a species. All hits of an sOTU are one virus.
    """
    ranks = lineage.select("virus", its_species="species_curie")
    placed = found.join(ranks, on="virus", how="left", maintain_order="left")
    is_alike = pl.col("sotu").is_not_null() & (pl.col("identity") >= SPECIES_IDENTITY)
    is_named = is_alike & pl.col("its_species").is_not_null()
    of_sotu = (
        placed.filter(is_named)
        .group_by(_SOTU)
        .agg(
            pl.col("virus").sort().first().alias("shared"),
            species=pl.col("its_species").n_unique(),
        )
    )
    with_one_species = of_sotu.filter(pl.col("species") == 1).drop("species")
    joined = placed.join(with_one_species, on=_SOTU, how="left", maintain_order="left")
    is_unnamed = is_alike & pl.col("its_species").is_null()
    virus = pl.when(is_unnamed).then(pl.coalesce("shared", "virus")).otherwise("virus")
    return joined.with_columns(virus=virus).drop("shared", "its_species")


def _deepest(placed: pl.DataFrame, claims: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``claims`` that are the deepest of their family, run and source."""
    of_family = ["run", "source", "its_family"]
    depth = pl.coalesce("coverage", pl.col("reads").cast(pl.Float64)).fill_null(0)
    depths = placed.group_by(of_family).agg(most=depth.max())
    compared = claims.join(depths, on=of_family)
    return compared.filter(depth == pl.col("most"))


def _speaking(placed: pl.DataFrame, libraries: pl.DataFrame, lineage: pl.DataFrame) -> pl.DataFrame:
    """Return run, evidence, species, its_family, by: the source of a hit, null for a label."""
    is_alike = pl.col("identity") >= SPECIES_IDENTITY
    hits = placed.filter(is_alike).select("run", evidence="virus", by="source")
    labels = libraries.with_columns(by=pl.lit(None, pl.String))
    ranks = lineage.select(evidence="virus", species="species_curie", its_family="family_curie")
    said = pl.concat([labels.select(hits.columns), hits]).unique()
    return said.join(ranks, on="evidence").drop_nulls(["species", "its_family"])


def _evidence(claims: pl.DataFrame, speaking: pl.DataFrame) -> pl.DataFrame:
    """Return source, sotu, run, its_species, evidence, species: the evidence for each claim."""
    pairs = claims.select(*_SOTU, "run", "its_family", "its_species").join(
        speaking,
        on=["run", "its_family"],
    )
    is_other_source = pl.col("by").is_null() | (pl.col("by") != pl.col("source"))
    return pairs.filter(is_other_source)


def _votes(evidence: pl.DataFrame) -> pl.DataFrame:
    """Return source, sotu, its_species, species, runs_with_evidence, runs_agreeing,
    runs_with_hits, runs_as_reported: the species that most runs of each sOTU support.
    """
    is_reported = pl.col("species") == pl.col("its_species")
    whole = evidence.group_by(_SOTU).agg(
        runs_with_evidence=pl.col("run").n_unique(),
        runs_as_reported=pl.col("run").filter(is_reported).n_unique(),
    )
    counted = evidence.group_by(*_SOTU, "its_species", "species").agg(
        runs_agreeing=pl.col("run").n_unique(),
        runs_with_hits=pl.col("run").filter(pl.col("by").is_not_null()).n_unique(),
    )
    ordered = counted.sort(
        *_SOTU, "runs_agreeing", "species", descending=[False] * 2 + [True, False]
    )
    most = ordered.unique(_SOTU, keep="first", maintain_order=True)
    return most.join(whole, on=_SOTU)


def _most_specific(
    evidence: pl.DataFrame, voted: pl.DataFrame, taxonomy: VirusTaxonomy
) -> pl.DataFrame:
    """Return source, sotu, virus: the taxon of the species that most runs support.

    If the runs that are more specific agree on a taxon below it (dengue virus type 2), that is
    returned.
    """
    agreeing = evidence.join(voted, on=[*_SOTU, "species"], how="semi")
    counted = agreeing.group_by(*_SOTU, virus="evidence").agg(runs=pl.col("run").n_unique())
    ordered = counted.sort(*_SOTU, "runs", "virus", descending=[False, False, True, False])
    above = taxonomy.above(ordered["virus"])
    wider = above.filter(pl.col("ancestor") != pl.col("descendant"))
    pairs = ordered.select(*_SOTU, descendant="virus").join(wider, on="descendant")
    narrow = ordered.join(
        pairs.select(*_SOTU, virus="ancestor"),
        on=[*_SOTU, "virus"],
        how="anti",
        maintain_order="left",
    )
    is_agreed = pl.col("runs") >= LEAST_AGREEMENT * pl.col("runs").sum().over(_SOTU)
    agreed = narrow.filter(is_agreed, pl.col("runs") >= LEAST_RUNS)
    best_first = pl.concat([agreed, ordered]).select(*_SOTU, "virus")
    return best_first.unique(_SOTU, keep="first", maintain_order=True)
