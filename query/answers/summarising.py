"""Answers that summarise a number: its median, range and mean."""

from __future__ import annotations

from typing import Final

from index.claims import RUN, Claim, NotKnown, Portrait, Summarised
from index.claims.claim import joined
from index.claims.phrases import article, is_group
from query.answers.drafting import Answering, Draft
from query.answers.finding import Topic, beside_relatives, found, left_out, subject_of
from query.answers.hit_words import hit_words
from query.answers.listing_words import number_of
from query.answers.names import CalledNames
from query.answers.run_words import runs_in_words, runs_words
from query.compiler import Result
from query.request import ANY_HIT, Summary, field_named

_OF_SEVERAL: Final = ("match", "matches, the best of each run and virus")
"""What the numbers of hits of several viruses are of; of one, they are of the best match of runs.
"""


def draft_summary(context: Answering, measure: Summary) -> Draft:
    """Return the median with its range, and how many runs have no such number."""
    subject = subject_of(context, measure.hits)
    if subject.hits and not context.tally.positive:
        return Draft([found(context, subject, 0)], left_out(context))
    lead = summarised(context.result, context.names, subject)
    said = field_named(measure.number).said
    certainty: list[Claim] = [
        NotKnown(
            number=part.number,
            what=f"without {article(said)} {said}",
            noun=("match", "matches") if field_named(measure.number).of == "hit" else RUN,
        )
        for part in context.result.left_out
        if part.reason == "no number" and isinstance(lead, Summarised)
    ]
    relatives = beside_relatives(context, subject.hits, context.runs)
    return Draft([lead], [*relatives, *certainty, *left_out(context)])


def summarised(
    result: Result, names: CalledNames, subject: Topic, *, of: str | None = None
) -> Claim:
    """Return the summary in ``result`` as a claim, or a claim that there are no numbers.

    ``of`` are words for what was measured, if an earlier sentence says it.
    """
    measure = result.request.measure
    assert isinstance(measure, Summary)
    field = field_named(measure.number)
    n, _, low, median, mean, high = result.rows[0]
    of = _of(result, names, subject, is_of_hits=field.of == "hit") if of is None else of
    if median is None:
        return Portrait(text=joined(f"no {field.said}", of, "is known"))
    return Summarised(
        field=field.said,
        of=of,
        unit="%" if field.unit == "percent" else "",
        n=int(number_of(n)),
        low=number_of(low),
        median=number_of(median),
        mean=number_of(mean),
        high=number_of(high),
        counts=RUN if field.of != "hit" or _is_of_one(names, subject) else _OF_SEVERAL,
        is_best=field.of == "hit" and _is_of_one(names, subject),
    )


def _is_of_one(names: CalledNames, subject: Topic) -> bool:
    """Return whether the hits are of one virus; of several, a run has several best matches."""
    viruses = [names.formal(name, "virus") or name for hit in subject.hits for name in hit.virus]
    if len(viruses) != 1:
        return False
    return not is_group(viruses[0]) and " and " not in viruses[0]


def _of(result: Result, names: CalledNames, subject: Topic, *, is_of_hits: bool) -> str:
    """Return what was measured: "of EBV in runs from bats", "of runs from bats"."""
    if not is_of_hits:
        where = runs_words(result.request.of, names)
        return f"of runs {where}" if where else "of all runs"
    where = runs_in_words(result.request.of, names).where
    hits = [hit_words(hit, names) for hit in subject.hits if hit != ANY_HIT]
    of = f"of {' and '.join(hits)}" if hits else "of all detections"
    return joined(of, f"in runs {where}" if where else "")
