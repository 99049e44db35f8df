"""Citations: the grammar of ``[Filters: {{key: value}}, …, +more]``, and what citations resolve to.

A reference is one pair of square brackets with at most five citations. A citation names a value of
the runs of the community that the text is about; it resolves to the distinct runs that have the
value. Values are compared without regard to case; a CURIE may be cited in place of the value it
grounds.

Inside a value a backslash escapes brackets, braces and itself; line ends, and blanks at either end,
are written ``\\uXXXX``, so that any value can be cited and read back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import duckdb

from index.facets import CITATION_KEYS, FACETS
from index.store.frames import rows_over
from index.store.run_values import IS_KNOWN, STUDY_OF_RUN

if TYPE_CHECKING:
    import polars as pl

MAX_PER_REFERENCE: Final = 5
OUTSIDE_KNOWLEDGE: Final = "[LLM: verify]"
MOST_RUNS: Final = 2_000_000
"""Most runs of communities resolved together: 2 GB of memory are not enough for 23 million.
"""

_BRACED: Final = r"\{\{(?:\\.|[^\\{}\n])*\}\}"
_REFERENCE_LIKE: Final = re.compile(rf"\[\s*Filters\b(?:{_BRACED}|[^\[\]\n])*\]?|{_BRACED}")
_SOUND: Final = re.compile(r"\{\{\s*([A-Za-z]+)\s*:\s*((?:\\.|[^\\{}\n])*?)\s*\}\}")
_TO_ESCAPE: Final = re.compile(r"[\\\[\]{}\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|^\s|\s$")
_ESCAPED: Final = re.compile(r"\\(?:u([0-9a-f]{4})|([\\\[\]{}]))")


class CitedValue(NamedTuple):
    """One cited value, e.g. ``CitedValue("family", "Endornaviridae")``."""

    key: str
    value: str


def format_reference(citations: Sequence[CitedValue]) -> str:
    """Return the reference to ``citations``; after five it ends with ``+more``.

    Raises ``ValueError`` if it could not be read back: no citation, an unknown key, an empty value.

    >>> format_reference([CitedValue("family", "Endornaviridae"), CitedValue("tissue", "leaf")])
    '[Filters: {{family: Endornaviridae}}, {{tissue: leaf}}]'
    """
    if not citations:
        raise ValueError("cannot be cited: nothing")
    shown = [_braced(*citation) for citation in citations[:MAX_PER_REFERENCE]]
    if len(citations) > MAX_PER_REFERENCE:
        shown.append("+more")
    return f"[Filters: {', '.join(shown)}]"


@lru_cache(maxsize=65_536)
def _braced(key: str, value: str) -> str:
    """Return a citation as references have it; raises ``ValueError`` if it cannot be read back."""
    if not is_citable(key, value):
        raise ValueError(f"cannot be cited: {key}: {value}")
    written = _TO_ESCAPE.sub(_escape, value)
    return f"{{{{{key}: {written}}}}}"


def is_citable(key: str, value: str) -> bool:
    """Return whether ``value`` can be cited under ``key`` and be read back."""
    if key not in CITATION_KEYS:
        return False
    return bool(value.strip())


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character in "\\[]{}":
        return f"\\{character}"
    code = ord(character)
    return f"\\u{code:04x}"


def _unescape(match: re.Match[str]) -> str:
    code, character = match.groups()
    if code:
        return chr(int(code, 16))
    return str(character)


def _read_value(written: str) -> str:
    """Return the value that ``written`` means."""
    bare = written.strip()
    return _ESCAPED.sub(_unescape, bare)


def read_citations(text: str) -> list[CitedValue]:
    """Return what the references of ``text`` cite, in order, without checking them.

    >>> read_citations("Seen in leaves [Filters: {{tissue: leaf}}].")
    [CitedValue(key='tissue', value='leaf')]
    """
    found = []
    for key, written in _SOUND.findall(text):
        value = _read_value(written)
        found.append(CitedValue(key, value))
    return found


def find_spans(text: str) -> list[tuple[int, int]]:
    """Return where the references of ``text`` start and end, broken ones included."""
    return [match.span() for match in _REFERENCE_LIKE.finditer(text)]


def strip_references(text: str) -> str:
    """Return ``text`` without its references, broken ones included, and without the blanks before
    them. What is left is stripped again: it may hold the halves of another one.
    """
    reference = rf"\s*{_REFERENCE_LIKE.pattern}"
    while (rest := re.sub(reference, "", text)) != text:
        text = rest
    return text


def resolve_citations(con: duckdb.DuckDBPyConnection, citations: pl.DataFrame) -> pl.DataFrame:
    """Return ``citations`` (``community, key, value``, …) with ``runs`` and ``verified``, in order.

    ``runs`` are the distinct runs of the community that have the value; ``community`` citations
    count the runs shared with the community named. Builds and answers resolve their citations here:
    in one query, or in several if the communities have more than ``MOST_RUNS`` runs.
    """
    import polars as pl

    keys = ["community", "key", "value"]
    wanted = citations.select(keys).unique()
    counted = []
    for part in _in_parts(con, wanted):
        query = _resolving(frozenset(part["key"]))
        counted.append(rows_over(con, query, {"citation_wanted": part}))
    resolved = citations.join(pl.concat(counted), on=keys, how="left", maintain_order="left")
    runs = pl.col("runs").fill_null(0)
    return resolved.with_columns(runs=runs, verified=runs > 0)


def _in_parts(con: duckdb.DuckDBPyConnection, wanted: pl.DataFrame) -> list[pl.DataFrame]:
    """Return ``wanted`` in parts: communities with ``MOST_RUNS`` runs together, or a larger one."""
    import polars as pl

    sizes = rows_over(con, _SIZES, {"citation_wanted": wanted}).sort("community")
    if sizes["runs"].sum() <= MOST_RUNS:
        return [wanted]
    part = pl.col("runs").cum_sum() // MOST_RUNS
    numbered = wanted.join(sizes.select("community", part=part), on="community", how="left")
    return numbered.sort("part").partition_by("part", include_key=False, maintain_order=True)


@cache
def _resolving(keys: frozenset[str]) -> str:
    """Return the query that resolves citations of ``keys`` in the tables that have their values."""
    selects = [_STATED_BY[key] for key in sorted(keys) if key in _STATED_BY]
    facets = [f"'{facet}'" for facet in FACETS if facet in keys]
    if facets:
        listed = ", ".join(facets)
        selects += [select.format(facets=listed) for select in _ANNOTATED]
    stated = "\nUNION ALL ".join(selects or [_OF_NONE])
    return _RESOLVE.format(stated=stated)


_SIZES: Final = """
SELECT community, runs FROM community
WHERE community IN (SELECT community FROM citation_wanted)
"""
# Values are compared before runs are joined: values repeat, so comparing a column is fast, and few
# rows have a cited value.
_ANNOTATED: Final = (
    """SELECT run, number FROM annotation JOIN known ON key = facet AND folded = lower(value)
WHERE facet IN ({facets})""",
    f"""SELECT run, number FROM (
    SELECT run, number, annotation.value FROM annotation JOIN named
    ON key = facet AND folded = lower(curie) WHERE facet IN ({{facets}})
) WHERE {IS_KNOWN}""",
)
_STATED_BY: Final = {
    "species": f"""SELECT run, number FROM detection JOIN known
    ON key = 'species' AND folded = lower(stated)
UNION ALL SELECT run, number FROM (
    SELECT run, number, stated AS value FROM detection JOIN named
    ON key = 'species' AND folded = lower(taxon)
) WHERE {IS_KNOWN}""",
    "family": """SELECT run, number FROM detection JOIN known
    ON key = 'family' AND folded = lower(family)""",
    "bioproject": f"""SELECT run, number FROM (
    SELECT run, bioproject AS value FROM run UNION SELECT run, study FROM ({STUDY_OF_RUN})
) JOIN known ON key = 'bioproject' AND folded = lower(value)""",
    "runId": "SELECT run, number FROM run JOIN named ON key = 'runId' AND folded = lower(run)",
    "biosample": """SELECT run, number FROM run JOIN named
    ON key = 'biosample' AND folded = lower(biosample)""",
    "study": "SELECT run, number FROM run JOIN named ON key = 'study' AND folded = lower(study)",
    "community": """SELECT run, number FROM (
    SELECT entity AS run, number FROM community_member JOIN named
    ON key = 'community' AND folded = lower(community)
) SEMI JOIN run USING (run)""",
}
"""Key of a citation -> SELECT of the runs that have one of its values, and the value's number."""
_OF_NONE: Final = "SELECT run, 0 AS number FROM run WHERE false"
_RESOLVE: Final = f"""
WITH
wanted AS MATERIALIZED (SELECT community, key, value, lower(value) AS folded FROM citation_wanted),
named AS MATERIALIZED (
    SELECT key, folded, row_number() OVER () AS number
    FROM (SELECT DISTINCT key, folded FROM wanted)
),
known AS MATERIALIZED (
    SELECT key, folded, number FROM (SELECT *, folded AS value FROM named) WHERE {IS_KNOWN}
),
member AS MATERIALIZED (
    SELECT community, entity AS run FROM community_member
    WHERE community IN (SELECT community FROM wanted)
),
stated_by AS MATERIALIZED (
    SELECT DISTINCT run, number FROM ({{stated}}) SEMI JOIN member USING (run)
),
asked AS MATERIALIZED (
    SELECT DISTINCT community, number FROM wanted JOIN named USING (key, folded)
),
counted AS (
    SELECT m.community, s.number, count(*) AS runs
    FROM member AS m JOIN stated_by AS s USING (run)
    SEMI JOIN asked AS a ON a.community = m.community AND a.number = s.number
    GROUP BY m.community, s.number
)
SELECT w.community, w.key, w.value, c.runs
FROM wanted AS w
JOIN named AS n USING (key, folded)
JOIN counted AS c ON c.community = w.community AND c.number = n.number
"""
