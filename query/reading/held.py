"""What the index holds of the terms and values that a question names, and what no run carries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

import duckdb

from ontology_etl.curies import NCBI_TAXON, ontology_of
from ontology_etl.facets import FACET_OF_ONTOLOGY
from query.reading.mentions import GROUP_OF_FACET, Mention
from query.reading.names import NamedTerm
from query.reading.senses import Sense, term_senses, value_senses
from query.reading.spans import Span, Spellings, Terms

_GUT: Final = (
    ("BTO:0000545", "gut"),
    ("BTO:0000511", "gastrointestinal tract"),
    ("BTO:0000440", "feces"),
)
ASKED_TOGETHER: Final = {"BTO:0000545": _GUT, "BTO:0000511": _GUT}
"""What people ask for by one word and ontologies keep apart: BTO's gut is the invertebrate one, and
gut viruses are looked for in the gastrointestinal tract and in feces.
"""
VIRUS_NAME: Final = re.compile(r"vir(us|idae|inae|ales|icetes|icota|iria)\b", re.IGNORECASE)
"""How the scientific and common names of viruses end."""


def held_and_absent(
    con: duckdb.DuckDBPyConnection,
    words: Sequence[str],
    named: Sequence[NamedTerm],
    stretches: Spellings,
) -> tuple[list[Mention], list[Mention]]:
    """Return the mentions that some run carries, by term, by virus name, or verbatim, and those of
    terms that none carries.
    """
    terms = _terms_by_span(named)
    by_curie = term_senses(con, [term for listed in terms.values() for term in listed])
    by_value = value_senses(con, sorted({name for names in stretches.values() for name in names}))
    held, absent = [], []
    for span in sorted({*terms, *stretches}):
        listed = terms.get(span, ())
        senses = [sense for curie, _ in listed for sense in by_curie.get(curie, ())]
        senses += [sense for name in stretches.get(span, ()) for sense in by_value.get(name, ())]
        text = _as_written(words[slice(*span)])
        if senses:
            held.append(_mention(text, span, listed, senses))
        elif listed and not _is_opening_word(span, listed, words):
            absent.append(_absent(text, span, listed))
    return _without_compounds(held), absent


def _as_written(words: Sequence[str]) -> str:
    """Return ``words`` in lower case where that loses nothing: HSV-1 keeps its capitals."""
    plain = (word.lower() if word[1:] == word[1:].lower() else word for word in words)
    return " ".join(plain)


def _terms_by_span(named: Iterable[NamedTerm]) -> dict[Span, Terms]:
    """Return the terms that each stretch of words names, with those that are asked for together."""
    terms: dict[Span, Terms] = {}
    for one in named:
        span = (one.start, one.end)
        together = [ASKED_TOGETHER.get(term[0], (term,)) for term in one.terms]
        listed = (term for several in together for term in several)
        terms[span] = tuple(dict.fromkeys((*terms.get(span, ()), *listed)))
    return terms


def _mention(text: str, span: Span, terms: Terms, senses: Sequence[Sense]) -> Mention:
    """Return a mention with all its senses, named after its strongest term; k-mer hits count only
    where no label or host does.

    A metagenome of bats answers to bats, so that a mention may have senses of several facets; its
    group is that of the term it names, held or not, else that of its strongest sense.
    """
    distinct = list(dict.fromkeys(senses))
    if any(sense.facet in ("label", "host") for sense in distinct):
        distinct = [sense for sense in distinct if sense.facet != "statOrganism"]
    strongest = max(distinct, key=lambda sense: (sense.curie is not None, sense.runs))
    curie, label = strongest.curie, strongest.label
    if set(_GUT) <= set(terms):
        held = {sense.curie for sense in distinct}
        label = " or ".join(sorted(label for curie, label in _GUT if curie in held)) or label
    virus = any(GROUP_OF_FACET[sense.facet] == "virus" for sense in distinct)
    if virus and len(terms) > 1:
        label = " or ".join(
            dict.fromkeys(sense.label for sense in distinct if _is_of(sense, terms))
        )
    own = _group_of_term(curie, label) if curie else GROUP_OF_FACET[strongest.facet]
    curies = tuple(curie for curie, _ in terms)
    return Mention(text, *span, label, "virus" if virus else own, tuple(distinct), curies)


def _is_of(sense: Sense, terms: Terms) -> bool:
    return sense.label in {label for _, label in terms}


def _absent(text: str, span: Span, terms: Terms) -> Mention:
    """Return the mention of a term that no run carries."""
    curie, label = terms[0]
    sense = Sense("", label, 0, curie=curie)
    group = _group_of_term(curie, label)
    return Mention(text, *span, label, group, (sense,), tuple(curie for curie, _ in terms))


def _is_opening_word(span: Span, terms: Terms, words: Sequence[str]) -> bool:
    """Return whether a scientific name may owe its capital to opening the question: genera look
    like words of every language.
    """
    curie, label = terms[0]
    if _group_of_term(curie, label) == "virus":
        return False
    scientific = ontology_of(curie) == NCBI_TAXON and label.lower() == words[0].lower()
    return span == (0, 1) and scientific and len(words) > 1


def _group_of_term(curie: str, label: str) -> str:
    """Return the group of a term by its ontology; a taxon is a virus where its name has the ending
    of one.
    """
    facet = FACET_OF_ONTOLOGY[ontology_of(curie)]
    if facet == "label" and VIRUS_NAME.search(label):
        return "virus"
    return GROUP_OF_FACET[facet]


def _without_compounds(mentions: Sequence[Mention]) -> list[Mention]:
    """Return ``mentions`` without verbatim phrases whose every word names a term: human gut is
    human and gut.
    """
    single = (one for one in mentions if one.end == one.start + 1)
    termed = {one.start for one in single if any(sense.curie for sense in one.senses)}
    return [one for one in mentions if not _is_compound(one, termed)]


def _is_compound(mention: Mention, termed: set[int]) -> bool:
    """Return whether ``mention`` is only a biome, of several words that name a term each."""
    several = mention.end > mention.start + 1
    biome = all(sense.facet == "biome" for sense in mention.senses)
    return several and biome and termed.issuperset(range(mention.start, mention.end))
