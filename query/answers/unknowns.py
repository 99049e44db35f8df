"""How sure a number is: hits at 90 % identity, relatives that explain them better, unknown runs."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Final

from index.claims import Claim, Counted, NotKnown, Outweighed, OutweighedViruses, Renamed, Supported
from index.claims.counts import OTHERS
from index.claims.phrases import is_group
from query.answers.drafting import Answering
from query.answers.listing_words import OF_SPECIES, places_of
from query.answers.run_words import runs_in_words, runs_words, without_hits
from query.compiler.expecting import Relatives, outweighed_values, relatives
from query.request import Carries, Count, Evidence, Hit, Values
from query.request.fields import field_named
from query.request.hits import ANY_HIT
from query.request.run_sets import EVERYTHING, RunSet, intersect

_MOSTLY: Final = 0.8
"""With this share of hits among the searched runs, sources list mostly hits."""
_MANY_BESIDE: Final = 0.1
"""Minimum share of runs for a relative with more reads to be named."""
_SAID: Final = ("not searched", "not stated", "no BioSample")
"""Reasons why runs could not be counted."""


def names_species(context: Answering, hits: Sequence[Hit]) -> bool:
    """Return whether ``hits`` name species: then the identity decides whether the name is right."""
    is_named = [bool(hit.virus) and hit.evidence == "any" and not hit.identity for hit in hits]
    if not hits or not all(is_named):
        return False
    formal = [context.names.formal(name, "virus") or "" for hit in hits for name in hit.virus]
    if any(is_group(name) for name in formal):
        return False
    curies = [context.names.curie(name, "virus") for hit in hits for name in hit.virus]
    standings = [context.standing(curie) for curie in curies if curie]
    return not any(standing.is_above_species for standing in standings if standing is not None)


def is_supported(context: Answering, hits: Sequence[Hit], strict: int) -> bool:
    """Return whether any hit supports what ``hits`` name: ``strict`` runs have one."""
    return strict > 0 or not names_species(context, hits)


def lists_mostly_hits(context: Answering, of: RunSet) -> bool:
    """Return whether most searched runs of ``of`` have hits of any kind.

    Sources list hardly any other runs there, so a share of them says nothing.
    """
    tally = context.look(Count(), intersect(without_hits(of), Carries(Hit()))).of_runs
    return tally.positive >= _MOSTLY * tally.searched


def support(context: Answering, hits: Sequence[Hit], number: int, strict: int) -> Supported | None:
    """Return how many of ``number`` runs have hits that support the species, if it is one."""
    if not number or not names_species(context, hits):
        return None
    others = () if strict == number else _others(context, hits)
    return Supported(number=strict, whole=number, others=others, together=len(hits) > 1)


def _others(context: Answering, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return what the hits that do not support the species are."""
    classes = {
        str(row["evidence"]) for hit in hits for row in context.look(Evidence(hit)).records()
    }
    return tuple(key for key in OTHERS if key in classes)


def renamed(context: Answering, hits: Sequence[Hit], of: RunSet) -> list[Claim]:
    """Return which virus the hits are that a source reports by a name to which no hit resolves."""
    for hit in hits:
        for name in hit.virus:
            meant = context.names.formal(name, "virus") or name
            found = context.look(Values(("virus",), hits=Hit(reported=(meant,))), of)
            own = {meant, context.names.curie(name, "virus")}
            if found.rows and not own & set(found.rows[0][:2]):
                called = context.names.called(name, "virus")
                viruses = tuple(places_of(found)[:3])
                return [Renamed(name=called, viruses=viruses, where=runs_words(of, context.names))]
    return []


def no_runs(context: Answering, of: RunSet) -> list[Claim]:
    """Return that the index has no runs of ``of``, hits aside, so none could be searched."""
    rest = without_hits(of)
    if rest == EVERYTHING or context.count(rest):
        return []
    return [none_of(context, rest)]


def none_of(context: Answering, of: RunSet) -> Counted:
    """Return that the index has no runs of ``of``."""
    return Counted(number=0, before="the index has", where=runs_in_words(of, context.names).where)


def unsearched(context: Answering) -> int:
    """Return how many runs might count, but were not searched."""
    parts = [part.number for part in context.result.left_out if part.reason == "not searched"]
    return parts[0] if parts else 0


def left_out(context: Answering) -> list[Claim]:
    """Return the runs that could not be counted, and why; only for a full answer."""
    parts = context.result.left_out if context.full else ()
    return [
        NotKnown(number=part.number, what=part.what.removeprefix("runs "))
        for part in parts
        if part.reason in _SAID
    ]


def beside_relatives(context: Answering, hits: Sequence[Hit], of: RunSet) -> list[Claim]:
    """Return for each virus the relative that has more reads in many of its runs, if there is one.

    ``of`` are the runs with the hits.
    """
    several = [replace(hit, virus=(name,)) for hit in hits for name in hit.virus]
    claims: list[Claim] = []
    for hit in dict.fromkeys(several):
        if names_species(context, [hit]):
            claims += beside(context, hit, relatives(context.resolver, hit, of))
    return claims


def beside(context: Answering, hit: Hit, found: Relatives) -> list[Claim]:
    """Return the first relative of the virus of ``hit``, if it is in many runs."""
    own = {known.label for known in context.names.resolved if known.text in hit.virus}
    others = [relative for relative in found.listed if relative.name not in own]
    least = max(min(2, found.runs), _MANY_BESIDE * found.runs)
    if not others or others[0].runs < least:
        return []
    first = others[0]
    virus = context.names.called(hit.virus[0], "virus")
    return [
        Outweighed(
            virus=virus,
            congener=context.names.as_asked(first.name, "virus"),
            which=f"{first.runs:,} of the runs with {virus}",
            times=first.times,
            is_most=2 * first.runs > found.runs,
        )
    ]


def outweighed_in_list(
    context: Answering, measure: Values, of: RunSet, *, named: Container[str]
) -> list[Claim]:
    """Return the ``named`` viruses that have fewer reads than a relative in most of their runs."""
    viruses = tuple(row for row in outweighed_rows(context, measure, of) if row[0] in named)
    return [OutweighedViruses(viruses=viruses, left_out=False)] if viruses else []


def outweighed_rows(
    context: Answering, measure: Values, of: RunSet
) -> tuple[tuple[str, str, int, int], ...]:
    """Return the listed viruses that a relative outweighs: with the relative and the runs."""
    fields = [name for name in measure.by if name in OF_SPECIES]
    if not fields or measure.level is not None:
        return ()
    listed = {row[fields[0]] for row in context.result.records()}
    found = outweighed_values(context.resolver, field_named(fields[0]), measure.hits or ANY_HIT, of)
    return tuple(row for row in found if row[0] in listed)
