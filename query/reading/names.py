"""Names in a question: viruses, hosts, tissues, diseases, places, values and accessions.

All sequences of words are looked up at once, in the whole vocabulary of the index. Longer names
come first; a sequence that is plain English is not a name.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import duckdb

from index.store.same_for_all import same_for_all
from ontology_etl.missing import NO_VALUE
from query.compiler.resolving import Resolver
from query.errors import QueryError
from query.reading.found_name import FoundName
from query.reading.index_values import Kinds, Meaning
from query.reading.lexicon import everyday_names, field_words, foreign_names, stems_of
from query.reading.meanings import (
    Place,
    carried_terms,
    is_common,
    meanings_of,
    text_of,
)
from query.reading.stretches import stretches_of
from query.reading.types import with_types
from query.request.fields import field_named
from query.words import singular

if TYPE_CHECKING:
    from query.reading.tokens import Token

_SMALL: Final = 4
"""Most letters of a word in another language that is probably not a name: con, dass."""
_HABITATS: Final = ("biome", "environment")
_CELLS: Final = frozenset({"tissue", "cell_line"})
_RANK: Final = (
    "run", "study", "project", "biosample", "community", "sotu",
    "virus", "host", "cell_line", "biome", "tissue", "environment", "disease", "country", "place",
    "sex", "strategy", "library_source", "source", "reported", "attribute",
)  # fmt: skip
"""Kinds of names; if words have several, the first one here is meant."""


def find_names(
    con: duckdb.DuckDBPyConnection, tokens: Sequence[Token], *, in_english: bool = False
) -> list[FoundName]:
    """Return the names in a question, in order and without overlaps.

    ``in_english``: names in other languages are given as the index has them.
    """
    stretches = stretches_of(tokens)
    if in_english:
        stretches = [place for place in stretches if not _is_small(tokens[slice(*place)])]
    meanings = meanings_of(con, stretches, tokens)

    def longest_first(place: Place) -> tuple[int, bool, int]:
        """If two of equal length overlap, a label comes before a synonym."""
        first, last = place
        text = text_of(tokens[first:last]).lower()
        names = [name.lower() for name, _ in meanings.get(place, {}).values()]
        return first - last, text not in names, first

    places = [
        place
        for place in _without_absent(con, meanings)
        if not _ends_with_field(place, meanings, tokens)
        and not _is_usual_word(con, place, meanings[place], tokens)
    ]
    ranked = sorted(places, key=longest_first)
    resolver = Resolver(con)
    used: set[int] = set()
    found = []
    for first, last in ranked:
        kinds = meanings.get((first, last))
        if not kinds or not used.isdisjoint(range(first, last)) or _is_no_value(tokens[first:last]):
            continue
        used.update(range(first, last))
        text = text_of(tokens[first:last])
        plain = _kind_beside(kinds, tokens, first, last)
        ranked_kinds = _ranked(con, kinds, text)
        ranked_kinds.sort(key=lambda named: named[0] != plain)
        (kind, (name, curie)), *others = ranked_kinds
        also = tuple((other, meant) for other, (meant, _) in others)
        meant = _in_english(kind, name) if in_english else text
        named = _as_asked(resolver, kind, (meant, name, curie or ""))
        found.append(
            FoundName(first, last, kind, named, curie or _taxon(resolver, kind, named), also)
        )
    merged = _merged(con, tokens, sorted(found, key=lambda name: name.first))
    return with_types(merged, tokens, functools.partial(find_names, con))


def _without_absent(con: duckdb.DuckDBPyConnection, meanings: Mapping[Place, Kinds]) -> set[Place]:
    """Return the word sequences with a meaning, without cells that no run has.

    Cells are left out if their name consists of two names of other kinds that runs have: EBV lcl.
    """
    carried = carried_terms(con)

    def is_carried(place: Place) -> bool:
        return any(curie is None or curie in carried for _, curie in meanings[place].values())

    def is_two_names(place: Place) -> bool:
        first, last = place
        cuts = [((first, cut), (cut, last)) for cut in range(first + 1, last)]
        return any(
            meanings[before].keys().isdisjoint(meanings[behind])
            and is_carried(before)
            and is_carried(behind)
            for before, behind in cuts
            if before in meanings and behind in meanings
        )

    absent = {
        place
        for place, kinds in meanings.items()
        if kinds.keys() <= _CELLS and not is_carried(place) and is_two_names(place)
    }
    return set(meanings) - absent


def _is_usual_word(
    con: duckdb.DuckDBPyConnection, place: Place, kinds: Kinds, tokens: Sequence[Token]
) -> bool:
    """Return whether words are common English and not a name.

    Examples: a permit, which no run has as host; the sea of "which sea", which asks for a field.
    """
    first, last = place
    if last - first > 1:
        return any(token.text == ":" for token in tokens[first:last]) and "place" not in kinds
    word = tokens[first].lower
    if singular(word) in _FIELDS_AND_HABITATS:
        before = {token.lower for token in tokens[max(0, first - 2) : first]}
        return before.isdisjoint(_INSIDE)
    neighbours = {
        token.lower for token in (*tokens[max(0, first - 1) : first], *tokens[last : last + 1])
    }
    is_usual = word == singular(word) and is_common(word) and word not in everyday_names()
    if not is_usual or not neighbours.isdisjoint(_INSIDE | _VIRUSES | _BESIDE_NAMES):
        return False
    return not any(curie is None or curie in carried_terms(con) for _, curie in kinds.values())


_BESIDE_NAMES: Final = frozenset({"run", "runs", "sample", "samples", "with"})
"""Words next to a name of a host or a tissue, which show that it is not a common word."""
_FIELDS_AND_HABITATS: Final = frozenset({"sea", "ocean", "field"})
_INSIDE: Final = frozenset({"in", "from", "of", "at", "on", "off", "deep", "open"})
"""Words that precede the place where a sample was taken."""


def _ends_with_field(
    place: Place, meanings: Mapping[Place, Kinds], tokens: Sequence[Token]
) -> bool:
    """Return whether words are the name of a host followed by a field: human cell lines."""
    first, last = place

    def is_field(cut: int) -> bool:
        field = field_words().get(stems_of(text_of(tokens[cut:last])))
        return field is not None and field_named(field).of == "run"

    return any(
        is_field(cut)
        and "host" in meanings[place]
        and meanings[place]["host"] == meanings.get((first, cut), {}).get("host")
        for cut in range(first + 1, last)
    )


def _merged(
    con: duckdb.DuckDBPyConnection, tokens: Sequence[Token], names: Sequence[FoundName]
) -> list[FoundName]:
    """Return ``names``; of two neighbours, if one is a kind of the other, only the narrower.

    Examples: culex mosquitoes, painted lady butterflies (Vanessa cardui).
    """
    merged: list[FoundName] = []
    for name in names:
        before = merged[-1] if merged else None
        narrow = (
            _narrower(con, before, name) if before and _is_beside(tokens, before, name) else None
        )
        if before is None or narrow is None:
            merged.append(name)
            continue
        is_open = tokens[before.last].text == "("
        closes = is_open and name.last < len(tokens) and tokens[name.last].text == ")"
        last = name.last + closes
        merged[-1] = replace(narrow, first=before.first, last=last)
    return merged


def _is_beside(tokens: Sequence[Token], before: FoundName, name: FoundName) -> bool:
    """Return whether nothing is between two names, or only an opening bracket."""
    between = tokens[before.last : name.first]
    return all(token.text == "(" for token in between) and len(between) <= 1


def is_below(con: duckdb.DuckDBPyConnection, narrow: FoundName, broad: FoundName) -> bool:
    """Return whether what a name means is below what another means: rice, plants."""
    below = "SELECT 1 FROM closure WHERE descendant = $1 AND ancestor = $2 AND distance > 0"
    return bool(con.execute(below, [narrow.curie, broad.curie]).fetchall())


def _narrower(con: duckdb.DuckDBPyConnection, one: FoundName, other: FoundName) -> FoundName | None:
    """Return which of two names of a kind equals the other or is below it; None if neither."""
    if one.kind != other.kind or one.curie is None:
        return None
    if other.curie is None:
        is_misspelt = _is_misspelt_genus(con, one, other)
        return replace(other, corrected=True) if is_misspelt else None
    if one.curie == other.curie:
        return one
    for narrow, broad in ((one, other), (other, one)):
        if is_below(con, narrow, broad):
            return narrow
    return None


def _is_misspelt_genus(con: duckdb.DuckDBPyConnection, one: FoundName, other: FoundName) -> bool:
    """Return whether ``one``, which no run has, is the misspelt genus of ``other``: ades."""
    genus, _, epithet = other.name.lower().partition(" ")
    if one.kind != "host" or not epithet or one.curie in carried_terms(con):
        return False
    query = "SELECT damerau_levenshtein($1, $2)"
    ((distance,),) = con.execute(query, [one.name.lower(), genus]).fetchall()
    return int(distance) == 1


def _in_english(kind: str, name: str) -> str:
    """Return the meaning of a ``name``, which may be that of a virus in another language."""
    import polars as pl

    from ontology_etl.reviewed_lists import names_in_languages

    if kind != "virus":
        return name
    listed = names_in_languages("virus").filter(pl.col("name").str.to_lowercase() == name.lower())
    return str(listed["label"][0]) if listed.height else name


def _is_no_value(words: Sequence[Token]) -> bool:
    """Return whether ``words`` say that nothing is stated: NULL, unknown."""
    return len(words) == 1 and singular(words[0].lower) in NO_VALUE


def _is_small(words: Sequence[Token]) -> bool:
    """Return whether ``words`` in another language are a short word that is on no list of names."""
    text = words[0].text
    is_short = len(words) == 1 and text.isascii() and text.islower() and len(text) <= _SMALL
    return is_short and text not in foreign_names()


def _kind_beside(kinds: Kinds, tokens: Sequence[Token], first: int, last: int) -> str:
    """Return the kind that the words beside a name ask for: patients a disease, viruses a host."""
    if "disease" in kinds and _is_of_the_ill(tokens, first, last):
        return "disease"
    return "host" if _is_of_viruses(tokens, last) else ""


def _is_of_the_ill(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Return whether a name means a disease of people or animals rather than the virus."""
    near = (*range(max(0, first - 3), first), *range(last, min(last + 2, len(tokens))))
    words = {tokens[place].lower for place in near if not _is_of_viruses(tokens, place + 1)}
    return not _OF_THE_ILL.isdisjoint(words)


def _is_of_viruses(tokens: Sequence[Token], last: int) -> bool:
    """Return whether viruses are named after a name: plant viruses."""
    return any(token.lower in _VIRUSES for token in tokens[last : last + 1])


_VIRUSES: Final = frozenset({"virus", "viruses", "virome", "viromes"})
_OF_THE_ILL: Final = frozenset(
    ["acute", "chronic", "patient", "patients", "diagnosed", "diagnosis", "diagnoses", "disease",
     "diseases", "suffering", "suffer", "sick", "ill", "illness", "case", "cases", "condition"]
)  # fmt: skip
"""Words next to the name of a disease if the disease is meant."""


def _ranked(con: duckdb.DuckDBPyConnection, kinds: Kinds, text: str) -> list[tuple[str, Meaning]]:
    """Return what words name, the likeliest first; for habitats, the one that more runs state.

    With a capital letter, the name of a country means the country: China is not a beetle.
    """
    runs = _runs_in(con)
    is_of_soil = "tissue" in kinds and any(kind in kinds for kind in _HABITATS)

    def rank(named: tuple[str, Meaning]) -> tuple[int, int]:
        kind, (name, curie) = named
        if kind == "country" and text[0].isupper():
            return -1, 0
        is_tissue = kinds.get("tissue", ("",))[0].lower() == text.lower()
        if kind == "host" and is_tissue and name.lower() != text.lower():
            return len(_RANK), 0  # rumen, not a snail called Rumina
        place = "environment" if kind in _HABITATS else kind
        if is_of_soil and kind == "tissue":  # soil is both, and the tissue of hardly any run
            return _RANK.index("environment"), -_runs_below(con, str(curie))
        return _RANK.index(place), -runs.get((kind, name.lower()), 0)

    return sorted(kinds.items(), key=rank)


def _runs_below(con: duckdb.DuckDBPyConnection, tissue: str) -> int:
    """Return how many runs are from ``tissue`` or a part of it."""
    select = (
        "SELECT count(DISTINCT run) FROM annotation a JOIN closure c ON c.descendant = a.curie "
        "WHERE facet = 'tissue' AND ancestor = $1"
    )
    ((number,),) = con.execute(select, [tissue]).fetchall()
    return int(number)


@same_for_all
def _runs_in(con: duckdb.DuckDBPyConnection) -> Mapping[tuple[str, str], int]:
    """Return the number of runs of each biome and environment, by its name in small letters."""
    rows = con.execute(
        "SELECT facet, lower(value), count(DISTINCT run) FROM annotation "
        "WHERE facet IN ('biome', 'environment') GROUP BY ALL"
    ).fetchall()
    return {(str(facet), str(value)): int(number) for facet, value, number in rows}


def _as_asked(resolver: Resolver, kind: str, names: Sequence[str]) -> str:
    """Return the first of ``names`` that means only one thing; as written, if possible."""
    for name in names:
        if not name:
            continue
        try:
            if kind == "virus":
                resolver.viruses((name,))
            elif kind in _OF_TERMS:
                resolver.terms(field_named(kind), (name,))
            else:
                return names[1]
        except QueryError:
            continue
        return name
    return names[1]


def _taxon(resolver: Resolver, kind: str, name: str) -> str | None:
    """Return the single viral taxon that ``name`` means, so EBV and its full name are the same."""
    if kind != "virus":
        return None
    try:
        taxa = resolver.viruses((name,)).curies
    except QueryError:
        return None
    return taxa[0] if len(taxa) == 1 else None


_OF_TERMS: Final = ("host", "tissue", "cell_line", "disease", "environment")
