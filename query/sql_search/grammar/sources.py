"""SQL of what a run states or carries: the values that rows are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.facets import FACET
from query.sql_search.tables.grouped import RUN_COLUMNS, annotated
from query.sql_search.tables.nouns import OF_RUNS

OF_DETECTIONS: Final = {
    "family": "detection.family",
    "species": "detection.stated",
    "sotu": "detection.sotu",
    "phylum": "detection.phylum",
}
"""Nouns that are columns of the table ``detection``."""
OF_VIRUSES: Final = {
    "genus": "virus.genus",
    "order": 'virus."order"',
    "realm": "virus.realm",
    "genome": "virus.genome",
    "risk_group": "virus_risk.risk_group",
}
"""Nouns that say something of the virus of a detection."""
VIRAL: Final = frozenset({*OF_DETECTIONS, *OF_VIRUSES})
PLURAL_OF: Final = {
    "run": "runs", "family": "families", "species": "species", "host": "hosts", "genus": "genera",
    "tissue": "tissues", "disease": "diseases", "geography": "countries", "study": "studies",
    "bioproject": "bioprojects", "biosample": "biosamples", "environment": "environments",
    "biome": "biomes", "sex": "sexes", "sotu": "sotus", "year": "years", "month": "months",
    "library_strategy": "library_strategies", "library_source": "library_sources",
    "order": "virus_orders", "phylum": "phyla", "realm": "realms", "genome": "genome_types",
    "risk_group": "risk_groups", "source": "sources",
    **{f"{hosts}_{rank}": f"{hosts}_{ranks}" for hosts in ("host", "animal", "plant", "insect")
       for rank, ranks in {"class": "classes", "order": "orders", "family": "families",
                           "genus": "genera", "species": "species"}.items()},
}  # fmt: skip
NAME_OF: Final = {"order": "virus_order"}
"""Nouns whose column is called otherwise: a word of SQL."""
_BY_SOURCE: Final = "SELECT run, source FROM searched UNION SELECT run, source FROM detection"
_CLADE_OF: Final = {
    "animal": "NCBITaxon:33208", "plant": "NCBITaxon:33090", "insect": "NCBITaxon:50557",
}  # fmt: skip
"""Hosts by a word of everyday, and the taxon that they are below."""
_RANKS: Final = ("class", "order", "family", "genus", "species")
_HOSTS_BY_RANK: Final = """\
SELECT DISTINCT a.run, t.label AS {noun}
FROM annotation a JOIN closure c ON c.descendant = a.curie
JOIN term t ON t.curie = c.ancestor AND t.rank = '{rank}'{clade}
SEMI JOIN {runs} ON {runs}.run = a.run WHERE a.facet = 'host'"""
_IN_CLADE: Final = """
SEMI JOIN closure above ON above.descendant = a.curie AND above.ancestor = '{taxon}'"""
_MONTH: Final = "strftime(release_date, '%Y-%m')"


def column_name(noun: str) -> str:
    """Return what the column of ``noun`` is called."""
    return NAME_OF.get(noun, noun)


def of_hits(
    nouns: Sequence[str], columns: Sequence[str], *, runs: str, of_virus: str = "", also: str = ""
) -> str:
    """Return a SELECT of the hits of ``runs`` that name each of ``nouns``, with ``columns``.

    ``of_virus`` and ``also`` are conditions on a row of ``detection``.
    """
    every = {**OF_DETECTIONS, **OF_VIRUSES}
    selected = [f"{every[one]} AS {column_name(one)}" for one in nouns]
    numbers = [f"detection.{one}" for one in columns]
    conditions = [f"({one})" for one in (of_virus, also) if one]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    source = f"(FROM detection{where}) AS detection" if where else "detection"
    joins = [f"SEMI JOIN {runs} ON {runs}.run = detection.run"]
    if any(one in OF_VIRUSES for one in nouns):
        joins.append("JOIN virus ON virus.virus = detection.virus")
    if "risk_group" in nouns:
        joins.append("JOIN virus_risk ON virus_risk.virus = detection.virus")
    stated = " AND ".join(f"{every[one]} IS NOT NULL" for one in nouns)
    listed = ", ".join(["detection.run", *selected, *numbers])
    return "\n".join([f"SELECT {listed}", f"FROM {source} {' '.join(joins)}",
                      *([f"WHERE {stated}"] if stated else [])])  # fmt: skip


def of_noun(noun: str, *, runs: str, only: str = "") -> str:
    """Return a SELECT of ``run`` and a value of ``noun``, which is not viral, of ``runs``; ``only``
    is a further condition on a row of ``annotation``.
    """
    if noun == "source":
        return f"SELECT run, source FROM ({_BY_SOURCE}) SEMI JOIN {runs} USING (run)"
    if noun in FACET and FACET[noun].origin == "annotation":
        return annotated(noun).replace("matched", runs) + only
    hosts, _, rank = noun.partition("_")
    if rank in _RANKS:
        clade = _IN_CLADE.format(taxon=_CLADE_OF[hosts]) if hosts in _CLADE_OF else ""
        return _HOSTS_BY_RANK.format(noun=noun, rank=rank, clade=clade, runs=runs)
    column = _MONTH if noun == "month" else RUN_COLUMNS[noun]
    return (
        f"SELECT run, {column} AS {noun}\nFROM run SEMI JOIN {runs} USING (run) "
        f"WHERE {column} IS NOT NULL"
    )


def is_of_hits(column: str) -> bool:
    """Return whether a column of numbers is one of hits."""
    return column not in (*OF_RUNS, "year")
