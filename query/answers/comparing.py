"""Answers that compare sets of runs: which has more, how much more, and as a share of what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from index.claims import (
    TOTAL,
    Claim,
    Compared,
    Counted,
    Fisher,
    FoundIn,
    HitsOnly,
    InBothLists,
    NamedNumber,
    NeverSearched,
    Noun,
    Portrait,
    Ranking,
)
from index.claims.claim import joined
from index.claims.exact_tests import fisher_p
from index.claims.phrases import is_or_are, listed
from query.answer import ResultTable
from query.answers.drafting import Answering, Draft, table_of
from query.answers.finding import (
    Topic,
    beside_relatives,
    left_out,
    none_of,
    outweighed_in_list,
    subject_of,
)
from query.answers.hit_words import hit_words
from query.answers.listing_viruses import VIRUSES, confirmed_of, with_codes
from query.answers.listing_words import DRAWN, is_placed, noun_of, place_of, said_value
from query.answers.run_words import clause_words, runs_in_words
from query.answers.sides import Row, fairest_rows, side_words, sides_of, virus_of
from query.request import And, Carries, Compare, Count, Has, Hit, Not, Or, Share, Summary, Values
from query.request.fields import RequestField, field_named
from query.request.run_sets import RunSet, intersect
from query.request.saying_runs import say_clause
from query.request.wording import said_missing

_CONFIRMED_MEANS: Final = "confirmed means at least 90% identity"
_FEWEST: Final = 3
"""Minimum number of searched runs for a side to say anything."""


def draft_compare(context: Answering, measure: Compare) -> Draft:
    """Return which side has more, of what whole, and a test if the sides are disjoint."""
    inner, table = measure.measure, _labelled(context, measure, table_of(context.result))
    if isinstance(inner, Values):
        lists = _of_values(context, measure, inner)
        said = " ".join(claim.clause() for claim in lists)
        of = _all_sides(context, measure)
        outweighed = outweighed_in_list(context, inner, of, named=said)
        is_noted = "confirmed" in said
        means = [Portrait(text=_CONFIRMED_MEANS)] if is_noted else []
        table = _labelled(context, measure, with_codes(context, measure, table_of(context.result)))
        return Draft(lists, [*means, *outweighed], table=table)
    certainty = _relatives(context, measure)
    if isinstance(inner, Summary):
        return Draft([_of_summaries(context, measure, inner)], certainty, table=table)
    subject = _subject(context, inner)
    rows = sides_of(context, measure, subject)
    if isinstance(inner, Count) and inner.unit == "run":
        rows = fairest_rows(context, rows)
    where = runs_in_words(context.request.of, context.names).where
    never = [
        NeverSearched(subject=row.virus or subject, where=row.where or where)
        for row in rows
        if not row.whole and not row.part and (row.virus or subject)
    ]
    known = [row for row in rows if row.whole or row.part] if never else rows
    if not known:
        return Draft(never, certainty)
    lead = _Comparison(context, inner, subject, known).lead()
    certainty += [*_reported(known), *_silent(context, measure)]
    is_tested = not never and (inner.type == "share" or subject)
    tested = _tested(context, known) if is_tested else []
    return Draft([lead], [*never, *certainty, *tested, *left_out(context)], table=table)


def _labelled(
    context: Answering, measure: Compare, table: ResultTable | None
) -> ResultTable | None:
    """Return the table with its sides in the words of the answer."""
    if table is None or table.columns[0] != "side":
        return table
    labels = {}
    for side in measure.sides:
        virus = virus_of(context, side).partition(" (")[0]
        labels[say_clause(side)] = virus or side_words(context, side)
    rows = tuple((labels.get(str(row[0]), row[0]), *row[1:]) for row in table.rows)
    inner = measure.measure
    if not isinstance(inner, Count) or inner.unit in ("run", "biosample"):
        return replace(table, rows=rows)
    counted = noun_of(inner.unit)[1]
    columns = tuple(counted if name == "number" else name for name in table.columns)
    return ResultTable(columns, rows)


def _subject(context: Answering, inner: Count | Share) -> str:
    """Return the virus that is counted on every side, in words; empty where there is none."""
    if isinstance(inner, Count):
        topic: Topic = subject_of(context, inner.hits)
        return topic.words if topic.is_named else ""
    carried = runs_in_words(inner.part, context.names).carried
    words = listed([hit_words(hit, context.names) for hit in carried])
    return words.replace("any virus", "a virus")


def _relatives(context: Answering, measure: Compare) -> list[Claim]:
    """Return the relatives that better explain hits of the compared viruses, over all sides."""
    inner = measure.measure
    of = _all_sides(context, measure)
    hits: list[Hit] = []
    if isinstance(inner, Share):
        of = intersect(of, inner.part)
        hits += runs_in_words(inner.part, context.names).carried
    elif inner.hits is not None:
        of = intersect(of, Carries(inner.hits))
        hits.append(inner.hits)
    for runs in (context.request.of, *measure.sides):
        hits += runs_in_words(runs, context.names).carried
    return beside_relatives(context, tuple(dict.fromkeys(hits)), of)


def _reported(rows: Sequence[Row]) -> list[Claim]:
    """Return in how many runs viruses are reported, if they are ordered by confirmed runs."""
    if not all(row.known == "reported" and row.virus for row in rows):
        return []
    ordered = sorted(rows, key=lambda row: -row.whole)
    places = tuple(place_of(row.virus.partition(" (")[0], row.whole) for row in ordered)
    return [Ranking(begin="reported, confirmed or not, are", places=places)]


def _silent(context: Answering, measure: Compare) -> list[Claim]:
    """Return how many runs state no value of the field that tells the sides apart."""
    fields = {side.field if isinstance(side, Has) else "" for side in measure.sides}
    if measure.measure != Count() or "" in fields or len(fields) > 1:
        return []
    (name,) = fields
    silent = context.count(intersect(context.request.of, Not(Has(name))))
    none = f"no {said_missing(name)} is recorded"
    other = ("other run", "other runs")
    return [Counted(number=silent, noun=other, before="for", after=none)] if silent else []


def _all_sides(context: Answering, measure: Compare) -> RunSet:
    return intersect(context.request.of, Or(measure.sides))


@dataclass(frozen=True)
class _Comparison:
    """Sides with what is compared of them; ``subject`` is the virus that is counted on each."""

    context: Answering
    inner: Count | Share
    subject: str
    rows: Sequence[Row]

    @property
    def unit(self) -> str:
        return self.inner.unit if isinstance(self.inner, Count) else "run"

    def lead(self) -> Claim:
        """Return which side has more, or more often; if there are not two, the sides in order."""
        rows, subject = self.rows, self.subject
        is_share = isinstance(self.inner, Share)
        is_of_virus = bool(subject or rows[0].virus)
        with_whole = all(row.is_known for row in rows) and (is_share or is_of_virus)
        if any(not row.is_known and row.part == row.whole for row in rows):
            rows = [replace(row, whole=row.part) for row in rows]  # nothing but hits is listed
        sides = [row.side(with_whole=with_whole) for row in rows]
        if len(rows) == 1 and is_of_virus:
            (row,) = rows
            searched = row.whole if row.is_known else None
            return FoundIn(
                subject=row.virus or subject, number=row.part, where=row.where, searched=searched
            )
        if subject and not any(row.part for row in rows):
            return self._nowhere()
        if len(rows) != 2 or (subject and self.has_few):
            return self._in_order(sides)
        first, second = rows
        begin, than = self._more(is_often=with_whole)
        is_equal = first.number == second.number
        if is_share and with_whole:
            is_equal = first.share == second.share
        if is_equal:
            begin, than = self._equally(sides, is_often=with_whole)
        return Compared(
            begin=begin,
            than=than,
            sides=(sides[0], sides[1]),
            noun=noun_of(self.unit),
            known=first.known if is_of_virus else "",
        )

    def _nowhere(self) -> Claim:
        """Return that no side has the virus, and how many runs of each were searched."""
        sides = [f"in none of the {row.whole:,} searched {row.words}" for row in self.rows]
        return Portrait(text=f"{self.subject} {is_or_are(self.subject)} found {listed(sides)}")

    @property
    def has_few(self) -> bool:
        """Whether too few runs of a side were searched to say anything."""
        return min(row.whole for row in self.rows) < _FEWEST

    def _more(self, *, is_often: bool) -> tuple[str, str]:
        """Return that the first of two sides has more, or more often, than the second."""
        first, second = self.rows
        context, subject = self.context, self.subject
        if isinstance(self.inner, Share) and is_often:
            does = clause_words(self.inner.part, context.names, first=True)
            return f"{first.words} {does} more often", f"than {second.words}"
        more = f"more {noun_of(self.unit)[1]}"
        if first.virus:
            found = "confirmed (at least 90% identity)" if first.known == "reported" else "found"
            where = runs_in_words(context.request.of, context.names).where
            begin = f"{first.virus} {is_or_are(first.virus)} {found} in {joined(more, where)}"
            return begin, f"than {second.virus}"
        if subject:
            within = runs_in_words(context.request.of, context.names).where
            within = f"in runs {within}, " if within else ""
            begin = f"{within}{subject} {is_or_are(subject)} found in {more} {first.where}"
            return begin, f"than {second.where}"
        if self.unit not in ("run", "biosample"):
            return f"there are {more} in {first.words}", f"than in {second.words}"
        return f"there are {more} {first.where}", f"than {second.where}"

    def _equally(self, sides: Sequence[NamedNumber], *, is_often: bool) -> tuple[str, str]:
        """Return that two sides have as many, or as often."""
        first, second = self.rows
        names = " and ".join(side.name for side in sides)
        if not self.subject:
            return f"{names} are equally frequent", ""
        begin = f"{self.subject} {is_or_are(self.subject)}"
        if not is_often and first.whole != second.whole:
            return f"{begin} found in as many {first.words}", f"as in {second.words}"
        return f"{begin} equally frequent in {names}", ""

    def _in_order(self, sides: Sequence[NamedNumber]) -> Claim:
        """Return three or more sides in order, or two if one of them was hardly searched."""
        rows, subject, noun = self.rows, self.subject, noun_of(self.unit)
        begin = f"the most {noun[1]} {'carry' if rows[0].virus else 'are'}"
        if subject:
            begin = f"{subject} {is_or_are(subject)} found in {noun[1]}"
        elif isinstance(self.inner, Share):
            does = clause_words(self.inner.part, self.context.names)
            begin = f"by the share of runs that {does}, these are"
        elif len(sides) > 1:
            rows = [rows[0], replace(rows[1], words=f"then {rows[1].where}"), *rows[2:]]
        if subject and self.has_few and len(rows) > 1:
            begin = f"too few runs were searched for a comparison: {begin}"
        names = (row.virus.partition(" (")[0] or row.where for row in rows)
        places = tuple(replace(side, name=name) for side, name in zip(sides, names, strict=True))
        noun = ("searched run", "searched runs") if subject else noun
        return Ranking(begin=begin, places=places, noun=noun)


def _tested(context: Answering, rows: Sequence[Row]) -> list[Claim]:
    """Return Fisher's test of two disjoint sides; nothing for equal shares or shared runs.

    If sources list only hits, say so instead.
    """
    unknown = [row for row in rows if not row.is_known]
    if not any(row.part for row in rows):
        return []
    if unknown:
        where = "" if len(unknown) == len(rows) else listed([row.where for row in unknown])
        return [HitsOnly(where=where)]
    if len(rows) != 2 or min(row.whole for row in rows) < _FEWEST:
        return []
    first, second = rows
    is_equal = first.part * second.whole == second.part * first.whole
    both = And((first.of, second.of))
    if is_equal or context.count(intersect(context.request.of, both)):
        return []
    p_value = fisher_p(
        with_it=first.part, of=first.whole, others_with_it=second.part, of_others=second.whole
    )
    return [Fisher(p_value=p_value)]


def _of_summaries(context: Answering, measure: Compare, inner: Summary) -> Claim:
    """Return which side has the higher median."""
    field = field_named(inner.number)
    unit = "%" if field.unit == "percent" else ""
    places, unknown = [], []
    for side, record in zip(measure.sides, context.result.records(), strict=True):
        virus = virus_of(context, side)
        name = f"for {virus}" if virus else f"in {side_words(context, side)}"
        if record["median"] is None:
            unknown.append(name)
        else:
            places.append(place_of(name, record["median"]))
    ranked = tuple(sorted(places, key=lambda place: -place.number))
    if not ranked:
        return NeverSearched(subject=f"the {field.said}", where="")
    if len(ranked) == 2:
        first, second = ranked
        begin, than = f"the median {field.said} is higher {first.name}", f"than {second.name}"
        return Compared(begin=begin, than=than, sides=(first, second), known=unit)
    end = f"; no {field.said} is known {' or '.join(unknown)}" if unknown else ""
    highest = "highest" if len(ranked) > 1 else "known only"
    begin = f"the median {field.said} is {highest}"
    return Ranking(begin=begin, places=ranked, noun=(unit, unit), end=end)


def _of_values(context: Answering, measure: Compare, inner: Values) -> list[Claim]:
    """Return the values that two sides share and have alone, or the first values of each side.

    Unnamed viruses are in the table.
    """
    field = field_named(inner.by[0])
    thing = (field.said, field.plural)
    named = context.result.records()
    if field.name == "virus":
        named = [row for row in named if not is_placed(str(row["virus"]))]
    if field.name != "virus" or inner.each != Count() or inner.hits not in (None, Hit()):
        return _lists(context, measure, inner, named, thing)
    return _lists(context, measure, inner, named, ("named virus", "named viruses"))


def _lists(
    context: Answering, measure: Compare, inner: Values, records: list[dict[str, Any]], thing: Noun
) -> list[Claim]:
    """Return the values of ``records`` that two sides share or have alone, or each side's first."""
    field = field_named(inner.by[0])
    columns = context.result.column_names
    column = "runs" if "runs" in columns else columns[-1]
    places_of = [
        tuple(
            _compared_place(field, row, column)
            for row in records
            if row["side"] == say_clause(side)
        )
        for side in measure.sides
    ]
    sides = [side_words(context, side) for side in measure.sides]
    none = _without_runs(context, measure, places_of)
    if len(sides) == 2 and any(places_of) and inner.each.type == "count" and not none:
        return [_shared_and_alone(sides, places_of, thing)]
    does = "found in" if field.of == "hit" else "recorded for"
    if not none and not any(places_of):
        return [Portrait(text=f"no {thing[0]} is {does} {' or '.join(sides)}")]
    return none + [
        Ranking(
            begin=f"{TOTAL} are {does} {side}",
            places=places[:DRAWN],
            thing=thing,
            others=max(0, len(places) - DRAWN),
        )
        for side, places in zip(sides, places_of, strict=True)
        if places
    ]


def _without_runs(
    context: Answering, measure: Compare, places_of: Sequence[tuple[NamedNumber, ...]]
) -> list[Claim]:
    """Return which sides have no runs at all: with these there is nothing to compare."""
    sides = [side for side, places in zip(measure.sides, places_of, strict=True) if not places]
    whole = [intersect(context.request.of, side) for side in sides]
    return [none_of(context, runs) for runs in whole if not context.count(runs)]


def _compared_place(field: RequestField, row: dict[str, Any], column: str) -> NamedNumber:
    """Return a value of one side; for a virus also the number of confirmed runs."""
    place = place_of(said_value(field, str(row[field.name])), row[column])
    is_of_virus = field.name in VIRUSES and column == "runs" and "at_90" in row
    return replace(place, note=confirmed_of(place, row["at_90"])) if is_of_virus else place


def _shared_and_alone(
    sides: Sequence[str], places_of: Sequence[tuple[NamedNumber, ...]], thing: Noun
) -> Claim:
    first, second = ({place.name: place for place in places} for places in places_of)
    shared = [(name, int(first[name].number), int(second[name].number))
              for name in first if name in second]  # fmt: skip
    return InBothLists(
        sides=(sides[0], sides[1]),
        shared=tuple(shared),
        only=(
            tuple(place for name, place in first.items() if name not in second),
            tuple(place for name, place in second.items() if name not in first),
        ),
        thing=thing,
    )
