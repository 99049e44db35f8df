"""Names of the reviewed lists: groups of viruses and hosts, places, terms by everyday names."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, TypeVar

Key = TypeVar("Key")
Group: TypeAlias = tuple[tuple[str, str], ...]
"""CURIE and label of each taxon of a group."""


def group_key(name: str) -> str:
    """Return the key of a group of viruses: lower case, singular.

    >>> group_key("Rhinoviruses"), group_key("phages"), group_key("HIV")
    ('rhinovirus', 'phage', 'hiv')
    """
    lower = name.lower()
    if lower.endswith("viruses"):
        return lower[:-2]
    return lower if lower.endswith("virus") else lower.removesuffix("s")


@functools.cache
def virus_groups() -> dict[str, Group]:
    """Return the taxa of each group of viruses that has a common name, by ``group_key``."""
    rows = _reviewed_rows("virus_groups.tsv")
    return _grouped((group_key(name), curie, label) for name, curie, label in rows)


@functools.cache
def everyday_groups() -> dict[tuple[str, str], Group]:
    """Return the taxa of everyday names for several (livestock), by field and singular name."""
    rows = _reviewed_rows("everyday_groups.tsv")
    return _grouped(((kind, name), curie, label) for name, kind, curie, label in rows)


def _grouped(rows: Iterable[tuple[Key, str, str]]) -> dict[Key, Group]:
    groups: dict[Key, Group] = {}
    for key, curie, label in rows:
        groups[key] = (*groups.get(key, ()), (curie, label))
    return groups


def _reviewed_rows(name: str, *columns: str) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a reviewed list, all its columns where none is named."""
    from ontology_etl.reviewed_lists import read_reviewed

    rows = read_reviewed(name)
    return (rows.select(columns) if columns else rows).iter_rows()


@functools.cache
def places() -> tuple[tuple[str, ...], ...]:
    """Return country, kind and other names of each country and sea."""
    return tuple(_reviewed_rows("countries.tsv", "country", "kind", "aliases"))


@functools.cache
def seas() -> tuple[str, ...]:
    """Return the oceans and seas of the list of countries."""
    return tuple(country for country, kind, _ in places() if kind == "sea")


@functools.cache
def countries_by_alias() -> Mapping[str, str]:
    """Return the country of each other reviewed name, in lower case: uk, holland.

    A part of an ocean is a place of its own (Indian Ocean: Red Sea), but Pacific and Antarctic
    Ocean are other names of the whole.
    """
    return {
        alias.lower(): f"{country}: {alias}"
        if kind == "sea" and not country.startswith(f"{alias} ") and not alias.endswith(" Ocean")
        else country
        for country, kind, aliases in places()
        for alias in (aliases or "").split("|")
        if alias
    }


@functools.cache
def parts_of_the_world() -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Return name and countries of each part of the world, by its names in lower case."""
    return {
        word: (part, tuple(countries.split("|")))
        for part, written, countries in _reviewed_rows("parts_of_the_world.tsv")
        for word in written.split("|")
    }


@functools.cache
def reviewed_names() -> dict[tuple[str, str], dict[str, str]]:
    """Return CURIE and label of each reviewed name, by facet and name in lower case."""
    from ontology_etl.reviewed_lists import FACET_OF_KIND, unambiguous_names

    names = {}
    for kind, facet in FACET_OF_KIND.items():
        foreign = unambiguous_names(kind).select("name", "curie", "label")
        for name, curie, label in foreign.iter_rows():
            names[(facet, name.lower())] = {curie: label}
    for facet, name, curie, label in _reviewed_rows("names.tsv", "facet", "name", "curie", "label"):
        if ":" in curie:
            names[(facet, name.lower())] = {curie: label}
    for name in ("plant", "plants"):
        names.setdefault(("label", name), {"NCBITaxon:33090": "Viridiplantae"})
    return names
