"""Names as people write them where no ontology does: everyday words of hosts, tissues, diseases,
environments and viruses (hogs, throat swab, bird flu), compounds in one word or two (bumblebees,
soy bean), and names that a taxon no run carries has as well (nematodes).
"""

from __future__ import annotations

import csv
import functools
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import duckdb

from index.store.names import rows_spelled
from ontology_etl.curies import NCBI_TAXON, ontology_of
from query.reading.held.mentions import VIRUS_NAME
from query.reading.held.terms import is_carried
from query.reading.intent import is_asking_word, is_stop_word, singular
from query.reading.names.named_terms import NamedTerm
from query.reading.names.spans import positions
from query.reading.written.anglicised import anglicised_taxa

_LISTS: Final = ("host_words.tsv", "sample_words.tsv", "virus_words.tsv")
"""Everyday words of hosts, of tissues, diseases and environments, and of viruses."""
_MOST_WORDS: Final = 4
"""Words of the longest listed name."""
_PARTS_OF_COMPOUND: Final = 2
_LEAST_LETTERS: Final = 3
"""Letters of each part of a compound."""
_LEAST_WHOLE: Final = 7
_CARRIED: Final = """
SELECT DISTINCT ancestor FROM closure WHERE ancestor IN (SELECT unnest($1::VARCHAR[]))
"""


def with_everyday_names(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], named: Sequence[NamedTerm]
) -> list[NamedTerm]:
    """Return ``named`` with what is written as no ontology spells it, and with the taxon that runs
    carry where two have the same name.
    """
    carried = [_as_carried(con, words, one) for one in named]
    listed = _listed(words, carried)
    apart = [one for one in carried if positions([one]).isdisjoint(positions(listed))]
    known = [*apart, *listed]
    known += _compounds(con, words, known)
    made = anglicised_taxa(con, words, known)
    return [*known, *(one for one in made if not _opens_a_virus(words, one.end))]


@functools.cache
def _listed_words() -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Return CURIE and label of what each of the listed words means: shrimps are of two taxa."""
    terms: dict[str, tuple[tuple[str, str], ...]] = {}
    for path in map(Path(__file__).with_name, _LISTS):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                word, curie, label = row.values()
                terms[word] = (*terms.get(word, ()), (curie, label))
    return terms


def is_listed(words: Sequence[str]) -> bool:
    """Return whether the lists of everyday words have ``words`` as a name."""
    return " ".join(words).lower() in _listed_words()


def _listed(words: Sequence[str], named: Sequence[NamedTerm]) -> list[NamedTerm]:
    """Return what listed words name outside of longer names; a host before a virus is read as part
    of its name: avian avulavirus.
    """
    found: list[NamedTerm] = []
    for start, end in _spans(words):
        text = " ".join(words[start:end]).lower()
        terms = _listed_words().get(text)
        inside = any(_is_longer(one, start, end) for one in named)
        taken = not positions(found).isdisjoint(range(start, end))
        if terms and not inside and not taken:
            read = "grounded" if len(terms) == 1 else "ambiguous"
            outcome = "other" if _opens_a_virus(words, end) else read
            found.append(NamedTerm(start, end, "label", outcome, terms))
    return found


def _is_longer(one: NamedTerm, start: int, end: int) -> bool:
    """Return whether ``one`` names something by these words and more."""
    within = one.start <= start and end <= one.end
    return within and one.end - one.start > end - start and bool(one.terms)


def _spans(words: Sequence[str]) -> list[tuple[int, int]]:
    """Return the stretches of four words, then of three, of two and of one."""
    lengths = range(_MOST_WORDS, 0, -1)
    return [
        (start, start + length)
        for length, start in itertools.product(lengths, range(len(words)))
        if start + length <= len(words)
    ]


def _opens_a_virus(words: Sequence[str], end: int) -> bool:
    """Return whether the name of a virus goes on from ``end``: more than viruses of any kind."""
    for place, word in enumerate(words[end:]):
        if is_stop_word(word):
            return False
        if VIRUS_NAME.search(singular(word)):
            return place > 0 or word.lower() not in ("virus", "viruses")
    return False


def _compounds(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], named: Sequence[NamedTerm]
) -> list[NamedTerm]:
    """Return the taxa whose names two words spell as one, or one word as two."""
    taken = positions([one for one in named if one.terms])
    spelled: dict[tuple[int, int], set[str]] = {}
    for start, end in _spans(words):
        if end - start > _PARTS_OF_COMPOUND:
            continue
        stretch = [word.lower() for word in words[start:end]]
        plain = any(is_stop_word(word) or is_asking_word(word) for word in stretch)
        if plain or taken.issuperset(range(start, end)):
            continue
        names = _joined(stretch) if len(stretch) > 1 else _split(stretch[0])
        if names:
            spelled[start, end] = names
    if not spelled:
        return []
    asked = sorted(set().union(*spelled.values()))
    found = _taxa_called(con, asked)
    terms = {name: (curie, label) for name, curie, label in found}
    compounds: list[NamedTerm] = []
    for span, names in spelled.items():
        held = sorted(names & terms.keys())
        if held and positions(compounds).isdisjoint(range(*span)):
            compounds.append(NamedTerm(*span, "label", "grounded", (terms[held[0]],)))
    return compounds


def _joined(words: Sequence[str]) -> set[str]:
    """Return two words as one: soy bean, soybean."""
    if any(len(word) < _LEAST_LETTERS or not word.isalpha() for word in words):
        return set()
    whole = "".join(words)
    return {whole, singular(whole)} if len(whole) >= _LEAST_WHOLE else set()


def _split(word: str) -> set[str]:
    """Return one word as two: fruitflies, fruit flies."""
    if len(word) < _LEAST_WHOLE or not word.isalpha():
        return set()
    places = range(_LEAST_LETTERS, len(word) - _LEAST_LETTERS + 1)
    pairs = {f"{word[:place]} {word[place:]}" for place in places}
    return pairs | {f"{first} {singular(last)}" for first, last in map(str.split, pairs)}


def _taxa_called(
    con: duckdb.DuckDBPyConnection, names: Sequence[str]
) -> list[tuple[str, str, str]]:
    """Return name, CURIE and label of the taxa that have one of ``names``, spelled so, sorted."""
    import polars as pl

    named = rows_spelled(con, names)
    of_taxa = named.filter(pl.col("ontology") == NCBI_TAXON, pl.col("name").is_in(list(names)))
    return sorted(of_taxa.select("name", "curie", "label").unique().iter_rows())


def _as_carried(con: duckdb.DuckDBPyConnection, words: Sequence[str], one: NamedTerm) -> NamedTerm:
    """Return ``one`` as the taxa of the same name that runs carry, where none carries its own:
    Nematodes is a genus of beetles, too.
    """
    if one.facet != "label" or one.outcome != "grounded" or len(one.terms) != 1:
        return one
    ((curie, _),) = one.terms
    text = " ".join(words[one.start : one.end]).lower()
    if ontology_of(curie) != NCBI_TAXON or is_carried(con, curie):
        return one
    same = {other: label for _, other, label in _taxa_called(con, [text])}
    rows = con.execute(_CARRIED, [list(same)]).fetchall() if same else []
    terms = tuple((str(other), same[other]) for (other,) in sorted(rows))
    if not terms:
        return one
    outcome = "grounded" if len(terms) == 1 else "ambiguous"
    return NamedTerm(one.start, one.end, one.facet, outcome, terms)
