"""Look up the names of a request in the index: viral taxa, terms, and values as it spells them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import duckdb

from index.claims.phrases import listed
from index.facets import FACET
from index.store.names import rows_spelled
from index.store.same_for_all import same_for_each
from index.store.sorted_rows import rows_near
from ontology_etl.curies import NCBI_TAXON, normalise
from query.compiler.errors import AmbiguousNameError, UnknownNameError
from query.compiler.reviewed import (
    Group,
    countries_by_alias,
    everyday_groups,
    group_key,
    parts_of_the_world,
    places,
    reviewed_names,
    virus_groups,
)
from query.compiler.suggesting import nearest_terms, nearest_values, nearest_viruses
from query.compiler.virus_names import everyday_taxa, names_reported, taxa_called
from query.request.fields import RequestField
from query.words import singular

_TIERS: Final = {"LABEL": 0, "EXACT": 1, "NARROW": 2, "RELATED": 2, "BROAD": 3}
_REVIEWED_FACETS: Final = ("tissue", "disease")
"""Facets with reviewed names of their own; all others have those of labels."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a name of a request means: a term, a value, or a name as a source reports it."""

    text: str
    kind: str
    curie: str | None
    label: str


@dataclass(frozen=True, slots=True)
class Taxa:
    """Viral taxa that a name means; names that only a source uses are in ``reported``."""

    curies: tuple[str, ...]
    reported: tuple[str, ...] = ()


@dataclass
class Resolver:
    """Looks names up in one index, and remembers what they were resolved to."""

    con: duckdb.DuckDBPyConnection
    resolved: dict[tuple[str, str], Resolved] = field(default_factory=dict)

    @classmethod
    def of(cls, con: duckdb.DuckDBPyConnection, names: Iterable[Resolved]) -> Resolver:
        """Return a resolver that knows ``names`` already."""
        return cls(con, {(name.text, name.kind): name for name in names})

    def viruses(self, names: tuple[str, ...]) -> Taxa:
        """Return the viral taxa called ``names``.

        Raises ``UnknownNameError`` and ``AmbiguousNameError``.
        """
        curies: list[str] = []
        reported: list[str] = []
        for name in names:
            if group := virus_groups().get(group_key(name)) or everyday_taxa(self.con, name):
                curies += self._note_group(name, "virus", group)
                continue
            found = self._virus(name)
            if found.curie is None:
                reported += names_reported(self.con).get(found.label.lower(), (found.label,))
            else:
                curies.append(found.curie)
        return Taxa(tuple(curies), tuple(reported))

    def terms(self, of: RequestField, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the CURIEs of the terms called ``names`` in a field; raises as ``viruses``."""
        curies: list[str] = []
        for name in names:
            if group := everyday_groups().get((of.name, singular(name))):
                curies += self._note_group(name, of.said, group)
                continue
            found = self.term(of, name)
            if found is None:
                near = () if normalise(name) else nearest_terms(self.con, name, of)
                raise UnknownNameError(name, kind=of.said, nearest=near)
            curies += [] if found.curie is None else [found.curie]
        return tuple(curies)

    def values(self, of: RequestField, names: tuple[str, ...], held: str) -> tuple[str, ...]:
        """Return ``names`` as the SELECT ``held`` of ``value`` spells them, in lower case.

        A part of the world becomes its countries. Raises ``UnknownNameError`` for a value that
        nothing has.
        """
        written = []
        is_place = of.type == "place"
        if is_place:
            names = tuple(countries_by_alias().get(name.lower(), name) for name in names)
        for name in names:
            if is_place and name.lower() in parts_of_the_world():
                part, countries = parts_of_the_world()[name.lower()]
                self._note(name, of.said, None, part)
                written += [country.lower() for country in countries]
                continue
            label = _as_written(self.con, held, name, is_place=is_place)
            known = is_place and name.lower() in {place.lower() for place, *_ in places()}
            if label is None and not known:
                near = nearest_values(self.con, name, held)
                raise UnknownNameError(name, kind=of.said, nearest=near)
            label = label or name
            self._note(name, of.said, None, label)
            written.append(label.lower())
        return tuple(written)

    def _virus(self, name: str) -> Resolved:
        known = self.resolved.get((name, "virus"))
        if known is not None:
            return known
        identifier = normalise(name)
        if identifier is not None:
            found = self._identified(name, "virus", identifier)
            if found is None:
                raise UnknownNameError(name, kind="virus", nearest=())
            return found
        taxa = taxa_called(self.con, name)
        if not taxa and name.lower() in names_reported(self.con):
            return self._note(name, "virus", None, name)
        taxa = taxa or taxa_called(self.con, f"{name} virus")  # varicella zoster
        if not taxa:
            raise UnknownNameError(name, kind="virus", nearest=nearest_viruses(self.con, name))
        return self._note_only(name, "virus", taxa)

    def term(self, of: RequestField, name: str) -> Resolved | None:
        """Return the term called ``name`` in a field; None if no term is called so.

        Raises ``AmbiguousNameError``.
        """
        known = self.resolved.get((name, of.said))
        if known is not None:
            return known
        identifier = normalise(name)
        if identifier is not None:
            return self._identified(name, of.said, identifier)
        spellings = _spellings(of, name)
        found = _reviewed(of, spellings) or _terms_called(self.con, of, name, spellings)
        if len(found) > 1:
            found = _carried(self.con, of, found) or found
        if len(found) > 1:
            found = _outermost(self.con, found) or found
        return self._note_only(name, of.said, found) if found else None

    def _identified(self, name: str, kind: str, curie: str) -> Resolved | None:
        """Return the term of a CURIE, or its successor if it is retired; None if there is none."""
        by_curie = _BY_CURIE.format(term=terms_near(self.con, curie))
        found = self.con.execute(by_curie, [curie]).fetchall()
        if not found:
            return None
        ((label, replaced_by),) = found
        return self._note(name, kind, str(replaced_by or curie), str(label))

    def _note(self, text: str, kind: str, curie: str | None, label: str) -> Resolved:
        made = Resolved(text, kind, curie, label)
        self.resolved[(text, kind)] = made
        return made

    def _note_only(self, name: str, kind: str, found: Mapping[str, str]) -> Resolved:
        """Note the only one of ``found``, labels by CURIE; raises ``AmbiguousNameError``."""
        if len(found) > 1:
            raise AmbiguousNameError(name, kind=kind, meanings=found)
        ((curie, label),) = found.items()
        return self._note(name, kind, curie, label)

    def _note_group(self, name: str, kind: str, group: Group) -> list[str]:
        self._note(name, kind, None, listed([label for _, label in group]))
        return [curie for curie, _ in group]


def ontologies_of(of: RequestField) -> tuple[str, ...]:
    """Return the ontologies whose terms a field has."""
    facet = FACET.get(of.facet)
    return (facet.ontologies if facet else ()) or (NCBI_TAXON,)


@same_for_each
def _as_written(
    con: duckdb.DuckDBPyConnection, held: str, name: str, *, is_place: bool
) -> str | None:
    """Return the value of ``held`` called ``name``. A part of a country (USA: Texas) is also found
    by its own name, if only one is called so.
    """
    query = f"SELECT value FROM ({held}) WHERE lower(value) = lower($1) LIMIT 1"
    rows = con.execute(query, [name]).fetchall()
    if not rows and is_place:
        parts = f"SELECT DISTINCT value FROM ({held}) WHERE lower(value) LIKE lower('%: ' || $1)"
        rows = con.execute(parts, [name]).fetchall()
    return str(rows[0][0]) if len(rows) == 1 else None


@same_for_each
def attributes_called(con: duckdb.DuckDBPyConnection, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return how submitters spell the attributes ``names`` (as ``fields.plain`` has them)."""
    rows = con.execute(_ATTRIBUTES, [list(names)]).fetchall()
    return tuple(str(attribute) for (attribute,) in rows)


@same_for_each
def terms_near(con: duckdb.DuckDBPyConnection, *curies: str) -> str:
    """Return a relation of SQL: the few rows of ``term`` that may be of ``curies``."""
    return rows_near(con, "term", "curie", curies)


@same_for_each
def few_below(
    con: duckdb.DuckDBPyConnection, curies: tuple[str, ...], *, of_runs: bool
) -> tuple[str, ...] | None:
    """Return ``curies`` and the terms below them; None if those are many.

    If ``of_runs``, only those below that runs or their hits have.
    """
    query = _BELOW.format(some=_OF_RUNS if of_runs else "")
    rows = con.execute(query, [list(curies)]).fetchall()
    found = dict.fromkeys([*curies, *(str(curie) for (curie,) in rows)])
    return tuple(found) if len(rows) < _MANY else None


def plants_among(con: duckdb.DuckDBPyConnection, curies: Sequence[str | None]) -> frozenset[str]:
    """Return those of ``curies`` that are plants."""
    return frozenset(str(curie) for (curie,) in con.execute(_PLANTS, [list(curies)]).fetchall())


def _reviewed(of: RequestField, spellings: Sequence[str]) -> dict[str, str]:
    """Return the reviewed term that the first of ``spellings`` means in the facet of a field."""
    facet = of.facet if of.facet in _REVIEWED_FACETS else "label"
    named = (reviewed_names().get((facet, spelling)) for spelling in spellings)
    return next(filter(None, named), {})


@same_for_each
def _terms_called(
    con: duckdb.DuckDBPyConnection, of: RequestField, name: str, spellings: tuple[str, ...]
) -> dict[str, str]:
    """Return CURIE and label of the live terms called ``name``.

    The first of its ``spellings`` that runs carry counts, as "nematodes" is also a genus of beetles
    (Nematodes); otherwise the first that a term has.
    """
    every = [_terms_spelled(con, spelling, ontologies_of(of)) for spelling in spellings]
    readings = [named for named in every if named]
    if not readings or name in readings[0].values():
        return readings[0] if readings else {}
    carried = (named for named in readings if _carried(con, of, named))
    return next(carried, readings[0])


def _terms_spelled(
    con: duckdb.DuckDBPyConnection, spelling: str, ontologies: tuple[str, ...]
) -> dict[str, str]:
    """Return CURIE and label of the live terms called ``spelling``, by the best kind of name."""
    import polars as pl

    named = rows_spelled(con, [spelling]).filter(pl.col("ontology").is_in(ontologies))
    rows = list(named.select("curie", "label", "scope").iter_rows())
    best = min((_TIERS[scope] for _, _, scope in rows), default=0)
    return {curie: label for curie, label, scope in rows if _TIERS[scope] == best}


def _spellings(of: RequestField, name: str) -> tuple[str, ...]:
    """Return ``name``, and its singular or plural, as ontologies may have it; for cell lines also
    with "cell" added (HeLa, HEK293).
    """
    lower = name.lower()
    singulars = {"ies": lower[:-3] + "y", "ves": lower[:-3] + "f", "es": lower[:-2]}
    spellings = [lower, *(one for end, one in singulars.items() if lower.endswith(end))]
    spellings.append(lower[:-1] if lower.endswith("s") else lower + "s")
    if of.facet == "tissue":
        spellings += [f"{lower} cell", f"{_BEFORE_DIGITS.sub('-', lower)} cell"]
    return tuple(spellings)


_BEFORE_DIGITS: Final = re.compile(r"(?<=[a-z])(?=\d)")
"""Where names of cell lines have a hyphen or not: HEK293, HEK-293."""


def _carried(
    con: duckdb.DuckDBPyConnection, of: RequestField, found: dict[str, str]
) -> dict[str, str]:
    """Return those of ``found`` that runs have in the field, themselves or by a term below."""
    rows = con.execute(_HELD, [of.facet, list(found)]).fetchall()
    carried = {str(curie) for (curie,) in rows}
    return {curie: label for curie, label in found.items() if curie in carried}


def _outermost(con: duckdb.DuckDBPyConnection, found: dict[str, str]) -> dict[str, str]:
    """Return the one of ``found`` that is above all others: a genus above its subgenus."""
    rows = con.execute(_ABOVE_ALL, [list(found)]).fetchall()
    return {str(curie): found[str(curie)] for (curie,) in rows}


_PLANTS: Final = """
SELECT descendant FROM closure
WHERE ancestor = 'NCBITaxon:33090' AND list_contains($1::VARCHAR[], descendant)
"""
_MANY: Final = 300
"""Terms from which a subquery is read faster than a list."""
_ABOVE_ALL: Final = """
SELECT ancestor FROM closure
WHERE list_contains($1::VARCHAR[], ancestor) AND list_contains($1::VARCHAR[], descendant)
GROUP BY ancestor HAVING count(DISTINCT descendant) = len($1::VARCHAR[])
"""
_BELOW: Final = f"""
SELECT DISTINCT descendant FROM closure WHERE list_contains($1::VARCHAR[], ancestor){{some}}
LIMIT {_MANY}
"""
_OF_RUNS: Final = """ AND descendant IN (
    SELECT virus FROM virus UNION SELECT curie FROM annotation UNION SELECT curie FROM stat_hit
    UNION SELECT organism FROM other_by_kmers)"""
_ATTRIBUTES: Final = """
SELECT attribute FROM (
    SELECT attribute FROM biosample_attribute UNION SELECT attribute FROM run_attribute
)
WHERE list_contains($1, trim(regexp_replace(lower(attribute), '[^a-z0-9]+', ' ', 'g')))
ORDER BY attribute
"""
_BY_CURIE: Final = "SELECT label, replaced_by FROM {term} WHERE curie = $1"
_HELD: Final = """
SELECT DISTINCT c.ancestor FROM annotation a JOIN closure c ON c.descendant = a.curie
WHERE a.facet = $1 AND list_contains($2::VARCHAR[], c.ancestor)
"""
