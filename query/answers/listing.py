"""Answers that list values: X, Y and Z with their runs; the rest is in the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from index.claims import A_VIRUS, RUN, Claim, Counted, Noun, Portrait, Ranking
from index.claims.phrases import is_or_are
from query.answers.counting import found
from query.answers.drafting import Answering, Draft
from query.answers.listing_words import (
    DRAWN,
    IN_ORDER,
    NAMED,
    number_column,
    place_of,
    places_of,
    ranking,
)
from query.answers.names import plural
from query.answers.next_steps import unexpected
from query.answers.relatives import beside_relatives, outweighed_in_list
from query.answers.run_words import (
    behind_runs,
    both_of,
    clause_words,
    runs_in_words,
    runs_words,
    without_hits,
)
from query.answers.subject import Topic, of_positive, subject_of
from query.answers.titles import titled_places, titled_table
from query.answers.unknowns import MOST_UNKNOWN, is_supported, shown, support, unknowns
from query.compiler.result import Cell
from query.request import Count, Hit, Share
from query.request.fields import RequestField, field_named
from query.request.measures import Values
from query.request.wording import said_names

_IN: Final = {
    "host": "in",
    "tissue": "in",
    "cell_line": "in",
    "disease": "with",
    "environment": "in",
    "biome": "in",
    "sex": "in",
    "strategy": "by",
    "study": "in study",
    "project": "in project",
    "community": "in community",
}
"""Words between "is found mostly" and a value of a field, where that is not "in runs"."""
_CARRIED: Final = ("virus", "species", "genus", "family", "phylum")
"""Fields of hits that are viruses, which runs carry."""
_NAMED_AS: Final = {
    "reported": "reported as",
    "stated": "stated as",
    "source": "seen by",
    "sotu": "of sOTU",
    "plausibility": "of viruses",
}
_OF_SPECIES: Final = "counted are hits that support a species, at 90% identity or more"
_LEAST_POSITIVE: Final = 5
"""Runs with the virus without which a share is of a crumb."""
_LEAST_SEARCHED: Final = 20
"""Searched runs from which a share of a value is worth a remark."""


def draft_values(context: Answering, measure: Values) -> Draft:
    """Return the first values in a sentence, all of them in a table."""
    subject = subject_of(context, measure.hits)
    unknown = unknowns(context, subject.hits)
    if not context.result.rows:
        return Draft([_none(context, measure, subject)], shown(context, unknown))
    lead = _pairs(context, measure) if len(measure.by) == 2 else _ranked(context, measure, subject)
    if not context.full:
        of_values = [field_named(name).said for name in measure.by]
        unknown = [claim for claim in unknown if _is_of_values(claim, of_values)]
    certainty = [
        *_relatives(context, measure, subject),
        *_support(context, measure, subject),
        *unknown,
    ]
    if "species" in measure.by:
        certainty.insert(0, Portrait(text=_OF_SPECIES))
    bullets = [*_highest_share(context, measure, subject)]
    if measure.by == ("host",):
        bullets += unexpected(context, subject, context.request.of)
    field = measure.by[0]
    if isinstance(lead, Ranking):
        lead = titled_places(context, field, lead)
    certainty = certainty[: MOST_UNKNOWN + 1]
    return Draft([lead], certainty, bullets, table=titled_table(context, field))


def _is_of_values(claim: Claim, names: list[str]) -> bool:
    """Return whether a claim is about runs that have no value of what is listed."""
    said = claim.clause()
    return any(said.endswith(f"no {name}") or f"no known {name}" in said for name in names)


def _relatives(context: Answering, measure: Values, subject: Topic) -> list[Claim]:
    """Return the relatives that explain the hits of the answer better, or those of a share."""
    of = of_positive(context.request.of, measure.hits)
    if isinstance(measure.each, Share):
        carried = runs_in_words(measure.each.part, context.names).carried
        return beside_relatives(context, carried, both_of(of, measure.each.part))
    return [
        *beside_relatives(context, subject.hits, of),
        *outweighed_in_list(context, measure, of),
    ]


def _support(context: Answering, measure: Values, subject: Topic) -> list[Claim]:
    """Return how many of the runs support the species, where the values count runs with it."""
    tally = context.result.tally
    counts_runs = measure.each.type == "count" and measure.each.unit == "run"
    if tally is None or not subject.is_named or not counts_runs:
        return []
    if field_named(measure.by[0]).of == "hit" or tally.at_90 == tally.positive:
        return []
    return support(context, subject.hits, tally.positive, tally.at_90, of_runs=True)


def _none(context: Answering, measure: Values, subject: Topic) -> Claim:
    """Return that there are no values, or no runs that might have some."""
    is_restricted = measure.under or measure.other_than or measure.absent_in or measure.found_in
    tally = context.result.tally
    if not is_restricted and tally is not None and not tally.positive:
        return _no_runs(context, measure, subject)
    field = field_named(measure.by[0])
    if field.of == "run":
        return _no_value(context, measure)
    where = runs_words(context.request.of, context.names)
    of = f"of {subject.words} " if subject.is_named else ""
    within = f"{of}in runs {where}" if where else f"{of}in the index"
    return Counted(number=0, noun=(field.said, field.plural), before="there are", where=within)


def _no_value(context: Answering, measure: Values) -> Claim:
    """Return that no run states the field."""
    where = runs_words(of_positive(context.request.of, measure.hits), context.names)
    said = field_named(measure.by[0]).said
    return Counted(number=0, noun=("run", "run"), where=where, after=f"states a {said}")


def _no_runs(context: Answering, measure: Values, subject: Topic) -> Claim:
    """Return that no run has a hit: as there are no such runs, none was searched, or none found."""
    of = without_hits(context.request.of)
    if not context.look(Count(), of).number:
        where = runs_words(of, context.names)
        return Counted(number=0, before="the index holds", where=where)
    if subject.hits or field_named(measure.by[0]).of == "hit":
        hits = subject.hits or (Hit(),)
        return found(context, replace(subject, hits=hits, words=subject.words or A_VIRUS), 0, RUN)
    return _no_value(context, measure)


def _ranked(context: Answering, measure: Values, subject: Topic) -> Claim:
    """Return the first values with their numbers."""
    match measure.each.type:
        case "share":
            return _of_shares(context, measure)
        case "summary":
            return _of_summaries(context, measure)
    if measure.order == "value":
        return _in_order(context, measure, subject)
    begin = " ".join(_begin(context, measure, subject).split())
    return ranking(context.result, begin, noun=_noun(measure))


def _noun(measure: Values) -> Noun:
    """Return what is counted for each value."""
    each = measure.each
    if each.type == "count" and each.unit not in ("run", "detection"):
        field = field_named(each.unit)
        return field.said, field.plural
    if each.type == "count" and each.unit == "detection":
        return "hit", "hits"
    return "run", "runs"


def _begin(context: Answering, measure: Values, subject: Topic, *, how: str | None = None) -> str:
    """Return how the sentence begins, up to the first value; ``how`` often it is so."""
    field = field_named(measure.by[0])
    where = runs_words(context.request.of, context.names)
    among = _among(measure)
    each = measure.each
    if each.type == "count" and each.unit not in ("run", "detection"):
        within = f" in runs {where}" if where else ""
        least = "fewest" if measure.order == "fewest" else "most"
        return f"the {field.said} with the {least} {_noun(measure)[1]}{within} is"
    how = _how(context, measure) if how is None else how
    if field.of == "hit":
        return among + _begin_of_hits(context, measure, subject, how)
    if subject.hits:
        verb = "are" if subject.together else is_or_are(subject.words)
        tally = context.result.tally
        found = "found"
        if tally and not is_supported(context, subject.hits, tally.positive, tally.at_90):
            found = "reported"
        within = f"in runs {subject.where}, " if subject.where else ""
        return f"{among}{within}{subject.words} {verb} {found} {how} {_behind(field)}"
    runs = f"runs {where}" if where else "runs of this index"
    if field.name == "strategy":
        return f"{among}{runs} are sequenced {how} by"
    return f"{among}{runs} are {how} {behind_runs(field)}"


def _begin_of_hits(context: Answering, measure: Values, subject: Topic, how: str) -> str:
    """Return how a sentence about viruses begins: what the runs carry, or how it is named."""
    field = field_named(measure.by[0])
    where = runs_words(context.request.of, context.names)
    runs = f"runs {where}" if where else "runs of this index"
    if field.name not in _CARRIED:
        words = subject.words if subject.is_named else "hits"
        within = f" in runs {subject.where}" if subject.where else ""
        verb = "are" if words == "hits" else is_or_are(subject.words)
        return f"{words}{within} {verb} {how} {_NAMED_AS.get(field.name, f'of {field.said}')}"
    words = subject.words.replace("a virus ", "the viruses ", 1)
    of = "" if measure.hits is None or not subject.is_named else f"of {words}, "
    absent = _elsewhere(context, measure)
    also = " also" if subject.is_named and measure.hits is None else ""
    if how == "only":
        return f"{of}{absent}{runs}{also} carry only"
    return f"{of}{absent}{runs} {how}{also} carry"


def _among(measure: Values) -> str:
    """Return the restriction of the values, at the beginning of the sentence."""
    field = field_named(measure.by[0])
    if measure.under:
        if field.name in ("host", "label", "virus"):
            return f"among {' or '.join(map(plural, measure.under))}, "
        return f"among {field.plural} of {said_names(measure.under)}, "
    if measure.other_than:
        return f"apart from {said_names(measure.other_than)}, "
    return ""


def _elsewhere(context: Answering, measure: Values) -> str:
    """Return that the values are of no run of another set, or of some of its runs, too."""
    values = f"of the {field_named(measure.by[0]).plural} that"
    if measure.absent_in is not None:
        return f"{values} no run {runs_words(measure.absent_in, context.names)} has, "
    if measure.found_in is not None:
        return f"{values} runs {runs_words(measure.found_in, context.names)} have as well, "
    return ""


def _behind(field: RequestField) -> str:
    return _IN.get(field.name, f"in runs {behind_runs(field)}")


def _how(context: Answering, measure: Values) -> str:
    """Return how often, where the question asks for the first; "only" where all have one value."""
    if measure.order == "fewest":
        return "least often"
    if measure.limit is not None and measure.limit < context.result.total:
        return "most often"
    tally = context.result.tally
    whole = 0 if tally is None else tally.runs if measure.hits is None else tally.positive
    only = context.result.rows[0][number_column(context.result)]
    return "only" if context.result.total == 1 and only == whole else ""


def _of_shares(context: Answering, measure: Values) -> Claim:
    """Return the values with the highest shares, those of many runs first where there are some."""
    each = measure.each
    assert each.type == "share"
    field = field_named(measure.by[0])
    does = clause_words(each.part, context.names, first=True)
    records = context.result.records()
    of_viruses = runs_in_words(each.part, context.names).of_viruses
    compared = [row for row in records if not (of_viruses and _is_hits_only(row))] or records
    many = [row for row in compared if _count(row["known"]) >= _LEAST_SEARCHED]
    least = "lowest" if measure.order == "fewest" else "highest"
    rows = many or compared
    places = tuple(
        place_of(str(row[field.name]), row["share"], part=row["part"], whole=row["known"])
        for row in rows[:DRAWN]
    )
    among = f"by {field.said}"
    if many:
        among = f"among {field.plural} with at least {_LEAST_SEARCHED} runs"
    in_order = measure.order == "value"
    begin = f"{among}, the share of runs that {does} is {least} for"
    if in_order:
        begin = f"{among}, these shares of the runs {does}:"
    return Ranking(
        begin=begin,
        places=places,
        noun=("", ""),
        others=max(0, len(rows) - len(places)),
        other_noun=(f"other {field.said}", f"other {field.plural}"),
        named=IN_ORDER if in_order else NAMED,
        by_number=not in_order,
    )


def _is_hits_only(row: dict[str, Cell]) -> bool:
    """Return whether all runs of a value that were searched have the hits, while others were not
    searched: the sources list nothing else there, so that the share says nothing.
    """
    return row["part"] == row["known"] and _count(row["known"]) < _count(row["runs"])


def _count(cell: object) -> int:
    return cell if isinstance(cell, int) else 0


def _of_summaries(context: Answering, measure: Values) -> Claim:
    each = measure.each
    assert each.type == "summary"
    field, number = field_named(measure.by[0]), field_named(each.number)
    unit = "%" if number.unit == "percent" else number.unit
    least = "lowest" if measure.order == "fewest" else "highest"
    places = places_of(context.result, name=0, number=number_column(context.result))
    where = runs_words(context.request.of, context.names)
    within = f" in runs {where}" if where else ""
    begin = f"by {field.said}, the mean {number.said}{within} is {least} for"
    others = max(0, context.result.total - len(places[:DRAWN]))
    return Ranking(
        begin=begin,
        places=tuple(places[:DRAWN]),
        noun=(unit, unit),
        others=others,
        other_noun=(f"other {field.said}", f"other {field.plural}"),
    )


def _in_order(context: Answering, measure: Values, subject: Topic) -> Claim:
    """Return the values in their order; of many the ones with most runs."""
    number = number_column(context.result)
    is_short = context.result.total <= IN_ORDER
    rows = list(context.result.rows)
    if not is_short:
        rows = sorted(rows, key=lambda row: -_count(row[number]))[:NAMED]
    places = places_of(context.result, name=0, number=number, rows=rows)
    how = "" if is_short else "most often"
    begin = " ".join(_begin(context, measure, subject, how=how).split())
    field = field_named(measure.by[0])
    return Ranking(
        begin=begin,
        places=tuple(places),
        noun=_noun(measure),
        others=max(0, context.result.total - len(places)),
        other_noun=(f"other {field.said}", f"other {field.plural}"),
        named=IN_ORDER,
        by_number=not is_short,
    )


def _pairs(context: Answering, measure: Values) -> Claim:
    """Return the first pairs of values."""
    result = context.result
    names = [column.name for column in result.columns]
    first, second = (names.index(name) for name in measure.by)
    joint = "in" if measure.by[1] in _IN else "with"
    number = number_column(result)
    places = [
        place_of(f"{row[first]} {joint} {row[second]}", row[number]) for row in result.rows[:NAMED]
    ]
    said = " and ".join(field_named(name).said for name in measure.by)
    where = runs_words(context.request.of, context.names)
    within = f" in runs {where}" if where else ""
    return Ranking(
        begin=f"the most frequent pairs of {said}{within} are",
        places=tuple(places),
        noun=_noun(measure),
        others=max(0, result.total - len(places)),
        other_noun=("other pair", "other pairs"),
    )


def _highest_share(context: Answering, measure: Values, subject: Topic) -> list[Claim]:
    """Return which values have the highest share of their searched runs, where these are many."""
    rows = context.result.records()
    if not subject.is_named or not rows or measure.by not in (("host",), ("country",)):
        return []
    many = [row for row in rows if _count(row.get("searched")) >= _LEAST_SEARCHED]
    ranked = sorted(many, key=lambda row: -_count(row["positive"]) / _count(row["searched"]))
    if len(ranked) < 2 or _count(ranked[0]["positive"]) == _count(ranked[0]["searched"]):
        return []
    if any(_count(row["positive"]) < _LEAST_POSITIVE for row in ranked[:2]):
        return []
    field = field_named(measure.by[0])
    places = tuple(
        place_of(
            str(row[field.name]),
            _count(row["positive"]) / _count(row["searched"]),
            part=row["positive"],
            whole=row["searched"],
        )
        for row in ranked[:2]
    )
    searched = f"with at least {_LEAST_SEARCHED} searched runs"
    begin = f"among {field.plural} {searched}, its share is highest for"
    return [Ranking(begin=begin, places=places, noun=("", ""))]
