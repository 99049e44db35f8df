"""Which viral taxon a name means, from the names that the index has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import duckdb

from index.store.names import start_of

if TYPE_CHECKING:
    import polars as pl


def taxa_called(con: duckdb.DuckDBPyConnection, name: str) -> dict[str, str]:
    """Return CURIE and label of the viral taxa that ``name`` means: one, several, or none.

    Names of one species (a species and its strains) mean the species. A name of a kind, such as
    *coronavirus*, means the family of that stem.
    """
    import polars as pl

    from ontology_etl.viruses.keys import name_key
    from ontology_etl.viruses.names import settle_names

    wanted = pl.select(name_key(pl.lit(name))).item()
    squeezed = "".join(letter for letter in name.lower() if letter.isalnum())
    rows = con.execute(_NAMED, {"key": wanted, "name": name.lower(), "squeezed": squeezed})
    named = pl.DataFrame(
        [(wanted, *row) for row in rows.fetchall()],
        schema=["key", "name", "virus", "kind"],
        orient="row",
    ).cast(pl.String)
    if named.is_empty():
        return _kind_called(con, name)
    taxa = named["virus"].unique().to_list()
    settled = settle_names(pl.Series([name]), named, _species(con, taxa)).to_dicts()
    if not settled:
        return {}
    chosen = settled[0]["virus"]
    return _labelled(con, [chosen] if chosen else settled[0]["candidates"])


def reported_as(con: duckdb.DuckDBPyConnection, name: str) -> str | None:
    """Return ``name`` as a source reports it, None where none does."""
    row = con.execute(_REPORTED, [name]).fetchone()
    return None if row is None else str(row[0])


def _kind_called(con: duckdb.DuckDBPyConnection, name: str) -> dict[str, str]:
    """Return the family that a kind of virus is named after: coronaviruses, Coronaviridae."""
    lower = name.lower()
    for ending in ("viruses", "virus"):
        stem = lower.removesuffix(ending)
        if stem != lower and stem.isalpha():
            rows = con.execute(_FAMILY, [f"{stem}viridae"]).fetchall()
            return {str(curie): str(label) for curie, label in rows}
    return {}


def _species(con: duckdb.DuckDBPyConnection, taxa: list[str]) -> pl.DataFrame:
    """Return virus, species: the species that each of ``taxa`` is or is below."""
    import polars as pl

    rows = con.execute(_SPECIES, [taxa]).fetchall()
    return pl.DataFrame(
        rows, schema={"virus": pl.String, "species": pl.String}, orient="row"
    )


def _labelled(con: duckdb.DuckDBPyConnection, curies: list[str]) -> dict[str, str]:
    """Return each of ``curies`` with its usual name."""
    rows = con.execute(_LABELS, [curies]).fetchall()
    names = {str(curie): str(name) for curie, name in rows}
    return {curie: names.get(curie, curie) for curie in curies}


_NAMED: Final = f"""
SELECT name, virus, kind FROM virus_name WHERE key = $key
UNION ALL
SELECT n.name, n.curie, CASE n.scope WHEN 'LABEL' THEN 'label' ELSE 'synonym' END
FROM name n
WHERE n.start = {start_of("$name")} AND n.ontology = 'NCBITaxon' AND NOT n.obsolete
  AND (lower(n.name) = $name OR regexp_replace(lower(n.name), '[^a-z0-9]+', '', 'g') = $squeezed)
  AND (n.curie IN (SELECT descendant FROM closure WHERE ancestor = 'NCBITaxon:10239')
       OR regexp_matches(n.label, '(?i)vir(us|ales|idae|inae|ota|ia|icetes|oid)'))
"""
_SPECIES: Final = """
SELECT c.descendant, arg_min(c.ancestor, c.distance)
FROM closure c JOIN name n ON n.curie = c.ancestor AND n.scope = 'LABEL' AND n.rank = 'species'
WHERE list_contains($1::VARCHAR[], c.descendant) GROUP BY c.descendant
"""
_LABELS: Final = """
SELECT curie, coalesce(v.name, n.label) FROM name n LEFT JOIN virus v ON v.virus = n.curie
WHERE n.scope = 'LABEL' AND list_contains($1::VARCHAR[], n.curie)
"""
_FAMILY: Final = f"""
SELECT curie, label FROM name
WHERE start = {start_of("$1")} AND lower(name) = $1 AND scope = 'LABEL'
  AND ontology = 'NCBITaxon' AND NOT obsolete
"""
_REPORTED: Final = """
SELECT reported_name FROM detection WHERE lower(reported_name) = lower($1) LIMIT 1
"""
