"""The tally of a set of runs, and what could not count, in one pass over the runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from query.compiler.flags import SEARCHED, STATED, STRICT, Flags, Lens, leaves
from query.compiler.result import LeftOut, Tally
from query.compiler.statement import Asked, Statement
from query.request.fields import field_named
from query.request.hits import ANY_HIT, Hit
from query.request.run_sets import Between, Carries, Has, Mentions, RunSet, Top
from query.request.saying_runs import say_hit
from query.request.wording import said_field


@dataclass(frozen=True)
class Conditions:
    """Conditions on a row of ``flagged`` for each number of a tally."""

    runs: str
    searched: str
    positive: str
    at_90: str
    answer: str
    """The runs that are the answer: positive ones where hits are counted, else all asked for."""


@dataclass(frozen=True)
class Tallied:
    """A tally with what was left out, and further numbers that were counted with it."""

    tally: Tally
    left_out: tuple[LeftOut, ...]
    more: dict[str, int] = field(default_factory=dict)


def conditions_of(flags: Flags, of: RunSet, hits: Hit | None) -> Conditions:
    """Return the conditions of the tally of ``of``, with ``hits`` counted in it."""
    counted = hits or ANY_HIT
    runs = flags.holds(of)
    positive = f"({runs} AND {flags.hit(counted)})"
    return Conditions(
        runs=runs,
        searched=f"({flags.holds(of, SEARCHED)} AND {flags.searched(counted)})",
        positive=positive,
        at_90=f"({flags.holds(of, STRICT)} AND {flags.hit(counted, strict=True)})",
        answer=runs if hits is None else positive,
    )


def tally(
    asked: Asked,
    of: RunSet,
    *,
    hits: Hit | None = None,
    stating: tuple[str, ...] = (),
    samples: bool = False,
    more: Mapping[str, str] | None = None,
    statement: Statement | None = None,
) -> Tallied:
    """Return the tally of ``of``.

    ``stating``    fields of runs that the answer lists: those without are left out
    ``samples``    the answer is of BioSamples: runs without one are left out
    ``more``       further conditions on ``flagged`` of ``statement`` to count, by name
    """
    query = statement or asked.statement()
    flags = query.flags
    conditions = conditions_of(flags, of, hits)
    stated = flags.holds(of, STATED)
    stated = " AND ".join([stated, *(flags.stated(name) for name in stating)])
    counted = {
        "runs": conditions.runs,
        "searched": conditions.searched,
        "positive": conditions.positive,
        "at_90": conditions.at_90,
        "stated": stated,
        "answer": conditions.answer,
        "without sample": f"{conditions.answer} AND biosample IS NULL",
    }
    missing = _missing(flags, of, hits, stating)
    wanted = [*counted.values(), *(pair for part in missing for pair in part[1]),
              *(more or {}).values()]  # fmt: skip
    columns = [f"count(*) FILTER ({condition})" for condition in wanted]
    columns.append(f"count(DISTINCT biosample) FILTER ({conditions.answer})")
    ((*numbers, sampled),) = asked.run(query, f"SELECT {', '.join(columns)} FROM flagged")
    number = dict(zip(counted, numbers, strict=False))
    rest = numbers[len(counted) :]
    left_out = []
    for (part, _), place in zip(missing, range(0, len(rest), 2), strict=False):
        lacking = rest[place] - rest[place + 1]
        if lacking:
            left_out.append(LeftOut(part.reason, lacking, part.what))
    if samples and number["without sample"]:
        what = "runs without a BioSample, which no number of samples counts"
        left_out.append(LeftOut("no BioSample", number["without sample"], what))
    further = rest[2 * len(missing) :]
    return Tallied(
        Tally(
            runs=number["runs"],
            searched=number["searched"],
            positive=number["positive"],
            at_90=number["at_90"],
            samples=sampled,
            stated=number["stated"],
        ),
        tuple(left_out),
        dict(zip(more or {}, further, strict=True)),
    )


def _missing(
    flags: Flags, of: RunSet, hits: Hit | None, stating: tuple[str, ...]
) -> list[tuple[LeftOut, tuple[str, str]]]:
    """Return what may be left out, each with two conditions: the runs with it, and without it."""
    parts = []
    for leaf, _ in leaves(of):
        part = _lacking(leaf)
        if part is not None:
            every = flags.holds(of, Lens(leaf=leaf))
            known = flags.holds(of, Lens(leaf=leaf, known=True))
            parts.append((part, (every, known)))
        if isinstance(leaf, Carries) and leaf.hit.evidence == "species":
            wider = Lens(instead=(leaf, _any_evidence(leaf)))
            what = f"runs with {say_hit(_any_evidence(leaf).hit)} below 90 % identity or of unknown"
            part = LeftOut("below 90 %", 0, what)
            parts.append((part, (flags.holds(of, wider), flags.holds(of))))
    runs = flags.holds(of)
    if hits is not None:
        what = f"runs that no source searched for {say_hit(hits)}"
        known = f"{runs} AND {flags.searched(hits)}"
        parts.append((LeftOut("not searched", 0, what), (runs, known)))
        if hits.evidence == "species":
            wide = _any_evidence(Carries(hits)).hit
            what = f"runs with {say_hit(wide)} below 90 % identity or of unknown"
            pair = (f"{runs} AND {flags.hit(wide)}", f"{runs} AND {flags.hit(hits)}")
            parts.append((LeftOut("below 90 %", 0, what), pair))
    for name in stating:
        what = f"runs that state no {said_field(name)}"
        pair = (runs, f"{runs} AND {flags.stated(name)}")
        parts.append((LeftOut("not stated", 0, what), pair))
    return parts


def _lacking(leaf: RunSet) -> LeftOut | None:
    """Return what is left out where nothing is known of a simple set; None where all is known."""
    match leaf:
        case Carries(hit):
            return LeftOut("not searched", 0, f"runs that no source searched for {say_hit(hit)}")
        case Has(name, values, _, contains) if not values and contains is None:
            return None
        case Has(name) | Between(name, _) | Top(name, _, _):
            return LeftOut("not stated", 0, f"runs that state no {field_named(name).said}")
        case Mentions():
            return LeftOut("not stated", 0, "runs without a text of study, project or sample")
    return None


def _any_evidence(leaf: Carries) -> Carries:
    """Return ``leaf`` with hits of any identity."""
    from dataclasses import replace

    return Carries(replace(leaf.hit, evidence="any"))
