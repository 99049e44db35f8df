"""Answers that summarise a number: its median, range and mean."""

from __future__ import annotations

from index.claims import Claim, Counted, NotKnown, Summarised
from index.claims.phrases import article
from query.answers.drafting import Answering, Draft
from query.answers.hit_words import hit_words, is_any
from query.answers.listing_words import number_of
from query.answers.names import CalledNames
from query.answers.relatives import beside_relatives
from query.answers.run_words import runs_in_words, runs_words
from query.answers.subject import Topic, of_positive, subject_of
from query.answers.unknowns import shown, unknowns
from query.compiler import Result
from query.request import Summary
from query.request.fields import field_named


def draft_summary(context: Answering, measure: Summary) -> Draft:
    """Return the median with its range, and how many have no such number."""
    subject = subject_of(context, measure.hits)
    lead = summarised(context.result, context.names, subject)
    missing = [part for part in context.result.left_out if part.reason == "no number"]
    field = field_named(measure.number)
    further = ("more hit", "more hits") if field.of == "hit" else ("more run", "more runs")
    claims: list[Claim] = [
        NotKnown(
            number=part.number, what=f"no {field.said} is known", noun=further, whole=part.number
        )
        for part in missing
    ]
    if isinstance(lead, Counted):
        claims = []
    else:
        of = of_positive(context.request.of, measure.hits)
        claims = [*beside_relatives(context, subject.hits, of), *claims]
    is_found = not isinstance(lead, Counted)
    known = shown(context, unknowns(context, subject.hits), found=is_found)
    return Draft([lead], [*claims, *known])


def summarised(result: Result, names: CalledNames, subject: Topic, *, of: str = "") -> Claim:
    """Return the summary that ``result`` has as a claim; that there are no numbers for none.

    ``of`` are words for what was measured, where a sentence before says it.
    """
    measure = result.request.measure
    assert isinstance(measure, Summary)
    field = field_named(measure.number)
    n, _, low, median, mean, high = result.rows[0]
    counts = ("hit", "hits") if field.of == "hit" else ("run", "runs")
    of = of or _of(result, names, subject, of_hits=field.of == "hit")
    if not n or median is None:
        return Counted(
            number=0, noun=counts, where=of, after=f"have {article(field.said)} {field.said}"
        )
    unit = "%" if field.unit == "percent" else ""
    return Summarised(
        field=field.said,
        of=of,
        unit=unit,
        n=int(number_of(n)),
        low=number_of(low),
        median=number_of(median),
        mean=number_of(mean),
        high=number_of(high),
        counts=counts,
    )


def _of(result: Result, names: CalledNames, subject: Topic, *, of_hits: bool) -> str:
    """Return what was measured: "of EBV in runs from bats", "of runs from bats"."""
    if of_hits:
        taken = runs_in_words(result.request.of, names)
        hits = [hit_words(hit, names) for hit in subject.hits if not is_any(hit)]
        of = f"of {' and '.join(hits)} hits" if hits else "of hits"
        return f"{of} in runs {taken.where}" if taken.where else of
    where = runs_words(result.request.of, names)
    return f"of runs {where}" if where else "of all runs"
