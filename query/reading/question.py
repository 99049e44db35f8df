"""A question read: which terms it names, in which senses the index holds them, and what it asks
for.

Terms are found by the grounding engine (``query.reading.names``); names of viruses and verbatim
metadata values are looked up beside them, and the longest name wins. A term means itself and
everything below it. A term that no run carries is kept as absent: the honest answer to it is that
there is none. A name that is denied, or part of the name of a virus, is kept as left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import duckdb

from index.facets import REGISTRY
from ontology_etl.curies import NCBI_TAXON, ontology_of
from ontology_etl.facets import FACET_OF_ONTOLOGY
from query.reading.intent import Intent, is_asking_word, is_stop_word, read_intent, singular
from query.reading.names import NamedTerm, name_words, read_names
from query.reading.senses import (
    Sense,
    term_senses,
    title_counts,
    value_senses,
    virus_word_senses,
)

MAX_WORDS: Final = 7
"""Words of the longest verbatim value looked for."""
GROUP_OF_FACET: Final = {
    **{facet.name: facet.group for facet in REGISTRY},
    "phylum": "virus",
    "runId": "run",
    "biosample": "biosample",
    "title": "title",
}
"""Facet -> group. Runs must match every group that a question names, and any of the terms inside a
group.
"""
GROUP_ORDER: Final = (
    "run", "biosample", "bioproject", "virus", "organism", "disease", "tissue", "geography",
    "environment", "biome", "sex", "title",
)  # fmt: skip
"""Most telling first: which group counts where no run matches all of them."""
_GUT: Final = (
    ("BTO:0000545", "gut"),
    ("BTO:0000511", "gastrointestinal tract"),
    ("BTO:0000440", "feces"),
)
ASKED_TOGETHER: Final = {"BTO:0000545": _GUT, "BTO:0000511": _GUT}
"""What people ask for by one word and ontologies keep apart: BTO's gut is the invertebrate one, and
gut viruses are looked for in the gastrointestinal tract and in feces.
"""
_VIRUS_NAME: Final = re.compile(r"vir(us|idae|inae|ales|icetes|icota|iria)\b", re.IGNORECASE)
_NAMES_A_TERM: Final = frozenset({"grounded", "ambiguous", "generic"})

Span = tuple[int, int]
"""First word and the word after the last one."""
Spellings = dict[Span, tuple[str, ...]]
"""The ways to look up each stretch of words."""
Terms = tuple[tuple[str, str], ...]
"""CURIEs with their labels."""
Reason = Literal["denied", "part of a virus's name", "no name"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of the question (words ``start`` to ``end``, exclusive) that names something.

    ``curies`` are the terms it was grounded in, none where it is a verbatim value.
    """

    text: str
    start: int
    end: int
    label: str
    group: str
    senses: tuple[Sense, ...]
    curies: tuple[str, ...] = ()

    @property
    def runs(self) -> int:
        """Runs of all senses together, a run of several senses counted for each."""
        return sum(sense.runs for sense in self.senses)

    @property
    def facets(self) -> frozenset[str]:
        """Facets of the senses that belong to the group."""
        facets = (sense.facet for sense in self.senses)
        return frozenset(one for one in facets if GROUP_OF_FACET.get(one) == self.group)

    @property
    def name(self) -> str:
        """The label, with the words of the question where they differ: ``Chiroptera (bat)``."""
        if singular(self.text) == singular(self.label):
            return self.label
        return f"{self.label} ({self.text.lower()})"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Words that grounding knows and the answer does not count; ``reason`` is denied, part of a
    virus's name, or no name (of anything).
    """

    text: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Question:
    """A question with what it names (``mentions``), what no run carries (``absent``), what it names
    without asking for it, and its other telling words.
    """

    text: str
    intent: Intent
    mentions: tuple[Mention, ...]
    absent: tuple[Mention, ...]
    keywords: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def groups(self) -> tuple[str, ...]:
        """Groups that the mentions belong to, most telling first."""
        named = {mention.group for mention in self.mentions}
        return tuple(group for group in GROUP_ORDER if group in named)


def read_question(con: duckdb.DuckDBPyConnection, text: str) -> Question:
    """Return ``text`` with its terms grounded in the index behind ``con``."""
    words, _ = name_words(text)
    named = read_names(con, text)
    asked_for = _telling(named, words)
    stretches = _stretches(words, blocked=_positions(_denied(named)))
    held, absent = _held(con, words, asked_for, stretches)
    mentions = _longest(held)
    phrases = [one for one in absent if one.end > one.start + 1]
    free = _outside(stretches, [*mentions, *_beside(phrases, mentions)])
    worded = _longest(_virus_words(con, words, free))
    free = _outside(free, [*worded, *named])
    absent = _longest(_beside(absent, [*mentions, *worded]))
    alone = {span: names for span, names in free.items() if span[1] == span[0] + 1}
    keywords = tuple(words[start] for start, _ in alone)
    found = sorted((*mentions, *worded), key=lambda mention: mention.start)
    if not found and not absent:
        found = _titled(con, alone)
    left_out = _left_out(named, words, found)
    intent = _intent(words, [*found, *absent], found)
    return Question(text, intent, tuple(found), tuple(absent), keywords, left_out)


# --- terms and stretches of words -----------------------------------------------------------------


def _telling(named: Iterable[NamedTerm], words: Sequence[str]) -> list[NamedTerm]:
    """Return the names that ask for their term: neither denied nor implied, nor words that only ask
    (``host``).
    """
    return [
        one
        for one in named
        if one.outcome in _NAMES_A_TERM and _is_a_name(words[one.start : one.end])
    ]


def _is_a_name(words: Sequence[str]) -> bool:
    """Return whether ``words`` can name something: no stop word at either end, not only asking."""
    if is_stop_word(words[0]) or is_stop_word(words[-1]):
        return False
    return not all(is_asking_word(word) for word in words)


def _denied(named: Iterable[NamedTerm]) -> list[NamedTerm]:
    return [one for one in named if one.outcome == "negated"]


def _left_out(
    named: Iterable[NamedTerm], words: Sequence[str], found: Sequence[Mention]
) -> tuple[LeftOut, ...]:
    """Return the names that are denied or part of a virus's name, and that no mention covers."""
    taken = _positions(found)
    silent = (one for one in named if one.outcome in ("negated", "other"))
    kept = (one for one in silent if taken.isdisjoint(range(one.start, one.end)))
    worded = ((one, words[one.start : one.end]) for one in kept)
    told = (LeftOut(" ".join(text), _reason(one)) for one, text in worded if _is_a_name(text))
    return tuple(dict.fromkeys(told))


def _reason(name: NamedTerm) -> Reason:
    if name.outcome == "negated":
        return "denied"
    return "part of a virus's name" if name.terms else "no name"


def _intent(words: Sequence[str], named: Sequence[Mention], found: Sequence[Mention]) -> Intent:
    """Return what the words outside of all names ask for."""
    taken = _positions(named)
    asking = (word for position, word in enumerate(words) if position not in taken)
    facets = frozenset(facet for mention in found for facet in mention.facets)
    return read_intent(" ".join(asking), named_facets=facets)


def _stretches(words: Sequence[str], *, blocked: frozenset[int]) -> Spellings:
    """Return the spellings to look up per stretch of words that can name something and holds no
    ``blocked`` word.
    """
    spans = (
        (start, end)
        for start in range(len(words))
        for end in range(start + 1, min(start + MAX_WORDS, len(words)) + 1)
    )
    free = (span for span in spans if blocked.isdisjoint(range(*span)))
    return {
        (start, end): _spellings(words[start:end])
        for start, end in free
        if _is_a_name(words[start:end])
    }


def _spellings(words: Sequence[str]) -> tuple[str, ...]:
    """Return ``words`` in lower case with the last word as written, in the singular and in the
    plural.
    """
    head = [word.lower() for word in words[:-1]]
    last = words[-1].lower().removesuffix("'s").removesuffix("’s")
    one = singular(last)
    lasts = (words[-1].lower(), last, one, f"{one}s", f"{one}es")
    return tuple(dict.fromkeys(" ".join([*head, word]) for word in lasts))


def _positions(named: Iterable[Mention | NamedTerm]) -> frozenset[int]:
    """Return the positions of the words that ``named`` cover."""
    return frozenset(position for one in named for position in range(one.start, one.end))


def _outside(stretches: Spellings, named: Iterable[Mention | NamedTerm]) -> Spellings:
    """Return the stretches that share no word with ``named``."""
    taken = _positions(named)
    return {span: names for span, names in stretches.items() if taken.isdisjoint(range(*span))}


def _beside(mentions: Iterable[Mention], named: Sequence[Mention]) -> list[Mention]:
    """Return the ``mentions`` that share no word with ``named``."""
    taken = _positions(named)
    return [one for one in mentions if taken.isdisjoint(range(one.start, one.end))]


def _longest(mentions: Iterable[Mention]) -> list[Mention]:
    """Return the mentions that stay when longer ones, then those with more runs, take their words
    first.
    """
    ranked = sorted(
        mentions, key=lambda one: (one.start - one.end, -one.runs, one.start, one.label)
    )
    taken: set[int] = set()
    kept = []
    for mention in ranked:
        if taken.isdisjoint(range(mention.start, mention.end)):
            taken.update(range(mention.start, mention.end))
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)


# --- what the index holds -------------------------------------------------------------------------


def _held(
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
        text = " ".join(words[slice(*span)]).lower()
        if senses:
            held.append(_mention(text, span, listed, senses))
        elif listed and not _is_opening_word(span, listed, words):
            absent.append(_absent(text, span, listed))
    return _without_compounds(held), absent


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
    where no label does.

    A metagenome of bats answers to bats, so that a mention may have senses of several facets; its
    group is that of the term it names, held or not, else that of its strongest sense.
    """
    distinct = list(dict.fromkeys(senses))
    if any(sense.facet == "label" for sense in distinct):
        distinct = [sense for sense in distinct if sense.facet != "statOrganism"]
    strongest = max(distinct, key=lambda sense: (sense.curie is not None, sense.runs))
    curie, label = strongest.curie, strongest.label
    if set(_GUT) <= set(terms):
        held = {sense.curie for sense in distinct}
        label = " or ".join(sorted(label for curie, label in _GUT if curie in held)) or label
    virus = any(GROUP_OF_FACET[sense.facet] == "virus" for sense in distinct)
    own = _group_of_term(curie, label) if curie else GROUP_OF_FACET[strongest.facet]
    curies = tuple(curie for curie, _ in terms)
    return Mention(text, *span, label, "virus" if virus else own, tuple(distinct), curies)


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
    scientific = ontology_of(curie) == NCBI_TAXON and label.lower() == words[0].lower()
    return span == (0, 1) and scientific and len(words) > 1


def _group_of_term(curie: str, label: str) -> str:
    """Return the group of a term by its ontology; a taxon is a virus where its name has the ending
    of one.
    """
    facet = FACET_OF_ONTOLOGY[ontology_of(curie)]
    if facet == "label" and _VIRUS_NAME.search(label):
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


def _virus_words(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], free: Spellings
) -> list[Mention]:
    """Return mentions for words that no ontology lists but virus names hold: norovirus,
    coronaviruses, influenza.
    """
    singles = {start: singular(words[start]) for start, end in free if end == start + 1}
    wanted = sorted({word for word in singles.values() if len(word) > 3 and not is_stop_word(word)})
    senses = virus_word_senses(con, wanted)
    return [
        _virus_mention(words[start].lower(), start, senses[word])
        for start, word in singles.items()
        if word in senses
    ]


def _virus_mention(text: str, start: int, senses: Sequence[Sense]) -> Mention:
    """Return the mention of a word in the names of viruses; a family outranks its species."""
    families = tuple(sense for sense in senses if sense.facet == "family")
    label = families[0].label if families else text
    return Mention(text, start, start + 1, label, "virus", families or tuple(senses))


def _titled(con: duckdb.DuckDBPyConnection, alone: Spellings) -> list[Mention]:
    """Return mentions for words that no name holds but titles of projects or samples do."""
    counts = title_counts(con, sorted({name for names in alone.values() for name in names}))
    mentions = ((span, names, _title_senses(names, counts)) for span, names in alone.items())
    return [
        Mention(names[0], *span, names[0], "title", senses)
        for span, names, senses in mentions
        if senses
    ]


def _title_senses(names: Sequence[str], counts: Mapping[str, int]) -> tuple[Sense, ...]:
    return tuple(Sense("title", name, counts[name], value=name) for name in names if name in counts)
