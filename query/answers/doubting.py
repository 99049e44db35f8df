"""Answers to whether hits are real: the verdict first, then the stored evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from index.claims import Claim, NeverSearched, NotFound, Summarised, Supported
from index.claims.counts import OTHERS
from index.claims.phrases import is_or_are
from index.claims.verdicts import Expected, Judged, OfLaboratory, Verdict
from index.store.origins import KINDS
from query.answers.drafting import Answering, Draft, table_of
from query.answers.next_steps import studies
from query.answers.relatives import beside
from query.answers.subject import Topic, of_positive, subject_of
from query.answers.summarising import summarised
from query.answers.unknowns import names_species, no_runs, renamed
from query.compiler.counting import joined
from query.compiler.expecting import Relatives, how_expected, laboratory_runs, relatives
from query.request import Carries, Count, Evidence, Hit, Summary

UNKNOWN_HERE: Final = "no record has them in what was sequenced"
_FEW_READS: Final = 10
_MANY: Final = 10
"""A relative is named that is in more than the tenth part of the runs; hosts count likewise."""


@dataclass(frozen=True)
class Findings:
    """What the verdict rests on."""

    runs: int
    strict: int
    is_species: bool
    classes: frozenset[str]
    expected: dict[str, int]
    relatives: Relatives
    reads: float | None


def draft_evidence(context: Answering, measure: Evidence) -> Draft:
    """Return the verdict, what supports it, and the rows of the evidence."""
    subject = subject_of(context, measure.hit)
    tally = context.result.tally
    runs = tally.positive if tally else 0
    if not runs or tally is None:
        claim = _not_found(subject, tally.searched if tally else 0)
        of = context.request.of
        return Draft(no_runs(context, of) or renamed(context, [measure.hit], of) or [claim])
    is_species = names_species(context, [measure.hit])
    numbers = [_summary(context, measure, subject, field) for field in ("reads", "identity")]
    reads, identity = (claim if isinstance(claim, Summarised) else None for claim in numbers)
    found = Findings(
        runs=runs,
        strict=tally.at_90 if is_species else _with_identity(context, measure),
        is_species=is_species,
        classes=frozenset(str(row["evidence"]) for row in context.result.records()),
        expected=how_expected(context.resolver, measure.hit, context.request.of),
        relatives=relatives(context.resolver, measure.hit, context.request.of),
        reads=reads.median if reads else None,
    )
    laboratory = of_laboratory(context, [measure.hit], runs, most=False)
    verdict, because = judge(found)
    if laboratory and laboratory[0].is_most and verdict == "probably real":
        (of_it,) = laboratory
        verdict, because, laboratory = "from a laboratory", of_it.clause(), []
    if because == UNKNOWN_HERE and subject.where.startswith("from "):
        because = f"{subject.words} {is_or_are(subject.words)} not known {subject.where}"
    lead = Judged(subject=subject.words, where=subject.where, verdict=verdict, because=because)
    others = tuple(key for key in OTHERS if key in found.classes)
    certainty = [
        Supported(number=tally.at_90, whole=runs, others=others),
        *laboratory,
    ]
    bullets = [
        *_expected(found, verdict),
        *_relatives(context, measure, found),
        *([reads] if reads else []),
        *studies(context, of_positive(context.request.of, measure.hit)),
        *([identity] if identity else []),
    ]
    return Draft([lead], certainty, bullets, table=table_of(context.result))


def judge(found: Findings) -> tuple[Verdict, str]:
    """Return the verdict on hits, and the reason in a few words."""
    if not found.strict:
        return _without_support(found)
    kinds = found.expected
    known = sum(kinds.values())

    def mostly(*names: str) -> bool:
        of_kind = sum(kinds.get(name, 0) for name in names)
        return 2 * of_kind > known and _MANY * known >= found.runs

    more_reads = found.relatives.listed
    if more_reads and 2 * more_reads[0].runs > found.runs > 2 * found.relatives.without:
        name = more_reads[0].name
        return "probably a relative", f"{name} has more reads in most of the same runs"
    if more_reads and 5 * more_reads[0].runs > found.runs:
        name = more_reads[0].name
        return "real in part", f"in others {name} has more reads and explains them"
    if mostly("library"):
        return "sequenced on purpose", "the libraries are of the virus, its stocks or strains"
    if mostly("unexpected"):
        return "possibly contamination", UNKNOWN_HERE
    if mostly("of its group"):
        return "possibly contamination", "the virus is known from the group of this host only"
    if mostly("resident"):
        return "from the cell line", "the line carries the virus, whatever the sample had"
    if found.reads is not None and found.reads < _FEW_READS:
        return "cannot be said", "the reads are too few"
    support = "the identity supports the species"
    if not found.is_species:
        support = "their identity is known"
    if 2 * known >= found.runs:
        return "probably real", f"{support}, and the host is a known one"
    return "probably real", f"{support}, though no host is recorded for most runs"


def _without_support(found: Findings) -> tuple[Verdict, str]:
    """Return the verdict where no hit is near enough to the species."""
    if "nearer a relative" in found.classes and found.is_species:
        return "probably a relative", "a relative in the same runs explains the reads"
    if "below 90 %" in found.classes:
        return "probably a relative", "no hit reaches 90% identity"
    return "cannot be said", "the source gives a name, but no identity"


def _with_identity(context: Answering, measure: Evidence) -> int:
    """Return how many runs have a hit of known identity: a group has none of its own."""
    if measure.hit.evidence != "any":
        return context.result.tally.positive if context.result.tally else 0
    known = Carries(replace(measure.hit, evidence="known"))
    return int(context.look(Count(), joined(context.request.of, known)).number or 0)


def of_laboratory(
    context: Answering, hits: Sequence[Hit], runs: int, *, most: bool = True
) -> list[OfLaboratory]:
    """Return how many of the runs come from a laboratory, where a real virus is no natural one;
    where ``most`` only if most of them do.
    """
    if len(hits) != 1 or not hits[0].virus or not runs:
        return []
    kinds = laboratory_runs(context.resolver, hits[0], context.request.of)
    number = sum(of_kind for _, of_kind in kinds)
    if not number:
        return []
    named = tuple((of_kind, KINDS[kind]) for kind, of_kind in kinds)
    claim = OfLaboratory(number=number, whole=runs, kinds=named)
    return [claim] if claim.is_most or not most else []


def _not_found(subject: Topic, searched: int) -> Claim:
    if not searched:
        return NeverSearched(subject=subject.words, where=subject.where)
    return NotFound(
        subject=subject.words, searched=searched, where=subject.where, sought=subject.sought
    )


def _expected(found: Findings, verdict: Verdict) -> list[Claim]:
    """Return the runs by how expected the virus is in them."""
    if not found.expected:
        return []
    is_of_one_kind = len(found.expected) == 1 and sum(found.expected.values()) == found.runs
    if is_of_one_kind and verdict != "from a laboratory":
        return []  # the verdict says it
    unknown = max(0, found.runs - sum(found.expected.values()))
    return [Expected(kinds=tuple(found.expected.items()), unknown=unknown)]


def _relatives(context: Answering, measure: Evidence, found: Findings) -> list[Claim]:
    listed = found.relatives.listed
    if not listed or not measure.hit.virus or _MANY * listed[0].runs <= found.runs:
        return []
    return [beside(context, measure.hit, found.relatives)]


def _summary(context: Answering, measure: Evidence, subject: Topic, field: str) -> Claim:
    """Return the summary of a number of the hits."""
    found = context.look(Summary(field, measure.hit))
    return summarised(found, context.names, subject, of="of these hits")
