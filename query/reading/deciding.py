"""From drafts of requests to a reading: answered, up to three questions to pick from, or refused.

A question is answered where its reading is sure, and leaves over no name, no field and no word that
no known question with an answer has ("cured").
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Final, Literal

from query.reading.adjusting import adjusted
from query.reading.items import Item
from query.reading.leftovers import Leftovers, leftovers
from query.reading.reading import Choice
from query.reading.tuned import TunedReading
from query.request import And, Everything, Evidence, Has, Mentions, Not, Request, to_json
from query.request.fields import field_named
from query.request.measures import STORED
from query.request.plainly import asks_the_same
from query.request.run_sets import SHARED

PLAIN: Final = 0.5
"""Share of a measure from which it is what a part asks, rather than another."""
SURE: Final = 0.8
"""The same, from which the composer alone answers (decision 0301)."""
REFUSED: Final = 0.5
"""Share of "refuse" from which a question is refused."""
LIKELY: Final = 0.37
"""Probability from which what the tuned model says is answered (decision 0304)."""
DOUBTED: Final = 0.5
"""The same, where the requests leave out a name."""
DECLINED: Final = 0.7
"""Probability from which a question that the tuned model declines is refused."""
MOST_CHOICES: Final = 3
BEYOND: Final = (
    "the index counts public sequencing runs, the viruses found in them and what is stated of "
    "their samples and studies, and holds nothing else"
)
"""Why a question cannot be answered."""
NOT_VIRUSES: Final = (
    "viruses are what the index detects; other organisms are hosts of its samples, or k-mers: "
    'ask "How many runs have Wolbachia as host?", or the same "as k-mers"'
)
"""Why bacteria, fungi or parasites in a host cannot be counted like viruses."""
_NCBI: Final = re.compile(
    r"(?i)\b(?:genes?|genomes?|sequences?|variants?|snps?|rs\d+|blast|genbank|refseq|pubmed|fasta"
    r"|orthologs?|proteins?|chromosomes?)\b"
)
"""Words of what NCBI's databases hold and no run."""
_TEXTS: Final = re.compile(r"(?i)\b(?:notes?|documents?|papers?|passages?|findings?|reports?)\b")
"""Words of what passages hold and no run."""


@dataclass(frozen=True, slots=True)
class MeasureDraft:
    """A request that a part may make, and how likely its measure is."""

    request: Request
    measure: str
    share: float


@dataclass(frozen=True, slots=True)
class DraftedPart:
    """A part of a question: its items, requests it may make, how likely it asks for none."""

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
    """What each part most likely asks, whether it is answered or not."""


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


def settled(decision: Decision, tuned: TunedReading, items: Sequence[Item]) -> Decision:
    """Return what becomes of a question that the tuned model reads, ``decision`` being the
    composer's.

    What the model is likely to have read is answered: surer where it leaves out an uncommon word,
    or a name that the composer does not use either. What it declines is refused. Otherwise the
    question is asked back, with the model's reading first: so is one of which it says nothing that
    reads back. Shares of k-mers, which it has not learned, and stored rows are the composer's.
    """
    if not tuned.requests and tuned.share >= DECLINED and decision.elsewhere is None:
        return replace(decision, requests=(), choices=(), refusal=decision.refusal or BEYOND)
    if not tuned.requests:
        is_stored = any(map(_is_of_texts, decision.requests))
        return decision if is_stored else _asked_back(decision)
    least = DOUBTED if decision.refusal == NOT_VIRUSES else LIKELY
    is_refused = decision.refusal is not None and tuned.share < least
    if is_refused or _asks_for_a_share(items):
        return decision
    verdict = _verdict(decision, items)
    if verdict is not None and tuned.share < LIKELY:
        return verdict
    plain = adjusted(tuned.requests, items)
    if plain is None:
        return _asked_back(decision)
    tuned = replace(tuned, requests=plain)
    left = leftovers(items, tuned.requests)
    if _names_viruses_of_hosts(items, tuned.requests):
        offered = _distinct(decision.likeliest, *decision.choices, tuned.requests)
        return replace(decision, requests=(), choices=offered)
    is_verdict = all(isinstance(request.measure, Evidence) for request in tuned.requests)
    is_named = bool(left.names) and not is_verdict
    is_lost = tuned.repeats or bool(left.unknown or left.fields)
    if decision.requests and _agree(decision.requests, tuned.requests):
        of_both = leftovers(items, decision.requests)
        if not (of_both.unknown or of_both.fields):
            return decision
    is_lost = is_lost or bool(is_named and decision.requests)
    is_sure = tuned.share >= (DOUBTED if is_named else LIKELY)
    if is_sure and not is_lost and not any(map(is_odd, tuned.requests)):
        return Decision(requests=tuned.requests, ignored=(*left.names, *left.ignored))
    if any(map(_is_of_texts, decision.requests)):
        return decision
    choices = _distinct(tuned.requests, decision.likeliest, *decision.choices)
    return Decision(choices=choices, unknown=(*left.may_restrict, *left.fields))


def _is_of_texts(request: Request) -> bool:
    """Return whether stored rows are asked for, or runs of studies whose text mentions words."""
    parts = request.of.of if isinstance(request.of, And) else (request.of,)
    return isinstance(request.measure, STORED) or any(isinstance(part, Mentions) for part in parts)


def _names_viruses_of_hosts(items: Sequence[Item], requests: Sequence[Request]) -> bool:
    """Return whether viruses are called after hosts (plant viruses in rice), and requests lack
    these.
    """
    hosts = [item for item in items if item.value == "host" and item.kind == "name"]
    called = [item for item, behind in pairwise(items) if behind.text.lower() == "viruses"]
    is_called = len(hosts) > 1 and any(item in hosts for item in called)
    is_called = is_called or any(item.value.startswith("infects:") for item in items)
    return is_called and not any('"infects"' in json.dumps(to_json(one)) for one in requests)


def _asked_back(decision: Decision) -> Decision:
    """Return the composer's ``decision`` as a question: the tuned model makes nothing of it."""
    choices = decision.choices or (decision.requests,)
    return replace(decision, requests=(), choices=_distinct(*choices))


def _asks_for_a_share(items: Sequence[Item]) -> bool:
    """Return whether runs are asked that are mostly of a taxon."""
    return any(item.value == "mostly" for item in items) and any(
        item.kind == "name" and item.value == SHARED for item in items
    )


def _verdict(decision: Decision, items: Sequence[Item]) -> Decision | None:
    """Return the evidence that a question in doubt asks for ("real or contamination?")."""
    if not any(item.value == "doubt" for item in items):
        return None
    for request in chain(decision.requests, *decision.choices):
        if isinstance(request.measure, Evidence):
            return replace(decision, requests=(request,), choices=())
    return None


def _agree(requests: Sequence[Request], others: Sequence[Request]) -> bool:
    """Return whether each of ``others`` asks the same as one of ``requests``."""
    return all(any(asks_the_same(request, other) for request in requests) for other in others)


def is_odd(request: Request) -> bool:
    """Return whether runs are asked for that have two hosts at once, or two sexes: hardly any; or
    that have something and do not have it.
    """
    parts = request.of.of if isinstance(request.of, And) else ()
    is_void = any(isinstance(part, Not) and part.of in parts for part in parts)
    return is_void or any(_has_two(request, name) for name in ("host", "sex", "country"))


def _has_two(request: Request, field: str) -> bool:
    """Return whether runs are asked for that have two values of a field at once."""
    parts = request.of.of if isinstance(request.of, And) else ()
    return sum(isinstance(part, Has) and part.field == field for part in parts) > 1


def _asks_for_other_organisms(part: DraftedPart) -> bool:
    """Return whether a host is asked for as what is found in another: bacteria found in cattle."""
    fields = [field_named(item.value) for item in part.items if item.kind == "field"]
    named = any(item.value in ("virus", "hit") for item in part.items)
    is_viral = named or any(field.of == "hit" for field in fields)
    finds = any(item.value == "found" for item in part.items)
    request = part.drafts[0].request
    is_listed = bool(getattr(request.measure, "under", ())) and "host" in str(request.of)
    return finds and not is_viral and (is_listed or _has_two(request, "host"))


def _says_nothing(part: DraftedPart, left: Leftovers) -> bool:
    """Return whether a part would count everything although it has words of its own."""
    request = part.drafts[0].request
    if isinstance(request.measure, STORED) or not isinstance(request.of, Everything):
        return False
    has_hits = getattr(request.measure, "hits", None) or getattr(request.measure, "hit", None)
    if has_hits or getattr(request.measure, "sides", None):
        return False
    return bool(left.may_restrict) or len(left.ignored) > 1


def _choices(parts: Sequence[DraftedPart]) -> tuple[Choice, ...]:
    """Return what may be meant: the likeliest of each part, then with one part read otherwise."""
    first = tuple(part.drafts[0].request for part in parts)
    others = [(draft.share, place, draft.request)
              for place, part in enumerate(parts) for draft in part.drafts[1:]]  # fmt: skip
    others.sort(key=lambda other: -other[0])
    varied = ((*first[:place], request, *first[place + 1 :]) for _, place, request in others)
    return _distinct(first, *varied)


def _distinct(*choices: Choice) -> tuple[Choice, ...]:
    """Return the first of ``choices`` that differ and ask something."""
    return tuple(dict.fromkeys(choice for choice in choices if choice))[:MOST_CHOICES]


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
