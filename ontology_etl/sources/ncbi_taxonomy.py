"""NCBI Taxonomy: taxa, their names, parents and merged or deleted identifiers.

Source: https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/ (taxdump). Licence: US public domain. Schoch et
al. 2020, doi:10.1093/database/baaa062. What is structural is refused when broken, what is only a
name is rejected and counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from ontology_etl.closure import PARENT
from ontology_etl.curies import NCBI_TAXON, taxon_curie
from ontology_etl.errors import MalformedRowError
from ontology_etl.sources.statements import Statements, gather_rejected
from ontology_etl.sources.taxdump import open_dump, read_table
from ontology_etl.tables import reject

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
_MAX_DOUBLINGS: Final = 10  # a path of 2**10 = 1,024 parents; the deepest lineage has about 45
_REFETCH: Final = "fetch the taxdump again and compare its md5"


def read(path: Path) -> Statements:
    """Return all statements of the taxdump at ``path``: an archive (.tar.gz, .zip) or a folder.

    Merged and deleted identifiers are obsolete terms, labelled by their CURIE. Raises what
    ``taxdump.read_table`` raises, and ``MalformedRowError`` for a taxid with two parents or a
    circle of parents.
    """
    dump = open_dump(path)
    nodes, bad_nodes = read_table(dump, "nodes.dmp")
    names, bad_names = read_table(dump, "names.dmp")
    merged, bad_merged = read_table(dump, "merged.dmp")
    deleted, bad_deleted = read_table(dump, "delnodes.dmp")
    nodes, repeated = unique_nodes(nodes, f"{path}:nodes.dmp")
    merged, unresolved = resolve_merged(merged, nodes["tax_id"], f"{path}:merged.dmp")
    nodes, repairs, dangling = attach_parents(nodes, merged, f"{path}:nodes.dmp")
    check_rooted(nodes, f"{path}:nodes.dmp")
    names, useless = judge_names(names, nodes["tax_id"], f"{path}:names.dmp")
    nodes, nameless = label_taxa(nodes, names, f"{path}:nodes.dmp")
    retired = retire(merged, deleted, nodes["tax_id"])
    rejected = [
        bad_nodes,
        bad_names,
        bad_merged,
        bad_deleted,
        repeated,
        unresolved,
        dangling,
        useless,
        nameless,
    ]
    return Statements(
        term=pl.concat([extract_terms(nodes), retired]),
        synonym=extract_synonyms(names),
        term_edge=extract_edges(nodes),
        rejected=gather_rejected(rejected),
        version=dump.newest.isoformat(),
        repairs=repairs,
    )


def unique_nodes(nodes: pl.DataFrame, source: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``(nodes, rejected)``: one row per taxid.

    Raises ``MalformedRowError`` where a taxid is given two parents or ranks.
    """
    if nodes["tax_id"].n_unique() == len(nodes):
        return nodes, reject(source, [], "")
    kept = nodes.unique(["tax_id", "parent", "rank"], keep="first", maintain_order=True)
    contradiction = kept.filter(~pl.col("tax_id").is_first_distinct())
    if len(contradiction):
        taxid, row = contradiction["tax_id"][0], int(contradiction["row"][0])
        raise MalformedRowError(
            source, f"taxid {taxid} has two parents or ranks", row=row, remedy=_REFETCH
        )
    rows = nodes.join(kept, on="row", how="anti")["row"]
    return kept, reject(source, rows, "taxid stated twice")


def resolve_merged(
    merged: pl.DataFrame, live: pl.Series, source: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``(merged, rejected)``: old taxids with the live taxid ``new`` each ends at, along
    chains of merges.

    ``new`` is null, and counted, where a chain ends at no live taxid. An old taxid that is live
    again is rejected.
    """
    revived = merged.filter(pl.col("old").is_in(live.implode()))
    retired = merged.join(revived, on="row", how="anti").unique(
        "old", keep="first", maintain_order=True
    )
    size = max(int(ids.max() or 0) for ids in (live, merged["old"], merged["new"])) + 1  # type: ignore[arg-type]
    end = np.arange(size)
    end[retired["old"].to_numpy()] = retired["new"].to_numpy()
    for _ in range(_MAX_DOUBLINGS):
        end = end[end]
    resolved = retired.with_columns(
        pl.Series("new", end[retired["old"].to_numpy()], dtype=pl.Int32)
    )
    resolved = resolved.with_columns(pl.when(pl.col("new").is_in(live.implode())).then("new"))
    lost = resolved.filter(pl.col("new").is_null())
    rejected = [
        reject(source, revived["row"], "merged taxid is live"),
        reject(source, lost["row"], "merged into a taxid that is not live"),
    ]
    return resolved, pl.concat(rejected)


def attach_parents(
    nodes: pl.DataFrame, merged: pl.DataFrame, source: str
) -> tuple[pl.DataFrame, int, pl.DataFrame]:
    """Return ``(nodes, repairs, rejected)``: every parent live, or null for a root.

    A merged parent is replaced and counted as a repair; an unknown parent makes the taxon a root
    and is counted.
    """
    live = nodes["tax_id"].implode()
    unknown = nodes.filter(~pl.col("parent").is_in(live))
    parent = pl.when(pl.col("parent") != pl.col("tax_id")).then("parent")
    if unknown.is_empty():
        return nodes.with_columns(parent), 0, reject(source, [], "")
    redirect = merged.select(pl.col("old").alias("parent"), "new")
    moved = unknown.join(redirect, on="parent", how="left")
    fixed = nodes.join(
        moved.select("row", "new"), on="row", how="left", maintain_order="left"
    ).with_columns(
        pl.when(pl.col("row").is_in(unknown["row"].implode()))
        .then("new")
        .otherwise(parent)
        .alias("parent")
    )
    dangling = moved.filter(pl.col("new").is_null())["row"]
    return (
        fixed.drop("new"),
        len(moved) - len(dangling),
        reject(source, dangling, "parent taxid does not exist"),
    )


def check_rooted(nodes: pl.DataFrame, source: str) -> None:
    """Raise ``MalformedRowError`` naming a taxon whose parents run in a circle: it has no place in
    the hierarchy.
    """
    taxid = nodes["tax_id"].to_numpy()
    above = np.arange(int(taxid.max()) + 1)
    above[taxid] = nodes["parent"].fill_null(nodes["tax_id"]).to_numpy()
    top = above
    for _ in range(_MAX_DOUBLINGS):
        top = top[top]
    circular = np.flatnonzero(above[top[taxid]] != top[taxid])
    if len(circular):
        on_circle = int(top[taxid[circular[0]]])
        row = int(nodes.filter(pl.col("tax_id") == on_circle)["row"][0])
        reason = (
            f"the parents of taxid {on_circle} run in a circle ({len(circular)} taxa hang on it)"
        )
        raise MalformedRowError(source, reason, row=row, remedy=_REFETCH)


def judge_names(
    names: pl.DataFrame, live: pl.Series, source: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``(names, rejected)``: names of live taxa with the OBO ``scope`` of each, null for a
    scientific name.
    """
    is_label = pl.col("name_class") == _LABEL_CLASS
    scope = pl.col("name_class").replace_strict(SCOPES, default=None, return_dtype=pl.String)
    fault = (
        pl.when(~pl.col("tax_id").is_in(live.implode()))
        .then(pl.lit("name of a taxid that is not in nodes.dmp"))
        .when(pl.col("name").is_null())
        .then(pl.lit("empty name"))
        .when(pl.col("name_class") == "type material")
        .then(pl.lit("type material names a specimen, not the taxon"))
        .when(~is_label & scope.is_null())
        .then(pl.lit("unknown name class"))
    )
    judged = names.with_columns(scope.alias("scope"), fault.alias("fault"))
    faulty = judged.filter(pl.col("fault").is_not_null())
    rejected = [
        reject(source, rows["row"], str(reason)) for (reason,), rows in faulty.group_by("fault")
    ]
    usable = judged.filter(pl.col("fault").is_null()).select("tax_id", "name", "scope")
    return usable, pl.concat([reject(source, [], ""), *rejected])


def label_taxa(
    nodes: pl.DataFrame, names: pl.DataFrame, source: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``(nodes, rejected)``: nodes with the first scientific name of each as ``label``; null
    is counted.
    """
    labels = names.filter(pl.col("scope").is_null()).select("tax_id", label="name")
    first = labels.filter(pl.col("tax_id").is_first_distinct())
    labelled = nodes.join(first, on="tax_id", how="left")
    unnamed = labelled.filter(pl.col("label").is_null())["row"]
    return labelled, reject(
        source, unnamed, "taxon without a scientific name, labelled by its identifier"
    )


def extract_terms(labelled: pl.DataFrame) -> pl.DataFrame:
    """Return one Term row per live taxon; one without a scientific name is labelled by its CURIE."""
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
    """Return Synonym rows; a second scientific name of a taxon is an EXACT synonym."""
    labels = names.filter(pl.col("scope").is_null())
    spare = labels.filter(~pl.col("tax_id").is_first_distinct()).with_columns(
        pl.lit("EXACT").alias("scope")
    )
    others = pl.concat([names.filter(pl.col("scope").is_not_null()), spare])
    return others.select(
        taxon_curie(pl.col("tax_id")).alias("curie"),
        pl.col("name").alias("synonym"),
        "scope",
    ).unique()


def extract_edges(nodes: pl.DataFrame) -> pl.DataFrame:
    """Return one ``parent`` TermEdge per taxon below a root."""
    return nodes.filter(pl.col("parent").is_not_null()).select(
        taxon_curie(pl.col("tax_id")).alias("subject"),
        pl.lit(PARENT).alias("predicate"),
        taxon_curie(pl.col("parent")).alias("object"),
    )


def retire(merged: pl.DataFrame, deleted: pl.DataFrame, live: pl.Series) -> pl.DataFrame:
    """Return obsolete Term rows: merged taxids with their replacement, deleted ones without."""
    gone = deleted.select(pl.col("tax_id").alias("old"), pl.lit(None, pl.Int32).alias("new"))
    gone = (
        gone.filter(~pl.col("old").is_in(live.implode()))
        .join(merged, on="old", how="anti")
        .unique("old")
    )
    curie = taxon_curie(pl.col("old"))
    return pl.concat([merged.select("old", "new"), gone]).select(
        curie.alias("curie"),
        curie.alias("label"),
        pl.lit(NCBI_TAXON).alias("ontology"),
        pl.lit(None, pl.String).alias("rank"),
        pl.lit(True).alias("obsolete"),
        taxon_curie(pl.col("new")).alias("replaced_by"),
    )
