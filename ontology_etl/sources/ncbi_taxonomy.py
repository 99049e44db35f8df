"""NCBI Taxonomy: taxa, their names, parents and merged or deleted identifiers.

Source: https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/ (taxdump). Licence: US public domain. Schoch et
al. 2020, doi:10.1093/database/baaa062. A broken hierarchy is refused; a broken name is rejected and
counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from ontology_etl.closure import PARENT
from ontology_etl.curies import NCBI_TAXON, taxon_curie
from ontology_etl.host_groups import HAS_HOST, with_group_taxa
from ontology_etl.sources.taxdump import open_dump, read_member
from ontology_etl.sources.taxon_tree import (
    attach_parents,
    check_rooted,
    resolve_merged,
    unique_nodes,
)
from ontology_etl.tables import Statements, gather_rejected, reject, reject_rows

SCOPES: Final[Mapping[str, str]] = {
    "synonym": "EXACT",
    "equivalent name": "EXACT",
    "common name": "EXACT",
    "genbank common name": "EXACT",
    "genbank synonym": "EXACT",
    "acronym": "EXACT",
    "genbank acronym": "EXACT",
    "anamorph": "EXACT",
    "genbank anamorph": "EXACT",
    "teleomorph": "EXACT",
    "includes": "NARROW",
    "in-part": "BROAD",
    "blast name": "RELATED",
    "misspelling": "RELATED",
    "misnomer": "RELATED",
    "authority": "RELATED",
}
"""Scope of each name class; ``type material`` names a specimen, not the taxon, and is rejected."""

_LABEL_CLASS: Final = "scientific name"


def read(path: Path) -> Statements:
    """Return all statements of the taxdump at ``path``: an archive (.tar.gz, .zip) or a folder.

    Merged and deleted identifiers are obsolete terms, labelled by their CURIE. Raises what
    ``taxdump.read_member`` raises, and ``MalformedRowError`` for a taxid with two parents or a
    circle of parents.
    """
    dump = open_dump(path)
    nodes, bad_nodes = read_member(dump, "nodes.dmp")
    names, bad_names = read_member(dump, "names.dmp")
    merged, bad_merged = read_member(dump, "merged.dmp")
    deleted, bad_deleted = read_member(dump, "delnodes.dmp")
    of_nodes = f"{path}:nodes.dmp"
    nodes, repeated = unique_nodes(nodes, of_nodes)
    live = nodes["tax_id"]
    merged, unresolved = resolve_merged(
        merged,
        live,
        f"{path}:merged.dmp",
    )
    nodes, repairs, dangling = attach_parents(
        nodes,
        merged,
        of_nodes,
    )
    check_rooted(nodes, of_nodes)
    hosts, bad_hosts = read_member(dump, "host.dmp")
    names, useless = judge_names(
        names,
        live,
        f"{path}:names.dmp",
    )
    nodes, nameless = label_taxa(
        nodes,
        names,
        of_nodes,
    )
    unreadable = [bad_nodes, bad_names, bad_merged, bad_deleted, bad_hosts]
    unusable = [repeated, unresolved, dangling, useless, nameless]
    return Statements(
        term=pl.concat([extract_terms(nodes), retire(merged, deleted, live)]),
        synonym=extract_synonyms(names),
        term_edge=pl.concat([extract_edges(nodes), extract_hosts(hosts, live)]),
        rejected=gather_rejected([*unreadable, *unusable]),
        version=dump.newest.isoformat(),
        repairs=repairs,
    )


def judge_names(
    names: pl.DataFrame, live: pl.Series, source: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``(names, rejected)``: of live taxa, with ``scope``; null if it is the label.

    The label is the first scientific name of a taxon; a second one is an EXACT synonym.
    """
    scope = pl.col("name_class").replace_strict(
        SCOPES,
        default=None,
        return_dtype=pl.String,
    )
    judged = names.with_columns(scope.alias("scope"), _name_fault(live, scope).alias("reason"))
    is_faulty = pl.col("reason").is_not_null()
    usable = judged.filter(~is_faulty).select("tax_id", "name", "scope")
    is_scientific = pl.col("scope").is_null()
    is_first = pl.when(is_scientific).then("tax_id").is_first_distinct()
    is_second = is_scientific & ~is_first
    scoped = usable.with_columns(scope=pl.when(is_second).then(pl.lit("EXACT")).otherwise("scope"))
    return scoped, reject_rows(source, judged.filter(is_faulty))


def label_taxa(
    nodes: pl.DataFrame, names: pl.DataFrame, source: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``(nodes, rejected)``: nodes with their scientific name as ``label``."""
    labels = names.filter(pl.col("scope").is_null())
    named, taxa = labels["tax_id"].to_numpy(), nodes["tax_id"].to_numpy()
    place = np.full(max(named.max(initial=0), taxa.max(initial=0)) + 1, -1)
    place[named] = np.arange(len(named))
    at = pl.Series(place[taxa]).replace(-1, None)
    labelled = nodes.with_columns(label=labels["name"].gather(at))
    unnamed = labelled.filter(pl.col("label").is_null())["row"]
    reason = "taxon without a scientific name, labelled by its identifier"
    return labelled, reject(source, unnamed, reason)


def extract_terms(labelled: pl.DataFrame) -> pl.DataFrame:
    """Return one Term row per live taxon; without a label, its CURIE is the label."""
    curie = taxon_curie(pl.col("tax_id"))
    return labelled.select(
        curie.alias("curie"),
        pl.coalesce("label", curie).alias("label"),
        pl.lit(NCBI_TAXON).alias("ontology"),
        "rank",
        pl.lit(False).alias("obsolete"),
        pl.lit(None, pl.String).alias("replaced_by"),
    )


def extract_synonyms(names: pl.DataFrame) -> pl.DataFrame:
    """Return Synonym rows: all ``names`` but labels."""
    synonyms = names.filter(pl.col("scope").is_not_null()).select(
        taxon_curie(pl.col("tax_id")).alias("curie"),
        pl.col("name").alias("synonym"),
        "scope",
    )
    return synonyms.unique()


def extract_edges(nodes: pl.DataFrame) -> pl.DataFrame:
    """Return one ``parent`` TermEdge per taxon below a root."""
    below_root = nodes.filter(pl.col("parent").is_not_null())
    return below_root.select(
        subject=taxon_curie(pl.col("tax_id")),
        predicate=pl.lit(PARENT),
        object=taxon_curie(pl.col("parent")),
    )


def extract_hosts(hosts: pl.DataFrame, live: pl.Series) -> pl.DataFrame:
    """Return one ``has_host`` TermEdge for each virus and taxon of its stated host groups."""
    known = hosts.filter(pl.col("tax_id").is_in(live.implode())).drop_nulls("hosts")
    grouped = known.select(
        taxon_curie(pl.col("tax_id")).alias("subject"),
        pl.lit(HAS_HOST).alias("predicate"),
        pl.col("hosts").str.split(",").alias("group"),
    ).explode("group")
    return with_group_taxa(grouped, "group").rename({"host": "object"}).unique()


def retire(merged: pl.DataFrame, deleted: pl.DataFrame, live: pl.Series) -> pl.DataFrame:
    """Return obsolete Term rows: merged taxids with their replacement, deleted ones without."""
    gone = deleted.select(pl.col("tax_id").alias("old"), pl.lit(None, pl.Int32).alias("new"))
    not_live = gone.filter(~pl.col("old").is_in(live.implode()))
    not_merged = not_live.join(
        merged,
        on="old",
        how="anti",
    ).unique("old")
    retired = pl.concat([merged.select("old", "new"), not_merged])
    curie = taxon_curie(pl.col("old"))
    return retired.select(
        curie.alias("curie"),
        curie.alias("label"),
        pl.lit(NCBI_TAXON).alias("ontology"),
        pl.lit(None, pl.String).alias("rank"),
        pl.lit(True).alias("obsolete"),
        taxon_curie(pl.col("new")).alias("replaced_by"),
    )


def _name_fault(live: pl.Series, scope: pl.Expr) -> pl.Expr:
    """Return why a name cannot be used, or null."""
    name_class = pl.col("name_class")
    is_known_class = (name_class == _LABEL_CLASS) | scope.is_not_null()
    return (
        pl.when(~pl.col("tax_id").is_in(live.implode()))
        .then(pl.lit("name of a taxid that is not in nodes.dmp"))
        .when(pl.col("name").is_null())
        .then(pl.lit("empty name"))
        .when(name_class == "type material")
        .then(pl.lit("type material names a specimen, not the taxon"))
        .when(~is_known_class)
        .then(pl.lit("unknown name class"))
    )
