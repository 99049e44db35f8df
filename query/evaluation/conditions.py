"""What a gold question asks of a run, as SQL of its own.

Nothing here uses the reading or the matching of the product: what is measured must not measure
itself. A condition is ``facet:value``, alternatives are joined by ``|``, what must hold at once by
``&``, and ``!`` before a virus asks for runs that were searched and do not carry it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import duckdb

ANNOTATED: Final = {
    "host": "host",
    "tissue": "tissue",
    "disease": "disease",
    "environment": "environment",
    "library": "virus",
}
"""Facet of a condition -> facet of the table ``annotation``, matched with all terms below."""
VERBATIM: Final = {"place": "geography", "sex": "sex", "biome": "biome"}
"""Facet of a condition -> facet of the table ``annotation``, matched by its value."""
VIRAL: Final = frozenset({"virus", "family", "genome"})
FACETS: Final = frozenset({*ANNOTATED, *VERBATIM, *VIRAL, "health"})
ANY: Final = "any"

SEARCHED: Final = "SELECT run FROM searched UNION SELECT run FROM detection"
"""SELECT of the runs in which a virus was looked for."""
_SEARCHED_FOR: Final = """
WITH sought AS (
    SELECT curie AS taxon FROM term WHERE curie IN ({named})
    UNION SELECT coalesce(taxon, virus) FROM detection SEMI JOIN ({found}) USING (run, source, sotu)
),
able AS (
    SELECT source, search FROM source_scope JOIN sought ON taxon = virus
    UNION SELECT source, search FROM source_scope JOIN closure ON descendant = virus
        JOIN sought ON taxon = ancestor
    UNION SELECT source, search FROM source_scope JOIN closure ON ancestor = virus
        JOIN sought ON taxon = descendant WHERE below
)
SELECT run FROM searched JOIN able USING (source, search) UNION SELECT run FROM ({found})
"""
_HEALTHY: Final = """
WITH said AS (
    SELECT run, attribute, value FROM run JOIN biosample_attribute USING (biosample)
    UNION SELECT run, attribute, value FROM run_attribute
)
SELECT run FROM said
WHERE regexp_matches(lower(attribute), 'disease|health|diagnos|subject.status')
  AND regexp_matches(
    lower(value),
    '^(apparently |normal |un)?(healthy?|normal|control|none|affected|infected)'
    '([ -](controls?|donor|subject|individual|volunteer))*$'
    '|^(non|not|no|no known)[ -]?(disease|diseased|infected|infection|diagnosis)$')
  AND lower(value) NOT IN ('affected', 'infected')
"""
_NAMED_BIOME: Final = """
SELECT run FROM annotation JOIN term ON term.curie = {value}
WHERE facet = 'biome' AND concat(' ', value) LIKE concat('% ', replace(label, ' metagenome', ''))
"""
"""Runs whose biome is that of a metagenome, or a kind of it: surface seawater is seawater."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that a run must carry; ``absent`` where it must have been searched without it."""

    facet: str
    value: str
    absent: bool = False


Alternatives = tuple[Condition, ...]
Conditions = tuple[Alternatives, ...]
"""All of these must hold, each by one of its alternatives."""


def parse_conditions(text: str) -> Conditions:
    """Return the conditions that ``text`` states; none for an empty text.

    Raises:
        ValueError: a condition is not ``facet:value`` of a known facet.

    >>> parse_conditions("host:NCBITaxon:9606 & !virus:any")[1]
    (Condition(facet='virus', value='any', absent=True),)
    """
    if not text:
        return ()
    conditions = []
    for group in text.split(" & "):
        alternatives = [_parse(one) for one in group.split(" | ")]
        conditions.append(tuple(alternatives))
    return tuple(conditions)


def _parse(text: str) -> Condition:
    stated = text.strip()
    absent = stated.startswith("!")
    facet, _, value = stated.removeprefix("!").partition(":")
    if not value or facet not in FACETS:
        known = ", ".join(sorted(FACETS))
        raise ValueError(f"{text!r} is not facet:value of {known}")
    if absent and facet not in VIRAL:
        raise ValueError(f"{text!r}: only a virus can be asked for as absent")
    return Condition(facet, value, absent)


def searched_for(conditions: Conditions) -> str:
    """Return a SELECT of the runs in which each virus of ``conditions`` was looked for: by a search
    whose scope holds it, something below it, or all of what is above it.
    """
    selects = []
    for alternatives in conditions:
        if any(one.facet not in VIRAL or one.value == ANY or one.absent for one in alternatives):
            continue
        hits = carrying((alternatives,)).replace(
            "SELECT run FROM detection", "SELECT run, source, sotu FROM detection"
        )
        curies = [quoted(one.value) for one in alternatives if one.facet == "virus"]
        named = ", ".join(curies) or "NULL"
        selects.append(_SEARCHED_FOR.format(found=hits, named=named))
    return both(SEARCHED, *selects)


def is_viral(conditions: Conditions) -> bool:
    """Return whether any of ``conditions`` asks for a virus."""
    facets = set()
    for alternatives in conditions:
        facets |= {one.facet for one in alternatives}
    return not VIRAL.isdisjoint(facets)


def carrying(conditions: Conditions) -> str:
    """Return a SELECT of the runs that hold all ``conditions``: every run where there is none."""
    selects = [_any_of(alternatives) for alternatives in conditions]
    return both(*selects)


def known_without(conditions: Conditions) -> str:
    """Return a SELECT of the runs known not to hold any of ``conditions``.

    A virus: searched, and not found. Anything else: another value of the same kind is stated.
    """
    selects = [_without(alternatives) for alternatives in conditions]
    return both(*selects)


def both(*selects: str) -> str:
    """Return a SELECT of the runs that all of ``selects`` hold: every run where there is none.

    >>> both("SELECT run FROM searched", "SELECT run FROM detection")
    '(SELECT run FROM searched) INTERSECT (SELECT run FROM detection)'
    """
    if not selects:
        return "SELECT run FROM run"
    bracketed = [f"({select})" for select in selects]
    return " INTERSECT ".join(bracketed)


def count_runs(con: duckdb.DuckDBPyConnection, select: str) -> int:
    """Return how many runs of the index behind ``con`` are in ``select``."""
    query = f"SELECT count(DISTINCT run) FROM ({select}) SEMI JOIN run USING (run)"
    ((runs,),) = con.execute(query).fetchall()
    return int(runs)


def stating(condition: Condition) -> str:
    """Return a SELECT of the runs that state any value of the kind of ``condition``."""
    if condition.facet in VIRAL:
        return SEARCHED
    facet = {**ANNOTATED, **VERBATIM, "health": "disease"}[condition.facet]
    return f"SELECT run FROM annotation WHERE facet = {quoted(facet)}"


def quoted(value: str) -> str:
    """Return ``value`` as a literal of SQL."""
    escaped = value.replace("'", "''")
    return f"'{escaped}'"


def _any_of(alternatives: Alternatives) -> str:
    selects = [_holding(one) for one in alternatives]
    return " UNION ".join(selects)


def _without(alternatives: Alternatives) -> str:
    known = stating(alternatives[0])
    return f"({known}) EXCEPT ({_any_of(alternatives)})"


def _holding(condition: Condition) -> str:
    if condition.absent:
        return f"({SEARCHED} EXCEPT ({_carried(condition)}))"
    return f"({_carried(condition)})"


def _carried(condition: Condition) -> str:
    """Return a SELECT of the runs that carry what ``condition`` names."""
    value = quoted(condition.value)
    below = f"(SELECT descendant FROM closure WHERE ancestor = {value} UNION SELECT {value})"
    if condition.facet in ANNOTATED:
        facet = quoted(ANNOTATED[condition.facet])
        annotated = f"SELECT run FROM annotation WHERE facet = {facet} AND curie IN {below}"
        named = _NAMED_BIOME.format(value=value)
        return f"{annotated} UNION {named}" if condition.facet == "environment" else annotated
    if condition.facet in VERBATIM:
        facet = quoted(VERBATIM[condition.facet])
        return f"SELECT run FROM annotation WHERE facet = {facet} AND value = {value}"
    if condition.facet == "health":
        return _HEALTHY
    if condition.value == ANY:
        return "SELECT run FROM detection"
    if condition.facet == "family":
        return f"SELECT run FROM detection WHERE family = {value}"
    if condition.facet == "genome":
        genomes = f"SELECT virus FROM virus WHERE contains(genome, {value})"
        return f"SELECT run FROM detection WHERE virus IN ({genomes})"
    return (
        f"SELECT run FROM detection WHERE taxon IN {below} "
        f"OR (virus IN {below} AND stated NOT LIKE '%-like')"
    )
