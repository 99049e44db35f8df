"""Answers that compare sets of runs: which has more, by how much, and as a share of what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from index.claims import Alike, Claim, Compared, NeverSearched, Place, Ranking, Side, Tested
from index.claims.exact_tests import fisher_p
from index.claims.phrases import is_or_are, listed
from query.answers.drafting import Asked, Draft, table_of
from query.answers.hit_words import hit_words
from query.answers.listing_words import NAMED, number_of, place_of
from query.answers.run_words import clause_words, runs_in_words, runs_words
from query.answers.subject import Subject, both_of, subject_of
from query.answers.unknowns import shown
from query.request import And, Compare, Count, Share, Summary, Values
from query.request.fields import field_named
from query.request.run_sets import RunSet
from query.request.saying_runs import say_clause


@dataclass(frozen=True, slots=True)
class Row:
    """A side with what was counted of it."""

    of: RunSet
    number: float | int | None
    positive: int
    searched: int
    among: int | None

    @property
    def share(self) -> float | None:
        """The share of the searched runs that are positive; None where none was searched."""
        return self.positive / self.searched if self.searched else None


def draft_compare(asked: Asked, measure: Compare) -> Draft:
    """Return which side has more, the shares beside, and a test where the sides are disjoint."""
    inner = measure.measure
    table = table_of(asked.result)
    if isinstance(inner, Values):
        return Draft(_of_values(asked, measure), table=table)
    if isinstance(inner, Summary):
        return Draft([_of_summaries(asked, measure, inner)], table=table)
    rows = _rows(asked, measure)
    subject = subject_of(asked, inner.hits if isinstance(inner, Count) else None)
    unsearched = _never_searched(asked, rows, subject)
    if isinstance(inner, Share):
        return Draft(
            [_of_shares(asked, rows, inner)],
            [*unsearched, *_tested(asked, [(row, *_part(row)) for row in rows])],
            table=table,
        )
    lead = _of_counts(asked, rows, inner, subject)
    return Draft([lead], shown(asked, [*unsearched, *_shares(asked, rows, subject)]), table=table)


def _rows(asked: Asked, measure: Compare) -> list[Row]:
    """Return the sides with their numbers, largest first."""
    rows = []
    for side, record in zip(measure.sides, asked.result.records(), strict=True):
        rows.append(_row(side, record))
    return sorted(rows, key=lambda row: -(row.number or 0))


def _row(side: RunSet, record: dict[str, Any]) -> Row:
    return Row(side, record["number"], record["positive"], record["searched"], record.get("among"))


def _side_words(asked: Asked, side: RunSet) -> str:
    """Return a side as it stands behind "in": "runs from bats"."""
    return f"runs {runs_words(side, asked.names)}".strip()


def _virus_of(asked: Asked, side: RunSet) -> str:
    """Return the virus that a side is about, where it is about nothing else."""
    taken = runs_in_words(side, asked.names)
    if len(taken.carried) == 1 and not taken.lacking and not taken.where:
        return hit_words(taken.carried[0], asked.names, first=True)
    return ""


def _of_counts(asked: Asked, rows: list[Row], inner: Count, subject: Subject) -> Claim:
    """Return which side has more runs, samples or values."""
    several = _unit(inner)
    viruses = [_virus_of(asked, row.of) for row in rows]
    numbers = [int(row.number or 0) for row in rows]
    of_viruses = all(viruses) and not subject.is_named
    names = viruses if of_viruses else [_side_words(asked, row.of) for row in rows]
    if len(set(numbers)) == 1:
        return _alike(names, numbers[0], several, subject, of_viruses=of_viruses)
    if len(rows) > 2:
        begin = "most" if not subject.is_named else f"{subject.words} is found most often in"
        places = tuple(Place(name=name, number=number)
                       for name, number in zip(names, numbers, strict=True))  # fmt: skip
        begin = "the most are" if begin == "most" else begin
        return Ranking(begin=begin, places=places, noun=(several[:-1], several))
    sides = tuple(Side(name=name, number=number)
                  for name, number in zip(names, numbers, strict=True))  # fmt: skip
    if of_viruses:
        where = f" {subject.where}" if subject.where else ""
        begin = f"{names[0]} {is_or_are(names[0])} found in more {several}{where}"
        return Compared(begin=begin, than=f"than {names[1]}", sides=sides)
    if subject.is_named:
        verb = is_or_are(subject.words)
        where = names[0].removeprefix("runs ")
        begin = f"{subject.words} {verb} found in more {several} {where}"
        return Compared(begin=begin, than=f"than {names[1].removeprefix('runs ')}", sides=sides)
    where = names[0].removeprefix("runs ")
    return Compared(
        begin=f"there are more {several} {where}",
        than=f"than {names[1].removeprefix('runs ')}",
        sides=sides,
    )


def _alike(
    names: list[str], number: int, several: str, subject: Subject, *, of_viruses: bool
) -> Claim:
    """Return that the sides have equal numbers."""
    said = f"{number:,} {several if number != 1 else several[:-1]}"
    values = (number,)
    if not number:
        said, values = f"no {several}", ()
    if of_viruses:
        begin = f"{listed(names)} are found in equally many {several}"
    elif subject.is_named:
        verb = is_or_are(subject.words)
        begin = f"{subject.words} {verb} found equally often in {listed(names)}"
    else:
        begin = f"there are equally many {listed(names)}"
    return Alike(begin=begin, names=(*names, subject.words), said=said, values=values)


def _unit(inner: Count) -> str:
    """Return what is counted, in the plural."""
    if inner.unit == "biosample":
        return "samples"
    if inner.unit in ("run", "detection"):
        return "runs" if inner.unit == "run" else "hits"
    return field_named(inner.unit).plural


def _never_searched(asked: Asked, rows: list[Row], subject: Subject) -> list[Claim]:
    """Return the sides of which no run was searched, so that zero means nothing."""
    claims: list[Claim] = []
    for row in rows:
        if row.searched or row.positive:
            continue
        virus = _virus_of(asked, row.of)
        if subject.is_named:
            where = runs_words(row.of, asked.names)
            claims.append(NeverSearched(subject=subject.words, where=where))
        elif virus:
            claims.append(NeverSearched(subject=virus, where=subject.where))
    return claims


def _shares(asked: Asked, rows: list[Row], subject: Subject) -> list[Claim]:
    """Return the shares of the searched runs, and whether chance explains the difference."""
    searched = [row for row in rows if row.searched and row.searched != row.positive]
    is_of_hits = subject.is_named or all(_virus_of(asked, row.of) for row in rows)
    if len(rows) != 2 or len(searched) != 2 or not is_of_hits:
        return []
    ranked = sorted(rows, key=lambda row: -(row.share or 0))
    names = [_virus_of(asked, row.of) or _side_words(asked, row.of) for row in ranked]
    sides = tuple(
        Side(name=name, number=row.share or 0, part=row.positive, whole=row.searched)
        for name, row in zip(names, ranked, strict=True)
    )
    joint = "in" if subject.is_named else "of"
    begin = f"as a share of the searched runs, more {joint} {names[0]}"
    claims: list[Claim] = [Compared(begin=begin, than=f"than {joint} {names[1]}", sides=sides)]
    if subject.is_named:
        counts = [(row, row.positive, row.searched) for row in ranked]
        claims += _tested(asked, counts)
    return claims


def _tested(asked: Asked, counts: list[tuple[Row, int, int]]) -> list[Claim]:
    """Return Fisher's test of two disjoint sides; nothing for sides that share runs."""
    if len(counts) != 2 or not all(whole for _, _, whole in counts):
        return []
    (first, part, whole), (second, other_part, other_whole) = counts
    if first.of == second.of or _overlap(asked, first.of, second.of):
        return []
    p_value = fisher_p(with_it=part, of=whole, others_with_it=other_part, of_others=other_whole)
    return [Tested(p_value=p_value)]


def _overlap(asked: Asked, first: RunSet, second: RunSet) -> bool:
    """Return whether some run is in both sides."""
    both = both_of(asked.request.of, And((first, second)))
    found = asked.look(Count(), both)
    return bool(found.number)


def _part(row: Row) -> tuple[int, int]:
    """Return part and whole of a share."""
    whole = row.among or 0
    return round((row.number or 0) * whole / 100), whole


def _of_shares(asked: Asked, rows: list[Row], inner: Share) -> Claim:
    """Return which side has the higher share."""
    does = clause_words(inner.part, asked.names, first=True)
    names = [_side_words(asked, row.of) for row in rows]
    sides = []
    for name, row in zip(names, rows, strict=True):
        part, whole = _part(row)
        sides.append(Side(name=name, number=part / whole if whole else 0, part=part, whole=whole))
    known = [side for side in sides if side.whole]
    if len(known) < 2:
        places = tuple(place_of(side.name, side.number, part=side.part, whole=side.whole)
                       for side in known)  # fmt: skip
        if not places:
            return NeverSearched(subject=does, where=f"{listed(names)}".removeprefix("runs "))
        return Ranking(begin=f"only of {places[0].name} it is known how many {does}:",
                       places=places, noun=("", ""))  # fmt: skip
    if len(known) > 2:
        places = tuple(place_of(side.name, side.number, part=side.part, whole=side.whole)
                       for side in known)  # fmt: skip
        return Ranking(begin=f"most often {does}:", places=places, noun=("", ""))
    if known[0].number == known[1].number:
        said = known[0].said("").partition(",")[0]
        return Alike(begin=f"{listed(names)} {does} equally often", names=tuple(names), said=said,
                     values=(known[0].number,))  # fmt: skip
    return Compared(
        begin=f"{known[0].name} {does} more often",
        than=f"than {known[1].name}",
        sides=tuple(known),
    )


def _of_summaries(asked: Asked, measure: Compare, inner: Summary) -> Claim:
    """Return which side has the higher median."""
    field = field_named(inner.number)
    unit = "%" if field.unit == "percent" else f" {field.unit}" if field.unit else ""
    places = []
    for side, record in zip(measure.sides, asked.result.records(), strict=True):
        virus = _virus_of(asked, side)
        name = f"of {virus}" if virus else f"in {_side_words(asked, side)}"
        if record["median"] is not None:
            places.append(place_of(name, record["median"]))
    ranked = tuple(sorted(places, key=lambda place: -place.number))
    if not ranked:
        return NeverSearched(subject=f"the {field.said}", where="")
    return Ranking(begin=f"the median {field.said} is highest", places=ranked,
                   noun=(unit.strip(), unit.strip()))  # fmt: skip


def _of_values(asked: Asked, measure: Compare) -> list[Claim]:
    """Return the first values of each side."""
    inner = measure.measure
    assert isinstance(inner, Values)
    field = field_named(inner.by[0])
    columns = [column.name for column in asked.result.columns]
    number = columns.index("runs") if "runs" in columns else len(columns) - 1
    claims: list[Claim] = []
    for side in measure.sides:
        rows = [row for row in asked.result.rows if row[0] == say_clause(side)]
        if not rows:
            continue
        places = tuple(place_of(str(row[1]), number_of(row[number])) for row in rows[:NAMED])
        begin = f"{_side_words(asked, side)}, {field.plural}:"
        claims.append(Ranking(begin=begin, places=places,
                              others=max(0, len(rows) - len(places)),
                              other_noun=(f"other {field.said}", f"other {field.plural}")))  # fmt: skip
    return claims
