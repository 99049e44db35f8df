"""Answers to how many, whether any, and what share."""

from __future__ import annotations

from typing import Final

from index.claims import (
    Answered,
    Claim,
    Counted,
    Found,
    NeverSearched,
    NotFound,
    Noun,
    ShareOf,
)
from query.answers.drafting import Asked, Draft
from query.answers.hit_words import hit_words, is_any
from query.answers.next_steps import next_steps
from query.answers.run_words import clause_words, runs_in_words, runs_words
from query.answers.unknowns import (
    Subject,
    names_species,
    subject_of,
    support,
    unknowns,
)
from query.request import Count, Share
from query.request.fields import field_named

MOST_UNKNOWN: Final = 2
_SAMPLES: Final = ("sample", "samples")


def draft_count(asked: Asked, measure: Count) -> Draft:
    """Return the answer to how many runs, samples, hits or different values."""
    subject = subject_of(asked, measure.hits)
    if measure.unit not in ("run", "biosample"):
        return _of_values(asked, measure, subject)
    noun = ("run", "runs") if measure.unit == "run" else _SAMPLES
    lead = _found(asked, subject, int(asked.result.number or 0), noun)
    return Draft(
        [lead],
        _certainty(asked, subject, int(asked.result.number or 0), noun),
        next_steps(asked, subject, measure.hits),
    )


def draft_exists(asked: Asked) -> Draft:
    """Return yes with the number of runs, no of the searched runs, or never searched."""
    subject = subject_of(asked, None)
    number = int(asked.result.number or 0)
    claim = _found(asked, subject, number, ("run", "runs"))
    if asked.result.verdict == "never searched":
        lead: Claim = Answered(verdict="Never searched", because=claim)
    else:
        lead = Answered(verdict="Yes" if number else "No", because=claim)
    return Draft(
        [lead],
        _certainty(asked, subject, number, ("run", "runs")),
        next_steps(asked, subject, None),
    )


def draft_share(asked: Asked, measure: Share) -> Draft:
    """Return the share with its counts, and of which runs it is not known."""
    names = asked.names
    whole = asked.result.among or 0
    part = asked.result.tally.runs if asked.result.tally else 0
    runs = f"runs {runs_words(asked.request.of, names)}".strip()
    taken = runs_in_words(measure.part, names)
    does = clause_words(measure.part, names)
    hits = (*taken.carried, *taken.lacking)
    known = ""
    if hits:
        known = "that were searched"
    if not whole:
        words = " or ".join(hit_words(hit, names) for hit in hits) or "this"
        where = runs_words(asked.request.of, names)
        return Draft([NeverSearched(subject=words, where=where)], unknowns(asked, hits))
    lead = ShareOf(part=part, whole=whole, runs=runs, does=does, known=known)
    certainty: list[Claim] = []
    if part and asked.result.tally:
        certainty += support(asked, taken.carried, part, asked.result.tally.at_90)
    certainty += unknowns(asked, hits)
    positive = subject_of(asked, None)
    return Draft([lead], certainty[:MOST_UNKNOWN], next_steps(asked, positive, None, measure.part))


def _found(asked: Asked, subject: Subject, number: int, noun: Noun) -> Claim:
    """Return the claim that answers how many runs have the hits, or are in the set."""
    tally = asked.result.tally
    searched = tally.searched if tally else 0
    if not subject.hits:
        return _without_hits(asked, subject, number, noun)
    if number == 0 and searched == 0:
        return NeverSearched(subject=subject.words, where=subject.where)
    if number == 0:
        return NotFound(
            subject=subject.words,
            searched=searched,
            where=subject.where,
            together=subject.together,
            sought=subject.sought,
        )
    strict = tally.at_90 if tally else 0
    runs = tally.positive if tally else number
    return Found(
        subject=subject.words,
        number=number,
        where=subject.where,
        noun=noun,
        searched=searched if noun[0] == "run" else None,
        supported=strict >= runs or not names_species(asked, subject.hits),
        together=subject.together,
        sought=subject.sought,
    )


def _without_hits(asked: Asked, subject: Subject, number: int, noun: Noun) -> Claim:
    """Return how many runs are in a set that names no virus they carry."""
    if subject.lacking:
        names = asked.names
        where = runs_in_words(asked.request.of, names).where
        lacking = " or ".join(hit_words(hit, names, first=True) for hit in subject.lacking)
        does = f"{'was' if number == 1 else 'were'} searched for {lacking} and found without"
        return Counted(number=number, noun=noun, where=where, after=does)
    if number == 0:
        return Counted(number=0, noun=noun, before="the index holds", where=subject.where)
    return Counted(number=number, noun=noun, before="the index holds", where=subject.where)


def _certainty(asked: Asked, subject: Subject, number: int, noun: Noun) -> list[Claim]:
    """Return how sure the number is, the most important first."""
    tally = asked.result.tally
    claims: list[Claim] = []
    if number and tally and noun[0] == "run":
        claims += support(asked, subject.hits, number, tally.at_90)
    if tally and tally.searched == 0 and number == 0 and subject.hits:
        return []
    claims += unknowns(asked, (*subject.hits, *subject.lacking))
    return claims if asked.full else claims[:MOST_UNKNOWN]


def _of_values(asked: Asked, measure: Count, subject: Subject) -> Draft:
    """Return the answer to how many hits, hosts, studies or species."""
    number = int(asked.result.number or 0)
    noun = _noun(measure.unit)
    bullets = next_steps(asked, subject, measure.hits)
    unknown = unknowns(asked, subject.hits)[:MOST_UNKNOWN]
    is_of_hits = measure.unit == "detection" or field_named(measure.unit).of == "hit"
    if subject.hits and not all(is_any(hit) for hit in subject.hits):
        if is_of_hits:
            lead: Claim = Counted(
                number=number, noun=noun, before="there are", where=_of(subject), after=""
            )
            return Draft([lead], unknown, bullets)
        lead = Found(
            subject=subject.words, number=number, noun=_found_in(noun), where=subject.where
        )
        return Draft([lead], unknown, bullets)
    if is_of_hits:
        where = runs_words(asked.request.of, asked.names)
        where = f"in runs {where}" if where else "in the index"
        return Draft([Counted(number=number, noun=noun, before="there are", where=where)],
                     unknown, bullets)  # fmt: skip
    where = runs_words(asked.request.of, asked.names)
    runs = f"runs {where}" if where else "runs of the index"
    lead = Counted(number=number, noun=noun, before=f"the {runs} are of")
    return Draft([lead], unknown, bullets)


def _of(subject: Subject) -> str:
    where = f" in runs {subject.where}" if subject.where else ""
    return f"of {subject.words}{where}"


def _found_in(noun: Noun) -> Noun:
    return f"different {noun[0]}", f"different {noun[1]}"


def _noun(unit: str) -> Noun:
    if unit == "detection":
        return "hit", "hits"
    field = field_named(unit)
    return field.said, field.plural
