"""Values of one or several fields side by side, as one relation of runs."""

from __future__ import annotations

from index.store.run_values import AT_SPECIES
from query.compiler.held import Holdings, hit_tables, rolled_up
from query.request.fields import RequestField, field_named
from query.request.hits import ANY_HIT, Hit


def relation(
    holdings: Holdings,
    names: tuple[str, ...],
    hits: Hit | None,
    *,
    among: str = "",
    level: str | int | None = None,
    number: RequestField | None = None,
    counted: bool = False,
) -> str:
    """Return a SELECT of ``run, v1, c1, v2, c2, …, strict``, each combination once.

    ``among``, a SELECT of ``run``, has the runs whose values are read: all, if it is empty.

    ``strict`` says whether a hit of 90 % identity and more has the values; values of several fields
    of hits are of the same hit. With ``number``, a field of hits, the best number of each run and
    virus is added as ``number``, with the ``virus``; with ``counted``, the number of hits as
    ``hits``.
    """
    fields = [field_named(name) for name in names]
    of_runs = [f"({_of_run(holdings, field, place, level, among)})"
               for place, field in enumerate(fields, 1) if field.of == "run"]  # fmt: skip
    of_hits = [(place, field) for place, field in enumerate(fields, 1) if field.of == "hit"]
    columns = ["run"]
    for place in range(1, len(fields) + 1):
        columns += [f"v{place}", f"c{place}"]
    sources = [*of_runs]
    if of_hits or number is not None or counted:
        found = _of_hits(holdings, of_hits, hits or ANY_HIT, level, number, among)
        sources.append(f"({found})")
        columns += ["strict", "hits"] if counted else ["strict"]
        if number is not None:
            columns += ["number", "virus"]
    else:
        columns.append("true AS strict")
    joined = sources[0] + "".join(f" JOIN {source} USING (run)" for source in sources[1:])
    return f"SELECT {', '.join(columns)} FROM {joined}"


def largest_numbers(holdings: Holdings, field: RequestField) -> str:
    """Return a SELECT of ``run, number``: the largest number that a run has in a field."""
    return f"SELECT run, max(value) AS number FROM ({holdings.numbers(field)}) GROUP BY run"


def _of_run(
    holdings: Holdings, field: RequestField, place: int, level: str | int | None, among: str
) -> str:
    held = holdings.at_level(field, level)
    distinct = "" if field.table == "run" else "DISTINCT "
    some = f" WHERE run IN ({among})" if among else ""
    return f"SELECT {distinct}run, value AS v{place}, curie AS c{place} FROM ({held}){some}"


def _of_hits(
    holdings: Holdings,
    fields: list[tuple[int, RequestField]],
    hit: Hit,
    level: str | int | None,
    number: RequestField | None,
    among: str,
) -> str:
    """Return the values of fields of hits, those of the same hit side by side."""
    columns, known = ["d.run"], []
    above = ""
    for place, field in fields:
        value, curie = field.column, "d.virus" if field.name == "virus" else "NULL"
        if field.name == "virus" and isinstance(level, str):
            rank = holdings.parameters.bind(level)
            taxa = rolled_up("SELECT DISTINCT virus AS run, virus AS curie FROM detection", rank)
            above = f" JOIN ({taxa}) u ON u.run = d.virus"
            value, curie = "u.value", "u.curie"
        elif field.name == "virus":
            # names are of species: a species and its strains have one name and one row
            value, curie = "v.name", "min(d.virus)"
        columns += [f"{value} AS v{place}", f"{curie} AS c{place}"]
        known.append(f"{value} IS NOT NULL")
    columns.append(f"bool_or({AT_SPECIES}) AS strict")
    columns.append("count(*) AS hits")
    if number is not None:
        columns.append(f"max({number.column}) AS number")
        columns.append("coalesce(d.virus, d.sotu) AS virus")
    condition = " AND ".join([holdings.hits(hit, among=among), *known])
    tables = hit_tables(condition, *columns)
    return f"SELECT {', '.join(columns)} FROM {tables}{above} WHERE {condition} GROUP BY ALL"
