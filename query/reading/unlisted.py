"""Names in a question that no ontology lists: viruses by any of their names, whole or left short,
cell lines, healthy samples, places that no run states, words of titles.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import duckdb

from query.reading.held import held_and_absent
from query.reading.intent import is_stop_word, singular
from query.reading.mentions import Mention
from query.reading.names import NamedTerm
from query.reading.senses import (
    GENOMES,
    HEALTHY,
    Sense,
    genome_runs,
    healthy_runs,
    known_places,
    line_senses,
    title_counts,
    virus_word_senses,
)
from query.reading.spans import Span, Spellings, Terms, longest
from query.reading.viruses import name_lineages, name_viruses, of_hosts

_TITLE_WORD: Final = re.compile(r"[a-z]{4,}")
_LINES: Final = (["line"], ["lines"], ["culture"], ["cultures"], ["cells"])


def with_viruses(
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


def left_short(
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
    held, absent = held_and_absent(con, words, [_viral(*one) for one in short.items()], {})
    return longest(held), absent


def special_names(con: duckdb.DuckDBPyConnection, words: Sequence[str]) -> list[Mention]:
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


def unseen_places(words: Sequence[str], free: Spellings) -> list[Mention]:
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
    return longest(found)


def virus_words(
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


def titled(con: duckdb.DuckDBPyConnection, alone: Spellings) -> list[Mention]:
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
