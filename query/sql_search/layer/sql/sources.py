"""SQL of fields: which runs have which values, and the hits of detections with theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from query.global_search.carrying import equals_any, literal
from query.sql_search.layer.fields import FIELDS, Field, is_of_hits

_BY_SOURCE: Final = "SELECT run, source FROM searched UNION SELECT run, source FROM detection"
_BY_RANK: Final = """\
SELECT DISTINCT a.run, t.label AS {key}
FROM annotation a JOIN closure c ON c.descendant = a.curie
JOIN term t ON t.curie = c.ancestor AND t.rank = '{rank}'{clade}
SEMI JOIN {runs} ON {runs}.run = a.run WHERE a.facet = 'host'"""
_IN_CLADE: Final = """
SEMI JOIN closure above ON above.descendant = a.curie AND above.ancestor = '{taxon}'"""
_STAT: Final = """\
SELECT s.run, t.label AS stat_taxon FROM stat_hit s JOIN term t USING (curie)
SEMI JOIN {runs} ON {runs}.run = s.run"""
_TITLE: Final = """\
SELECT run, coalesce(b.title, s.title) AS title
FROM run SEMI JOIN {runs} USING (run)
LEFT JOIN bioproject b USING (bioproject) LEFT JOIN study s USING (study)"""


def values_of(field: Field, runs: str, kept: str = "") -> str:
    """Return a SELECT of ``run`` and each of its values of ``field``, which is none of hits.

    ``kept`` is a further condition on a row of ``annotation``. Of places the country counts, which
    every finer place states as well.
    """
    key, sql = field.key, field.sql
    semi = f" SEMI JOIN {runs} USING (run)" if runs != "run" else ""
    if field.held == "annotation":
        country = " AND NOT contains(value, ':')" if sql == "geography" else ""
        country += " AND value LIKE '% Ocean'" if key == "ocean" else ""
        return (
            f"SELECT DISTINCT run, value AS {key}\nFROM annotation{semi}\n"
            f"WHERE facet = {literal(sql)}{country}{kept}"
        )
    if field.held == "source":
        return f"SELECT run, source FROM ({_BY_SOURCE}){semi}"
    if field.held == "rank":
        rank, clade = sql.split("|")
        within = _IN_CLADE.format(taxon=clade) if clade else ""
        return _BY_RANK.format(key=key, rank=rank, clade=within, runs=runs)
    if field.held == "stat":
        return _STAT.format(runs=runs)
    if field.held == "title":
        return _TITLE.format(runs=runs)
    if field.held == "place":
        return (
            f"SELECT run, {sql} AS {key}\nFROM run{semi} "
            f"JOIN place USING (biosample) WHERE {sql} IS NOT NULL"
        )
    if field.held == "attribute":
        return (
            f"SELECT DISTINCT run, value AS {key}\nFROM stated_attribute{semi}\n"
            f"WHERE lower(attribute) {equals_any(sql.split('|'))}"
        )
    return f"SELECT run, {sql} AS {key}\nFROM run{semi} WHERE {sql} IS NOT NULL"


def hits(keys: Iterable[str], *, runs: str, conditions: Sequence[str]) -> str:
    """Return a SELECT of the hits of ``runs`` with ``keys``, which are fields of hits, those that
    meet all of ``conditions``.
    """
    fields = [FIELDS[key] for key in dict.fromkeys(keys) if is_of_hits(key)]
    held = {one.held for one in fields}
    of_virus = [one for one in conditions if re.search(r"\b[vk]\.", one)]
    own = [one for one in conditions if one not in of_virus]
    kept = f" WHERE {' AND '.join(f'({one})' for one in own)}" if own else ""
    detection = f"(FROM detection d{kept}) d" if kept else "detection d"
    joins = [f"FROM {detection} SEMI JOIN {runs} ON {runs}.run = d.run"]
    if held & {"virus", "risk"} or any("v." in one for one in of_virus):
        joins.append("LEFT JOIN virus v ON v.virus = d.virus")
    if "risk" in held:
        joins.append("LEFT JOIN virus_risk k ON k.virus = d.virus")
    selected = ["d.run", *(f"{one.sql} AS {one.key}" for one in fields)]
    where = f"\nWHERE {' AND '.join(f'({one})' for one in of_virus)}" if of_virus else ""
    return f"SELECT {', '.join(selected)}\n" + "\n".join(joins) + where
