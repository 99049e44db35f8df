"""Families, orders and classes by the English word made of their scientific name: camelids are
Camelidae, dipterans Diptera, lagomorphs Lagomorpha.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb

from index.store.names import rows_spelled
from query.reading.intent import is_asking_word, is_stop_word, singular
from query.reading.names.named_terms import NamedTerm
from query.reading.names.spans import positions

_LEAST_LETTERS: Final = 4
_ENDINGS: Final = (
    ("aceous", ("aceae",)), ("id", ("idae", "ida")), ("iform", ("iformes",)), ("an", ("a",)),
    ("", ("a",)),
)  # fmt: skip
"""What an English word ends in, and what the name that it is made of ends in instead."""
_RANKS: Final = (
    "phylum", "subphylum", "class", "subclass", "infraclass", "order", "suborder", "infraorder",
    "superfamily", "family", "subfamily",
)  # fmt: skip


def anglicised_taxa(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], named: Sequence[NamedTerm]
) -> list[NamedTerm]:
    """Return the taxa of words outside of the names in ``named``."""
    taken = positions([one for one in named if one.terms])
    free = [place for place in range(len(words)) if place not in taken]
    made_of = {place: labels_made_of(words[place]) for place in free}
    labels = sorted({label for listed in made_of.values() for label in listed})
    if not labels:
        return []
    curies = _taxa_labelled(con, labels)
    found = []
    for place, listed in made_of.items():
        label = next((one for one in listed if one in curies), None)
        if label:
            terms = ((str(curies[label]), label),)
            found.append(NamedTerm(place, place + 1, "label", "grounded", terms))
    return found


def _taxa_labelled(con: duckdb.DuckDBPyConnection, labels: Sequence[str]) -> dict[str, str]:
    """Return the CURIE of each of ``labels`` that is the label of a group of taxa."""
    import polars as pl

    named = rows_spelled(con, labels)
    groups = named.filter(
        pl.col("ontology") == "NCBITaxon",
        pl.col("label").is_in(labels),
        pl.col("rank").is_in(_RANKS),
    )
    first = groups.sort("curie").unique("label", keep="first")
    return dict(first.select("label", "curie").iter_rows())


def labels_made_of(word: str) -> tuple[str, ...]:
    """Return the scientific names that the English ``word`` may be made of.

    >>> labels_made_of("camelids")
    ('Camelidae', 'Camelida')
    >>> labels_made_of("solanaceous")
    ('Solanaceae',)
    >>> labels_made_of("dipteran"), labels_made_of("passeriforms"), labels_made_of("lagomorph")
    (('Diptera',), ('Passeriformes',), ('Lagomorpha',))
    """
    plain = is_stop_word(word) or is_asking_word(word) or not word.isalpha()
    one = singular(word.lower())
    if plain or len(one) < _LEAST_LETTERS:
        return ()
    ending, made = next(pair for pair in _ENDINGS if one.endswith(pair[0]))
    stem = one.removesuffix(ending).capitalize()
    return tuple(f"{stem}{last}" for last in made)
