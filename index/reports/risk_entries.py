"""The taxa that the rows of a risk group register cover.

A row covers the taxon of its taxid (merged ones by their successor) and the taxa that have its
name: labels and synonyms of the taxonomy, ICTV's names and former names, reviewed names. If the
taxonomy has two taxa for one virus, it covers both. Rows of the same name cover each other's taxa.
A row of a genus also covers the viruses whose former names end with that genus: since 2023 *Zaire
ebolavirus* has not been a member of *Ebolavirus*.

A row clears (its RG1 or RG2 counts) only if nothing is in doubt: it is not a floor, its name means
one taxon, and its taxid does not contradict that. Otherwise it can only raise a group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import duckdb
import polars as pl

from index.exposure import group_of
from index.store.frames import rows_over
from index.store.lineages import lineage_of
from ontology_etl.viruses.keys import name_key
from ontology_etl.vocabulary import VIRUSES

_VIRUSES: Final = f"NCBITaxon:{VIRUSES}"
_SOURCE_NAMES: Final = r"(?i) (spp?\.?|species)$"
_ABBREVIATION: Final = 3


@dataclass(frozen=True)
class Linked:
    """The taxa of a register, and the rows that name no taxon or contradict themselves.

    ``links``       row, curie, severity, clears; a row may have several taxa
    ``unresolved``  row, name, curie, risk_group of the entries without a taxon, by row
    ``doubtful``    row, name, curie, risk_group, why: entries whose name and taxid disagree
    """

    links: pl.DataFrame
    unresolved: pl.DataFrame
    doubtful: pl.DataFrame


def link_entries(con: duckdb.DuckDBPyConnection, entries: pl.DataFrame) -> Linked:
    """Return the taxa that ``entries`` of a register mean. Reads ``term, synonym, term_edge,
    virus_name``.
    """
    plain_name = pl.col("name").str.replace(_SOURCE_NAMES, "")
    named = entries.with_columns(key=name_key(plain_name), asked=plain_name)
    found = rows_over(con, _CANDIDATES, {"risk_listed": named})
    candidates = found.join(entries, on="row", suffix="_given")
    lineage = lineage_of(con, candidates["curie"])
    accepted, dismissed = _of_own_kind(candidates, lineage)
    judged = _judge(accepted, lineage)
    own = _links(judged)
    shared = _of_one_name(own, named)
    namesakes = _namesakes(con, judged, entries)
    links = pl.concat([own, shared, namesakes]).unique()

    linked = links["row"].implode()
    unlinked = entries.filter(~pl.col("row").is_in(linked))
    at_odds = judged.filter("at_odds")
    doubtful = [
        _doubtful(entries, at_odds, _AT_ODDS),
        _doubtful(entries, dismissed, _NO_VIRUS),
    ]
    return Linked(
        links=links.sort("row", "curie", "clears"),
        unresolved=_listed(unlinked),
        doubtful=pl.concat(doubtful).sort("row", "why"),
    )


def _doubtful(entries: pl.DataFrame, rows: pl.DataFrame, why: str) -> pl.DataFrame:
    """Return the entries whose ``row`` is among ``rows``, with ``why`` they are doubtful."""
    concerned = entries.join(rows, on="row", how="semi")
    return _listed(concerned).with_columns(why=pl.lit(why))


def _of_own_kind(met: pl.DataFrame, lineage: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return candidates without those of another kind, and the rows whose taxid was dismissed.

    A row of viruses, by its type or because its name means a virus alone, means no other organism:
    registers give the taxid of the plant *Sabia* for the Sabia virus.
    """
    viral = lineage.filter(pl.col("ancestor") == _VIRUSES)["descendant"]
    in_viruses = pl.col("curie").is_in(viral.implode())
    marked = met.with_columns(is_virus=in_viruses)
    by_name = pl.col("via") == "name"
    is_named = by_name.any().over("row")
    virus_or_taxid = pl.col("is_virus") | ~by_name
    only_viruses = is_named & virus_or_taxid.all().over("row")
    of_viruses = pl.coalesce("viral", only_viruses.fill_null(False))
    stranger = of_viruses & ~pl.col("is_virus")
    accepted = marked.filter(~stranger)
    dismissed = marked.filter(stranger, ~by_name)

    return accepted, dismissed.select("row").unique()


def _judge(kept: pl.DataFrame, lineage: pl.DataFrame) -> pl.DataFrame:
    """Return ``kept`` with ``one`` (the virus a taxon is), ``sure`` and ``at_odds``."""
    by_name = pl.col("via") == "name"
    abbreviated = by_name & (pl.col("tier") == _ABBREVIATION)
    in_full = by_name & (pl.col("tier") < _ABBREVIATION)
    named_in_full = in_full.any().over("row")
    unshadowed = kept.filter(~(abbreviated & named_in_full))

    is_best = pl.col("tier") == pl.col("tier").min().over("row", "via")
    best = unshadowed.filter(is_best)
    meanings = pl.col("one").n_unique().alias("meanings")
    meant = best.group_by("row", "via").agg(meanings)

    marked = _at_odds(best, lineage).with_columns(at_odds=pl.lit(True))
    judged = unshadowed.join(meant, on=["row", "via"], how="left")
    judged = judged.join(marked, on="row", how="left")
    judged = judged.with_columns(pl.col("at_odds").fill_null(False))
    means_one = pl.col("meanings") == 1
    return judged.with_columns(sure=is_best & means_one & ~pl.col("at_odds"))


def _at_odds(best: pl.DataFrame, lineage: pl.DataFrame) -> pl.DataFrame:
    """Return the rows whose taxid is neither a taxon of their name nor above or below one."""
    of_taxid = best.filter(pl.col("via") == "taxid")
    of_name = best.filter(pl.col("via") == "name")
    by_taxid = of_taxid.select("row", a="curie", one_a="one")
    by_name = of_name.select("row", b="curie", one_b="one")
    pairs = by_taxid.join(by_name, on="row")

    above = lineage.select(a="descendant", b="ancestor")
    below = above.select(a="b", b="a")
    kin = pl.concat([above, below]).unique().with_columns(kin=pl.lit(True))
    related = pairs.join(kin, on=["a", "b"], how="left")
    is_kin = pl.col("kin").fill_null(False)
    same_virus = pl.col("one_a") == pl.col("one_b")
    agree = (is_kin | same_virus).any().alias("agreed")
    agreed = related.group_by("row").agg(agree)
    return agreed.filter(~pl.col("agreed")).select("row")


def _links(judged: pl.DataFrame) -> pl.DataFrame:
    """Return the links of ``judged``: to each taxon, and to the virus that it is."""
    clears = pl.col("sure") & ~pl.col("floor")
    linked = judged.with_columns(clears=clears)
    to_taxon = linked.select("row", "curie", "severity", "clears")
    to_virus = linked.select("row", "severity", "clears", curie="one")
    return pl.concat([to_taxon, to_virus.select(to_taxon.columns)])


def _of_one_name(own: pl.DataFrame, named: pl.DataFrame) -> pl.DataFrame:
    """Return links of each row to the taxa of the other rows of the same name.

    *Hepatitis E virus* has two rows with two taxids: what either says holds for both.
    """
    keyed = named.filter(pl.col("key") != "").select("row", "key", "severity")
    keys = keyed.select("row", "key")
    taxa = own.join(keys, on="row").select("key", "curie")
    shared = keyed.join(taxa.unique(), on="key")
    return _raising(shared)


def _raising(linked: pl.DataFrame) -> pl.DataFrame:
    """Return ``linked`` as links that can raise a group but clear nothing."""
    return linked.select("row", "curie", "severity", clears=pl.lit(False))


def _namesakes(
    con: duckdb.DuckDBPyConnection, judged: pl.DataFrame, entries: pl.DataFrame
) -> pl.DataFrame:
    """Return links of rows that mean a genus to the viruses whose former names end with it."""
    taxa = judged.select("row", "curie").unique()
    found = rows_over(con, _NAMESAKES, {"risk_taxon": taxa})
    severities = entries.select("row", "severity")
    return _raising(found.join(severities, on="row"))


def _listed(entries: pl.DataFrame) -> pl.DataFrame:
    group = group_of(pl.col("severity"))
    ordered = entries.sort("row")
    return ordered.select(
        "row",
        "name",
        "curie",
        risk_group=group,
    )


_AT_ODDS: Final = "its name and its taxid are different taxa, so it clears neither"
_NO_VIRUS: Final = "its taxid is not a virus, so its name alone decides"

SAME_VIRUS: Final = """
SELECT t.curie, min(v.virus) AS one
FROM virus_name AS v JOIN term AS t ON t.label = v.name AND t.ontology = 'NCBITaxon'
WHERE v.kind = 'label' AND NOT t.obsolete AND t.curie <> v.virus
GROUP BY t.curie
"""
"""SELECT of ``curie, one``: taxa for which another taxon is the same virus."""

TAXON_NAMES: Final = """
SELECT lower(label) AS folded, curie, 0 AS tier FROM term
WHERE ontology = 'NCBITaxon' AND NOT obsolete
UNION ALL SELECT lower(synonym), curie, 1 FROM synonym WHERE starts_with(curie, 'NCBITaxon:')
"""
"""SELECT of ``folded, curie, tier``: names of NCBI Taxonomy, labels before synonyms."""

_CANDIDATES: Final = f"""
WITH
by_key AS (
    SELECT key, virus AS curie,
           CASE kind WHEN 'everyday' THEN 0 WHEN 'label' THEN 0 WHEN 'former' THEN 2
                     WHEN 'abbreviation' THEN {_ABBREVIATION} ELSE 1 END AS tier
    FROM virus_name SEMI JOIN risk_listed USING (key)
),
asked AS (
    SELECT row, lower(name) AS folded FROM risk_listed
    UNION SELECT row, lower(asked) FROM risk_listed
),
candidate AS (
    SELECT l.row, 'taxid' AS via, coalesce(t.replaced_by, t.curie) AS curie, 0 AS tier
    FROM risk_listed AS l JOIN term AS t ON t.curie = l.curie
    UNION ALL
    SELECT a.row, 'name', n.curie, n.tier FROM asked AS a JOIN ({TAXON_NAMES}) AS n USING (folded)
    UNION ALL
    SELECT l.row, 'name', k.curie, k.tier FROM risk_listed AS l JOIN by_key AS k USING (key)
)
SELECT c.row, c.via, c.curie, min(c.tier) AS tier, coalesce(any_value(s.one), c.curie) AS one
FROM candidate AS c LEFT JOIN ({SAME_VIRUS}) AS s USING (curie)
GROUP BY c.row, c.via, c.curie ORDER BY ALL
"""

_NAMESAKES: Final = """
WITH genus AS (
    SELECT r.row, lower(t.label) AS name FROM risk_taxon AS r JOIN term AS t USING (curie)
    WHERE t.rank = 'genus' AND t.label ILIKE '%virus'
)
SELECT DISTINCT g.row, v.virus AS curie
FROM genus AS g JOIN virus_name AS v ON lower(split_part(v.name, ' ', -1)) = g.name
WHERE v.kind IN ('former', 'synonym', 'label') AND contains(v.name, ' ')
  AND NOT starts_with(lower(v.name), 'unclassified ')
ORDER BY ALL
"""
