"""Detections with the virus each means: a taxon with its lineage, and what may be said of it.

A detection resolves by the taxid its source gives (merged ones by their successor), else by
its sequence accession, else by its name; a name of several viruses resolves to none. Where it has
no name that resolves, its family or phylum is its taxon.

How much of a species an identity supports is decided here alone (``state_viruses``) and stored in
``detection.stated`` and ``detection.taxon``; facts, graph and answers read those. Thresholds are
those of palmprints (Babaian & Edgar 2022, doi:10.7717/peerj.14055): 90 % amino-acid identity
within a species, 70 % within a genus. Nucleotide hits are judged alike, which is strict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from index.tables import Detection, KnownHost, Virus
from ontology_etl.closure import PARENT, taxon_closure
from ontology_etl.curies import ICTV, NCBI_TAXON, has_prefix
from ontology_etl.host_groups import HAS_HOST, with_group_taxa
from ontology_etl.sources.ictv import HAS_GENOME
from ontology_etl.tables import Rejected, conform
from ontology_etl.virus_names import VirusNames, name_key, settle_names

SPECIES_IDENTITY: Final = 90.0
"""Percent identity from which the species of the reference is the species of the hit."""
GENUS_IDENTITY: Final = 70.0
"""Percent identity from which the hit is called like the genus of the reference, not its family."""

RANKS: Final = ("species", "genus", "family", "order", "phylum", "realm")
NAMED_RANKS: Final = ("family", "phylum")
"""What a source may say of a virus whose species it does not name."""

NCBI_SAYS: Final = "NCBI Taxonomy"
"""Source of the host groups of NCBI Taxonomy: of 200,000 strains only those met are kept."""
_ACCESSION: Final = r"^([A-Z]{1,2}_?\d{5,8})(?:\.\d+)?$"


@dataclass(frozen=True)
class ResolvedViruses:
    """Detections with their viruses, the table of viruses, and what resolved to none.

    ``ways`` counts detections by how they resolved, every way present.
    """

    detection: pl.DataFrame
    virus: pl.DataFrame
    rejected: pl.DataFrame
    ways: dict[str, int]


def resolve_hosts(
    known_host: pl.DataFrame,
    names: VirusNames,
    viruses: pl.Series,
    *,
    term: pl.DataFrame,
    term_edge: pl.DataFrame,
) -> pl.DataFrame:
    """Return the table ``known_host``: recorded pairs, the host groups of ICTV, and those that NCBI
    Taxonomy states for ``viruses`` and their species. Viruses that are not live are left out.
    """
    stated = term_edge.filter(pl.col("predicate") == HAS_HOST)
    of_taxa = stated.filter(has_prefix(pl.col("subject"), NCBI_TAXON)).select(
        virus="subject", host="object", source=pl.lit(NCBI_SAYS)
    )
    labels = term.filter(pl.col("ontology") == ICTV).select(object="curie", group="label")
    groups = stated.join(labels, on="object").join(names.ictv, left_on="subject", right_on="ictv")
    of_species = with_group_taxa(
        groups.select(virus="species", source=pl.lit("ICTV"), group="group"), "group"
    )
    told = pl.concat([known_host, of_taxa, of_species.select(known_host.columns)])
    live = told.join(names.live.rename({"virus": "one"}), left_on="virus", right_on="curie")
    moved = term.filter(pl.col("obsolete")).select(host="curie", now="replaced_by")
    hosts = live.join(moved, on="host", how="left").select(
        "source", pl.col("one").alias("virus"), pl.coalesce("now", "host").alias("host")
    )
    named = names.live.filter(pl.col("curie").is_in(viruses.implode()))["virus"]
    kin = names.species.filter(pl.col("virus").is_in(named.implode()))["species"]
    relevant = (pl.col("source") != NCBI_SAYS) | pl.col("virus").is_in(
        pl.concat([named, kin, viruses]).unique().implode()
    )
    return conform(hosts.filter(relevant).unique(), KnownHost)


def resolve_viruses(
    detection: pl.DataFrame,
    names: VirusNames,
    *,
    term: pl.DataFrame,
    term_edge: pl.DataFrame,
    synonym: pl.DataFrame,
) -> ResolvedViruses:
    """Return ``detection`` with virus, lineage and what may be said of each, and its viruses."""
    reported = detection.with_columns(
        pl.coalesce("reported_name", "species").alias("reported_name")
    )
    found = find_viruses(reported, names)
    ranks = virus_lineage(found["virus"], term, term_edge)
    lineage = with_called(ranks, names, term=term, synonym=synonym)
    resolved = state_viruses(found, lineage)
    named = pl.concat([resolved["virus"], resolved["taxon"]]).drop_nulls().unique()
    virus = describe_viruses(named, lineage, names, term, term_edge, synonym)
    ways = found.group_by("way").agg(pl.len()).sort("way")
    return ResolvedViruses(
        detection=conform(resolved, Detection),
        virus=virus,
        rejected=_unresolved(found),
        ways=dict(ways.iter_rows()),
    )


def find_viruses(detection: pl.DataFrame, names: VirusNames) -> pl.DataFrame:
    """Return ``detection`` with ``virus``, the ``way`` it was found and the ``candidates`` of an
    ambiguous name.

    ``way`` is taxid, accession, name, family, phylum, ambiguous, unknown or unnamed.
    """
    columns = ["virus", "sotu", "reported_name", *NAMED_RANKS]
    asked = detection.select(columns).unique()
    keyed = asked.with_columns(pl.col("sotu").str.extract(_ACCESSION).alias("accession"))
    by_name = settle_names(keyed["reported_name"], names.names, names.species)
    met = (
        keyed.join(names.live.rename({"virus": "by_taxid"}), left_on="virus", right_on="curie",
                   how="left")
        .join(names.accessions.rename({"virus": "by_accession"}), on="accession", how="left")
        .join(by_name.select("candidates", reported_name="name", by_name="virus"),
              on="reported_name", how="left")
    )  # fmt: skip
    for rank in NAMED_RANKS:
        higher = settle_names(keyed[rank], names.names, names.species)
        named = higher.select(pl.col("name").alias(rank), pl.col("virus").alias(f"by_{rank}"))
        met = met.join(named, on=rank, how="left")
    judged = met.with_columns(_way().alias("way"))
    ways = ("taxid", "accession", "name", *NAMED_RANKS)
    chosen = pl.coalesce(pl.when(pl.col("way") == way).then(pl.col(f"by_{way}")) for way in ways)
    answers = judged.select(*columns, "way", "candidates", chosen.alias("found"))
    joined = detection.join(answers, on=columns, how="left", nulls_equal=True)
    return joined.with_columns(pl.col("found").alias("virus")).drop("found")


def virus_lineage(viruses: pl.Series, term: pl.DataFrame, term_edge: pl.DataFrame) -> pl.DataFrame:
    """Return virus, and per rank of ``RANKS`` its name and CURIE (``family``, ``family_curie``):
    one row per virus and per taxon above one.
    """
    edges = term_edge.filter(pl.col("predicate") == PARENT)
    above = taxon_closure(edges, viruses.drop_nulls().unique().sort())
    taxa = term.filter(pl.col("curie").is_in(above["ancestor"].unique().implode()))
    realm = (pl.col("rank") == "clade") & pl.col("label").str.ends_with("viria")
    ranked = taxa.select(
        "label",
        pl.when(realm).then(pl.lit("realm")).otherwise("rank").alias("rank"),
        ancestor="curie",
    )
    stated = above.join(ranked.filter(pl.col("rank").is_in(RANKS)), on="ancestor")
    at = [
        pl.col(value).filter(pl.col("rank") == rank).first().alias(name)
        for rank in RANKS
        for value, name in (("label", rank), ("ancestor", f"{rank}_curie"))
    ]
    return (
        above.select(virus="descendant")
        .unique()
        .join(stated.group_by(pl.col("descendant").alias("virus")).agg(at), on="virus", how="left")
        .sort("virus")
    )


def with_called(
    lineage: pl.DataFrame, names: VirusNames, *, term: pl.DataFrame, synonym: pl.DataFrame
) -> pl.DataFrame:
    """Return ``lineage`` with what virologists call its species, null where that is its own name.

    A species has a binomial (*Simplexvirus humanalpha1*), the virus that it is another name (Human
    alphaherpesvirus 1), and papers use the latter. The name of one of several isolates (Amur virus,
    of the species of Hantaan virus) does not speak for the species.
    """
    virus_of = names.live.select(species_curie="curie", called_curie="virus")
    labels = term.select(called_curie="curie", called="label")
    other = virus_of.filter(pl.col("species_curie") != pl.col("called_curie"))
    called = other.join(labels, on="called_curie").with_columns(key=name_key(pl.col("called")))
    spoken = called.join(_names_of_species(names, synonym), on=["species_curie", "key"], how="semi")
    return lineage.join(spoken.select("species_curie", "called"), on="species_curie", how="left")


def _names_of_species(names: VirusNames, synonym: pl.DataFrame) -> pl.DataFrame:
    """Return species_curie, key of ICTV's exemplar viruses and former species, and reviewed names."""
    listed = synonym.filter(pl.col("scope").is_in(["EXACT", "BROAD"]))
    of_ictv = listed.join(names.ictv, left_on="curie", right_on="ictv").select(
        species_curie="species", key=name_key(pl.col("synonym"))
    )
    reviewed = names.names.filter(pl.col("kind") == "everyday").select("virus", "key")
    taxa = names.live.select(species_curie="curie", virus="virus")
    of_ours = reviewed.join(taxa, on="virus").select("species_curie", "key")
    return pl.concat([of_ictv, of_ours]).unique()


def state_viruses(detection: pl.DataFrame, lineage: pl.DataFrame) -> pl.DataFrame:
    """Return ``detection`` with species, family and phylum of the lineage of its virus (else of its
    source), and what its identity lets one state, by the name that virologists use.

    Of 90 % and more the species; below, its genus (from 70 %) or family and "-like"; where the
    identity is unknown "reported as" the species. Of a virus above species nothing is stated.
    """
    own = lineage.select(pl.all().exclude("virus").name.prefix("its_"), "virus")
    met = detection.join(own, on="virus", how="left")
    unresolved = pl.when(pl.col("virus").is_null())
    named = pl.coalesce("its_species", unresolved.then(pl.col("reported_name")))
    called = pl.coalesce("its_called", named)
    identity = pl.col("identity")
    supported = identity >= SPECIES_IDENTITY
    near = identity >= GENUS_IDENTITY
    family = pl.coalesce("its_family", unresolved.then(pl.col("family")))
    like = pl.coalesce(pl.when(near).then(pl.col("its_genus")), family, "its_order", "its_phylum")
    like_curie = pl.coalesce(
        pl.when(near).then(pl.col("its_genus_curie")),
        "its_family_curie", "its_order_curie", "its_phylum_curie",
    )  # fmt: skip
    known = identity.is_not_null() & named.is_not_null()
    stated = (
        pl.when(identity.is_null()).then("reported as " + called)
        .when(supported).then(called)
        .when(known).then(like + "-like")
    )  # fmt: skip
    species = pl.coalesce("its_species_curie", "virus")
    taxon = pl.when(known & ~supported).then(like_curie).otherwise(species)
    return met.with_columns(
        pl.when(supported).then(named).alias("species"),
        stated.alias("stated"),
        taxon.alias("taxon"),
        family.alias("family"),
        pl.coalesce("its_phylum", "phylum").alias("phylum"),
    )


def describe_viruses(
    viruses: pl.Series,
    lineage: pl.DataFrame,
    names: VirusNames,
    term: pl.DataFrame,
    term_edge: pl.DataFrame,
    synonym: pl.DataFrame,
) -> pl.DataFrame:
    """Return the table ``virus``: each of ``viruses`` with its lineage and what ICTV says of it."""
    taxa = term.select("rank", virus="curie", name="label").filter(
        pl.col("virus").is_in(viruses.implode())
    )
    placed = taxa.join(lineage, on="virus", how="left")
    listed = _ictv_species(names, term, term_edge, synonym)
    described = placed.join(listed, left_on="species_curie", right_on="species_curie", how="left")
    typed = described.with_columns(
        pl.coalesce("ictv_genome", *(_unanimous(listed, rank) for rank in ("genus", "family")))
        .alias("genome"),
        *(pl.coalesce(rank, f"ictv_{rank}").alias(rank) for rank in ("genus", "family", "order")),
    )  # fmt: skip
    return conform(typed, Virus)


# --- what resolved to none ------------------------------------------------------------------------


def _way() -> pl.Expr:
    """Return how a detection resolves: the first way that finds a virus, else why none does."""
    several = pl.col("candidates").list.len() > 1
    return (
        pl.when(pl.col("by_taxid").is_not_null()).then(pl.lit("taxid"))
        .when(pl.col("by_accession").is_not_null()).then(pl.lit("accession"))
        .when(pl.col("by_name").is_not_null()).then(pl.lit("name"))
        .when(several).then(pl.lit("ambiguous"))
        .when(pl.col("by_family").is_not_null()).then(pl.lit("family"))
        .when(pl.col("by_phylum").is_not_null()).then(pl.lit("phylum"))
        .when(pl.col("reported_name").is_null() & pl.col("family").is_null())
        .then(pl.lit("unnamed"))
        .otherwise(pl.lit("unknown"))
    )  # fmt: skip


def _unresolved(found: pl.DataFrame) -> pl.DataFrame:
    """Return one Rejected row per source and name that resolved to no virus, with its detections."""
    lost = found.filter(pl.col("virus").is_null() & pl.col("way").is_in(["ambiguous", "unknown"]))
    name = pl.coalesce("reported_name", "family")
    counted = lost.group_by("source", "way", name.alias("name")).agg(
        pl.len().alias("rows"), pl.col("candidates").first().list.join(", ")
    )
    reason = (
        pl.when(pl.col("way") == "ambiguous")
        .then(
            pl.format("virus {} is several taxa ({}): {} detections", "name", "candidates", "rows")
        )
        .otherwise(pl.format("virus {} is no known taxon: {} detections", "name", "rows"))
    )
    rows = counted.select(
        pl.format("detection {}", "source").alias("source"),
        pl.lit(None, pl.Int64).alias("row"),
        reason.alias("reason"),
    )
    return conform(rows, Rejected)


# --- ICTV -----------------------------------------------------------------------------------------


def _ictv_species(
    names: VirusNames, term: pl.DataFrame, term_edge: pl.DataFrame, synonym: pl.DataFrame
) -> pl.DataFrame:
    """Return species_curie, ictv_name, abbreviation, ictv_genome, hosts_recorded, ictv_genus,
    ictv_family, ictv_order of the species that ICTV lists.
    """
    terms = term.filter(pl.col("ontology") == ICTV).select("curie", "label", "rank")
    edges = term_edge.filter(has_prefix(pl.col("subject"), ICTV))
    told = {
        "ictv_genome": _objects(edges, terms, HAS_GENOME),
        "hosts_recorded": _objects(edges, terms, HAS_HOST),
        "abbreviation": _abbreviations(synonym),
    }
    rows = names.ictv.rename({"species": "species_curie"}).join(
        terms.select(ictv="curie", ictv_name="label"), on="ictv"
    )
    for column, stated in told.items():
        rows = rows.join(stated.rename({"text": column}), on="ictv", how="left")
    return _ranks_above(rows, edges, terms)


def _objects(edges: pl.DataFrame, terms: pl.DataFrame, predicate: str) -> pl.DataFrame:
    """Return ictv, text: the labels of what a species ``predicate``, sorted and ;-separated."""
    stated = edges.filter(pl.col("predicate") == predicate).join(
        terms.select(object="curie", label="label"), on="object"
    )
    return stated.group_by(pl.col("subject").alias("ictv")).agg(
        pl.col("label").unique().sort().str.join("; ").alias("text")
    )


def _abbreviations(synonym: pl.DataFrame) -> pl.DataFrame:
    short = synonym.filter(has_prefix(pl.col("curie"), ICTV), pl.col("scope") == "RELATED")
    return short.group_by(pl.col("curie").alias("ictv")).agg(
        pl.col("synonym").unique().sort().str.join("; ").alias("text")
    )


def _ranks_above(rows: pl.DataFrame, edges: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` with the genus, family and order that ICTV places each species in."""
    up = edges.filter(pl.col("predicate") == "is_a").select("subject", "object")
    sole = up.filter(pl.col("subject").is_unique())
    placed = rows.with_columns(pl.col("ictv").alias("at"))
    for rank in ("genus", "family", "order"):
        above = sole.join(
            terms.filter(pl.col("rank") == rank).select(object="curie", found="label"), on="object"
        )
        placed = placed.join(above, left_on="at", right_on="subject", how="left")
        placed = placed.with_columns(
            pl.col("found").alias(f"ictv_{rank}"), pl.coalesce("object", "at").alias("at")
        ).drop("object", "found")
    return placed.drop("at", "ictv")


def _unanimous(listed: pl.DataFrame, rank: str) -> pl.Expr:
    """Return the genome type of each row's genus or family, null where its species differ."""
    typed = listed.drop_nulls([f"ictv_{rank}", "ictv_genome"])
    agreed = typed.group_by(f"ictv_{rank}").agg(pl.col("ictv_genome").unique())
    sole = agreed.filter(pl.col("ictv_genome").list.len() == 1)
    types = dict(sole.select(f"ictv_{rank}", pl.col("ictv_genome").list.first()).iter_rows())
    return pl.col(rank).replace_strict(types, default=None, return_dtype=pl.String)
