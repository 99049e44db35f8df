"""SQL of the runs that meet a condition which no name says, and of the values it lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MEASURED_FACETS: Final = {
    "hits": "virus", "several": "virus", "risk": "virus", "year": "year", "strategy": "library",
    "source": "source", "stated": "stated",
    "searched": "searched",
}  # fmt: skip
"""Facet of a condition -> the group of a question that it belongs to."""
QUALITIES: Final = ("hits", "risk")
"""Facets of conditions on a hit: it must meet them beside being of the virus that is named."""
APART: Final = ("several", "stated")
"""Facets of conditions that each hold by themselves, beside other names of their group."""
VALUES: Final = {
    "year": "SELECT run, year(release_date)::VARCHAR AS value FROM run"
    " WHERE release_date IS NOT NULL",
    "strategy": "SELECT run, library_strategy AS value FROM run WHERE library_strategy IS NOT NULL",
    "source": "SELECT run, library_source AS value FROM run WHERE library_source IS NOT NULL",
    "sotu": "SELECT DISTINCT run, sotu AS value FROM detection",
    "detector": "SELECT DISTINCT run, source AS value FROM detection",
    "risk": "SELECT DISTINCT run, risk_group AS value FROM detection"
    " JOIN (SELECT virus AS taxon, risk_group FROM virus_risk) USING (taxon)",
}
"""Facet -> SELECT of ``run, value``; a run may have several values."""
OF_HITS: Final = ("risk", "sotu", "detector")
"""Facets of these whose values are of hits, so that those of the virus asked for are listed."""
TITLES: Final = {
    "year": "Years of release", "strategy": "Library strategies", "source": "Library sources",
    "risk": "Risk groups", "sotu": "sOTUs", "detector": "Sources of detections",
}  # fmt: skip
"""Facets of these whose values can be listed, with the heading of the list."""
ASKED: Final = {
    "year": frozenset({"year"}), "strategy": frozenset({"strategy"}),
    "source": frozenset({"librarysource"}), "risk": frozenset({"riskgroup"}),
    "sotu": frozenset({"sotu", "sotus", "otu", "otus"}), "detector": frozenset({"detectionsource"}),
}  # fmt: skip
"""Words that ask for the values of such a facet, as ``respelled`` writes them."""
_SEVERAL: Final = """
SELECT run FROM detection WHERE species IS NOT NULL GROUP BY run HAVING count(DISTINCT species)
"""
_LOOKED: Final = "(SELECT run, source FROM searched UNION SELECT run, source FROM detection)"
_SEARCHED: Final = {
    "any": f"SELECT DISTINCT run FROM {_LOOKED}",
    "all": f"SELECT run FROM {_LOOKED} GROUP BY run HAVING count(*) > 1"
    f" AND count(*) = (SELECT count(DISTINCT source) FROM {_LOOKED})",
    "one": f"SELECT run FROM {_LOOKED} GROUP BY run HAVING count(*) = 1",
    "none": f"SELECT run FROM run WHERE run NOT IN (SELECT run FROM {_LOOKED})",
}
"""By how many sources of the index a run was searched -> SELECT of these runs."""
_COLUMNS: Final = {
    "release date": "release_date", "bioproject": "bioproject", "biosample": "biosample",
    "study": "study", "library strategy": "library_strategy", "library source": "library_source",
}  # fmt: skip
"""What a run may state in a column of its own."""
_OF_DETECTIONS: Final = ("species", "family", "virus")


def runs_measured(facet: str, values: Sequence[str]) -> str:
    """Return a SELECT of ``run``, distinct, of the runs that meet one of the ``values`` of
    ``facet``, which ``query.reading.measured.conditions`` has written.
    """
    if facet in QUALITIES:
        return f"SELECT DISTINCT run FROM detection WHERE {hits_measured(facet, values)}"
    if facet == "several":
        return " UNION ".join(f"{_SEVERAL.strip()} {value}" for value in values)
    if facet == "searched":
        return " UNION ".join(_SEARCHED[value] for value in values)
    if facet == "stated":
        return " UNION ".join(_stating(value) for value in values)
    listed = ", ".join(f"'{value}'" for value in values)
    return f"SELECT DISTINCT run FROM ({VALUES[facet]}) WHERE value IN ({listed})"


def hits_measured(facet: str, values: Sequence[str]) -> str:
    """Return the condition on a row of ``detection`` that it has all ``values`` of ``hits``, or is
    of one of the risk groups.
    """
    if facet == "hits":
        return " AND ".join(values)
    listed = ", ".join(f"'{value}'" for value in values)
    return f"taxon IN (SELECT virus FROM virus_risk WHERE risk_group IN ({listed}))"


def _stating(value: str) -> str:
    """Return a SELECT of the runs that state a facet, or do not where ``value`` opens with !."""
    facet = value.removeprefix("!")
    if facet in _COLUMNS:
        null = "NULL" if value.startswith("!") else "NOT NULL"
        return f"SELECT run FROM run WHERE {_COLUMNS[facet]} IS {null}"
    stated = f"SELECT run FROM annotation WHERE facet = '{facet}'"
    if facet in _OF_DETECTIONS:
        stated = f"SELECT run FROM detection WHERE {facet} IS NOT NULL"
    if value.startswith("!"):
        return f"SELECT run FROM run WHERE run NOT IN ({stated})"
    return f"SELECT DISTINCT run FROM run SEMI JOIN ({stated}) USING (run)"
