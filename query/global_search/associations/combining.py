"""Effects of a family and a term combined over projects, said with their interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from index.reports.phrases import SIGNIFICANT_Q, counted, listed, percent, q_text
from query.answer import Combined
from query.global_search.associations.selecting import names_of_values
from query.global_search.matched_runs import MatchedRuns
from query.reading.asked.associations import AssociationsAsked

_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class CombinedTest:
    """The effect of a family and a term over projects."""

    family: str
    attribute: str
    value: str
    combined: Combined


def select_combined(matched: MatchedRuns, asked: AssociationsAsked) -> list[CombinedTest]:
    """Return the combined effects that ``asked`` means, the smallest q first."""
    parameters = {
        "families": [one.lower() for one in asked.families],
        "curies": [curie for one in asked.values for curie in one.curies],
        "names": names_of_values(asked.values),
    }
    found = []
    for family, attribute, value, *numbers in matched.rows(_COMBINED, parameters):
        one = CombinedTest(str(family), str(attribute), str(value), Combined(*numbers))
        found.append(one)
    return found


def describe_combined(
    matched: MatchedRuns, asked: AssociationsAsked, about: str, *, limit: int
) -> str:
    """Return what holds of the effects combined over projects, empty where none is and none is
    asked for.
    """
    found = select_combined(matched, asked)
    if not found:
        return _none_combined(matched, about) if asked.combined else ""
    if not asked.combined and not (asked.values and asked.families):
        return ""
    holding = [one for one in found if one.combined.q_value <= SIGNIFICANT_Q]
    shown = [_worded(one) for one in (holding or found)[: min(limit, _SHOWN)]]
    number = counted(len(found), "effect")
    if len(found) == 1:
        verdict = "holds" if holding else "does not hold"
        return f"{_opening(asked, holding)}Combined over projects: {shown[0]}, which {verdict}."
    verdict = f"{len(holding)} of them hold" if holding else "none of them holds"
    opening = _opening(asked, holding)
    nearest = "" if holding else "nearest: "
    return (
        f"{opening}{number} {about or 'of the index'} are combined over projects, and {verdict} "
        f"after correction; {nearest}{'; '.join(shown)}."
    )


def _opening(asked: AssociationsAsked, holding: Sequence[CombinedTest]) -> str:
    if not asked.yes_or_no:
        return ""
    return "Yes: " if holding else "No: "


def _worded(one: CombinedTest) -> str:
    """Return an effect with its interval, and how far its projects agree."""
    effect = one.combined
    size = f"Hedges' g {effect.effect:+.2f} (95% interval {effect.ci_low:+.2f} to "
    agreeing = f"{effect.projects_agreeing} of {counted(effect.projects, 'project')} agree in sign"
    differing = percent(effect.i_squared)
    named = f"{one.family} with {one.value} [{one.attribute}]"
    return (
        f"{named}, {size}{effect.ci_high:+.2f}), {agreeing}, "
        f"{differing} of the variation is between projects, {q_text(effect.q_value)}"
    )


def _none_combined(matched: MatchedRuns, about: str) -> str:
    ((total, holding),) = matched.rows(_TOTAL)
    held = listed([f"{total:,} are", f"{holding:,} of these hold" if holding else "none holds"])
    return (
        f"No effect {about or 'of the index'} is combined over projects: that takes two projects "
        f"that test the same ontology term. {held}."
    )


_COMBINED: Final = """
WITH below AS (
    SELECT unnest($curies::VARCHAR[]) AS curie
    UNION SELECT descendant FROM closure WHERE list_contains($curies::VARCHAR[], ancestor)
)
SELECT family, attribute, value, projects, projects_agreeing, effect, ci_low, ci_high, i_squared,
       q_value
FROM meta_association
WHERE (len($families::VARCHAR[]) = 0 OR list_contains($families::VARCHAR[], lower(family)))
  AND (len($names::VARCHAR[]) = 0 OR curie IN (FROM below)
       OR list_contains($names::VARCHAR[], lower(value)))
ORDER BY q_value, projects DESC, family, attribute, value
"""
_TOTAL: Final = (
    f"SELECT count(*), count(*) FILTER (q_value <= {SIGNIFICANT_Q}) FROM meta_association"
)
