"""Relatives that explain hits better: viruses of the genus with more reads in the same runs."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Final

from index.claims import Claim, Outweighed, OutweighedViruses
from query.answers.drafting import Answering
from query.answers.unknowns import names_species
from query.compiler.expecting import Relatives, outweighed_values, relatives
from query.request import Hit
from query.request.fields import field_named
from query.request.hits import ANY_HIT
from query.request.measures import Values
from query.request.run_sets import RunSet

_MANY_BESIDE: Final = 0.1
"""Share of runs from which a relative with more reads is named."""
_OF_SPECIES: Final = ("virus", "species")
"""Fields of hits whose values are species."""


def beside_relatives(context: Answering, hits: Sequence[Hit], of: RunSet) -> list[Claim]:
    """Return the relative of each virus that has more reads in many of its runs, if there is.

    ``of`` are the runs with the hits.
    """
    several = [replace(hit, virus=(name,)) for hit in hits for name in hit.virus]
    claims: list[Claim] = []
    for hit in dict.fromkeys(several):
        if names_species(context, [hit]):
            claims += beside(context, hit, relatives(context.resolver, hit, of))
    return claims


def beside(context: Answering, hit: Hit, found: Relatives) -> list[Claim]:
    """Return the first of the relatives of the virus of ``hit``, where it is in many runs."""
    if not found.listed or found.listed[0].runs < max(
        min(2, found.runs), _MANY_BESIDE * found.runs
    ):
        return []
    first = found.listed[0]
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
    fields = [name for name in measure.by if name in _OF_SPECIES]
    if not fields or measure.level is not None:
        return ()
    listed = {row[fields[0]] for row in context.result.records()}
    found = outweighed_values(context.resolver, field_named(fields[0]), measure.hits or ANY_HIT, of)
    return tuple(row for row in found if row[0] in listed)
