"""Names that are values of the index: of metadata that name no term, of viruses, accessions.

All values are read once for an index, with the number of runs that have each.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from index.store.same_for_all import same_for_all
from query.reading.senses import Sense

_PART_OF_PLACE: Final = re.compile(r"\s*[:,]\s*")
_WORD: Final = re.compile(r"[^a-z0-9]+")
_WATER: Final = " water"
_WORKS: Final = "plant"
"""Ends the name of a works (wastewater treatment plant), which is not what plants are."""
_LONG_WORD: Final = 5
"""Letters from which a word may be a part of the name of a virus: dengue."""
_DIRECTIONS: Final = frozenset({"eastern", "western", "northern", "southern"})
"""Words that viruses and much else are named by."""


def found_names(con: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """Return the names of the viruses found, as columns ``facets`` and ``names``."""
    found = _held_values(con).found
    return {"facets": [one.facet for one in found], "names": [one.label for one in found]}


def value_senses(con: duckdb.DuckDBPyConnection, names: Sequence[str]) -> dict[str, list[Sense]]:
    """Return the senses of ``names`` that are values of the metadata, names of viruses,
    accessions, or communities.

    A biome answers to each phrase that ends it (mouse gut is a gut, leaf litter no leaf), and the
    water of a lake to the lake; a place to each of its parts (``USA: Houston``), and to a name of
    several words inside one (``Coastal Baltic Sea Sediment``).
    """
    if not names:
        return {}
    values = _held_values(con)
    senses: dict[str, list[Sense]] = defaultdict(list)
    for name in set(names):
        senses[name] += values.named(name)
    for name, sense in _numbered_senses(con, names):
        senses[name].append(sense)
    return {name: sorted(listed, key=_order) for name, listed in senses.items() if listed}


def virus_word_senses(
    con: duckdb.DuckDBPyConnection, words: Sequence[str]
) -> dict[str, list[Sense]]:
    """Return the senses of ``words`` that no ontology lists but names of viruses hold: norovirus,
    coronavirus.
    """
    if not words:
        return {}
    found = _held_values(con).found
    viruses = [one for one in found if one.facet != "phylum"]
    senses = {word: [one for one in viruses if _holds(one, word)] for word in set(words)}
    return {word: sorted(listed, key=_order) for word, listed in senses.items() if listed}


@dataclass(frozen=True, slots=True)
class _HeldValues:
    """The values of an index: ``by_name`` those that a name means, ``places`` the places
    with their names between blanks, ``found`` the species, families and phyla of viruses.
    """

    by_name: Mapping[str, Sequence[Sense]]
    places: Sequence[tuple[str, Sense]]
    found: Sequence[Sense]

    def named(self, name: str) -> list[Sense]:
        """Return the senses of ``name``, in small letters."""
        found = dict.fromkeys(self.by_name.get(name, ()))
        if " " in name:
            inside = f" {name} "
            found |= {sense: None for place, sense in self.places if inside in place}
        return list(found)


@same_for_all
def _held_values(con: duckdb.DuckDBPyConnection) -> _HeldValues:
    """Return the values of the index behind ``con``."""
    stated = [_sense(row) for row in con.execute(_STATED).fetchall()]
    found = [_sense(row) for row in con.execute(_FOUND).fetchall()]
    by_name: dict[str, list[Sense]] = defaultdict(list)
    for sense in (*stated, *found):
        for name in _names_of(sense):
            by_name[name].append(sense)
    places = [(f" {sense.label.lower()} ", sense) for sense in stated if sense.facet == "geography"]
    return _HeldValues(dict(by_name), places, found)


def _sense(row: tuple[str, str, int]) -> Sense:
    facet, value, runs = row
    return Sense(facet, value, runs, value=value)


def _names_of(sense: Sense) -> Iterable[str]:
    """Return the names that mean the value of ``sense``, each once."""
    name = sense.label.lower()
    names = [name]
    if sense.facet == "geography":
        names += _PART_OF_PLACE.split(name)
    if sense.facet == "biome":
        ends = [name[blank.end() :] for blank in re.finditer(" ", name)]
        names += [one for one in ends if one != _WORKS]
        names.append(name.removesuffix(_WATER))
    return dict.fromkeys(names)


def _holds(sense: Sense, word: str) -> bool:
    """Return whether the name of the virus of ``sense`` holds ``word``, or is its family."""
    name = sense.label.lower()
    ends_in_virus = word.endswith("virus")
    if sense.facet == "family":
        return ends_in_virus and name == f"{word.removesuffix('virus')}viridae"
    if ends_in_virus and word in _WORD.split(name):
        return True
    escaped = re.escape(word)
    begun = rf"^(?:reported as )?{escaped}\b|\b{escaped} ?virus\b"
    return len(word) >= _LONG_WORD and word not in _DIRECTIONS and bool(re.search(begun, name))


def _numbered_senses(
    con: duckdb.DuckDBPyConnection, names: Sequence[str]
) -> Iterable[tuple[str, Sense]]:
    """Return those of ``names`` that are accessions or communities; all of these have a digit."""
    numbered = [name for name in names if re.search("[0-9]", name)]
    if not numbered:
        return
    for name, *row in con.execute(_NUMBERED, {"names": numbered}).fetchall():
        yield name, _sense(tuple(row))


def _order(sense: Sense) -> tuple[str, str]:
    return sense.facet, sense.label


_STATED: Final = """
SELECT facet, value, count(DISTINCT run) AS runs FROM annotation WHERE curie IS NULL
GROUP BY facet, value ORDER BY facet, value
"""
_FOUND: Final = """
SELECT facet, value, count(DISTINCT run) AS runs FROM (
    SELECT run, 'species' AS facet, stated AS value FROM detection
    UNION ALL SELECT run, 'family', family FROM detection
    UNION ALL SELECT run, 'phylum', phylum FROM detection
) WHERE value IS NOT NULL GROUP BY facet, value ORDER BY facet, value
"""
_NUMBERED: Final = """
WITH numbered AS (SELECT DISTINCT unnest($names::VARCHAR[]) AS name)
SELECT lower(bioproject), 'bioproject', bioproject, count(*)
FROM run WHERE lower(bioproject) IN (FROM numbered) GROUP BY ALL
UNION ALL
SELECT lower(study), 'study', study, count(*)
FROM run WHERE lower(study) IN (FROM numbered) GROUP BY ALL
UNION ALL
SELECT lower(biosample), 'biosample', biosample, count(*)
FROM run WHERE lower(biosample) IN (FROM numbered) GROUP BY ALL
UNION ALL
SELECT lower(community), 'community', community, runs
FROM community WHERE lower(community) IN (FROM numbered)
UNION ALL
SELECT lower(run), 'runId', run, 1 FROM run WHERE lower(run) IN (FROM numbered)
"""
