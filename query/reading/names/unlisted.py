"""Names in a question that no ontology lists: viruses by any of their names, whole or left short,
cell lines, healthy samples, places that no run states, words of titles.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import duckdb

from query.reading.held.mentions import held_and_absent
from query.reading.held.terms import is_carried, term_senses
from query.reading.kinds import NUMBERS
from query.reading.mentions import Mention
from query.reading.names.named_terms import NamedTerm, read_names
from query.reading.names.spans import Span, Spellings, Terms, demonyms, longest, outside
from query.reading.names.viruses import NamedViruses, name_lineages, of_hosts
from query.reading.scope.doubt import is_telling
from query.reading.senses import (
    GENOMES,
    HEALTHY,
    Sense,
    genome_runs,
    healthy_runs,
    known_places,
    line_senses,
    title_counts,
)
from query.reading.written.everyday import is_listed
from query.reading.written.recorded import groups_by_host

_TITLE_WORD: Final = re.compile(r"[a-z]{4,}")
KINGDOMS: Final = {
    "plants": ("NCBITaxon:33090", "Viridiplantae"),
    "plant hosts": ("NCBITaxon:33090", "Viridiplantae"),
    "plant viruses": ("NCBITaxon:33090", "Viridiplantae"),
    "plant species": ("NCBITaxon:33090", "Viridiplantae"),
    "plant tissues": ("NCBITaxon:33090", "Viridiplantae"),
    "plant samples": ("NCBITaxon:33090", "Viridiplantae"),
    "plant runs": ("NCBITaxon:33090", "Viridiplantae"),
    "plant host": ("NCBITaxon:33090", "Viridiplantae"),
    "animals": ("NCBITaxon:33208", "Metazoa"),
    "animal hosts": ("NCBITaxon:33208", "Metazoa"),
    "animal host": ("NCBITaxon:33208", "Metazoa"),
    "animal viruses": ("NCBITaxon:33208", "Metazoa"),
    "animal species": ("NCBITaxon:33208", "Metazoa"),
    "fungi": ("NCBITaxon:4751", "Fungi"),
    "fungus": ("NCBITaxon:4751", "Fungi"),
    "fungal": ("NCBITaxon:4751", "Fungi"),
}
"""What people mean by plants, animals and fungi, or by plant hosts and viruses: hosts of a kingdom.
"""
_ASKING: Final = frozenset({"which", "what"})
"""Before plant or animal where hosts are asked for: which plant."""
_METAGENOMES: Final = """
SELECT DISTINCT value, curie FROM annotation
WHERE facet = 'environment' AND curie IS NOT NULL
  AND value IN (SELECT unnest($labels::VARCHAR[]))
"""
_VIRUSES: Final = (["virus"], ["viruses"])
_CALLED: Final = {"reversetranscribing": "reverse-transcribing"}
"""What kinds of genome are called that questions name in one word."""
_WITH_ANY: Final = re.compile(
    r"\b(?:without|no|lacks?|lacking|free (?:of|from)"
    r"|(?:runs|samples|libraries) (?:with|carrying|had|have|having))"
    r"(?: (?:any|a|an|single|known|detectable))*$"
)
"""Words before virus where a virus of any kind is asked for, or ruled out."""
_GROUP: Final = re.compile(r"[a-z]{3,}virus")
"""A group of viruses in one word: endornavirus."""
_ILL: Final = frozenset({"patient", "patients", "cases"})
_GOING_ON: Final = frozenset({
    "family", "families", "species", "genus", "genera", "of", "called", "named", "like", "from",
    "name", "names", "library", "libraries", "that",
})  # fmt: skip
"""Words behind virus that say which."""
_LINES: Final = (["line"], ["lines"], ["culture"], ["cultures"], ["cells"])


def with_viruses(
    con: duckdb.DuckDBPyConnection,
    words: Sequence[str],
    named: Sequence[NamedTerm],
    viral: Mapping[Span, Terms],
) -> list[NamedTerm]:
    """Return ``named`` with the viruses that the words name in full, which come before other
    meanings of the same words, but for listed ones; HIV patients have the disease, where a run
    states it.
    """
    diseases = set()
    for one in named:
        following = "".join(words[one.end : one.end + 1]).lower()
        of_patients = one.facet == "disease" and following in _ILL
        if of_patients and any(is_carried(con, curie) for curie, _ in one.terms):
            diseases.add((one.start, one.end))
    listed = {(one.start, one.end) for one in named if is_listed(words[one.start : one.end])}
    viral = {span: terms for span, terms in viral.items() if span not in diseases | listed}
    others = []
    hosts = []
    for one in _before_viruses(con, words, named, viral):
        if (one.start, one.end) in viral:
            continue
        others.append(one)
        if one.facet == "label":
            hosts += [curie for curie, _ in one.terms]
    found = []
    for span, terms in viral.items():
        recorded = of_hosts(con, terms, hosts)
        found.append(_viral(span, recorded))
    return [*others, *found]


def _before_viruses(
    con: duckdb.DuckDBPyConnection,
    words: Sequence[str],
    named: Sequence[NamedTerm],
    viral: Mapping[Span, Terms],
) -> list[NamedTerm]:
    """Return ``named`` with what stands before a virus in place of a taxon that no run carries and
    that takes a part of the virus's name: human Rotavirus A, of which human rotavirus is a taxon.
    """
    kept = []
    for one in named:
        opens = [start for start, end in viral if one.start < start < one.end < end]
        if not opens or any(is_carried(con, curie) for curie, _ in one.terms):
            kept.append(one)
            continue
        head = read_names(con, " ".join(words[one.start : opens[0]]))
        kept += [replace(two, start=two.start + one.start, end=two.end + one.start) for two in head]
    return kept


def with_kingdoms(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], named: Sequence[NamedTerm]
) -> list[NamedTerm]:
    """Return ``named`` with plants, animals and fungi as hosts of every kind, where a run has one;
    the plant of the tissue ontology is a whole plant, and its fungus has parts of algae. Behind a
    host they only say what it is: melon plants.
    """
    behind_hosts = {one.end for one in named if one.facet == "label" and one.terms}
    kingdoms = []
    belonging = set()
    for place, word in enumerate(words):
        following = "".join(words[place + 1 : place + 2]).lower()
        asked = place > 0 and words[place - 1].lower() in _ASKING
        phrases = (word.lower(), f"{word.lower()}s" if asked else "", f"{word.lower()} {following}")
        kingdom = next((KINGDOMS[one] for one in phrases if one in KINGDOMS), None)
        if kingdom and place in behind_hosts:
            belonging.add((place, place + 1))
        elif kingdom and is_carried(con, kingdom[0]):
            kingdoms.append(NamedTerm(place, place + 1, "label", "grounded", (kingdom,)))
    spans = {(one.start, one.end) for one in kingdoms} | belonging
    others = [one for one in named if (one.start, one.end) not in spans]
    whole = []
    for one in others:
        goes_on = one.facet == "label" and (one.end, one.end + 1) in belonging
        whole.append(replace(one, end=one.end + 1) if goes_on else one)
    return [*whole, *kingdoms]


def with_hosts_of_groups(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], named: Sequence[NamedTerm]
) -> list[NamedTerm]:
    """Return ``named`` with hosts right before a virus or a group of them, where both together are
    the name of no virus: melon endornavirus is an endornavirus in melon, and human Zika virus is
    Zika virus in humans.
    """
    return [
        replace(one, outcome="grounded") if _is_host_of_group(con, one, words, named) else one
        for one in named
    ]


def _is_host_of_group(
    con: duckdb.DuckDBPyConnection,
    one: NamedTerm,
    words: Sequence[str],
    named: Sequence[NamedTerm],
) -> bool:
    group = "".join(words[one.end : one.end + 1])
    opens = one.facet == "label" and one.outcome == "other" and bool(one.terms)
    before_virus = any(two.start == one.end and two.facet == "virus" for two in named)
    if not opens or not (before_virus or _GROUP.fullmatch(group)):
        return False
    if before_virus and not any(is_carried(con, curie) for curie, _ in one.terms):
        return False
    return not any(two.terms and two.start <= one.start and two.end > one.end for two in named)


def with_metagenomes(
    con: duckdb.DuckDBPyConnection, named: Sequence[NamedTerm], stretches: Spellings
) -> list[NamedTerm]:
    """Return ``named`` with the metagenomes that runs are of and that are named without the word,
    where the words name nothing else: rhizosphere is the rhizosphere metagenome.
    """
    free = outside(stretches, named)
    if not free:
        return list(named)
    asked = {label for names in free.values() for label in _metagenomes(names)}
    held = con.execute(_METAGENOMES, {"labels": sorted(asked)}).fetchall()
    curies = dict(held)
    found = []
    for (start, end), names in free.items():
        labels = _metagenomes(names)
        terms = tuple((curies[label], label) for label in labels if label in curies)
        if terms:
            found.append(NamedTerm(start, end, "label", "grounded", terms[:1]))
    return [*named, *found]


def with_joint_metagenomes(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], mentions: Sequence[Mention]
) -> list[Mention]:
    """Return ``mentions`` where two that follow one another also mean the metagenome that both
    name: human gut is the gut of humans, and the human gut metagenome.
    """
    pairs = [pair for pair in itertools.pairwise(mentions) if pair[0].end == pair[1].start]
    labels = {}
    for first, second in pairs:
        text = " ".join(words[first.start : second.end])
        labels[f"{text.lower()} metagenome"] = (first, second)
    if not labels:
        return list(mentions)
    held = con.execute(_METAGENOMES, {"labels": sorted(labels)}).fetchall()
    joint: dict[Mention, list[Sense]] = {}
    for label, curie in held:
        for one in term_senses(con, [(curie, label)]).get(curie, ()):
            for mention in labels[label]:
                joint.setdefault(mention, []).append(one)
    return [replace(one, senses=(*one.senses, *joint.get(one, ()))) for one in mentions]


def _metagenomes(names: Sequence[str]) -> list[str]:
    """Return how the metagenomes of ``names`` are called: of a lake, lake water metagenome, too."""
    plain = [f"{name} metagenome" for name in names]
    return plain + [f"{name} water metagenome" for name in names]


def _viral(span: Span, terms: Terms) -> NamedTerm:
    start, end = span
    outcome = "ambiguous"
    if len(terms) == 1:
        outcome = "grounded"
    return NamedTerm(start, end, "virus", outcome, terms)


def left_short(
    con: duckdb.DuckDBPyConnection, names: NamedViruses, free: Spellings
) -> tuple[list[Mention], list[Mention]]:
    """Return mentions of viruses whose name is left short (West Nile, Epstein-Barr, Zika), and
    those that no run carries.
    """
    short = name_lineages(con, names.words, free)
    short.update(names.left_short(free))
    if not short:
        return [], []
    named = [_viral(span, terms) for span, terms in short.items()]
    held, absent = held_and_absent(con, names.words, named, {})
    return longest(held), absent


def special_names(con: duckdb.DuckDBPyConnection, words: Sequence[str]) -> list[Mention]:
    """Return mentions that stand for many values: healthy, cell lines, a virus of any kind."""
    lowered = [word.lower() for word in words]
    found = []
    for place, word in enumerate(lowered):
        following = lowered[place + 1 : place + 2]
        if word in HEALTHY:
            found.append(_healthy(con, word, place))
        if word in ("cell", "cultured") and following in _LINES:
            found.append(_cell_lines(con, place))
        if word in GENOMES and following in _VIRUSES:
            found.append(_of_genome(con, words[place], place))
    found += _of_any_genome(con, lowered)
    found += groups_by_host(con, lowered)
    return [one for one in found if one.senses and one.runs]


def _healthy(con: duckdb.DuckDBPyConnection, word: str, place: int) -> Mention:
    runs = healthy_runs(con)
    sense = Sense("health", "healthy", runs, value="healthy")
    return Mention(word, place, place + 1, "healthy", "disease", (sense,))


def _cell_lines(con: duckdb.DuckDBPyConnection, place: int) -> Mention:
    senses = line_senses(con)
    return Mention("cell lines", place, place + 2, "cell line", "tissue", tuple(senses))


def _of_genome(con: duckdb.DuckDBPyConnection, written: str, place: int) -> Mention:
    """Return the mention of viruses whose genome is of the kind ``written`` at ``place``."""
    kind = written.lower()
    signed = GENOMES[kind].endswith(")")
    called = GENOMES[kind] if signed else _CALLED.get(kind, written)
    label = f"{called} viruses"
    runs = genome_runs(con, GENOMES[kind])
    sense = Sense("genome", label, runs, value=GENOMES[kind])
    return Mention(label, place, place + 2, label, "virus", (sense,))


def _of_any_genome(con: duckdb.DuckDBPyConnection, words: Sequence[str]) -> list[Mention]:
    """Return the mention of a virus of any kind, where runs with one or without one are asked for:
    without any virus, countries with most runs with a virus.
    """
    for place, word in enumerate(words):
        if [word] not in _VIRUSES:
            continue
        before, following = " ".join(words[:place]), "".join(words[place + 1 : place + 2])
        if _WITH_ANY.search(before) and following not in _GOING_ON:
            sense = Sense("genome", "any virus", genome_runs(con, ""), value="")
            return [Mention("any virus", place, place + 1, "any virus", "virus", (sense,))]
    return []


def unseen_places(words: Sequence[str], free: Spellings) -> list[Mention]:
    """Return mentions of countries and seas that no run states."""
    if not any(words[start][:1].isupper() for start, _ in free):
        return []
    places = {**demonyms(), **known_places()}
    found = []
    for start, end in free:
        text = " ".join(words[start:end])
        label = places.get(text.lower())
        if not label:
            continue
        sense = Sense("geography", label, 0, value=label)
        mention = Mention(label.lower(), start, end, label, "geography", (sense,))
        found.append(mention)
    return longest(found)


def titled(con: duckdb.DuckDBPyConnection, alone: Spellings) -> list[Mention]:
    """Return mentions for words that no name holds but titles of projects or samples do.

    A word of the subject is none: a title with "pairs" is no pair of viruses.
    """
    spelled = {}
    asked: set[str] = set()
    for span, names in alone.items():
        if not names:
            continue
        if not _TITLE_WORD.fullmatch(names[0]) or is_telling(names[0]):
            continue
        if names[0] not in NUMBERS:
            spelled[span] = names
            asked.update(names)
    counts = title_counts(con, sorted(asked))
    mentions = []
    for span, names in spelled.items():
        senses = _title_senses(names, counts)
        if not senses:
            continue
        label = names[0]
        mention = Mention(label, *span, label, "title", senses)
        mentions.append(mention)
    return mentions


def _title_senses(names: Sequence[str], counts: Mapping[str, int]) -> tuple[Sense, ...]:
    senses = []
    for name in names:
        if name not in counts:
            continue
        sense = Sense("title", name, counts[name], value=name)
        senses.append(sense)
    return tuple(senses)
