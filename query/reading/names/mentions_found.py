"""What the words of a question name: terms and values first, then what no ontology lists."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import duckdb

from index.store.edges_above import edges_above
from query.reading.held.mentions import held_and_absent
from query.reading.held.terms import is_below
from query.reading.intent import is_asking_word, is_stop_word
from query.reading.measured.conditions import measured_names, several_of_groups
from query.reading.mentions import Mention
from query.reading.names.asides import (
    of_ranks_said,
    said_once,
    spelled_out,
    without_asides,
)
from query.reading.names.named_terms import NamedTerm
from query.reading.names.spans import (
    Spellings,
    beside,
    longest,
    outside,
    positions,
    stretches_of,
)
from query.reading.names.unlisted import (
    left_short,
    special_names,
    titled,
    unseen_places,
    with_hosts_of_groups,
    with_joint_metagenomes,
    with_kingdoms,
    with_metagenomes,
    with_viruses,
)
from query.reading.names.viruses import NamedViruses, read_virus_names, virus_words
from query.reading.written.asking_names import asking_names, names_implied_by_none
from query.reading.written.everyday import with_everyday_names
from query.reading.written.named_after_hosts import viruses_named_after_hosts
from query.reading.written.regions import region_mentions

_CULTURES: Final = ("culture", "cultures")
_AUXILIARY: Final = frozenset({"do", "does", "did"})
_LETTER: Final = re.compile(r"[A-Z]|\d{1,3}")
"""What tells species of one genus apart: rotavirus A, enterovirus 71."""
_OF_A_DISEASE: Final = frozenset({"patients", "patient", "cases", "disease"})
"""Words behind a name that say that it is meant as a disease."""
_VERBATIM: Final = ("geography", "biome", "title")
"""Groups of what is written in metadata, whose words may be any: a place called Multiple."""
_MANY_TIMES: Final = 10
"""How many times as many runs carry a virus as state the disease of its name, where it is meant."""


@dataclass(frozen=True, slots=True)
class MentionsFound:
    """What the words of a question name.

    ``named`` is what grounding says of them, ``found`` what some run carries, ``absent`` what none
    does, ``alone`` the single words that are left.
    """

    words: Sequence[str]
    named: Sequence[NamedTerm]
    found: Sequence[Mention]
    absent: Sequence[Mention]
    alone: Spellings

    @property
    def all(self) -> list[Mention]:
        """Every mention, in order."""
        mentions = [*self.found, *self.absent]
        mentions.sort(key=lambda one: one.start)
        return mentions


def find_mentions(
    con: duckdb.DuckDBPyConnection,
    words: Sequence[str],
    named: Sequence[NamedTerm],
    *,
    negated: bool,
    pauses: Collection[int] = (),
    asides: Collection[int] = (),
    asked: int | None = None,
) -> MentionsFound:
    """Return what ``words`` name: terms and values first, then what no ontology lists.

    ``negated``: something is ruled out, so that a name inside a longer one counts by itself.
    ``pauses``: words that a comma or the like follows, where the name of a virus does not go on.
    ``asides``: words in parentheses, which say a name again.
    ``asked`` is how many words the question has; what is said beside it comes behind them.
    """
    named = of_ranks_said(words, named, asides)
    verb = _final_verb(words, named)
    stretches = stretches_of(words, blocked=positions(_denied(named)) | verb, pauses=pauses)
    hosts = with_everyday_names(con, words, named)
    spans = {*stretches, *((one.start, one.end) for one in hosts)}
    virus_names = read_virus_names(con, words, sorted(spans))
    viruses = with_viruses(con, words, hosts, virus_names.in_full(stretches))
    known = with_kingdoms(con, words, with_metagenomes(con, viruses, stretches))
    known = with_hosts_of_groups(con, words, known)
    asked_for = asking_names(known, words, pauses, implied=negated)
    asked_for += names_implied_by_none(con, known, words, asked_for, asked or len(words))
    implied = _implied(known, asked_for, asides)
    stretches = outside(stretches, implied)
    inside = positions(implied)
    asked_for = [one for one in asked_for if not positions([one]) <= inside]
    held, absent = held_and_absent(con, words, asked_for, stretches)
    held = _as_viruses(con, virus_names, held)
    distinct = longest([*held, *_special(con, words, known)])
    mentions = without_asides(con, words, _outside_longer(distinct, absent), asides, pauses)
    mentions = _without_wholes(con, mentions, pauses)
    mentions, absent = _without_wholes_of_absent(con, mentions, absent)
    absent = said_once(absent, asides)
    mentions, absent = spelled_out(words, mentions, absent, asides)
    longer = [one for one in absent if one.end > one.start + 1]
    mentions += _repeated(outside(stretches, [*mentions, *longer]), mentions)
    mentions = with_joint_metagenomes(con, words, mentions)
    phrases = [one for one in absent if one.end > one.start + 1 or one.group == "organism"]
    free = outside(stretches, [*mentions, *beside(phrases, mentions)])
    short, unseen = left_short(con, virus_names, free)
    short += _named_after(con, virus_names, beside(phrases, [*mentions, *short]))
    free = outside(free, short)
    viral = longest(virus_words(con, words, outside(free, _parts_of_names(named))))
    worded = [*short, *viral]
    explaining = _explaining(named, asked_for)
    free = outside(free, [*worded, *explaining, *asked_for])
    places = unseen_places(words, free)
    free = outside(free, places)
    nowhere = [one for one in unseen if any(one.start == start for start, _ in free)]
    unheld = beside([*absent, *nowhere], [*mentions, *worded])
    lacking = longest([*unheld, *places])
    free = outside(free, lacking)
    free |= {(place, place + 1): () for place in verb}
    alone = {(start, end): names for (start, end), names in free.items() if end == start + 1}
    in_order = sorted([*mentions, *worded], key=lambda mention: mention.start)
    in_order = several_of_groups(con, without_asides(con, words, in_order, asides, pauses))
    found = viruses_named_after_hosts(in_order, pauses)
    found, alone = _with_letters(found, alone, words, pauses)
    if not found and not lacking:
        found = titled(con, alone)
    return MentionsFound(words, named, found, lacking, alone)


def _implied(
    named: Iterable[NamedTerm], asked_for: Sequence[NamedTerm], asides: Collection[int]
) -> list[NamedTerm]:
    """Return the names of several words, or in parentheses, that another one implies, which say
    nothing more, and no word of them by itself: the potato cyst nematodes, Globodera pallida among
    them; pepper (Capsicum).
    """
    return [
        one
        for one in named
        if one.outcome == "implied"
        and one.terms
        and (one.end - one.start > 1 or one.start in asides)
        and one not in asked_for
    ]


def _special(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], known: Sequence[NamedTerm]
) -> list[Mention]:
    """Return what no ontology lists: lines, healthy samples, conditions, parts of the world."""
    special = [*special_names(con, words), *measured_names(con, words)]
    return special + region_mentions(con, words, known)


def _without_wholes(
    con: duckdb.DuckDBPyConnection, mentions: Sequence[Mention], pauses: Collection[int]
) -> list[Mention]:
    """Return ``mentions`` without a name right beside that of a part or kind of it, which has its
    words as well: plant root is root, pegivirus C (GBV-C) is GBV-C, Culex mosquitoes are Culex.
    """
    kept: list[Mention] = []
    for one in _without_culture(mentions):
        before = kept[-1] if kept else None
        adjoins = before and before.end == one.start and before.group == one.group
        if not (before and adjoins):
            kept.append(one)
        elif is_below(con, one.curies, before.curies):
            kept[-1] = replace(one, start=before.start)
        elif before.end - 1 not in pauses and is_below(con, before.curies, one.curies):
            kept[-1] = replace(before, end=one.end)
        else:
            kept.append(one)
    return kept


def _without_wholes_of_absent(
    con: duckdb.DuckDBPyConnection, mentions: Sequence[Mention], absent: Sequence[Mention]
) -> tuple[list[Mention], list[Mention]]:
    """Return both without a taxon right before one below it that no run carries, which has its
    words as well: the bat Eidolon dupreanum.
    """
    before = {one.end: one for one in mentions if one.group == "organism"}
    kept, narrower = list(mentions), []
    for one in absent:
        wider = before.get(one.start) if one.group == "organism" else None
        if wider and wider in kept and _is_above(con, wider, one):
            kept.remove(wider)
            narrower.append(replace(one, start=wider.start))
        else:
            narrower.append(one)
    return kept, narrower


def _is_above(con: duckdb.DuckDBPyConnection, wider: Mention, narrow: Mention) -> bool:
    above = edges_above(con, narrow.curies, ("parent",), most_steps=40)
    return not {*wider.curies}.isdisjoint(above["object"])


def _without_culture(mentions: Sequence[Mention]) -> list[Mention]:
    """Return ``mentions`` without what only says what cells are, which have its words as well:
    HeLa cultures, the cell line HeLa.
    """
    named = [one for one in mentions if one.group == "tissue" and one.label != "cell line"]
    starts, ends = {one.start for one in named}, {one.end for one in named}
    lines = {one.end: one for one in mentions if one.label == "cell line" and one.end in starts}
    cultures = {one.start for one in mentions if one.text in _CULTURES and one.start in ends}
    kept = []
    for one in mentions:
        if one in lines.values() or one.start in cultures:
            continue
        start = lines[one.start].start if one.start in lines else one.start
        kept.append(replace(one, start=start, end=one.end + (one.end in cultures)))
    return kept


def _outside_longer(mentions: Sequence[Mention], absent: Sequence[Mention]) -> list[Mention]:
    """Return the ``mentions`` that are no part of a longer name that no run carries: sand flies are
    not found in sand, and rhinovirus C is no rhinovirus A; multiple sclerosis is no place.
    """
    several = [one for one in absent if one.end > one.start + 1]
    wider = [one for one in several if one.group in ("organism", "virus")]
    kept = [one for one in mentions if not any(_is_inside(one, two) for two in wider)]
    return [
        one
        for one in kept
        if one.group not in _VERBATIM or not any(_is_inside(one, two) for two in several)
    ]


def _is_inside(one: Mention, other: Mention) -> bool:
    within = other.start <= one.start and one.end <= other.end
    return within and (one.start, one.end) != (other.start, other.end)


def _explaining(named: Sequence[NamedTerm], asked_for: Sequence[NamedTerm]) -> list[NamedTerm]:
    """Return those of ``named`` that explain all their words: no name that means nothing (child),
    and no long one that means a term and is not asked for.
    """
    explaining = []
    for one in named:
        several = one.end - one.start > 1
        passed_over = several and one.outcome == "grounded" and one not in asked_for
        if one.terms and not passed_over:
            explaining.append(one)
    return explaining


def _final_verb(words: Sequence[str], named: Sequence[NamedTerm]) -> frozenset[int]:
    """Return the place of the last word where it is the verb of what stands before it: where did
    the virus surface.
    """
    last = len(words) - 1
    behind_a_name = any(one.end == last for one in named)
    opened = not _AUXILIARY.isdisjoint(word.lower() for word in words)
    if not (behind_a_name and opened):
        return frozenset()

    plain = is_stop_word(words[last]) or is_asking_word(words[last])
    plain = plain or words[last].endswith(("virus", "viruses"))
    return frozenset({last}) if words[last].islower() and not plain else frozenset()


def _with_letters(
    found: Sequence[Mention], alone: Spellings, words: Sequence[str], pauses: Collection[int]
) -> tuple[list[Mention], Spellings]:
    """Return the mentions with the letter that tells which virus is meant, and the words left over;
    a letter that tells nothing is one of them.
    """
    left = dict(alone)
    for place in _letters_behind(found, words, pauses):
        left.setdefault((place, place + 1), ())

    lettered = [_lettered(one, words) if (one.end, one.end + 1) in left else one for one in found]
    taken = positions(lettered)
    return lettered, {span: names for span, names in left.items() if span[0] not in taken}


def _letters_behind(
    found: Sequence[Mention], words: Sequence[str], pauses: Collection[int]
) -> list[int]:
    """Return the places of capital letters right behind viruses, A and I among them, which are
    words as well: influenza A, I mean.
    """
    taken = positions(found)
    viruses = [one for one in found if one.group == "virus" and one.end - 1 not in pauses]
    ends = [one.end for one in viruses if one.end < len(words)]
    return [end for end in ends if end not in taken and re.fullmatch("[A-Z]", words[end])]


def _lettered(one: Mention, words: Sequence[str]) -> Mention:
    """Return a virus with the letter behind its name, where that tells which of several it is:
    human adenovirus C is Human mastadenovirus C.
    """
    letter = words[one.end]
    named = [sense for sense in one.senses if (sense.value or "").endswith(f" {letter}")]
    if one.group != "virus" or not _LETTER.fullmatch(letter) or len(named) != 1:
        return one

    called = named[0].value or one.label
    sense = replace(named[0], label=called)
    text = f"{one.text} {letter}"
    return replace(one, end=one.end + 1, text=text, label=called, senses=(sense,))


def _repeated(free: Spellings, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the names that are written again: female human than male human."""
    by_text = {one.text.lower(): one for one in mentions}
    again = []
    for (start, end), names in free.items():
        first = next((by_text[name] for name in names if name in by_text), None)
        if first:
            again.append(replace(first, start=start, end=end))
    return longest(again)


def _named_after(
    con: duckdb.DuckDBPyConnection, names: NamedViruses, absent: Sequence[Mention]
) -> list[Mention]:
    """Return the viruses that runs carry and that diseases no run states are named after:
    hepatitis C.
    """
    spans: Spellings = {}
    for one in absent:
        if one.group == "disease":
            spans[one.start, one.end] = ()
    held, _ = left_short(con, names, spans)
    return held


def _as_viruses(
    con: duckdb.DuckDBPyConnection, names: NamedViruses, held: Sequence[Mention]
) -> list[Mention]:
    """Return ``held`` with the viruses that diseases are named after in their place, where hardly
    any run states the disease: hepatitis B. Of patients the disease is meant.
    """
    diseases = []
    for one in held:
        following = "".join(names.words[one.end : one.end + 1]).lower()
        if one.group == "disease" and following not in _OF_A_DISEASE:
            diseases.append(one)
    by_span = {(one.start, one.end): one for one in _named_after(con, names, diseases)}
    found = []
    for one in held:
        virus = by_span.get((one.start, one.end)) if one in diseases else None
        meant = virus is not None and virus.runs >= _MANY_TIMES * one.runs
        found.append(virus if virus is not None and meant else one)
    return found


def _parts_of_names(named: Iterable[NamedTerm]) -> list[NamedTerm]:
    """Return the names that are read as part of a virus's name: human rhinovirus."""
    return [one for one in named if one.outcome == "other" and one.terms]


def _denied(named: Iterable[NamedTerm]) -> list[NamedTerm]:
    return [one for one in named if one.outcome == "negated"]
