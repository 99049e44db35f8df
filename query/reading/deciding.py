"""From drafts of requests to a reading: answered, up to three questions to pick from, or refused.

A question is answered where its reading is sure, a fitted model sees what it leaves over, and no
word is left over that no known question with an answer has ("cured").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from query.reading.certainty import certainty
from query.reading.items import Item
from query.reading.leftovers import Leftovers, leftovers
from query.reading.pairs import words_of_answered
from query.reading.tuned import TunedReading
from query.request import Everything, Request
from query.request.measures import STORED

SURE: Final = 0.5
"""Certainty from which a question is answered and not asked back (decision 0301)."""
REFUSED: Final = 0.5
"""Share of "refuse" from which a question is refused."""
LIKELY: Final = 0.5
"""Probability from which what the tuned model says is answered (decision 0303)."""
DECLINED: Final = 0.7
"""Probability from which a question that the tuned model declines is refused."""
MOST_CHOICES: Final = 3
BEYOND: Final = (
    "the index counts public sequencing runs, the viruses found in them and what is stated of "
    "their samples and studies, and holds nothing else"
)
"""Why a question cannot be answered."""
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
    choices: tuple[Request, ...] = ()
    ignored: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    refusal: str | None = None
    elsewhere: Literal["entrez", "passages"] | None = None


def decided(text: str, parts: Sequence[DraftedPart]) -> Decision:
    """Return what becomes of a question with these parts."""
    answerable = [part for part in parts if part.drafts and part.refused < REFUSED]
    if not answerable:
        return _declined(text, parts)
    best = tuple(part.drafts[0].request for part in answerable)
    items = [part.items for part in parts]
    left = leftovers([item for part in items for item in part], best)
    sure = certainty(items, best, [part.drafts[0].share for part in answerable])
    if any(_says_nothing(part, left) for part in answerable):
        return Decision(unknown=left.may_restrict or left.ignored)
    plain = all(part.drafts[0].share == 1.0 for part in answerable)
    unexplained = (*left.may_restrict, *_unheard(left.ignored))
    if unexplained or (sure < SURE and not plain) or len(answerable) < len(parts):
        return Decision(choices=_choices(answerable), unknown=unexplained)
    return Decision(requests=best, ignored=left.ignored, unknown=left.may_restrict)


def settled(decision: Decision, tuned: TunedReading, items: Sequence[Item]) -> Decision:
    """Return ``decision`` in the light of what the tuned model reads.

    Where both agree, or the model is sure and leaves no name out, its requests are answered; where
    it declines what nobody is sure of, the question is refused; else its reading is one to pick.
    """
    if not tuned.requests:
        declined = tuned.share >= DECLINED and not decision.requests and not decision.elsewhere
        return replace(decision, choices=(), refusal=BEYOND) if declined else decision
    left = leftovers(items, tuned.requests)
    agrees = decision.requests == tuned.requests or decision.choices[:1] == tuned.requests
    if not left.may_restrict and (agrees or tuned.share >= LIKELY):
        return Decision(requests=tuned.requests, ignored=left.ignored)
    choices = dict.fromkeys((*tuned.requests, *decision.requests, *decision.choices))
    return Decision(choices=tuple(choices)[:MOST_CHOICES], unknown=left.may_restrict)


def _unheard(words: Sequence[str]) -> list[str]:
    """Return the words that no known question with an answer has."""
    return [word for word in words if word.lower() not in words_of_answered()]


def _says_nothing(part: DraftedPart, left: Leftovers) -> bool:
    """Return whether a part would count everything although it has words of its own."""
    request = part.drafts[0].request
    if isinstance(request.measure, STORED) or not isinstance(request.of, Everything):
        return False
    has_hits = getattr(request.measure, "hits", None) or getattr(request.measure, "hit", None)
    if has_hits or getattr(request.measure, "sides", None):
        return False
    return bool(left.may_restrict) or len(left.ignored) > 1


def _choices(parts: Sequence[DraftedPart]) -> tuple[Request, ...]:
    drafts = sorted((draft for part in parts for draft in part.drafts), key=lambda one: -one.share)
    return tuple(dict.fromkeys(draft.request for draft in drafts))[:MOST_CHOICES]


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
