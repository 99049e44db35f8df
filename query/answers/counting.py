"""Answers to how many, whether any, and what share."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from index.claims import (
    RUN,
    Claim,
    Counted,
    FoundIn,
    HitsOnly,
    NeverSearched,
    NotFound,
    Noun,
    ShareOf,
    YesOrNo,
)
from index.claims.claim import joined
from query.answers.doubting import of_laboratory
from query.answers.drafting import Answering, Draft
from query.answers.hit_words import hit_words, how_words
from query.answers.listing_words import noun_of
from query.answers.next_steps import links_to, named_viruses, next_steps
from query.answers.relatives import beside_relatives
from query.answers.run_words import both_of, clause_words, runs_in_words, runs_words, without_hits
from query.answers.subject import Topic, of_positive, subject_of
from query.answers.unknowns import (
    is_supported,
    lists_mostly_hits,
    no_runs,
    renamed,
    shown,
    support,
    unknowns,
    unnamed,
)
from query.request import Count, Has, Rows, Searched, Share
from query.request.fields import field_named
from query.request.run_sets import EVERYTHING, RunSet

_SAMPLE: Final = ("sample", "samples")


def draft_count(context: Answering, measure: Count) -> Draft:
    """Return the answer to how many runs, samples, hits or different values."""
    subject = subject_of(context, measure.hits)
    if measure.unit not in ("run", "biosample"):
        return _draft_values(context, measure, subject)
    noun = RUN if measure.unit == "run" else _SAMPLE
    number = int(context.result.number or 0)
    tally = context.result.tally
    if noun == _SAMPLE and not number and tally:
        # no sample is on record: the runs are all that can be counted
        noun, number = RUN, tally.runs if measure.hits is None else tally.positive
    certainty = certainty_of(context, subject, number, noun)
    if measure.unit == "biosample":
        certainty.sort(key=lambda claim: "sample" not in claim.clause())
    if subject.lacking and not subject.hits and not number:
        certainty += _hits_only(context, subject)
    lead = found(context, subject, number, noun)
    if isinstance(lead, FoundIn) and lead.searched is None and noun == RUN and subject.where:
        certainty.append(HitsOnly(subject=""))
    of = of_positive(context.request.of, measure.hits)
    return Draft(
        [lead],
        [
            *shown(context, certainty, found=number > 0 and noun == RUN),
            *named_viruses(context, subject, of),
        ],
        next_steps(context, subject, of),
        links_to(context, subject, of),
    )


def _hits_only(context: Answering, subject: Topic) -> list[Claim]:
    """Return that sources list only hits, where every run that was searched has them."""
    if context.result.tally is None or not context.result.tally.searched:
        return []
    lacking = " or ".join(hit_words(hit, context.names) for hit in subject.lacking)
    where = runs_words(without_hits(context.request.of), context.names)
    return [HitsOnly(subject=lacking.replace("any virus", "a virus"), where=where)]


def draft_exists(context: Answering) -> Draft:
    """Return yes with the number of runs, no of the searched runs, or never searched."""
    subject = subject_of(context, None)
    number = int(context.result.number or 0)
    claim = found(context, subject, number, RUN)
    return Draft(
        [YesOrNo(verdict=_verdict(context, subject, number, claim), because=claim)],
        [
            *shown(context, certainty_of(context, subject, number, RUN), found=number > 0),
            *named_viruses(context, subject, context.request.of),
        ],
        next_steps(context, subject, context.request.of),
        links_to(context, subject, context.request.of),
    )


def _verdict(context: Answering, subject: Topic, number: int, claim: Claim) -> str:
    """Return yes, no or never searched; perhaps where no hit supports the species."""
    if isinstance(claim, NeverSearched):
        return "Never searched"
    if not number:
        missed = [one.number for one in context.result.left_out if one.reason == "not searched"]
        if not isinstance(claim, NotFound):
            return "No"
        return "Not in these data" if claim.searched >= sum(missed) else "Hardly searched"
    strict = context.result.tally.at_90 if context.result.tally else 0
    return "Yes" if is_supported(context, subject.hits, strict) else "Perhaps"


def _whole_of(context: Answering, part: int, *, is_searched: bool) -> tuple[int, str]:
    """Return the runs that a share is of, and what is known of them.

    Where every run that was searched has the virus, sources listed hits only, and the share is one
    of all runs.
    """
    among = context.result.among or 0
    if not is_searched:
        return among, ""
    if part == among:
        every = context.look(Count(), context.request.of).number
        if every is not None and every > among:
            return int(every), ""
    return among, "searched"


def draft_share(context: Answering, measure: Share) -> Draft:
    """Return the share with its counts, and of which runs it is not known."""
    names = context.names
    taken = runs_in_words(measure.part, names)
    hits = (*taken.carried, *taken.lacking)
    if not context.result.among:
        unknown = shown(context, unknowns(context, hits)) if hits else []
        return Draft([_share_unknown(context, measure)], unknown)
    part = context.result.tally.runs if context.result.tally else 0
    whole, known = _whole_of(context, part, is_searched=bool(hits))
    where = runs_words(context.request.of, names)
    stated = _stated(measure.part)
    if stated and whole < int(context.look(Count(), context.request.of).number or 0):
        where = joined(where, f"whose {stated} is recorded")
    subject = subject_of(context, taken.carried[0] if taken.carried else None)
    lead: list[Claim] = [
        ShareOf(
            part=part,
            whole=whole,
            runs=joined("runs", where),
            does=clause_words(measure.part, names, first=True),
            known=known,
        )
    ]
    if taken.carried and not known:
        lead = [FoundIn(subject=subject.words, number=part, where=where)]
    certainty: list[Claim] = []
    if part and taken.carried and lists_mostly_hits(context, context.request.of):
        certainty.append(HitsOnly(subject=""))
    if part and context.result.tally:
        certainty += support(context, taken.carried, part, context.result.tally.at_90)
        both = both_of(context.request.of, measure.part)
        certainty += beside_relatives(context, taken.carried, both)
    certainty += [
        claim for claim in unknowns(context, hits) if hits or "not searched" not in claim.clause()
    ]
    both = both_of(context.request.of, measure.part)
    steps = next_steps(context, subject, both)
    links = links_to(context, subject, both)
    return Draft(lead, shown(context, certainty, found=part > 0), steps, links)


def _share_unknown(context: Answering, measure: Share) -> Claim:
    """Return that of no run it is known whether it is in the part."""
    taken = runs_in_words(measure.part, context.names)
    where = runs_words(context.request.of, context.names)
    none = no_runs(context, context.request.of)
    if none:
        return none[0]
    if taken.carried or taken.lacking:
        named = [hit_words(hit, context.names) for hit in (*taken.carried, *taken.lacking)]
        return NeverSearched(subject=" or ".join(named), where=where)
    every = int(context.look(Count(), context.request.of).number or 0)
    stated = _stated(measure.part)
    does = clause_words(measure.part, context.names)
    if stated and every:
        begin = f"whether any {does} cannot be said, because no {stated} is recorded for any of the"
        return Counted(number=every, before=begin, where=where)
    return Counted(number=0, where=where, after=f"tell whether they {does}")


def _stated(part: RunSet) -> str:
    """Return the field that runs must state to be in a part or not; empty where it is none."""
    return field_named(part.field).said if isinstance(part, Has) and part.values else ""


def found(context: Answering, subject: Topic, number: int, noun: Noun) -> Claim:
    """Return the claim that answers how many runs have the hits, or are in the set."""
    tally = context.result.tally
    if not subject.hits or tally is None:
        return _without_hits(context, subject, number, noun)
    rest = without_hits(context.request.of)
    others = renamed(context, subject.hits, rest) if number == 0 else []
    if others:
        return others[0]
    if number == 0 and tally.searched == 0:
        unsearched = NeverSearched(subject=subject.words, where=subject.where)
        return next(iter(no_runs(context, rest)), unsearched)
    if number == 0:
        return NotFound(
            subject=subject.words,
            searched=tally.searched,
            where=subject.where,
            together=subject.together,
            sought=subject.sought,
        )
    is_whole = noun == RUN and not lists_mostly_hits(context, rest)
    how = how_words(subject.hits)
    return FoundIn(
        subject=subject.words.replace(f" {how}", "") if how else subject.words,
        how=how,
        number=number,
        where=subject.where,
        noun=noun,
        searched=tally.searched if is_whole else None,
        supported=is_supported(context, subject.hits, tally.at_90),
        together=subject.together,
        sought=subject.sought,
    )


def _without_hits(context: Answering, subject: Topic, number: int, noun: Noun) -> Claim:
    """Return how many runs are in a set that names no virus they carry."""
    if isinstance(context.request.of, Searched):
        whole = int(context.look(Count(), EVERYTHING).number or 0)
        does = clause_words(context.request.of, context.names)
        return ShareOf(part=number, whole=whole, runs="runs", does=does)
    if not subject.lacking and not number:
        return _no_runs(context, context.request.of, noun)
    if not subject.lacking:
        return Counted(number=number, noun=noun, before="the index holds", where=subject.where)
    names = context.names
    where = runs_in_words(context.request.of, names).where
    lacking = " or ".join(hit_words(hit, names, first=True) for hit in subject.lacking)
    lacking = lacking.replace("any virus", "a virus")
    tally = context.result.tally
    if not number and tally is not None and not tally.searched:
        return NeverSearched(subject=lacking, where=where)
    if not number:
        searched = tally.searched if tally else 0
        noun = ("searched run", "searched runs")
        where, after = where.removeprefix("searched"), f"have {lacking}"
        after = after.replace("a virus", "a virus hit")
        return Counted(number=searched, noun=noun, before="all", where=where, after=after)
    were, have = ("was", "has") if number == 1 else ("were", "have")
    does = f"{were} searched for {lacking} and {have} none"
    if lacking == "a virus":
        does = f"{were} searched and {have} no virus"
    return Counted(number=number, noun=noun, where=where.removeprefix("searched"), after=does)


def _no_runs(context: Answering, of: RunSet, noun: Noun) -> Claim:
    """Return that the index holds no runs of a set, or nothing else that is counted of them."""
    formal = runs_in_words(of, context.names.formally()).where
    return Counted(number=0, noun=noun, before="the index holds", where=formal)


def certainty_of(context: Answering, subject: Topic, number: int, noun: Noun) -> list[Claim]:
    """Return how sure the number is, the most important first."""
    tally = context.result.tally
    is_of_viruses = bool(subject.hits or subject.lacking)
    if tally is None or (is_of_viruses and not tally.searched and not number):
        return []
    claims: list[Claim] = []
    if noun == RUN:
        claims += support(context, subject.hits, number, tally.at_90)
        claims += of_laboratory(context, subject.hits, number)
    if number:
        claims += beside_relatives(context, subject.hits, _with_hits(context))
    else:
        claims += unnamed(context, subject.hits, without_hits(context.request.of))
    return [*claims, *unknowns(context, (*subject.hits, *subject.lacking))]


def _with_hits(context: Answering) -> RunSet:
    """Return the runs of the answer."""
    measure = context.request.measure
    hits = measure.hits if isinstance(measure, Count | Rows) else None
    return of_positive(context.request.of, hits)


def _draft_values(context: Answering, measure: Count, subject: Topic) -> Draft:
    """Return the answer to how many hits, hosts, studies or species."""
    lead = _values_lead(context, measure, subject)
    of = of_positive(context.request.of, measure.hits)
    beside = beside_relatives(context, subject.hits, of)
    tally = context.result.tally
    if measure.unit == "detection" and tally is not None and tally.positive:
        beside = [*support(context, subject.hits, tally.positive, tally.at_90), *beside]
    unknown = [*beside, *unknowns(context, subject.hits)]
    has_more = context.full or measure.unit == "host"
    steps = next_steps(context, subject, of, skip=measure.unit) if has_more else []
    return Draft([lead], shown(context, unknown, found=True), steps)


def _values_lead(context: Answering, measure: Count, subject: Topic) -> Claim:
    number = int(context.result.number or 0)
    noun = noun_of(measure.unit)
    is_of_hits = measure.unit == "detection" or field_named(measure.unit).of == "hit"
    tally = context.result.tally
    if subject.is_named and measure.unit == "detection" and tally is not None:
        positive = tally.positive or tally.runs
        claim = found(context, subject, positive if number else 0, RUN)
        return replace(claim, hits=number) if isinstance(claim, FoundIn) else claim
    if subject.is_named and is_of_hits:
        within = joined("in runs", subject.where)
        before = "there is" if number == 1 else "there are"
        named = f"of {subject.words} {within}"
        return Counted(number=number, noun=noun, before=before, where=named)
    if subject.is_named:
        different = (f"different {noun[0]}", f"different {noun[1]}")
        if not number:
            return found(context, subject, 0, RUN)
        return FoundIn(
            subject=subject.words, number=number, noun=_found_in(measure.unit, different)
        )
    where = runs_words(context.request.of, context.names)
    if is_of_hits:
        found_in = f"{'is' if number == 1 else 'are'} found in"
        within = f"{found_in} runs {where}" if where else f"{found_in} the index"
        return Counted(number=number, noun=noun, where=within)
    runs = f"runs {where}" if where else "runs of the index"
    return Counted(number=number, noun=noun, before=f"the {runs} are from")


def _found_in(unit: str, different: Noun) -> Noun:
    return noun_of(unit) if unit in ("study", "project", "country", "place") else different
