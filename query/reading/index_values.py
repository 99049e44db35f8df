"""Names that are not terms: what runs state in words, countries, attributes, reported viruses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import duckdb

from index.store.same_for_all import same_for_all
from query.compiler.reviewed import places, seas
from query.compiler.virus_names import names_reported

Meaning = tuple[str, str | None]
Kinds = dict[str, Meaning]
"""Kind -> name in a request, and CURIE."""


@same_for_all
def index_values(con: duckdb.DuckDBPyConnection) -> Mapping[str, Kinds]:
    """Return the values that runs state in words, and the names of attributes, in small letters."""
    values: dict[str, Kinds] = {}
    shared: set[str] = set()

    def add(text: str, kind: str, meant: str) -> None:
        values.setdefault(text.lower(), {}).setdefault(kind, (meant, None))

    for country, kind, aliases in places():
        for name in (country, *filter(None, (aliases or "").split("|"))):
            add(name, "place" if kind == "sea" else "country", name)
    for label in _host_labels(con):
        _, _, epithet = label.partition(" ")
        if len(epithet) > 5 and epithet.islower() and " " not in epithet:
            if epithet in values:
                shared.add(epithet)
            add(epithet, "host", label)
    for epithet in shared:
        del values[epithet]
    for name, (whole, *_) in names_reported(con).items():
        written = re.search(re.escape(name), whole, re.IGNORECASE)
        add(name, "reported", written.group() if written else name)
    for kind, query in _STATED.items():
        for (value,) in con.execute(query).fetchall():
            if kind != "country" or value not in seas():
                add(value, kind, value)
            if kind == "place" and ": " in value:
                add(value.partition(": ")[2], kind, value)
                values |= {key: {kind: (value, None)} for key in _written_out(value)}
    return values


def _written_out(place: str) -> tuple[str, ...]:
    """Return a region written with its country, to distinguish it from a country of that name.

    >>> _written_out("USA: Georgia")[:3]
    ('usa: georgia', 'georgia, usa', 'state of georgia')
    """
    country, _, region = place.lower().partition(": ")
    written = [f"{country}: {region}", f"{region}, {country}", f"state of {region}"]
    for name in (country, "us") if country == "usa" else (country,):
        written += [f"{region}, {name}", f"{region} ({name})", f"{name} state of {region}"]
    return tuple(dict.fromkeys(written))


def _host_labels(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the species that runs state as hosts."""
    rows = con.execute("SELECT DISTINCT value FROM annotation WHERE facet = 'host' ORDER BY 1")
    return [str(value) for (value,) in rows.fetchall()]


_STATED: Final = {
    "country": (
        "SELECT DISTINCT trim(split_part(value, ':', 1)) FROM annotation WHERE facet = 'geography'"
    ),
    "place": (
        "SELECT DISTINCT value FROM annotation WHERE facet = 'geography' AND contains(value, ':')"
    ),
    "sex": "SELECT DISTINCT value FROM annotation WHERE facet = 'sex'",
    "biome": "SELECT DISTINCT value FROM annotation WHERE facet = 'biome'",
    "strategy": "SELECT DISTINCT library_strategy FROM run WHERE library_strategy IS NOT NULL",
    "library_source": "SELECT DISTINCT library_source FROM run WHERE library_source IS NOT NULL",
    "source": "SELECT DISTINCT source FROM searched UNION SELECT DISTINCT source FROM detection",
    "attribute": "SELECT DISTINCT attribute FROM stated_attribute WHERE length(attribute) > 2",
}
