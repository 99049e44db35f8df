"""Which of the names in a question ask for their term: not what is denied, only asks, or is part of
another name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

import duckdb

from query.reading.held.mentions import VIRUS_NAME
from query.reading.held.terms import is_below
from query.reading.intent import is_counted, is_stop_word, singular
from query.reading.names.named_terms import NamedTerm
from query.reading.names.spans import is_a_name, positions
from query.reading.written.everyday import is_listed

_JOINS: Final = frozenset({"or", "and", "versus", "vs"})
_AGAINST: Final = frozenset({"against", "versus", "vs", "by", "per", "x"})
_PEOPLE: Final = frozenset({
    "patients", "patient", "people", "persons", "individuals", "cases", "subjects", "donors",
    "children", "adults", "men", "women", "cohort", "cohorts", "labelled", "labeled", "annotated",
    "diagnosed",
})  # fmt: skip
"""Words near a name with infection or positive that say that it is meant as a disease."""
_NAMES_A_TERM: Final = frozenset({"grounded", "ambiguous", "generic"})


def asking_names(
    named: Iterable[NamedTerm],
    words: Sequence[str],
    pauses: Collection[int] = (),
    *,
    implied: bool = False,
) -> list[NamedTerm]:
    """Return the names that ask for their term: not denied, nor words that only ask (``host``).

    A name ``implied`` by a narrower one counts where the narrower may be ruled out, or where both
    are joined: lung or respiratory epithelium.
    """
    named = list(named)
    telling = set(_NAMES_A_TERM)
    if implied or not any(one.outcome in telling and one.terms for one in named):
        telling.add("implied")
    asking = []
    for one in named:
        written = words[one.start : one.end]
        named_so = is_a_name(_without_noun(written, one.facet)) or is_listed(written)
        named_so = named_so or _is_metagenome(one) or _is_of_people(one, words)
        if not (one.terms and named_so):
            continue
        joined = one.outcome == "implied" and (
            _is_joined(one, words, named) or _is_within_a_virus(one, named)
        )
        if one.outcome in telling or joined or _is_a_whole_name(one, words, named, pauses):
            asking.append(one)
    return asking


def names_implied_by_none(
    con: duckdb.DuckDBPyConnection,
    named: Sequence[NamedTerm],
    words: Sequence[str],
    asked_for: Sequence[NamedTerm],
    end: int,
) -> list[NamedTerm]:
    """Return the names taken for implied by a narrower one that is not asked for, or that stands on
    the other side of the ``end`` of the question: beans, beside a question of Phaseolus.
    """
    wider = []
    for one in named:
        if one.outcome != "implied" or not one.terms or one in asked_for:
            continue
        beside = [two for two in asked_for if (two.start < end) == (one.start < end)]
        own = [curie for curie, _ in one.terms]
        others = [curie for two in beside for curie, _ in two.terms]
        implied = not {*own}.isdisjoint(others) or is_below(con, others, own)
        if is_a_name(words[one.start : one.end]) and not implied:
            wider.append(one)
    return wider


def _without_noun(written: Sequence[str], facet: str) -> Sequence[str]:
    """Return ``written`` without a noun for runs behind a tissue: faecal samples."""
    of_runs = facet == "tissue" and len(written) > 1 and is_counted(written[-1])
    return written[:-1] if of_runs else written


def _is_within_a_virus(one: NamedTerm, named: Sequence[NamedTerm]) -> bool:
    """Return whether ``one`` is only implied by a virus that is named after it: beans with Bean
    common mosaic virus.
    """
    own = [label for _, label in one.terms]
    others = [label for other in named if other.end > one.end for _, label in other.terms]
    viruses = [label for label in others if VIRUS_NAME.search(label)]
    viral = any(VIRUS_NAME.search(label) for label in own)
    return not viral and any(virus.startswith(f"{label} ") for label in own for virus in viruses)


def _is_joined(one: NamedTerm, words: Sequence[str], named: Sequence[NamedTerm]) -> bool:
    """Return whether one word joins ``one`` to another name: lung or respiratory epithelium."""
    before = "".join(words[one.start - 1 : one.start]).lower() in _JOINS
    behind = "".join(words[one.end : one.end + 1]).lower() in _JOINS
    ends = {other.end + 1 for other in named if other.terms}
    starts = {other.start - 1 for other in named if other.terms}
    return (before and one.start in ends) or (behind and one.end in starts)


def _is_of_people(one: NamedTerm, words: Sequence[str]) -> bool:
    """Return whether people are said to have an infection: HIV positive patients."""
    near = [*words[max(0, one.start - 2) : one.start], *words[one.end : one.end + 2]]
    of_people = not _PEOPLE.isdisjoint(word.lower() for word in near)
    return of_people and one.facet == "disease" and one.end > one.start + 1


def _is_metagenome(one: NamedTerm) -> bool:
    """Return whether words that could only ask name a metagenome together: viral metagenomes."""
    several = one.end - one.start > 1
    return several and all(label.endswith(" metagenome") for _, label in one.terms)


def _is_a_whole_name(
    one: NamedTerm, words: Sequence[str], named: Sequence[NamedTerm], pauses: Collection[int]
) -> bool:
    """Return whether a name that could be part of a virus's name is not: bat samples with a
    coronavirus are no samples of Bat coronavirus, and human liver viruses are of human liver.
    """
    if one.outcome != "other":
        return False
    tissues = positions([other for other in named if other.facet == "tissue" and other.terms])
    for place, word in enumerate(words[one.end :], one.end):
        joins = is_stop_word(word) or word.lower() in _AGAINST
        if joins or place in tissues or place - 1 in pauses:
            return True
        if VIRUS_NAME.search(singular(word)):
            return False
    return True
