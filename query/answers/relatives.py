"""Relatives that explain hits better: viruses of the genus with more reads in the same runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from index.claims import Claim
from index.claims.verdicts import BesideRelative, OutweighedViruses
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
        if not names_species(context, [hit]):
            continue
        found = relatives(context.resolver, hit, of)
        least = max(min(2, found.runs), _MANY_BESIDE * found.runs)
        if found.listed and found.listed[0].runs >= least:
            claims.append(beside(context, hit, found))
    return claims


def beside(context: Answering, hit: Hit, found: Relatives) -> Claim:
    """Return the first of the relatives of the virus of ``hit``."""
    first = found.listed[0]
    return BesideRelative(
        subject=context.names.called(hit.virus[0], "virus"),
        relative=context.names.as_asked(first.name, "virus"),
        runs=first.runs,
        whole=found.runs,
        times=first.times,
    )


def outweighed_in_list(context: Answering, measure: Values, of: RunSet) -> list[Claim]:
    """Return the listed viruses that have fewer reads than a relative in most of their runs."""
    viruses = outweighed_rows(context, measure, of)
    return [OutweighedViruses(viruses=viruses, left_out=False)] if viruses else []


def outweighed_rows(
    context: Answering, measure: Values, of: RunSet
) -> tuple[tuple[str, str, int, int], ...]:
    """Return the listed viruses that a relative outweighs: with the relative and the runs."""
    fields = [name for name in measure.by if name in _OF_SPECIES]
    if not fields or measure.level is not None:
        return ()
    column = [column.name for column in context.result.columns].index(fields[0])
    listed = {str(row[column]) for row in context.result.rows}
    found = outweighed_values(context.resolver, field_named(fields[0]), measure.hits or ANY_HIT, of)
    return tuple(row for row in found if row[0] in listed)
