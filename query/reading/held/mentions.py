"""What the index holds of the terms and values that a question names, and what no run carries."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import duckdb

from index.store.edges_above import edges_above
from index.store.frames import rows_over
from ontology_etl.curies import NCBI_TAXON, ontology_of
from ontology_etl.facets import FACET_OF_ONTOLOGY
from query.reading.held.terms import term_senses
from query.reading.held.values import value_senses
from query.reading.mentions import GROUP_OF_FACET, Mention
from query.reading.names.named_terms import NamedTerm
from query.reading.names.spans import Span, Spellings, Terms
from query.reading.senses import Sense

_GUT: Final = (
    ("BTO:0000545", "gut"),
    ("BTO:0000511", "gastrointestinal tract"),
    ("BTO:0000440", "feces"),
)
ASKED_TOGETHER: Final = {"BTO:0000545": _GUT, "BTO:0000511": _GUT}
"""What people ask for by one word and ontologies keep apart: BTO's gut is the invertebrate one, and
gut viruses are looked for in the gastrointestinal tract and in feces.
"""
_SPECIES_OF: Final = "species of "
"""Before the name of a strain or type that stands for its species."""
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
    senses_of = _senses_by_span(con, terms, stretches)
    held, absent = [], []
    for span in sorted({*terms, *stretches}):
        start, end = span
        text = _as_written(words[start:end])
        listed = terms.get(span, ())
        senses = senses_of[span]
        above = [] if senses else _of_species(con, listed)
        if senses:
            held.append(_mention(text, span, listed, senses))
        elif above:
            held.append(_mention(f"{_SPECIES_OF}{text}", span, listed, above))
        elif listed and not _is_opening_word(span, listed, words):
            absent.append(_absent(text, span, listed))
    return _without_compounds(held), absent


def _of_species(con: duckdb.DuckDBPyConnection, terms: Terms) -> list[Sense]:
    """Return the senses of the species that a strain or type of a virus belongs to, where runs say
    the species alone. Runs that say another of its strains are not counted: Human coronavirus OC43
    is no find of Bovine coronavirus.
    """
    viral = [curie for curie, label in terms if _group_of_term(curie, label) == "virus"]
    if len(viral) != 1:
        return []

    above = edges_above(con, viral, ("parent",), most_steps=4)
    asked = {"curie": viral[0]}
    found = rows_over(con, _SPECIES_ABOVE, {"edge_above": above}, params=asked).rows()
    held = term_senses(con, [(str(curie), str(name)) for curie, name in found])
    senses = itertools.chain.from_iterable(held.values())
    return [sense for sense in senses if sense.value == sense.label]


def _senses_by_span(
    con: duckdb.DuckDBPyConnection, terms: Mapping[Span, Terms], stretches: Spellings
) -> dict[Span, list[Sense]]:
    """Return the senses of the terms of each stretch of words, then those of its spellings."""
    asked_terms = set(itertools.chain.from_iterable(terms.values()))
    asked_names = set(itertools.chain.from_iterable(stretches.values()))
    by_curie = term_senses(con, sorted(asked_terms))
    by_value = value_senses(con, sorted(asked_names))
    senses = {}
    for span in {*terms, *stretches}:
        found: list[Sense] = []
        for curie, _ in terms.get(span, ()):
            found += by_curie.get(curie, ())
        for name in stretches.get(span, ()):
            found += by_value.get(name, ())
        senses[span] = found
    return senses


def _as_written(words: Sequence[str]) -> str:
    """Return ``words`` in lower case where that loses nothing: HSV-1 keeps its capitals."""
    plain: list[str] = []
    for word in words:
        rest = word[1:]
        letter = bool(plain) and len(word) == 1
        keeps = letter or rest != rest.lower()
        plain.append(word if keeps else word.lower())
    return " ".join(plain)


def _terms_by_span(named: Iterable[NamedTerm]) -> dict[Span, Terms]:
    """Return the terms that each stretch of words names, with those that are asked for together."""
    terms: dict[Span, Terms] = {}
    for one in named:
        span = (one.start, one.end)
        listed = [*terms.get(span, ())]
        for term in one.terms:
            curie, _ = term
            listed += ASKED_TOGETHER.get(curie, (term,))
        terms[span] = tuple(dict.fromkeys(listed))
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
    label = _label(strongest, terms, distinct)
    group = GROUP_OF_FACET[strongest.facet]
    if strongest.curie:
        group = _group_of_term(strongest.curie, label)
    if _has_virus(distinct):
        group = "virus"
    curies = tuple(curie for curie, _ in terms)
    return Mention(text, *span, label, group, tuple(distinct), curies)


def _label(strongest: Sense, terms: Terms, senses: Sequence[Sense]) -> str:
    """Return what a mention is called: its strongest term, or all that are asked for together."""
    labels: Iterable[str] = ()
    if _has_virus(senses) and len(terms) > 1:
        labels = [sense.label for sense in senses if _is_of(sense, terms)]
        return " or ".join(dict.fromkeys(labels))
    hosts = [sense.label for sense in senses if _is_host(sense, terms)]
    if len(hosts) > 1:
        return " or ".join(dict.fromkeys(hosts))
    if len(terms) > 1 and all(label.endswith("metagenome") for _, label in terms):
        return " or ".join(dict.fromkeys(sense.label for sense in senses if _is_of(sense, terms)))
    if set(_GUT) <= set(terms):
        held = {sense.curie for sense in senses}
        labels = sorted(label for curie, label in _GUT if curie in held)
    return " or ".join(labels) or strongest.label


def _has_virus(senses: Iterable[Sense]) -> bool:
    groups = [GROUP_OF_FACET[sense.facet] for sense in senses]
    return "virus" in groups


def _is_of(sense: Sense, terms: Terms) -> bool:
    labels = [label for _, label in terms]
    return sense.label in labels


def _is_host(sense: Sense, terms: Terms) -> bool:
    """Return whether ``sense`` is a host among ``terms``, and no metagenome named for it."""
    is_taxon = sense.curie is not None and ontology_of(sense.curie) == NCBI_TAXON
    return is_taxon and _is_of(sense, terms) and not sense.label.endswith("metagenome")


def _absent(text: str, span: Span, terms: Terms) -> Mention:
    """Return the mention of a term that no run carries, or of several taxa that one word means."""
    curie, label = terms[0]
    group = _group_of_term(curie, label)
    if group == "organism":
        label = " or ".join(dict.fromkeys(name for _, name in terms))
    sense = Sense("", label, 0, curie=curie)
    curies = tuple(curie for curie, _ in terms)
    return Mention(text, *span, label, group, (sense,), curies)


def _is_opening_word(span: Span, terms: Terms, words: Sequence[str]) -> bool:
    """Return whether a scientific name may owe its capital to opening the question: genera look
    like words of every language.
    """
    curie, label = terms[0]
    if span != (0, 1) or len(words) < 2:
        return False
    if _group_of_term(curie, label) == "virus":
        return False
    taxon = ontology_of(curie) == NCBI_TAXON
    return taxon and label.lower() == words[0].lower()


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
    termed = set()
    for one in mentions:
        single = one.end == one.start + 1
        if single and any(sense.curie for sense in one.senses):
            termed.add(one.start)
    return [one for one in mentions if not _is_compound(one, termed)]


def _is_compound(mention: Mention, termed: set[int]) -> bool:
    """Return whether ``mention`` is only a biome, of several words that name a term each."""
    covered = range(mention.start, mention.end)
    several = len(covered) > 1
    biome = all(sense.facet == "biome" for sense in mention.senses)
    termed_each = termed.issuperset(covered)
    return several and biome and termed_each


_SPECIES_ABOVE: Final = """
WITH RECURSIVE above AS (
    SELECT $curie::VARCHAR AS curie, 0 AS steps
    UNION ALL
    SELECT e.object, a.steps + 1 FROM above a JOIN edge_above e ON e.subject = a.curie
    WHERE a.steps < 4
)
SELECT v.virus, v.name FROM above a JOIN virus v ON v.virus = a.curie
WHERE v.rank = 'species' AND a.steps > 0 ORDER BY a.steps LIMIT 1
"""
