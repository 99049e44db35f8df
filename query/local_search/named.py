"""The entities that local search starts from: the names in a question, else the nearest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import duckdb
import numpy as np
from numpy.typing import NDArray

from index.facets import FACET
from index.store.run_values import RUN_VALUES
from query.compiler.run_tables import hit_condition, select_runs
from query.global_search.citing import FACET_OF
from query.reading.reading import NameInQuestion
from query.request import Carries, Has, Hit, RunSet
from query.request.fields import field_named, key_of
from query.words import accession_kind

Vectors: TypeAlias = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]
"""Makes a unit vector of each text."""

NEAREST: Final = 5
"""Entities taken where a question has no name."""
_CANDIDATES: Final = 400
"""Values, those of most runs first, that are compared with a question without a name."""
_FAMILY: Final = "viridae"
"""Ending of the names of virus families."""


@dataclass(frozen=True, slots=True)
class Seed:
    """An entity of the question: its name, its group, and the SELECT of its runs.

    ``own`` is the condition for a detection to be of the entity itself, empty if it is not a virus;
    ``nearest`` is True if the question does not name it.
    """

    name: str
    group: str
    runs: str
    own: str = ""
    nearest: bool = False
    facet: str = ""


def seeds_named(con: duckdb.DuckDBPyConnection, names: Sequence[NameInQuestion]) -> list[Seed]:
    """Return the entities that ``names`` are, in their order; a name of no runs is left out.

    Raises ``UnknownNameError`` and ``AmbiguousNameError``.
    """
    seeds = []
    for name in names:
        runs = runs_named(name)
        if runs is not None:
            seeds.append(_seed(con, name, runs))
    return seeds


def runs_named(name: NameInQuestion) -> RunSet | None:
    """Return the runs that ``name`` means; None if it names a field, or a single run.

    >>> runs_named(NameInQuestion("bats", 0, 4, "host", "Chiroptera", "NCBITaxon:9397"))
    Has(field='host', values=('NCBITaxon:9397',), below=True, contains=None, share=None, type='has')
    """
    value = name.curie or name.name
    if name.kind == "virus":
        return Carries(Hit(virus=(value,)))
    key = accession_kind(name.name) if name.kind == "accession" else key_of(name.kind)
    if key in (None, "run") or field_named(key).of == "hit" or field_named(key).is_ordered:
        return None
    return Has(key, (value if field_named(key).type == "term" else name.name,))


def _seed(con: duckdb.DuckDBPyConnection, name: NameInQuestion, runs: RunSet) -> Seed:
    own = hit_condition(con, runs.hit) if isinstance(runs, Carries) else ""
    field = runs.field if isinstance(runs, Has) else "species"
    facet = FACET_OF.get(field, field)
    if own and name.name.endswith(_FAMILY):
        facet = "family"
    is_own = name.text.lower() == name.name.lower()
    return Seed(
        name=name.name if is_own else f"{name.name} ({name.text})",
        group=FACET[facet].group if facet in FACET else facet,
        runs=select_runs(con, runs),
        own=own,
        facet=facet,
    )


def seeds_nearest(con: duckdb.DuckDBPyConnection, text: str, embed: Embed) -> list[Seed]:
    """Return the entities whose names are closest in meaning to ``text``, closest first.

    Only names that most runs have are compared. A vector knows no Latin, so these are proposals.
    """
    rows = con.execute(_FREQUENT, [_CANDIDATES]).fetchall()
    if not rows:
        return []
    scores = cosines(embed, text, [str(value) for _, value in rows])
    ranked = sorted(zip(scores, rows, strict=True), key=lambda pair: (-pair[0], pair[1][1]))
    return [_nearest(facet, value) for _, (facet, value) in ranked[:NEAREST]]


def _nearest(facet: str, value: str) -> Seed:
    literal = "'" + value.replace("'", "''") + "'"
    column = {"species": "stated", "family": "family"}.get(facet)
    own = f"{column} = {literal}" if column else ""
    runs = f"SELECT DISTINCT run FROM annotation WHERE facet = '{facet}' AND value = {literal}"
    if own:
        runs = f"SELECT DISTINCT run FROM detection WHERE {own}"
    return Seed(value, FACET[facet].group, runs, own, nearest=True, facet=facet)


def cosines(embed: Embed, question: str, texts: Sequence[str]) -> list[float]:
    """Return the cosine of ``question`` and each of ``texts``, rounded to four decimals."""
    if not texts:
        return []
    vectors = embed([question, *texts])
    return [round(float(value), 4) for value in vectors[1:] @ vectors[0]]


_FREQUENT: Final = f"""
SELECT facet, value FROM ({RUN_VALUES})
WHERE facet IN ('species', 'family', 'host', 'environment', 'tissue', 'disease', 'geography')
GROUP BY facet, value ORDER BY count(DISTINCT run) DESC, facet, value LIMIT $1
"""
