"""Names to fill the wordings of templates with, drawn from an index by chance.

What goes together is drawn together: a virus with a host that carries it, a family with a tissue.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final

import duckdb

Row = tuple[str, ...]
Pools = Mapping[str, Sequence[Row]]
"""Rows to draw from, in a fixed order; the columns of each are named in ``_COLUMNS``."""
_FAMILY_ENDING: Final = "viridae"


def read_pools(con: duckdb.DuckDBPyConnection) -> Pools:
    """Return what the index behind ``con`` offers for the slots, and the pairs of family and host
    that it holds.
    """
    pools: dict[str, Sequence[Row]] = {}
    for name, query in _POOLS.items():
        pools[name] = _rows(con, query)
    pools["carried"] = _rows(con, _CARRIED)
    return pools


def fill_slots(pools: Pools, *, seed: str) -> dict[str, str] | None:
    """Return a value for each slot, the same for equal ``seed``; None where a pool has no row left
    to draw.
    """
    chance = random.Random(seed)
    number = chance.randint(2, 6)
    drawn = {"n": str(number)}
    for name in _POOLS:
        left = [row for row in pools[name] if _fits(name, row, drawn, pools)]
        if not left:
            return None
        row = chance.choice(left)
        drawn.update(zip(_COLUMNS[name], row, strict=True))
    for slot, family in _IN_WORDS.items():
        if family in drawn:
            drawn[slot] = in_words(drawn[family])
    return drawn


def in_words(family: str) -> str:
    """Return the viruses of ``family`` as people call them.

    >>> in_words("Coronaviridae")
    'coronaviruses'
    """
    stem = family.removesuffix(_FAMILY_ENDING)
    return f"{stem.lower()}viruses"


def _fits(name: str, row: Row, drawn: Mapping[str, str], pools: Pools) -> bool:
    """Return whether ``row`` goes with what is drawn already."""
    if name == "families":
        return row[1] == drawn["host"]
    if name == "other hosts":
        return row[0] != drawn["host"]
    if name == "other tissues":
        return row[0] != drawn["tissue"]
    if name == "absent families":
        return (row[0], drawn["host"]) not in pools["carried"]
    return True


def _rows(con: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    rows = []
    for row in con.execute(query).fetchall():
        texts = [str(value) for value in row]
        rows.append(tuple(texts))
    return rows


_IN_WORDS: Final = {
    "viruses": "family",
    "absent_viruses": "absent",
    "tissue_viruses": "tissue_family",
    "place_viruses": "place_family",
    "first_viruses": "first",
    "company_viruses": "company",
    "linked_viruses": "linked",
}
_COLUMNS: Final[Mapping[str, Row]] = {
    "viruses": ("virus", "virus_name", "host", "host_name"),
    "families": ("family", "family_host"),
    "absent families": ("absent",),
    "other hosts": ("other_host", "other_host_name"),
    "tissues": ("tissue_family", "tissue", "tissue_name"),
    "other tissues": ("other_tissue", "other_tissue_name"),
    "places": ("place_family", "place"),
    "company": ("first", "company"),
    "linked": ("linked",),
    "projects": ("project",),
    "runs": ("run",),
}
_PLAIN: Final = "regexp_full_match({}, '[A-Z][a-z]+(?: [a-z]+)?')"
"""Names of species and genera that a person would type."""

_HOSTS: Final = f"""
SELECT DISTINCT run, curie AS host, value AS host_name FROM annotation
WHERE facet = 'host' AND {_PLAIN.format("value")}
"""
_TISSUES: Final = """
SELECT DISTINCT run, curie AS tissue, value AS tissue_name FROM annotation
WHERE facet = 'tissue' AND regexp_full_match(value, '[a-z]+')
"""
_FAMILIES: Final = "SELECT run, family FROM detection WHERE family LIKE '%viridae'"
_NAMED: Final = """
SELECT label, min(curie) AS curie FROM term
WHERE starts_with(curie, 'NCBITaxon:') AND NOT obsolete AND label IN (SELECT stated FROM detection)
GROUP BY label HAVING count(*) = 1
"""
_CARRIED: Final = f"SELECT DISTINCT family, host FROM ({_FAMILIES}) JOIN ({_HOSTS}) USING (run)"
_POOLS: Final[Mapping[str, str]] = {
    "viruses": f"""
        SELECT n.curie, d.stated, h.host, h.host_name
        FROM detection d JOIN ({_NAMED}) n ON n.label = d.stated JOIN ({_HOSTS}) h USING (run)
        GROUP BY ALL HAVING count(DISTINCT d.run) >= 5 ORDER BY ALL
    """,
    "families": f"""
        SELECT family, host FROM ({_FAMILIES}) JOIN ({_HOSTS}) USING (run)
        GROUP BY ALL HAVING count(DISTINCT run) >= 5 ORDER BY ALL
    """,
    "absent families": f"""
        SELECT family FROM ({_FAMILIES}) GROUP BY family HAVING count(DISTINCT run) >= 5
        ORDER BY family
    """,
    "other hosts": f"""
        SELECT host, host_name FROM ({_HOSTS}) SEMI JOIN detection USING (run)
        GROUP BY ALL HAVING count(DISTINCT run) >= 5 ORDER BY ALL
    """,
    "tissues": f"""
        SELECT family, tissue, tissue_name FROM ({_FAMILIES}) JOIN ({_TISSUES}) USING (run)
        GROUP BY ALL HAVING count(DISTINCT run) >= 5 ORDER BY ALL
    """,
    "other tissues": f"""
        SELECT tissue, tissue_name FROM ({_TISSUES}) SEMI JOIN detection USING (run)
        GROUP BY ALL HAVING count(DISTINCT run) >= 5 ORDER BY ALL
    """,
    "places": f"""
        SELECT family, value FROM ({_FAMILIES}) JOIN annotation USING (run)
        WHERE facet = 'geography' AND NOT contains(value, ':')
        GROUP BY ALL HAVING count(DISTINCT run) >= 3 ORDER BY ALL
    """,
    "company": f"""
        SELECT a.family, b.family FROM ({_FAMILIES}) a JOIN ({_FAMILIES}) b
        ON a.run = b.run AND a.family < b.family
        GROUP BY ALL HAVING count(DISTINCT a.run) >= 2 ORDER BY ALL
    """,
    "linked": f"""
        SELECT family FROM association SEMI JOIN ({_FAMILIES}) USING (family)
        WHERE q_value <= 0.05 AND flag IS NULL GROUP BY family ORDER BY family
    """,
    "projects": """
        SELECT bioproject FROM run SEMI JOIN detection USING (run) WHERE bioproject IS NOT NULL
        GROUP BY bioproject HAVING count(*) >= 5 ORDER BY bioproject
    """,
    "runs": """
        SELECT run FROM detection WHERE stated IS NOT NULL AND starts_with(run, 'S')
        GROUP BY run ORDER BY hash(run), run LIMIT 500
    """,
}
"""Pool -> SELECT of its rows; a host, a family or a tissue has five runs or more."""
