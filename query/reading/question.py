"""A question read: which terms it names, in which senses the index holds them, and what it asks
for.

Terms are found by the grounding engine (``query.reading.names``); names of viruses and verbatim
metadata values are looked up beside them, and the longest name wins. A term means itself and
everything below it. A term that no run carries is kept as absent: the honest answer to it is that
there is none. A name that is denied, or part of the name of a virus, is kept as left out.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import duckdb

from ontology_etl.curies import NCBI_TAXON, ontology_of
from ontology_etl.facets import FACET_OF_ONTOLOGY
from query.errors import EmptyQuestionError, QuestionTooLongError
from query.reading.intent import (
    ASKED_BY,
    Intent,
    is_asking_word,
    is_stop_word,
    read_intent,
    singular,
)
from query.reading.kinds import NAME, beyond_counts, kind_of, limit_of, rule_words
from query.reading.mentions import GROUP_OF_FACET, GROUP_ORDER, Mention
from query.reading.names import NamedTerm, name_words, read_names
from query.reading.nearest import propose_names
from query.reading.reading import Reading
from query.reading.roles import (
    NEGATING,
    ROLE_WORDS,
    asked_together,
    ruled_out,
    sides_of,
    without_negations,
)
from query.reading.senses import (
    GENOMES,
    HEALTHY,
    Sense,
    genome_runs,
    healthy_runs,
    known_places,
    line_senses,
    term_senses,
    title_counts,
    value_senses,
    virus_word_senses,
)
from query.reading.viruses import name_lineages, name_viruses, of_hosts
from query.screening import screen_question

WITHOUT: Final = "without "
"""Beginning of the key of runs that are known not to carry what a question rules out."""
MAX_CHARACTERS: Final = 1000
"""Characters of the longest question that is read."""
MAX_WORDS: Final = 7
"""Words of the longest verbatim value looked for."""
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
_ACCESSION: Final = re.compile(r"(?:[SED]RR|SAM[NED][A-Z]?|PRJ[A-Z]{2})\d+")
_TITLE_WORD: Final = re.compile(r"[a-z]{4,}")
_LINES: Final = (["line"], ["lines"], ["culture"], ["cultures"], ["cells"])
_NAMES_A_TERM: Final = frozenset({"grounded", "ambiguous", "generic"})

Span = tuple[int, int]
"""First word and the word after the last one."""
Spellings = dict[Span, tuple[str, ...]]
"""The ways to look up each stretch of words."""
Terms = tuple[tuple[str, str], ...]
"""CURIEs with their labels."""
Reason = Literal["denied", "part of a virus's name", "no name"]


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
    without asking for it, its other telling words, and what all that asks (``reading``).
    """

    text: str
    intent: Intent
    mentions: tuple[Mention, ...]
    absent: tuple[Mention, ...]
    keywords: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()
    reading: Reading = field(default_factory=Reading)

    @property
    def groups(self) -> tuple[str, ...]:
        """Keys of what runs must match, most telling first."""
        keys = dict.fromkeys((mention.group, self.key(mention)) for mention in self.mentions)
        ordered = [key for group in GROUP_ORDER for owner, key in keys if owner == group]
        ruled = dict.fromkeys(one.group for one in self.reading.without)
        return (*ordered, *(f"{WITHOUT}{group}" for group in ruled))

    def key(self, mention: Mention) -> str:
        """Return what names that are alternatives share: the group, and for a name that must hold
        at once with another of its group a key of its own.
        """
        each = self.reading.each
        alone = mention in each and mention != each[0]
        return f"{mention.group}: {mention.label}" if alone else mention.group


def clean_question(text: str) -> str:
    """Return ``text`` as one line without control characters.

    Raises:
        EmptyQuestionError: no letter and no digit in it.
        QuestionTooLongError: more than ``MAX_CHARACTERS``.
        HarmfulQuestionError: it asks how to harm.
    """
    if len(text) > MAX_CHARACTERS:
        raise QuestionTooLongError(len(text), most=MAX_CHARACTERS)
    line = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    if not any(character.isalnum() for character in line):
        raise EmptyQuestionError
    screen_question(line)
    return line


def read_question(con: duckdb.DuckDBPyConnection, text: str) -> Question:
    """Return ``text`` with its terms grounded in the index behind ``con``.

    Read with the names that questions are likely to hold; where a word stays without a meaning,
    with all names.
    """
    question = _read(con, text, complete=False)
    return _read(con, text, complete=True) if question.keywords else question


def _read(con: duckdb.DuckDBPyConnection, text: str, *, complete: bool) -> Question:
    """Return ``text`` with its terms grounded.

    What the question rules out is read like any name first, and recognised by its place.
    """
    words, _ = name_words(text)
    named = read_names(con, without_negations(text), complete=complete)
    stretches = _stretches(words, blocked=_positions(_denied(named)))
    known = _with_viruses(con, words, named, stretches)
    asked_for = _telling(known, words, implied=bool(NEGATING.search(text)))
    held, absent = _held(con, words, asked_for, stretches)
    mentions = _longest([*held, *_special(con, words)])
    phrases = [one for one in absent if one.end > one.start + 1]
    free = _outside(stretches, [*mentions, *_beside(phrases, mentions)])
    short, unseen = _left_short(con, words, free)
    free = _outside(free, short)
    worded = [*short, *_longest(_virus_words(con, words, free))]
    free = _outside(free, [*worded, *named, *asked_for])
    places = _unseen_places(words, free)
    free = _outside(free, places)
    nowhere = [one for one in unseen if one.start in {start for start, _ in free}]
    absent = _longest([*_beside([*absent, *nowhere], [*mentions, *worded]), *places])
    free = _outside(free, absent)
    alone = {span: names for span, names in free.items() if span[1] == span[0] + 1}
    found = sorted((*mentions, *worded), key=lambda mention: mention.start)
    if not found and not absent:
        found = _titled(con, alone)
    return _with_reading(con, text, words, named, found, absent, alone)


def _with_reading(
    con: duckdb.DuckDBPyConnection,
    text: str,
    words: Sequence[str],
    named: Sequence[NamedTerm],
    found: Sequence[Mention],
    absent: Sequence[Mention],
    alone: Spellings,
) -> Question:
    """Return the question whose words are these names, and otherwise ask."""
    everything = sorted((*found, *absent), key=lambda one: one.start)
    frame = _frame(name_words(without_negations(text))[0], everything)
    ruled = ruled_out(words, everything)
    kept = [one for one in found if one not in ruled]
    intent = _intent(words, everything, kept)
    taken = _positions(found)
    free = [words[start] for start, _ in alone if start not in taken]
    accessions = tuple(word for word in words if _ACCESSION.fullmatch(word))
    understood = rule_words(frame).union(ROLE_WORDS, (one.lower() for one in accessions))
    keywords = tuple(word for word in free if word.lower() not in understood)
    kind = kind_of(frame, explicit=intent.explicit)
    only_accessions = accessions and all(one.text.upper() in accessions for one in everything)
    reading = Reading(
        kind="identify" if only_accessions and kind in ("describe", "list") else kind,
        facets=intent.facets,
        explicit=intent.explicit,
        subjects=tuple(kept),
        each=tuple(asked_together(words, [one for one in everything if one not in ruled])),
        without=tuple(one for one in everything if one in ruled),
        sides=sides_of(words, kept) if kind == "compare" else (),
        absent=tuple(one for one in absent if one not in ruled),
        limit=limit_of(frame),
        accessions=accessions,
        not_understood=keywords,
        proposals=propose_names(con, keywords),
        beyond=beyond_counts(frame),
    )
    left_out = _left_out(named, words, found)
    return Question(text, intent, tuple(kept), reading.absent, keywords, left_out, reading)


def _frame(words: Sequence[str], named: Sequence[Mention]) -> str:
    """Return the words in lower case with each name as ``_``."""
    starts = {one.start for one in named}
    taken = _positions(named)
    frame = (
        NAME if place in starts else "" if place in taken else word.lower()
        for place, word in enumerate(words)
    )
    return " ".join(word for word in frame if word)


# --- names that no ontology lists -----------------------------------------------------------------


def _with_viruses(
    con: duckdb.DuckDBPyConnection,
    words: Sequence[str],
    named: Sequence[NamedTerm],
    stretches: Spellings,
) -> list[NamedTerm]:
    """Return ``named`` with the viruses that the words name in full, which come before other
    meanings of the same words.
    """
    viral = name_viruses(con, words, stretches)
    others = [one for one in named if (one.start, one.end) not in viral]
    hosts = [curie for one in others if one.facet == "label" for curie, _ in one.terms]
    found = [_viral(span, of_hosts(con, terms, hosts)) for span, terms in viral.items()]
    return [*others, *found]


def _viral(span: Span, terms: Terms) -> NamedTerm:
    outcome = "grounded" if len(terms) == 1 else "ambiguous"
    return NamedTerm(span[0], span[1], "virus", outcome, terms)


def _left_short(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], free: Spellings
) -> tuple[list[Mention], list[Mention]]:
    """Return mentions of viruses whose name is left short (West Nile, Epstein-Barr, Zika), and
    those that no run carries.
    """
    short = {
        **name_lineages(con, words, free),
        **name_viruses(con, words, free, tail="virus"),
    }
    if not short:
        return [], []
    held, absent = _held(con, words, [_viral(*one) for one in short.items()], {})
    return _longest(held), absent


def _special(con: duckdb.DuckDBPyConnection, words: Sequence[str]) -> list[Mention]:
    """Return mentions that stand for many values: healthy, and cell lines."""
    lowered = [word.lower() for word in words]
    found = []
    for place, word in enumerate(lowered):
        if word in HEALTHY:
            runs = healthy_runs(con)
            sense = Sense("health", "healthy", runs, value="healthy")
            found.append(Mention(word, place, place + 1, "healthy", "disease", (sense,)))
        if word in ("cell", "cultured") and lowered[place + 1 : place + 2] in _LINES:
            senses = tuple(line_senses(con))
            found.append(Mention("cell lines", place, place + 2, "cell line", "tissue", senses))
        if word in GENOMES and lowered[place + 1 : place + 2] in (["viruses"], ["virus"]):
            sense = Sense(
                "genome", f"{words[place]} viruses", genome_runs(con, word), value=GENOMES[word]
            )
            found.append(
                Mention(f"{words[place]} viruses", place, place + 2, sense.label, "virus", (sense,))
            )
    return [one for one in found if one.senses and one.runs]


def _unseen_places(words: Sequence[str], free: Spellings) -> list[Mention]:
    """Return mentions of countries and seas that no run states."""
    if not any(words[start][:1].isupper() for start, _ in free):
        return []
    places = known_places()
    found = []
    for span in free:
        label = places.get(" ".join(words[slice(*span)]).lower())
        if label:
            sense = Sense("geography", label, 0, value=label)
            found.append(Mention(label.lower(), *span, label, "geography", (sense,)))
    return _longest(found)


# --- terms and stretches of words -----------------------------------------------------------------


def _telling(
    named: Iterable[NamedTerm], words: Sequence[str], *, implied: bool = False
) -> list[NamedTerm]:
    """Return the names that ask for their term: not denied, nor words that only ask (``host``).

    A name ``implied`` by a narrower one counts where the narrower may be ruled out.
    """
    telling = _NAMES_A_TERM | ({"implied"} if implied else set())
    said = [one for one in named if one.terms and _is_a_name(words[one.start : one.end])]
    return [one for one in said if one.outcome in telling or _stands_alone(one, words)]


def _stands_alone(one: NamedTerm, words: Sequence[str]) -> bool:
    """Return whether a name that could be part of a virus's name is not: bat samples with a
    coronavirus are no samples of Bat coronavirus.
    """
    if one.outcome != "other":
        return False
    following = itertools.takewhile(lambda word: not is_stop_word(word), words[one.end :])
    return not any(_VIRUS_NAME.search(singular(word)) for word in following)


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
    """Return what the words outside of all names ask for.

    A word right behind a name of its kind belongs to the name: breast tissue, lung disease.
    """
    taken = _positions(named)
    behind = {one.end: one.group for one in named}
    asking = [
        word
        for position, word in enumerate(words)
        if position not in taken and not _belongs(word, behind.get(position))
    ]
    facets = frozenset(facet for mention in found for facet in mention.facets)
    read = read_intent(" ".join(asking), named_facets=facets)
    return _asking_for_others(read, {one.group for one in found})


def _belongs(word: str, group: str | None) -> bool:
    """Return whether ``word`` only says what the name of ``group`` before it is."""
    folded = singular(word)
    owners = (facet for facet, words in ASKED_BY.items() if folded in words)
    return group is not None and group in {GROUP_OF_FACET[facet] for facet in owners}


def _asking_for_others(intent: Intent, groups: set[str]) -> Intent:
    """Return ``intent`` without the hosts of a named host: what infects it are viruses."""
    asks_hosts = intent.explicit and "host" in intent.facets
    if not asks_hosts or "organism" not in groups or "virus" in groups:
        return intent
    others = tuple(facet for facet in intent.facets if facet != "host")
    return replace(intent, facets=others or ("family", "species"))


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
    told = {span: names for span, names in alone.items() if _TITLE_WORD.fullmatch(names[0])}
    counts = title_counts(con, sorted({name for names in told.values() for name in names}))
    mentions = ((span, names, _title_senses(names, counts)) for span, names in told.items())
    return [
        Mention(names[0], *span, names[0], "title", senses)
        for span, names, senses in mentions
        if senses
    ]


def _title_senses(names: Sequence[str], counts: Mapping[str, int]) -> tuple[Sense, ...]:
    return tuple(Sense("title", name, counts[name], value=name) for name in names if name in counts)
