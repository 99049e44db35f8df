"""Answers to "are these hits real?": the verdict first, then the stored evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from index.claims import Claim, Summarised, Supported
from index.claims.counts import OTHERS
from index.claims.verdicts import Expected, Judged, OfLaboratory, Verdict
from index.store.origins import KINDS
from query.answers.drafting import Answering, Draft, table_of
from query.answers.finding import beside, found, names_species, subject_of
from query.answers.next_steps import studies
from query.answers.other_organisms import other_by_kmers
from query.answers.summarising import summarised
from query.compiler.expecting import Relatives, how_expected, laboratory_runs, relatives
from query.request import Carries, Evidence, Hit, Summary, intersect

_FEW_READS: Final = 10
_MANY: Final = 10
"""Hosts count if they are recorded for more than a tenth of the runs."""
_OF_HOSTS: Final[dict[str, tuple[Verdict, str]]] = {
    "library": ("sequenced on purpose", "the libraries are of the virus, its stocks or strains"),
    "other library": ("possibly contamination", "the libraries are of other viruses"),
    "unexpected": (
        "possibly contamination",
        "neither this host nor its relatives are among its recorded hosts",
    ),
    "resident": ("from the cell line", "the cells carry the virus, whatever was done with them"),
}
"""Verdict and reason if most runs with a known host are of one kind."""


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
    tally, of = context.tally, context.request.of
    runs = tally.positive
    if not runs:
        return Draft([found(context, subject, 0)])
    is_species = names_species(context, [measure.hit])
    numbers = [
        summarised(context.look(Summary(name, measure.hit)), context.names, subject, of="")
        for name in ("reads", "identity")
    ]
    summaries = [claim for claim in numbers if isinstance(claim, Summarised)]
    reads = [claim.median for claim in summaries if claim.field != "identity"]
    findings = Findings(
        runs=runs,
        strict=tally.at_90 if is_species else _with_identity(context, measure),
        is_species=is_species,
        classes=frozenset(str(row["evidence"]) for row in context.result.records()),
        expected=how_expected(context.resolver, measure.hit, of),
        relatives=relatives(context.resolver, measure.hit, of),
        reads=reads[0] if reads else None,
    )
    laboratory = of_laboratory(context, [measure.hit], runs, most=False)
    verdict, because = judge(findings)
    others_by_kmers = other_by_kmers(context)
    is_of_host = verdict in ("possibly contamination", "probably real")
    if is_of_host and others_by_kmers and others_by_kmers[0].is_most:
        verdict, because = "of another host", others_by_kmers[0].clause()
    if verdict == "probably real" and laboratory and laboratory[0].is_most:
        verdict, because, laboratory = "from a laboratory", laboratory[0].reason(), []
    lead = Judged(
        subject=subject.words, where=subject.where, verdict=verdict, because=because, runs=runs
    )
    others = tuple(key for key in OTHERS if key in findings.classes)
    supported = Supported(number=tally.at_90, whole=runs, others=others)
    is_said = findings.strict > 0 and verdict not in ("cannot be said", "probably a relative")
    certainty = [*([supported] if is_said else []), *laboratory]
    if verdict == "from the cell line":
        certainty = [supported]
    bullets = [
        *_expected(findings),
        *(beside(context, measure.hit, findings.relatives) if is_said else []),
        *summaries,
        *studies(context, intersect(of, Carries(measure.hit))),
    ]
    return Draft([lead], certainty, bullets, table=table_of(context.result))


def judge(found: Findings) -> tuple[Verdict, str]:
    """Return the verdict on hits, and the reason in a few words."""
    if not found.strict:
        return _without_support(found)
    known = sum(found.expected.values())
    first = found.relatives.listed[0] if found.relatives.listed else None
    if first and 2 * first.runs > found.runs > 2 * found.relatives.without:
        return "probably a relative", f"{first.name} has more reads in most of the same runs"
    if first and 5 * first.runs > found.runs:
        return "real in part", f"in the others {first.name} has more reads and explains them"
    kind = _mostly(found)
    if kind in _OF_HOSTS:
        return _OF_HOSTS[kind]
    if found.reads is not None and found.reads < _FEW_READS:
        return "cannot be said", "there are too few reads"
    if _MANY * found.strict < found.runs and "reported only" in found.classes:
        return "real in part", "for most of the runs the source gives a name but no identity"
    support = "the identity supports the species"
    if not found.is_species:
        support = "the sequences match known viruses"
    hosts = "and the host is a known one"
    if 2 * known < found.runs:
        hosts = "though no host is recorded for most runs"
    elif kind == "of its group":
        hosts = "though only the wider group of most hosts is on record"
    return "probably real", f"{support}, {hosts}"


def _mostly(found: Findings) -> str:
    """Return how expected the virus is in most of the runs; empty if that is not known."""
    known = sum(found.expected.values())
    mostly = [kind for kind, runs in found.expected.items() if 2 * runs > known]
    return mostly[0] if mostly and _MANY * known >= found.runs else ""


def _without_support(found: Findings) -> tuple[Verdict, str]:
    if "nearer a relative" in found.classes and found.is_species:
        return "probably a relative", "a relative in the same runs explains the reads"
    if "below 90 %" in found.classes:
        return "probably a relative", "the identity is too low for the species"
    nothing = "no source gives an identity"
    if _mostly(found) == "unexpected":
        verdict, because = _OF_HOSTS["unexpected"]
        return verdict, f"{because}, and {nothing}"
    return "cannot be said", nothing


def _with_identity(context: Answering, measure: Evidence) -> int:
    """Return how many runs have a hit of known identity; a group has no identity of its own."""
    if measure.hit.evidence != "any":
        return context.tally.positive
    known = Carries(replace(measure.hit, evidence="known"))
    return context.count(intersect(context.request.of, known))


def of_laboratory(
    context: Answering, hits: Sequence[Hit], runs: int, *, most: bool = True
) -> list[OfLaboratory]:
    """Return how many runs come from a laboratory: the virus is real, but not a natural find.

    With ``most``, only if most of them do.
    """
    if len(hits) != 1 or not hits[0].virus or not runs:
        return []
    kinds = laboratory_runs(context.resolver, hits[0], context.request.of)
    number = sum(of_kind for _, of_kind in kinds)
    named = tuple((of_kind, KINDS[kind]) for kind, of_kind in kinds)
    claim = OfLaboratory(number=number, whole=runs, kinds=named)
    return [claim] if number and (claim.is_most or not most) else []


def _expected(found: Findings) -> list[Claim]:
    """Return the runs by how expected the virus is in them, unless the verdict says it."""
    known = sum(found.expected.values())
    if not found.expected or (len(found.expected) == 1 and known == found.runs):
        return []
    return [Expected(kinds=tuple(found.expected.items()), unknown=max(0, found.runs - known))]
