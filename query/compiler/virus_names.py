"""Which viral taxon a name means, from the names that the index has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import duckdb

from index.store.names import rows_named
from index.store.same_for_all import same_for_all, same_for_each


@same_for_each
def taxa_called(con: duckdb.DuckDBPyConnection, name: str) -> dict[str, str]:
    """Return CURIE and label of the viral taxa that ``name`` means: one, several, or none.

    Names with exactly this spelling come first, then the more trusted kind of name. If all are of
    one species (a species and its strains), the species is meant; of several taxa, the one that
    nearly all runs have. A name of a kind, such as *coronaviruses*, means the family with that
    stem; so does *flavivirus*, if no run has a virus of the genus that used to have this name.
    """
    rows = con.execute(_OWN_NAMES, [_key(name)]).fetchall() + _taxonomy_names(con, name)
    named = [NamedTaxon(*row) for row in rows]
    kind = _kind_called(con, name)
    carried = _carried(con, [*kind, *(taxon.curie for taxon in named)])
    is_plural = name.lower().endswith("viruses")
    is_kind = bool(carried.intersection(kind)) and (is_plural or not carried.difference(kind))
    if not named or is_kind:
        return kind
    spelled_out = [taxon for taxon in named if taxon.kind != "abbreviation"]
    named = [taxon for taxon in spelled_out if taxon.curie in carried] or named
    best = min(taxon.trust(name) for taxon in named)
    meant = {taxon.curie: taxon.label for taxon in named if taxon.trust(name) == best}
    if len(meant) == 1:
        return meant
    species = dict(con.execute(_SPECIES, [list(meant)]).fetchall())
    if len({species.get(curie, curie) for curie in meant}) == 1:
        only = next(iter(species))
        return {species[only]: meant[only]}
    return _dominant(con, meant)


@same_for_each
def taxa_as_written(con: duckdb.DuckDBPyConnection, text: str) -> tuple[str, dict[str, str]]:
    """Return the name in ``text`` and the taxa it means: ``taxa_called``, or that of ``text``
    without what records add to a name (a strain, a lineage, a segment), as a build reads it.
    """
    import polars as pl

    from ontology_etl.viruses.keys import shorter_names
    from ontology_etl.viruses.names import ALL_VIRUSES, FEWEST_LETTERS

    for shorter in shorter_names(pl.Series([text]))["shorter"]:
        is_short = len(_key(shorter)) < FEWEST_LETTERS
        taxa = {} if is_short and shorter != text else taxa_called(con, shorter)
        if taxa and ALL_VIRUSES not in taxa:
            return shorter, taxa
    return text, {}


@same_for_each
def everyday_taxa(con: duckdb.DuckDBPyConnection, name: str) -> tuple[tuple[str, str], ...]:
    """Return CURIE and label of the taxa that an everyday name means, if several: herpes simplex.

    None if it means one, or if something else is abbreviated so. Viruses of several families
    that share an abbreviation (RSV, HEV) are not a group: one of them is meant.
    """
    everyday = con.execute(_EVERYDAY, [_key(name)]).fetchall()
    if len(everyday) < 2:
        return ()
    meant = taxa_called(con, name)
    is_all = len(meant) > 1 and meant.keys() <= {curie for (curie,) in everyday}
    if not is_all:
        return ()
    ((families,),) = con.execute(_FAMILIES, [list(meant)]).fetchall()
    return () if families > 1 else tuple(sorted(meant.items(), key=lambda taxon: taxon[1]))


def _dominant(con: duckdb.DuckDBPyConnection, meant: dict[str, str]) -> dict[str, str]:
    """Return the taxon of ``meant`` with ten times the runs of all others together; without one,
    all.

    In mostly human samples, CMV is not a virus of cucumbers.
    """
    rows = con.execute(_RUNS_WITH, [list(meant)]).fetchall()
    (curie, most), *others = [*rows, ("", 0)]
    if most > _DOMINANT * sum(number for _, number in others):
        return {curie: meant[curie]}
    return meant


_DOMINANT: Final = 10
_RUNS_WITH: Final = """
SELECT c.ancestor, count(DISTINCT d.run) FROM closure c JOIN detection d ON d.virus = c.descendant
WHERE list_contains($1::VARCHAR[], c.ancestor) GROUP BY ALL ORDER BY 2 DESC
"""


def _carried(con: duckdb.DuckDBPyConnection, curies: list[str]) -> frozenset[str]:
    """Return those of ``curies`` that some run carries, themselves or by a taxon below."""
    rows = con.execute(_SOME_CARRIED, [curies]).fetchall()
    return frozenset(str(curie) for (curie,) in rows)


class NamedTaxon(NamedTuple):
    """A viral taxon with one of its names, and the kind of that name."""

    name: str
    curie: str
    kind: str
    label: str

    def trust(self, asked: str) -> tuple[bool, int]:
        """Return a sort key: how likely ``asked`` means this name, most likely first."""
        from ontology_etl.viruses.keys import KINDS

        return self.name.lower() != asked.lower(), KINDS[self.kind]


def _taxonomy_names(con: duckdb.DuckDBPyConnection, name: str) -> list[tuple[str, ...]]:
    """Return name, CURIE, kind and label of the live viral taxa of NCBI called ``name``."""
    import polars as pl

    from ontology_etl.folding import fold_one

    named = rows_named(con, [fold_one(name)])
    live = named.filter(pl.col("ontology") == "NCBITaxon", ~pl.col("obsolete"))
    if live.is_empty():
        return []
    labels = dict(con.execute(_VIRAL, [live["curie"].unique().to_list()]).fetchall())
    return [
        (spelled, curie, "label" if scope == "LABEL" else "synonym", labels[curie])
        for spelled, scope, curie in live.select("name", "scope", "curie").iter_rows()
        if curie in labels
    ]


def _key(name: str) -> str:
    import polars as pl

    from ontology_etl.viruses.keys import name_key

    key: str = pl.select(name_key(pl.lit(name))).item()
    return key


class Standing(NamedTuple):
    """Where a viral taxon is in the tree: its rank, its species with the usual name, its family."""

    rank: str
    species: str | None
    species_name: str | None
    family: str | None

    @property
    def is_above_species(self) -> bool:
        """Whether the taxon has several species: a genus, a family."""
        return self.species_name is None


@same_for_each
def standing_of(con: duckdb.DuckDBPyConnection, curie: str) -> Standing | None:
    """Return where the viral taxon ``curie`` is; None if nothing is known of it.

    Taxa that hits resolve to are in ``virus``; for others the first taxon above that the closure
    has is used.
    """
    detected = con.execute(_DETECTED, [curie]).fetchone()
    if detected is not None:
        return Standing(*detected)
    at = curie
    for _ in range(_MOST_STEPS):
        row = con.execute(_STANDING, [at]).fetchone()
        if row is not None:
            return Standing(*row)
        parent = con.execute(_PARENT, [at]).fetchone()
        if parent is None:
            return None
        at = str(parent[0])
    return None


def is_distinguished(con: duckdb.DuckDBPyConnection, curie: str) -> bool:
    """Return whether a source names hits by the taxon ``curie`` itself."""
    return con.execute(_DETECTED, [curie]).fetchone() is not None


def spelled(con: duckdb.DuckDBPyConnection, name: str) -> str:
    """Return ``name`` as virologists write it: hbv is HBV, epstein barr virus has a hyphen."""
    row = con.execute(_SPELLED, [_key(name), name]).fetchone()
    return name if row is None else str(row[0])


def common_names(con: duckdb.DuckDBPyConnection, named: dict[str, str]) -> dict[str, str]:
    """Return what viruses are called in the laboratory, if that differs from their name: human
    gammaherpesvirus 4 is the Epstein-Barr virus. One taxon below a species has its own name.

    ``named`` has the taxon of each name; empty where only the name is known.
    """
    common = dict(con.execute(_COMMON, [list(named)]).fetchall())
    common |= dict(con.execute(_OWN_NAME, [list(named.values())]).fetchall())
    return {name: called for name, called in common.items() if not called.startswith(name)}


def own_names(con: duckdb.DuckDBPyConnection, curies: list[str]) -> dict[str, str]:
    """Return the own names of those of ``curies`` that are taxa below a species."""
    return dict(con.execute(_OWN_LABEL, [curies]).fetchall())


@same_for_all
def names_reported(con: duckdb.DuckDBPyConnection) -> Mapping[str, tuple[str, ...]]:
    """Return the names of viruses that sources use, as they write them, by name in small letters.

    A virus on no list is also found without what records add to its name (a strain, an isolate, a
    segment): the three segments of a new virus are one virus.
    """
    import polars as pl

    from ontology_etl.viruses.keys import shorter_names

    rows = con.execute(_REPORTED).fetchall()
    unlisted = pl.Series([name for name, is_listed in rows if not is_listed], dtype=pl.String)
    shortened = shorter_names(unlisted).filter(pl.col("shorter").str.contains(" "))
    written = {name.lower(): {name} for name, _ in rows}
    for name, shorter in shortened.select("name", "shorter").iter_rows():
        written.setdefault(shorter.lower(), set()).add(name)
    return {name: tuple(sorted(whole)) for name, whole in written.items()}


def _kind_called(con: duckdb.DuckDBPyConnection, name: str) -> dict[str, str]:
    """Return the family that a kind of virus is named after: coronaviruses, Coronaviridae."""
    lower = name.lower()
    for ending in ("viruses", "virus"):
        stem = lower.removesuffix(ending)
        if stem != lower and stem.isalpha():
            rows = _taxonomy_names(con, f"{stem}viridae")
            return {curie: label for _, curie, kind, label in rows if kind == "label"}
    return {}


_OWN_NAMES: Final = """
SELECT n.name, n.virus, n.kind, coalesce(v.name, t.label, n.name)
FROM virus_name n LEFT JOIN virus v USING (virus) LEFT JOIN term t ON t.curie = n.virus
WHERE n.key = $1
"""
_EVERYDAY: Final = "SELECT DISTINCT virus FROM virus_name WHERE key = $1 AND kind = 'everyday'"
_FAMILIES: Final = """
SELECT count(DISTINCT c.ancestor)
FROM closure c JOIN used_term n ON n.curie = c.ancestor AND n.rank = 'family'
WHERE list_contains($1::VARCHAR[], c.descendant)
"""
_VIRAL: Final = """
SELECT t.curie, coalesce(v.name, t.label) FROM term t LEFT JOIN virus v ON v.virus = t.curie
WHERE list_contains($1::VARCHAR[], t.curie)
  AND (t.curie IN (SELECT descendant FROM closure WHERE ancestor = 'NCBITaxon:10239')
       OR regexp_matches(t.label, '(?i)vir(us|ales|idae|inae|ota|ia|icetes|oid)'))
"""
_SOME_CARRIED: Final = """
SELECT DISTINCT ancestor FROM closure WHERE list_contains($1::VARCHAR[], ancestor)
"""
_SPECIES: Final = """
SELECT c.descendant, arg_min(c.ancestor, c.distance)
FROM closure c JOIN used_term n ON n.curie = c.ancestor AND n.rank = 'species'
WHERE list_contains($1::VARCHAR[], c.descendant) GROUP BY c.descendant
"""
_STANDING: Final = """
WITH above AS (
    SELECT n.curie, n.label, n.rank
    FROM closure c JOIN used_term n ON n.curie = c.ancestor WHERE c.descendant = $1
)
SELECT coalesce(t.rank, ''), s.curie, coalesce(v.name, s.label), f.label
FROM (SELECT * FROM above WHERE curie = $1) t
LEFT JOIN (SELECT * FROM above WHERE rank = 'species') s ON true
LEFT JOIN (SELECT * FROM above WHERE rank = 'family') f ON true
LEFT JOIN virus v ON v.virus = s.curie
"""
_SPELLED: Final = """
SELECT name
FROM (
    SELECT name, kind FROM virus_name WHERE key = $1
    UNION ALL SELECT name, 'name' FROM virus WHERE name = $2
)
ORDER BY name <> $2, kind NOT IN ('name', 'abbreviation'), lower(name) <> lower($2),
         upper(name) <> name, kind, name LIMIT 1
"""
_COMMON: Final = """
SELECT c.name, min(n.name)
FROM (SELECT unnest([name, species]) AS name, name AS own, virus FROM virus) c
JOIN virus_name n ON n.virus = c.virus AND n.kind = 'name'
JOIN virus_name e ON e.virus = n.virus AND e.key = n.key AND e.kind = 'everyday'
WHERE list_contains($1::VARCHAR[], c.name)
  AND lower(n.name) NOT IN (lower(c.own), lower(c.name))
GROUP BY c.name
"""
_OWN_NAME: Final = """
SELECT v.name, t.label FROM virus v JOIN used_term t ON t.curie = v.virus
WHERE list_contains($1::VARCHAR[], v.virus) AND v.rank <> 'species' AND v.species IS NOT NULL
  AND lower(t.label) <> lower(v.name)
"""
_OWN_LABEL: Final = """
SELECT v.virus, t.label FROM virus v JOIN used_term t ON t.curie = v.virus
WHERE list_contains($1::VARCHAR[], v.virus) AND v.rank <> 'species' AND v.species IS NOT NULL
"""
_PARENT: Final = "SELECT object FROM term_edge WHERE subject = $1 AND predicate = 'parent'"
_MOST_STEPS: Final = 12
"""Number of taxa looked at on the way up to one that the closure has."""
_DETECTED: Final = """
SELECT coalesce(rank, ''), CASE WHEN species IS NOT NULL THEN virus END,
       CASE WHEN species IS NOT NULL THEN name END, family
FROM virus WHERE virus = $1
"""
_REPORTED: Final = """
SELECT DISTINCT d.reported_name, v.species IS NOT NULL
FROM detection d LEFT JOIN virus v USING (virus) WHERE d.reported_name IS NOT NULL ORDER BY ALL
"""
