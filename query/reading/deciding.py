"""Decide what to do with the draft requests of a question: answer, offer up to three, or refuse.

A question is answered if its reading is sure and leaves over no name, no field, and no word
("cured") that is in none of the known questions with an answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, Literal

from query.reading.adjusting import without_rival
from query.reading.choosing import candidates_of, has_two, is_odd
from query.reading.items import Item
from query.reading.leftovers import Leftovers, leftovers
from query.reading.meanings import is_common
from query.reading.pairs import words_of_declined
from query.reading.reading import Choice
from query.reading.tuned import TunedReading
from query.request import Everything, Evidence, Mentions, Request
from query.request.fields import field_named
from query.request.measures import STORED
from query.request.run_sets import SHARED, parts_of

PLAIN: Final = 0.5
"""Minimum share for a measure to be what a part asks."""
SURE: Final = 0.8
"""Minimum share for the composer to answer alone (decision 0301)."""
REFUSED: Final = 0.5
"""Minimum share of "refuse" for a question to be refused."""
LIKELY: Final = 0.55
"""Minimum share for the likeliest reading to be answered (decision 0304)."""
AGREED: Final = 0.4
"""The same if the composer is sure of it, too."""
SAID: Final = 0.1
"""Minimum probability with which the model must say it, too."""
DECLINED: Final = 0.7
"""Minimum probability for refusing a question that the tuned model declines."""
MOST_CHOICES: Final = 3
BEYOND: Final = (
    "the index does not hold this; it holds public sequencing runs, the viruses found in them, and "
    "what is recorded about their samples and studies"
)
"""Why a question cannot be answered."""
NOT_KNOWN: Final = "no name or word like {} is known here; check the spelling, or use the full name"
"""Why a question with such words is not answered."""
NOT_VIRUSES: Final = (
    "viruses are what the index detects; other organisms are hosts of its samples, or k-mers: "
    'ask "How many runs have Wolbachia as host?", or the same "as k-mers"'
)
"""Why bacteria, fungi or parasites in a host cannot be counted like viruses."""
_NCBI: Final = re.compile(
    r"(?i)\b(?:genes?|genomes?|sequences?|variants?|snps?|rs\d+|blast|genbank|refseq|pubmed|fasta"
    r"|orthologs?|proteins?|chromosomes?)\b"
)
"""Words for what NCBI's databases hold, but no run."""
_TEXTS: Final = re.compile(r"(?i)\b(?:notes?|documents?|papers?|passages?|findings?|reports?)\b")
"""Words for what passages hold, but no run."""


@dataclass(frozen=True, slots=True)
class MeasureDraft:
    """A request that a part may make, and how likely its measure is."""

    request: Request
    measure: str
    share: float


@dataclass(frozen=True, slots=True)
class DraftedPart:
    """A part of a question: its items, the requests it may make, and how likely it makes none."""

    items: tuple[Item, ...]
    drafts: tuple[MeasureDraft, ...]
    refused: float


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a question."""

    requests: tuple[Request, ...] = ()
    choices: tuple[Choice, ...] = ()
    ignored: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    refusal: str | None = None
    elsewhere: Literal["entrez", "passages"] | None = None
    likeliest: tuple[Request, ...] = ()
    """What each part most likely asks, answered or not."""


def decided(text: str, parts: Sequence[DraftedPart]) -> Decision:
    """Return what becomes of a question with these parts."""
    if any(_asks_for_other_organisms(part) for part in parts if part.drafts):
        return Decision(refusal=NOT_VIRUSES)
    answerable = [
        part
        for part in parts
        if part.drafts and (part.refused < REFUSED or _asks_for_a_share(part.items))
    ]
    if not answerable:
        return _declined(text, parts)
    best = tuple(part.drafts[0].request for part in answerable)
    left = leftovers([item for part in parts for item in part.items], best)
    if any(_says_nothing(part, left) for part in answerable):
        return Decision(unknown=left.may_restrict or left.ignored)
    least = min(part.drafts[0].share for part in answerable)
    unexplained = left.may_restrict if least == 1.0 else (*left.may_restrict, *left.fields)
    is_doubtful = least < SURE or any(map(is_odd, best))
    if unexplained or is_doubtful or len(answerable) < len(parts):
        drafted = [part for part in parts if part.drafts]
        return Decision(choices=_choices(drafted), unknown=unexplained, likeliest=best)
    return Decision(best, ignored=left.ignored, unknown=left.may_restrict, likeliest=best)


def settled(
    decision: Decision,
    readings: Sequence[TunedReading],
    items: Sequence[Item],
    *,
    in_english: bool = True,
) -> Decision:
    """Return what becomes of a question that the tuned model reads; ``decision`` is the composer's.

    The likeliest reading is answered if it is likely enough and leaves out nothing that may
    restrict. Adverbs that no known question has are reported as not used. What the model declines
    is refused, unless the composer explains each word of it: "how many runs are from Brazil". In
    all other cases the user picks a reading, the likeliest first. Shares of k-mers, which the model
    has not learned, and stored rows are left to the composer.
    """
    candidates, declined = candidates_of(readings, items)
    if _asks_for_a_share(items):
        return decision
    is_explained = in_english and _is_explained(decision)
    if declined >= DECLINED and decision.elsewhere is None:
        return decision if is_explained else _refused(decision)
    if not candidates:
        is_stored = any(map(_is_of_texts, decision.requests))
        return decision if is_stored else _asked_back(decision)
    best, least = candidates[0], LIKELY
    if decision.requests == best.requests:
        least = 0.0 if is_explained else AGREED
    elif is_explained:
        for likely in candidates[1:]:
            if likely.requests == decision.requests and likely.share >= AGREED:
                best, least = likely, AGREED
    is_plain = best.share >= least and not best.is_doubtful
    if decision.refusal is not None and (
        (decision.refusal == NOT_VIRUSES and not is_plain) or declined > best.share
    ):
        return decision
    verdict = _verdict(decision, items)
    if verdict is not None and best.share < least:
        return verdict
    left = best.left
    restricting = (*left.names, *left.fields, *_untested(best.requests, items))
    is_likely = is_plain and best.said >= SAID
    if is_likely and not restricting and all(map(_is_adverb, left.unknown)):
        return Decision(requests=best.requests, ignored=left.ignored, unknown=left.unknown)
    if any(map(_is_of_texts, decision.requests)):
        return decision
    if best.said < SAID and any(map(_may_be_a_name, left.unknown)):
        return _refused(replace(decision, unknown=left.unknown))
    choices = _distinct(*(candidate.requests for candidate in candidates), *decision.choices)
    return Decision(choices=choices, unknown=(*restricting, *left.unknown))


def _is_explained(decision: Decision) -> bool:
    """Return whether the composer answers, and no word of the question is left over."""
    return bool(decision.requests) and not decision.ignored and not decision.unknown


def _refused(decision: Decision) -> Decision:
    """Return the refusal of a question that the tuned model declines.

    A word that is no common English may be a name, in another spelling: then the index may hold it.
    """
    names = [word for word in decision.unknown if _may_be_a_name(word)]
    why = decision.refusal or BEYOND
    if names and decision.refusal is None:
        why = NOT_KNOWN.format(", ".join(f'"{word}"' for word in names))
    return replace(decision, requests=(), choices=(), refusal=why)


def _may_be_a_name(word: str) -> bool:
    """Return whether a word may be a name that is unknown here: Zorbax-9."""
    letters = re.split(r"[\W\d_]+", word.lower())[0]
    is_usual = not letters or is_common(letters) or letters in words_of_declined()
    return word[:1].isalpha() and not is_usual


def _is_adverb(word: str) -> bool:
    """Return whether a word is common English and ends like an adverb: "especially"."""
    return word.lower().endswith("ly") and is_common(word.lower())


def _untested(requests: Sequence[Request], items: Sequence[Item]) -> list[str]:
    """Return the words that ask for associations if no request is for stored tests."""
    if any(isinstance(request.measure, STORED) for request in requests):
        return []
    return [item.text for item in items if item.value.startswith("assoc")]


def _is_of_texts(request: Request) -> bool:
    """Return whether the request is for stored rows, or for runs of studies that mention words."""
    mentions = any(isinstance(part, Mentions) for part in parts_of(request.of))
    return isinstance(request.measure, STORED) or mentions


def _asked_back(decision: Decision) -> Decision:
    """Return the composer's ``decision`` as a choice for the user: the model has no reading."""
    choices = decision.choices or (decision.requests,)
    return replace(decision, requests=(), choices=_distinct(*choices))


def _asks_for_a_share(items: Sequence[Item]) -> bool:
    """Return whether the question is about runs that are mostly of a taxon."""
    return any(item.value == "mostly" for item in items) and any(
        item.kind == "name" and item.value == SHARED for item in items
    )


def _verdict(decision: Decision, items: Sequence[Item]) -> Decision | None:
    """Return the evidence that a question in doubt asks for ("real or contamination?")."""
    if not any(item.value == "doubt" for item in items):
        return None
    for request in chain(decision.requests, *decision.choices):
        if isinstance(request.measure, Evidence):
            return replace(decision, requests=(without_rival(request, items),), choices=())
    return None


def _asks_for_other_organisms(part: DraftedPart) -> bool:
    """Return whether a question is about hosts in another host: "bacteria found in cattle"."""
    fields = [field_named(item.value) for item in part.items if item.kind == "field"]
    named = any(item.value in ("virus", "hit") for item in part.items)
    is_viral = named or any(field.of == "hit" for field in fields)
    finds = any(item.value == "found" for item in part.items)
    request = part.drafts[0].request
    is_listed = bool(getattr(request.measure, "under", ())) and "host" in str(request.of)
    return finds and not is_viral and (is_listed or has_two(request, "host"))


def _says_nothing(part: DraftedPart, left: Leftovers) -> bool:
    """Return whether a part would count everything, although it has words of its own."""
    request = part.drafts[0].request
    if isinstance(request.measure, STORED) or not isinstance(request.of, Everything):
        return False
    has_hits = getattr(request.measure, "hits", None) or getattr(request.measure, "hit", None)
    if has_hits or getattr(request.measure, "sides", None):
        return False
    return bool(left.may_restrict) or len(left.ignored) > 1


def _choices(parts: Sequence[DraftedPart]) -> tuple[Choice, ...]:
    """Return what may be meant: the likeliest for each part, then one part read differently."""
    first = tuple(part.drafts[0].request for part in parts)
    others = [(draft.share, place, draft.request)
              for place, part in enumerate(parts) for draft in part.drafts[1:]]  # fmt: skip
    others.sort(key=lambda other: -other[0])
    varied = ((*first[:place], request, *first[place + 1 :]) for _, place, request in others)
    return _distinct(first, *varied)


def _distinct(*choices: Choice) -> tuple[Choice, ...]:
    """Return the first ``choices`` that differ and ask something.

    Requests with the same conditions in a different order ask the same.
    """
    by_meaning: dict[object, Choice] = {}
    for choice in filter(None, choices):
        meant = tuple((request.measure, frozenset(parts_of(request.of))) for request in choice)
        by_meaning.setdefault(meant, choice)
    return tuple(by_meaning.values())[:MOST_CHOICES]


def _declined(text: str, parts: Sequence[DraftedPart]) -> Decision:
    """Return the refusal of a question that makes no request."""
    if _NCBI.search(text):
        return Decision(
            elsewhere="entrez", refusal="the index holds no genes, genomes or sequences"
        )
    if _TEXTS.search(text):
        return Decision(elsewhere="passages", refusal="it asks for texts: query search finds them")
    has_names = any(item.name is not None for part in parts for item in part.items)
    if has_names or any(part.refused >= REFUSED for part in parts):
        return Decision(refusal=BEYOND)
    return Decision(refusal="it names nothing that the index knows")
