"""Count the tally of a set of runs, and the runs that cannot be counted, in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from query.compiler.flags import (
    SEARCHED,
    STATED,
    STRICT,
    Flags,
    Lens,
    all_have_hits,
    all_of,
    leaves,
)
from query.compiler.result import Omission, RunTally
from query.compiler.statement import RunningRequest, RunsQuery
from query.request import ANY_HIT, Hit, Range, field_named, said_field, said_names, say_hit
from query.request.run_sets import Between, Carries, Has, Mentions, RunSet, Top


@dataclass(frozen=True)
class TallyConditions:
    """Conditions on a row of ``flagged`` for each number of a tally."""

    runs: str
    searched: str
    positive: str
    at_90: str
    answer: str
    """The runs that are the answer: positive ones where hits are counted, else all."""


@dataclass(frozen=True)
class Tallied:
    """A tally with what was left out, and further numbers that were counted with it."""

    tally: RunTally
    left_out: tuple[Omission, ...]
    more: dict[str, int] = field(default_factory=dict)


def conditions_of(
    flags: Flags, of: RunSet, hits: Hit | None, *, brief: bool = False
) -> TallyConditions:
    """Return the conditions of the tally of ``of``, with ``hits`` counted in it.

    A ``brief`` tally counts no runs that were searched or are at 90 % identity.
    """
    counted = hits or ANY_HIT
    runs = flags.holds(of)
    answer = runs if hits is None else all_of(runs, flags.hit(hits))
    if brief:
        return TallyConditions(
            runs, searched="false", positive=answer, at_90="false", answer=answer
        )
    if hits is None and all_have_hits(of):
        strict, searched = flags.holds(of, STRICT), flags.holds(of, SEARCHED)
        return TallyConditions(runs, searched, positive=runs, at_90=strict, answer=runs)
    return TallyConditions(
        runs=runs,
        searched=all_of(flags.holds(of, SEARCHED), flags.searched(counted)),
        positive=all_of(runs, flags.hit(counted)),
        at_90=all_of(flags.holds(of, STRICT), flags.hit(counted, strict=True)),
        answer=answer,
    )


@dataclass(frozen=True)
class TallyPlan:
    """A SELECT of one row from ``flagged``, and how that row is read."""

    select: str
    missing: tuple[Omission, ...]
    more: tuple[str, ...]
    samples: bool

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return _FIRST + 1 + 2 * len(self.missing) + len(self.more)

    def read(self, row: Sequence[Any]) -> Tallied:
        """Return the tally that ``row`` has."""
        tally, (without_sample, *rest) = RunTally(*row[:_FIRST]), row[_FIRST:]
        behind = 2 * len(self.missing)
        counted = zip(self.missing, rest[:behind:2], rest[1:behind:2], strict=True)
        left_out = [replace(part, number=with_it - without) for part, with_it, without in counted]
        if self.samples:
            what = "runs without a BioSample, which no number of samples counts"
            left_out.append(Omission("no BioSample", without_sample, what))
        further = dict(zip(self.more, rest[behind:], strict=True))
        return Tallied(tally, tuple(part for part in left_out if part.number), further)


_FIRST: Final = len(fields(RunTally))
"""Number of columns of the tally itself, which come first."""


def tallied_rows(
    asked: RunningRequest, statement: RunsQuery, plan: TallyPlan, select: str, *, order: str = ""
) -> tuple[Tallied, list[tuple[Any, ...]]]:
    """Return the planned tally and the rows of ``select`` in ``order``, by one statement."""
    placed = f"SELECT row_number() OVER ({order}) AS place, * FROM ({select})"
    final = f"SELECT t.*, r.* FROM ({plan.select}) t LEFT JOIN ({placed}) r ON true ORDER BY place"
    found = asked.run(statement, final)
    rows = [row[plan.width + 1 :] for row in found if row[plan.width] is not None]
    return plan.read(found[0][: plan.width]), rows


def plan_tally(
    statement: RunsQuery,
    of: RunSet,
    *,
    hits: Hit | None = None,
    stating: tuple[str, ...] = (),
    samples: bool = False,
    more: Mapping[str, str] | None = None,
    brief: bool = False,
) -> TallyPlan:
    """Return how the tally of ``of`` is counted in ``statement``.

    ``stating``    fields of runs that the answer lists: those without are left out
    ``samples``    the answer is of BioSamples: runs without one are left out
    ``more``       further aggregates over ``flagged``, by name
    ``brief``      count only the runs of the answer, and those without the fields of ``stating``
    """
    flags = statement.flags
    conditions = conditions_of(flags, of, hits, brief=brief)
    stated = "false"
    if not brief:
        stated = all_of(flags.holds(of, STATED), *(flags.stated(name) for name in stating))
    missing = _unstated(flags, of, stating) if brief else _missing(flags, of, hits, stating)
    samples_of = f"SELECT count(DISTINCT biosample) FROM flagged WHERE {conditions.answer}"
    first = (conditions.runs, conditions.searched, conditions.positive, conditions.at_90)
    behind = [stated, f"{conditions.answer} AND biosample IS NULL"]
    for _, pair in missing:
        behind += pair
    columns = [*map(_number, first), f"({samples_of})", *map(_number, behind)]
    columns += (more or {}).values()
    return TallyPlan(
        select=f"SELECT {', '.join(columns)} FROM flagged",
        missing=tuple(part for part, _ in missing),
        more=tuple(more or ()),
        samples=samples,
    )


def _number(condition: str) -> str:
    return f"count(*) FILTER ({condition})"


def _missing(
    flags: Flags, of: RunSet, hits: Hit | None, stating: tuple[str, ...]
) -> list[tuple[Omission, tuple[str, str]]]:
    """Return what may be left out, each with two conditions: the runs with it, and without it."""
    parts = []
    for leaf, _ in leaves(of):
        part = _lacking(leaf)
        if part is not None:
            every = flags.holds(of, Lens(leaf=leaf))
            known = flags.holds(of, Lens(leaf=leaf, known=True))
            parts.append((part, (every, known)))
        if isinstance(leaf, Carries) and leaf.hit.evidence == "species":
            wide, part = _weaker(leaf.hit)
            wider = Lens(instead=(leaf, Carries(wide)))
            parts.append((part, (flags.holds(of, wider), flags.holds(of))))
    runs = flags.holds(of)
    if hits is not None:
        parts.append((_not_searched(hits), (runs, all_of(runs, flags.searched(hits)))))
        if hits.evidence == "species":
            wide, part = _weaker(hits)
            pair = (all_of(runs, flags.hit(wide)), all_of(runs, flags.hit(hits)))
            parts.append((part, pair))
    return [*parts, *_unstated(flags, of, stating)]


def _unstated(
    flags: Flags, of: RunSet, stating: tuple[str, ...]
) -> list[tuple[Omission, tuple[str, str]]]:
    """Return what is left out because it states no value of a field that the answer lists."""
    runs = flags.holds(of)
    parts = []
    for name in stating:
        what = f"runs that state no {said_field(name)}"
        pair = (runs, all_of(runs, flags.stated(name)))
        parts.append((Omission("not stated", 0, what), pair))
    return parts


def _lacking(leaf: RunSet) -> Omission | None:
    """Return the runs left out of a simple set, as too little is known; None if none are."""
    match leaf:
        case Carries(hit):
            return _not_searched(hit)
        case Has(name, values, _, contains) if not values and contains is None:
            return None
        case Has(_, values, share=Range()):
            what = f"runs without k-mer counts as fine as {said_names(values)}"
            return Omission("not stated", 0, what)
        case Has(name) | Between(name, _) | Top(name, _, _):
            return Omission("not stated", 0, f"runs that state no {field_named(name).said}")
        case Mentions():
            return Omission("not stated", 0, "runs without a text of study, project or sample")
    return None


def _not_searched(hit: Hit) -> Omission:
    return Omission("not searched", 0, f"runs that no source searched for {say_hit(hit)}")


def _weaker(hit: Hit) -> tuple[Hit, Omission]:
    """Return ``hit`` at any identity, and the runs with such hits that ``hit`` leaves out."""
    wide = replace(hit, evidence="any")
    why = "below 90 % identity, of unknown identity, or nearer a relative"
    return wide, Omission("below 90 %", 0, f"runs with {say_hit(wide)} {why}")
