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
from index.claims.counts import RUN
from query.answers.drafting import Asked, Draft
from query.answers.hit_words import hit_words
from query.answers.next_steps import links_to, next_steps
from query.answers.run_words import both_of, clause_words, runs_in_words, runs_words
from query.answers.subject import Subject, of_positive, subject_of
from query.answers.unknowns import beside_relatives, is_supported, renamed, shown, support, unknowns
from query.request import Count, Share
from query.request.fields import field_named

_SAMPLE: Final = ("sample", "samples")


def draft_count(asked: Asked, measure: Count) -> Draft:
    """Return the answer to how many runs, samples, hits or different values."""
    subject = subject_of(asked, measure.hits)
    if measure.unit not in ("run", "biosample"):
        return _draft_values(asked, measure, subject)
    noun = RUN if measure.unit == "run" else _SAMPLE
    number = int(asked.result.number or 0)
    if noun == _SAMPLE and not number and asked.result.tally:
        tally = asked.result.tally  # no sample is on record: the runs are all that can be counted
        noun, number = RUN, tally.runs if measure.hits is None else tally.positive
    certainty = certainty_of(asked, subject, number, noun)
    if measure.unit == "biosample":
        certainty.sort(key=lambda claim: "sample" not in claim.clause())
    of = of_positive(asked.request.of, measure.hits)
    return Draft(
        [found(asked, subject, number, noun)],
        shown(asked, certainty),
        next_steps(asked, subject, of),
        links_to(asked, subject, of),
    )


def draft_exists(asked: Asked) -> Draft:
    """Return yes with the number of runs, no of the searched runs, or never searched."""
    subject = subject_of(asked, None)
    number = int(asked.result.number or 0)
    claim = found(asked, subject, number, RUN)
    return Draft(
        [Answered(verdict=_verdict(asked, subject, number), because=claim)],
        shown(asked, certainty_of(asked, subject, number, RUN)),
        next_steps(asked, subject, asked.request.of),
        links_to(asked, subject, asked.request.of),
    )


def _verdict(asked: Asked, subject: Subject, number: int) -> str:
    """Return yes, no or never searched; perhaps where no hit supports the species."""
    if asked.result.verdict == "never searched":
        return "Never searched"
    if not number:
        return "No"
    strict = asked.result.tally.at_90 if asked.result.tally else 0
    is_sure = strict > 0 or is_supported(asked, subject.hits, number, strict)
    return "Yes" if is_sure else "Perhaps"


def draft_share(asked: Asked, measure: Share) -> Draft:
    """Return the share with its counts, and of which runs it is not known."""
    names = asked.names
    taken = runs_in_words(measure.part, names)
    hits = (*taken.carried, *taken.lacking)
    if not asked.result.among:
        return Draft([_share_unknown(asked, measure)], shown(asked, unknowns(asked, hits)))
    part = asked.result.tally.runs if asked.result.tally else 0
    lead = ShareOf(
        part=part,
        whole=asked.result.among,
        runs=f"runs {runs_words(asked.request.of, names)}".strip(),
        does=clause_words(measure.part, names, first=True),
        known="searched" if hits else "",
    )
    certainty: list[Claim] = []
    if part and asked.result.tally:
        certainty += support(asked, taken.carried, part, asked.result.tally.at_90)
    certainty += [
        claim for claim in unknowns(asked, hits) if hits or "not searched" not in claim.clause()
    ]
    subject = subject_of(asked, taken.carried[0] if taken.carried else None)
    both = both_of(asked.request.of, measure.part)
    steps = next_steps(asked, subject, both)
    return Draft([lead], shown(asked, certainty), steps, links_to(asked, subject, both))


def _share_unknown(asked: Asked, measure: Share) -> Claim:
    """Return that of no run it is known whether it is in the part."""
    taken = runs_in_words(measure.part, asked.names)
    where = runs_words(asked.request.of, asked.names)
    if taken.carried or taken.lacking:
        named = [hit_words(hit, asked.names) for hit in (*taken.carried, *taken.lacking)]
        return NeverSearched(subject=" or ".join(named), where=where)
    does = clause_words(measure.part, asked.names)
    return Counted(number=0, where=where, after=f"tell whether they {does}")


def found(asked: Asked, subject: Subject, number: int, noun: Noun) -> Claim:
    """Return the claim that answers how many runs have the hits, or are in the set."""
    tally = asked.result.tally
    if not subject.hits or tally is None:
        return _without_hits(asked, subject, number, noun)
    if number == 0 and tally.searched == 0:
        return NeverSearched(subject=subject.words, where=subject.where)
    if number == 0:
        return NotFound(
            subject=subject.words,
            searched=tally.searched,
            where=subject.where,
            together=subject.together,
            sought=subject.sought,
        )
    return Found(
        subject=subject.words,
        number=number,
        where=subject.where,
        noun=noun,
        searched=tally.searched if noun == RUN else None,
        supported=is_supported(asked, subject.hits, tally.positive, tally.at_90),
        together=subject.together,
        sought=subject.sought,
    )


def _without_hits(asked: Asked, subject: Subject, number: int, noun: Noun) -> Claim:
    """Return how many runs are in a set that names no virus they carry."""
    if not subject.lacking:
        return Counted(number=number, noun=noun, before="the index holds", where=subject.where)
    names = asked.names
    where = runs_in_words(asked.request.of, names).where
    lacking = " or ".join(hit_words(hit, names, first=True) for hit in subject.lacking)
    lacking = lacking.replace("any virus", "a virus")
    if not number:
        return Counted(
            number=0, where=where, after=f"lack {lacking}: all that were searched have it"
        )
    verb, they = ("lacks", "it was") if number == 1 else ("lack", "they were")
    does = f"{verb} {lacking}, though {they} searched for it"
    return Counted(number=number, noun=noun, where=where, after=does)


def certainty_of(asked: Asked, subject: Subject, number: int, noun: Noun) -> list[Claim]:
    """Return how sure the number is, the most important first."""
    tally = asked.result.tally
    if tally is not None and subject.hits and not number:
        claims = renamed(asked, subject.hits)
        if claims or not tally.searched:
            return claims
    if tally is None:
        return []
    claims = []
    if noun == RUN:
        claims += support(asked, subject.hits, number, tally.at_90)
        claims += beside_relatives(asked, subject.hits, number)
    return [*claims, *unknowns(asked, (*subject.hits, *subject.lacking))]


def _draft_values(asked: Asked, measure: Count, subject: Subject) -> Draft:
    """Return the answer to how many hits, hosts, studies or species."""
    lead = _values_lead(asked, measure, subject)
    unknown = unknowns(asked, subject.hits)
    of = of_positive(asked.request.of, measure.hits)
    return Draft([lead], shown(asked, unknown), next_steps(asked, subject, of, skip=measure.unit))


def _values_lead(asked: Asked, measure: Count, subject: Subject) -> Claim:
    number = int(asked.result.number or 0)
    noun = _noun(measure.unit)
    is_of_hits = measure.unit == "detection" or field_named(measure.unit).of == "hit"
    if subject.is_named and is_of_hits:
        where = f" in runs {subject.where}" if subject.where else ""
        of = f"of {subject.words}{where}"
        return Counted(number=number, noun=noun, before="there are", where=of)
    if subject.is_named:
        different = (f"different {noun[0]}", f"different {noun[1]}")
        if not number:
            return NotFound(subject=subject.words, searched=0, where=subject.where)
        return Found(subject=subject.words, number=number, noun=_found_in(measure.unit, different))
    where = runs_words(asked.request.of, asked.names)
    if is_of_hits:
        within = f"in runs {where}" if where else "in the index"
        return Counted(number=number, noun=noun, before="there are", where=within)
    runs = f"runs {where}" if where else "runs of the index"
    return Counted(number=number, noun=noun, before=f"the {runs} are from")


def _found_in(unit: str, different: Noun) -> Noun:
    return _noun(unit) if unit in ("study", "project", "country", "place") else different


def _noun(unit: str) -> Noun:
    if unit == "detection":
        return "hit", "hits"
    field = field_named(unit)
    return field.said, field.plural
