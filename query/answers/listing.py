"""Answers that list values: mostly X, then Y and Z; the rest is in the table."""

from __future__ import annotations

from typing import Final

from index.claims import Claim, Counted, Noun, Place, Ranking
from index.claims.phrases import is_or_are
from query.answers.drafting import Asked, Draft, table_of
from query.answers.hit_words import is_any
from query.answers.listing_words import NAMED, number_column, ranking
from query.answers.next_steps import next_steps
from query.answers.run_words import runs_words
from query.answers.unknowns import Subject, subject_of, unknowns
from query.compiler import Result
from query.request.fields import RequestField, field_named
from query.request.measures import Values

_IN: Final = {
    "host": "in",
    "tissue": "in",
    "cell_line": "in",
    "disease": "with",
    "environment": "in",
    "country": "in runs from",
    "place": "in runs from",
    "biome": "in runs from",
    "sex": "in runs from",
    "study": "in runs of study",
    "project": "in runs of project",
    "community": "in runs of community",
    "year": "in runs of",
    "label": "in libraries labelled",
    "strategy": "by",
    "source": "by",
}
"""What stands between "is found mostly" and a value of a field."""


def draft_values(asked: Asked, measure: Values) -> Draft:
    """Return the first values in a sentence, all of them in a table."""
    subject = subject_of(asked, measure.hits)
    result = asked.result
    unknown = unknowns(asked, subject.hits)
    if not result.rows:
        return Draft([_none(asked, measure, subject)], unknown[:2])
    if len(measure.by) == 2:
        lead: Claim = _pairs(asked, measure, subject)
    else:
        lead = _ranked(asked, measure, subject)
    return Draft([lead], unknown[:2], [], table=table_of(result))


def _none(asked: Asked, measure: Values, subject: Subject) -> Claim:
    noun = field_named(measure.by[0])
    if subject.hits:
        where = f"for {subject.words} {subject.where}".strip()
        return Counted(number=0, noun=(noun.said, noun.plural), before="the index has", where=where)
    runs = f"for runs {runs_words(asked.request.of, asked.names)}".strip()
    return Counted(number=0, noun=(noun.said, noun.plural), before="the index has", where=runs)


def _ranked(asked: Asked, measure: Values, subject: Subject) -> Claim:
    return ranking(asked.result, _begin(asked, measure, subject), shown=NAMED,
                   noun=_noun(measure))  # fmt: skip


def _noun(measure: Values) -> Noun:
    each = measure.each
    if each.type == "count" and each.unit not in ("run", "detection"):
        field = field_named(each.unit)
        return field.said, field.plural
    if each.type == "count" and each.unit == "detection":
        return "hit", "hits"
    return "run", "runs"


def _begin(asked: Asked, measure: Values, subject: Subject) -> str:
    """Return how the sentence begins, up to the first value."""
    field = field_named(measure.by[0])
    how = _how(asked, measure)
    if field.of == "hit":
        where = runs_words(asked.request.of, asked.names)
        runs = f"runs {where}" if where else "the runs of this index"
        return f"{runs} carry {how}"
    if subject.hits:
        where = f" {subject.where}" if subject.where else ""
        verb = is_or_are(subject.words)
        return f"{subject.words} {verb} found{where} {how} {_IN.get(field.name, _with(field))}"
    where = runs_words(asked.request.of, asked.names)
    runs = f"the runs {where}" if where else "the runs of this index"
    return f"{runs} are {how} of {field.said}"


def _with(field: RequestField) -> str:
    return f"in runs with {field.said}"


def _how(asked: Asked, measure: Values) -> str:
    """Return mostly, where the first value has more than half of the runs."""
    if measure.order == "fewest":
        return "least often"
    if measure.order == "value":
        return "in order,"
    tally = asked.result.tally
    whole = tally.runs if tally else 0
    if measure.hits is not None and tally:
        whole = tally.positive
    first = asked.result.rows[0][number_column(asked.result)]
    is_most = isinstance(first, int) and 2 * first > whole
    return "mostly" if is_most else "most often"


def _pairs(asked: Asked, measure: Values, subject: Subject) -> Claim:
    result = asked.result
    places = []
    names = [column.name for column in result.columns]
    first, second = (names.index(name) for name in measure.by)
    for row in result.rows[:NAMED]:
        value = row[_pair_number(result)]
        if isinstance(value, int | float):
            places.append(Place(name=f"{row[first]} with {row[second]}", number=value))
    said = " and ".join(field_named(name).said for name in measure.by)
    where = runs_words(asked.request.of, asked.names)
    runs = f" in runs {where}" if where else ""
    return Ranking(
        begin=f"the most frequent pairs of {said}{runs} are",
        places=tuple(places),
        noun=_noun(measure),
        others=max(0, result.total - len(places)),
        other_noun=("other pair", "other pairs"),
    )


def _pair_number(result: Result) -> int:
    return number_column(result)


def any_virus(subject: Subject) -> bool:
    """Return whether the answer is about no virus in particular."""
    return all(is_any(hit) for hit in subject.hits)


__all__ = ["any_virus", "draft_values", "next_steps"]
