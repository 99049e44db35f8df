"""A question read: which terms it names, in which senses the index holds them, and what it asks
for.

Every stretch of words is looked up among the names of all ontology terms, the virus names of the
detections and the verbatim metadata values; the longest name wins. A term stands for itself and
everything below it. A name that the ontologies know and no run carries is kept as absent: the
honest answer to it is that there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from index.facets import REGISTRY
from ontology_etl.curies import NCBI_TAXON, ontology_of
from ontology_etl.facets import FACET_OF_ONTOLOGY
from query.reading.intent import (
    Intent,
    is_asking_word,
    is_stop_word,
    read_intent,
    singular,
    words_of,
)
from query.reading.names import STANDS_FOR, collect_used_terms, known_names, used_names

MAX_WORDS: Final = 7
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
_VIRUS_NAME: Final = re.compile(r"vir(us|idae|inae|ales|icetes|icota|iria)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sense:
    """One way in which the index holds a name: runs whose ``facet`` is ``curie`` or below it, or
    equals ``value``.
    """

    facet: str
    label: str
    runs: int
    curie: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of the question (words ``start`` to ``end``, exclusive) that names something."""

    text: str
    start: int
    end: int
    label: str
    group: str
    senses: tuple[Sense, ...]

    @property
    def facets(self) -> frozenset[str]:
        """Facets of the senses that belong to the group."""
        return frozenset(
            sense.facet for sense in self.senses if GROUP_OF_FACET.get(sense.facet) == self.group
        )

    @property
    def name(self) -> str:
        """The label, with the words of the question where they differ: ``Chiroptera (bat)``."""
        return (
            self.label
            if singular(self.text) == singular(self.label)
            else f"{self.label} ({self.text.lower()})"
        )


@dataclass(frozen=True, slots=True)
class Question:
    """A question with what it names (``mentions``), what no run carries (``absent``) and its other
    telling words.
    """

    text: str
    intent: Intent
    mentions: tuple[Mention, ...]
    absent: tuple[Mention, ...]
    keywords: tuple[str, ...]

    @property
    def groups(self) -> tuple[str, ...]:
        """Groups that the mentions belong to, most telling first."""
        named = {mention.group for mention in self.mentions}
        return tuple(group for group in GROUP_ORDER if group in named)


def read_question(con: duckdb.DuckDBPyConnection, text: str) -> Question:
    """Return ``text`` with its terms grounded in the index behind ``con``."""
    words = words_of(text)
    collect_used_terms(con)
    stretches = _stretches(words)
    mentions = _longest(_held(con, words, stretches))
    taken = {position for mention in mentions for position in range(mention.start, mention.end)}
    free = {span: names for span, names in stretches.items() if taken.isdisjoint(range(*span))}
    worded = _longest(_virus_words(con, words, free))
    taken |= {position for mention in worded for position in range(mention.start, mention.end)}
    free = {span: names for span, names in free.items() if taken.isdisjoint(range(*span))}
    absent = _longest(_unheld(con, words, free))
    found = sorted((*mentions, *worded), key=lambda mention: mention.start)
    named_facets = frozenset(facet for mention in found for facet in mention.facets)
    unnamed = {span: names for span, names in free.items() if span[1] == span[0] + 1}
    keywords = tuple(words[start] for start, _ in unnamed)
    if not found and not absent:
        found = _titled(con, unnamed)
    named = {
        position for mention in (*found, *absent) for position in range(mention.start, mention.end)
    }
    asking = " ".join(word for position, word in enumerate(words) if position not in named)
    return Question(
        text, read_intent(asking, named_facets=named_facets), tuple(found), tuple(absent), keywords
    )


# --- names ----------------------------------------------------------------------------------------------------------

Stretches = dict[tuple[int, int], tuple[str, ...]]


def _stretches(words: Sequence[str]) -> Stretches:
    """Return the spellings to look up per stretch of words that neither starts nor ends with an
    empty word.
    """
    spans = (
        (start, end)
        for start in range(len(words))
        for end in range(start + 1, min(start + MAX_WORDS, len(words)) + 1)
    )
    return {
        (start, end): _spellings(words[start:end])
        for start, end in spans
        if not (is_stop_word(words[start]) or is_stop_word(words[end - 1]))
        and not all(is_asking_word(word) for word in words[start:end])
    }


def _spellings(words: Sequence[str]) -> tuple[str, ...]:
    """Return ``words`` in lower case with the last word as written, in the singular and in the
    plural.
    """
    head = [word.lower() for word in words[:-1]]
    last = words[-1].lower().removesuffix("'s").removesuffix("’s")
    lasts = (words[-1].lower(), last, singular(last), f"{singular(last)}s", f"{singular(last)}es")
    return tuple(dict.fromkeys(" ".join([*head, word]) for word in lasts))


def _longest(mentions: Iterable[Mention]) -> list[Mention]:
    """Return the mentions that stay when longer ones, then those with more runs, take their words
    first.
    """
    ranked = sorted(
        mentions,
        key=lambda m: (m.start - m.end, -sum(sense.runs for sense in m.senses), m.start, m.label),
    )
    taken: set[int] = set()
    kept = []
    for mention in ranked:
        if taken.isdisjoint(range(mention.start, mention.end)):
            taken.update(range(mention.start, mention.end))
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)


# --- what the index holds -------------------------------------------------------------------------------------------


def _held(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], stretches: Stretches
) -> list[Mention]:
    """Return the mentions that some run carries, by term, by virus name, or verbatim."""
    names = sorted({name for spellings in stretches.values() for name in spellings})
    if not names:
        return []
    terms: dict[str, list[tuple[str, str]]] = {}
    for name, curie, label in used_names(con, names, words=words):
        terms.setdefault(name, []).append((curie, label))
    by_curie = _term_senses(
        con, sorted({curie for listed in terms.values() for curie, _ in listed})
    )
    by_value = _value_senses(con, names)
    mentions = []
    for (start, end), spellings in stretches.items():
        named = list(dict.fromkeys(term for name in spellings for term in terms.get(name, ())))
        senses = [sense for curie, _ in named for sense in by_curie.get(curie, ())]
        senses += [sense for name in spellings for sense in by_value.get(name, ())]
        if senses:
            mentions.append(_mention(spellings[0], start, end, named, senses))
    return _without_compounds(mentions)


def _mention(
    text: str, start: int, end: int, named: Sequence[tuple[str, str]], senses: Sequence[Sense]
) -> Mention:
    """Return a mention with all its senses, named after its strongest term; k-mer hits count only
    where no label does.

    A metagenome of bats answers to bats, so that a mention may have senses of several facets; its
    group is that of the term it names, held or not, else that of its strongest sense.
    """
    distinct = list(dict.fromkeys(senses))
    if any(sense.facet == "label" for sense in distinct):
        distinct = [sense for sense in distinct if sense.facet != "statOrganism"]
    held = max(distinct, key=lambda sense: (sense.curie is not None, sense.runs))
    curie, label = (held.curie, held.label) if held.curie or not named else named[0]
    if text in STANDS_FOR:
        label = " or ".join(label for curie, label in named if curie in STANDS_FOR[text])
    virus = any(GROUP_OF_FACET[sense.facet] == "virus" for sense in distinct)
    group = (
        "virus" if virus else _group_of_term(curie, label) if curie else GROUP_OF_FACET[held.facet]
    )
    return Mention(text, start, end, label, group, tuple(distinct))


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
    termed = {
        m.start for m in mentions if m.end == m.start + 1 and any(sense.curie for sense in m.senses)
    }
    return [
        mention
        for mention in mentions
        if mention.end == mention.start + 1
        or any(sense.facet != "biome" for sense in mention.senses)
        or not termed.issuperset(range(mention.start, mention.end))
    ]


def _term_senses(con: duckdb.DuckDBPyConnection, curies: Sequence[str]) -> dict[str, list[Sense]]:
    """Return the senses of each term that at least one run carries."""
    senses: dict[str, list[Sense]] = {}
    if not curies:
        return senses
    for curie, label, facet, value, runs in con.execute(
        _TERM_SENSES, {"curies": list(curies)}
    ).fetchall():
        # A virus sense is told by the names of the taxa below the term, because detections carry
        # names.
        anchor = None if facet in ("species", "family", "phylum") else curie
        senses.setdefault(curie, []).append(Sense(facet, label, runs, curie=anchor, value=value))
    return senses


def _value_senses(con: duckdb.DuckDBPyConnection, names: Sequence[str]) -> dict[str, list[Sense]]:
    """Return the senses of names that stand verbatim in the metadata, among virus names, or as an
    accession.

    A biome answers to each phrase inside it (``mouse gut`` to gut), a place to each of its parts
    (``USA: Houston``).
    """
    senses: dict[str, list[Sense]] = {}
    for name, facet, value, runs in con.execute(_VALUE_SENSES, {"names": list(names)}).fetchall():
        senses.setdefault(name, []).append(Sense(facet, value, runs, value=value))
    return senses


def _virus_words(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], free: Stretches
) -> list[Mention]:
    """Return mentions for words that no ontology lists but virus names hold: norovirus,
    coronaviruses, influenza.
    """
    singles = {start: singular(words[start]) for start, end in free if end == start + 1}
    wanted = sorted({word for word in singles.values() if len(word) > 3 and not is_stop_word(word)})
    if not wanted:
        return []
    rows = con.execute(_VIRUS_WORDS, {"words": wanted}).fetchall()
    senses: dict[str, list[Sense]] = {}
    for word, facet, value, runs in rows:
        senses.setdefault(word, []).append(Sense(facet, value, runs, value=value))
    mentions = []
    for start, word in singles.items():
        listed = senses.get(word, [])
        families = [sense for sense in listed if sense.facet == "family"]
        if families or listed:
            label = families[0].label if families else words[start].lower()
            mentions.append(
                Mention(
                    words[start].lower(),
                    start,
                    start + 1,
                    label,
                    "virus",
                    tuple(families or listed),
                )
            )
    return mentions


def _titled(con: duckdb.DuckDBPyConnection, unnamed: Stretches) -> list[Mention]:
    """Return mentions for words that no name holds but titles of projects or samples do."""
    wanted = sorted({name for spellings in unnamed.values() for name in spellings})
    counts = dict(con.execute(_TITLED, {"words": wanted}).fetchall()) if wanted else {}
    mentions = []
    for (start, end), spellings in unnamed.items():
        senses = tuple(
            Sense("title", name, counts[name], value=name) for name in spellings if name in counts
        )
        if senses:
            mentions.append(Mention(spellings[0], start, end, spellings[0], "title", senses))
    return mentions


def _unheld(con: duckdb.DuckDBPyConnection, words: Sequence[str], free: Stretches) -> list[Mention]:
    """Return mentions of terms that no run carries.

    A single word counts only where it is a common name or a term of BTO or DOID, or is written with
    a capital: genus names look like words of every language.
    """
    names = sorted({name for spellings in free.values() for name in spellings if len(name) > 2})
    if not names:
        return []
    terms: dict[str, tuple[str, str]] = {}
    for name, curie, label in known_names(con, names, words=words):
        terms.setdefault(name, (curie, label))
    mentions = []
    for (start, end), spellings in free.items():
        hits = [(name, *terms[name]) for name in spellings if name in terms]
        if not hits:
            continue
        name, curie, label = hits[0]
        scientific = ontology_of(curie) == NCBI_TAXON and label.lower() == name
        if end - start == 1 and scientific and not (words[start][0].isupper() and start > 0):
            continue
        sense = Sense("", label, 0, curie=curie)
        mentions.append(
            Mention(spellings[0], start, end, label, _group_of_term(curie, label), (sense,))
        )
    return mentions


_TERM_SENSES: Final = """
WITH wanted AS (SELECT curie, label FROM used_term WHERE curie IN (SELECT unnest($curies::VARCHAR[]))),
below AS (
    SELECT w.curie, w.label, c.descendant FROM wanted w JOIN closure c ON c.ancestor = w.curie
    UNION SELECT curie, label, curie FROM wanted
),
named AS (SELECT b.curie, b.label, lower(t.label) AS name FROM below b JOIN used_term t ON t.curie = b.descendant),
virus AS (
    SELECT DISTINCT n.curie, n.label, v.facet, v.value, v.run FROM named n JOIN (
        SELECT run, 'species' AS facet, species AS value FROM detection
        UNION ALL SELECT run, 'family', family FROM detection
        UNION ALL SELECT run, 'phylum', phylum FROM detection
    ) v ON lower(v.value) = n.name
)
SELECT b.curie, b.label, a.facet, NULL AS value, count(DISTINCT a.run) AS runs
FROM below b JOIN annotation a ON a.curie = b.descendant GROUP BY b.curie, b.label, a.facet
UNION ALL
SELECT curie, label, facet, value, count(DISTINCT run) FROM virus GROUP BY curie, label, facet, value
ORDER BY ALL
"""

_VALUE_SENSES: Final = """
WITH wanted AS (SELECT DISTINCT unnest($names::VARCHAR[]) AS name),
stated AS (
    SELECT facet, value, count(DISTINCT run) AS runs FROM (
        SELECT run, facet, value FROM annotation WHERE curie IS NULL
        UNION ALL SELECT run, 'species', species FROM detection
        UNION ALL SELECT run, 'family', family FROM detection
        UNION ALL SELECT run, 'phylum', phylum FROM detection
        UNION ALL SELECT run, 'bioproject', bioproject FROM run
    ) WHERE value IS NOT NULL GROUP BY facet, value
),
part AS (
    SELECT facet, value, runs, lower(value) AS name FROM stated
    UNION SELECT facet, value, runs, unnest(string_split_regex(lower(value), '\\s*[:,]\\s*'))
    FROM stated WHERE facet = 'geography'
)
SELECT w.name, p.facet, p.value, p.runs FROM wanted w JOIN part p USING (name)
UNION
SELECT w.name, s.facet, s.value, s.runs FROM wanted w JOIN stated s
ON s.facet = 'biome' AND contains(concat(' ', lower(s.value), ' '), concat(' ', w.name, ' '))
UNION
SELECT w.name, 'biosample', r.biosample, count(*) FROM wanted w JOIN run r ON lower(r.biosample) = w.name GROUP BY ALL
UNION
SELECT w.name, 'runId', r.run, 1 FROM wanted w JOIN run r ON lower(r.run) = w.name
ORDER BY ALL
"""

_VIRUS_WORDS: Final = """
WITH wanted AS (SELECT DISTINCT unnest($words::VARCHAR[]) AS word),
named AS (
    SELECT facet, value, count(DISTINCT run) AS runs FROM (
        SELECT run, 'species' AS facet, species AS value FROM detection
        UNION ALL SELECT run, 'family', family FROM detection
    ) WHERE value IS NOT NULL GROUP BY facet, value
)
SELECT w.word, n.facet, n.value, n.runs FROM wanted w JOIN named n ON (
    n.facet = 'family' AND w.word LIKE '%virus' AND lower(n.value) = regexp_replace(w.word, 'virus$', 'viridae')
) OR (
    n.facet = 'species' AND list_contains(string_split_regex(lower(n.value), '[^a-z0-9]+'), w.word)
)
ORDER BY ALL
"""

TITLE_WORDS: Final = """
SELECT r.run, unnest(list_distinct(string_split_regex(lower(concat_ws(' ', p.title, b.title)), '[^a-z0-9]+'))) AS word
FROM run r LEFT JOIN bioproject p USING (bioproject) LEFT JOIN biosample b USING (biosample)
"""
"""SELECT of ``run, word``: the words of the titles of a run's project and sample."""

_TITLED: Final = f"""
WITH wanted AS (SELECT DISTINCT unnest($words::VARCHAR[]) AS word)
SELECT word, count(*) FROM ({TITLE_WORDS}) SEMI JOIN wanted USING (word) GROUP BY word
"""
