"""From drafts of requests to a reading: answered, up to three questions to pick from, or refused.

A draft is answered where its measure is clear and no word that may restrict it is left over. A
question that cannot be answered gets the reason that the most similar one has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from query.reading.items import Item
from query.reading.measures import harmless_words
from query.reading.pairs import refusals
from query.request import Everything, Request, say
from query.request.measures import STORED

SURE: Final = 0.5
"""Share of the likeliest measure from which it needs no second look."""
REFUSED: Final = 0.5
"""Share of "refuse" from which a question is refused."""
MOST_CHOICES: Final = 3
_NCBI: Final = re.compile(
    r"(?i)\b(?:genes?|genomes?|sequences?|variants?|snps?|rs\d+|blast|genbank|refseq|pubmed|fasta"
    r"|orthologs?|proteins?|chromosomes?)\b"
)
"""Words of what NCBI's databases hold and no run."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A request that a part may make, and how likely its measure is."""

    request: Request
    measure: str
    share: float


@dataclass(frozen=True, slots=True)
class DraftedPart:
    """A part of a question: its items, the requests it may make, and how likely it asks for none."""

    items: tuple[Item, ...]
    drafts: tuple[Draft, ...]
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
    words = [word for part in parts for word in left_over(part.items)]
    restricting = [word for part in parts for word in restricting_words(part.items)]
    answerable = [part for part in parts if part.drafts and part.refused < REFUSED]
    if not answerable:
        return _declined(text, parts, restricting)
    best = tuple(part.drafts[0].request for part in answerable)
    unsure = any(_is_unsure(part) for part in answerable)
    vague = any(_says_nothing(part, words) for part in answerable)
    if restricting or unsure or vague or len(answerable) < len(parts):
        choices = _choices(answerable)
        if vague and not restricting:
            restricting = words
        return Decision(choices=() if vague else choices, unknown=tuple(restricting))
    return Decision(requests=best, ignored=tuple(words))


def left_over(items: Sequence[Item]) -> list[str]:
    """Return the words of a part that its request does not use and that are not harmless."""
    known = harmless_words()
    return [item.text for item in items if item.kind == "word" and item.text.lower() not in known]


def restricting_words(items: Sequence[Item]) -> list[str]:
    """Return the words that are left over where a condition may stand.

    Before a noun, behind a preposition, or written like a name.
    """
    known = harmless_words()
    found = []
    for place, item in enumerate(items):
        if item.kind != "word" or item.text.lower() in known:
            continue
        before = items[place - 1].text.lower() if place else ""
        after = items[place + 1].kind if place + 1 < len(items) else ""
        is_named = (
            any(letter.isdigit() for letter in item.text) or item.text[1:] != item.text[1:].lower()
        )
        if before in _PREPOSITIONS or after in ("unit", "field", "name") or is_named:
            found.append(item.text)
    return found


_PREPOSITIONS: Final = frozenset(
    ["of", "in", "from", "with", "without", "for", "on", "by", "under", "during", "among"]
)


def _is_unsure(part: DraftedPart) -> bool:
    """Return whether two measures are nearly as likely and make different requests."""
    first, *others = part.drafts
    if first.share >= SURE or not others:
        return False
    second = others[0]
    return second.share > first.share / 2 and say(second.request) != say(first.request)


def _says_nothing(part: DraftedPart, words: Sequence[str]) -> bool:
    """Return whether a part would count everything although it has words of its own."""
    request = part.drafts[0].request
    if isinstance(request.measure, STORED) or not isinstance(request.of, Everything):
        return False
    has_hits = getattr(request.measure, "hits", None) or getattr(request.measure, "hit", None)
    if has_hits or getattr(request.measure, "sides", None):
        return False
    return len(words) > 1


def _choices(parts: Sequence[DraftedPart]) -> tuple[Request, ...]:
    drafts = sorted((draft for part in parts for draft in part.drafts), key=lambda one: -one.share)
    return tuple(dict.fromkeys(draft.request for draft in drafts))[:MOST_CHOICES]


def _declined(text: str, parts: Sequence[DraftedPart], restricting: Sequence[str]) -> Decision:
    """Return the refusal of a question that makes no request."""
    if _NCBI.search(text):
        return Decision(
            elsewhere="entrez", refusal="the index holds no genes, genomes or sequences"
        )
    if any(part.refused >= REFUSED for part in parts):
        return Decision(refusal=reason_like(text))
    if restricting:
        return Decision(unknown=tuple(restricting))
    return Decision(refusal="it names nothing that the index knows")


def reason_like(text: str) -> str:
    """Return why the question most like ``text`` cannot be answered."""
    words = frozenset(re.findall(r"[a-z]+", text.lower()))

    def likeness(pair: tuple[frozenset[str], str]) -> float:
        other, _ = pair
        return len(words & other) / max(1, len(words | other))

    _, reason = max(refusals(), key=likeness)
    return reason
