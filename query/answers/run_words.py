"""Sets of runs in the words of a virologist: "from human liver", "from bats without EBV"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from index.claims.claim import joined
from index.claims.phrases import article, listed
from query.answers.hit_words import amount_words, hit_words
from query.answers.names import CalledNames, place_name
from query.request import Between, Carries, Everything, Has, Hit, Not, Or, Range, Searched, Top
from query.request.fields import YEARS, field_named
from query.request.run_sets import RunSet, intersect, parts_of
from query.request.saying_runs import say_clause
from query.request.wording import said_field, said_missing, said_number, said_range
from query.words import singular

_BEHIND: Final = {
    "host": "from {}",
    "label": "labelled {}",
    "organism": "submitted as {}",
    "tissue": "from {}",
    "cell_line": "from {}",
    "disease": "from cases of {}",
    "environment": "from {}",
    "biome": "from {}",
    "sex": "from {}",
    "country": "from {}",
    "sea": "from {}",
    "place": "from {}",
    "k_mers": "identified as {} by k-mers",
    "strategy": "sequenced by {}",
    "study": "of study {}",
    "project": "of project {}",
    "biosample": "of sample {}",
    "community": "in community {}",
    "year": "released in {}",
    "collection_year": "collected in {}",
}
"""Words after "runs" for a value of a field."""
_MOST_NAMED: Final = 5
_SOME_NAMED: Final = 3
"""Number of values named if there are more than ``_MOST_NAMED``."""
_ORDER: Final = (*_BEHIND, "released", "collected")
_WITHIN: Final = tuple(map(_ORDER.index, ("country", "sea", "place")))
"""Fields that are "in" behind others: from bats in China."""


@dataclass(frozen=True, slots=True)
class RunsInWords:
    """A set of runs split up: the hits they carry, the hits they lack, and the rest in words."""

    carried: tuple[Hit, ...] = ()
    lacking: tuple[Hit, ...] = ()
    where: str = ""

    @property
    def of_viruses(self) -> bool:
        """Whether hits are part of the set."""
        return bool(self.carried or self.lacking)


def runs_in_words(of: RunSet, names: CalledNames) -> RunsInWords:
    """Return ``of`` split up."""
    parts = [_one_hit(part) for part in parts_of(of)]
    carried = tuple(part.hit for part in parts if isinstance(part, Carries))
    lacking = tuple(
        part.of.hit for part in parts if isinstance(part, Not) and isinstance(part.of, Carries)
    )
    rest = [part for part in parts if not _is_of_hits(part) and not isinstance(part, Everything)]
    return RunsInWords(carried, lacking, _where(rest, names))


def _one_hit(part: RunSet) -> RunSet:
    """Return runs that carry one of several viruses as runs with a single hit of any of them."""
    if not isinstance(part, Or) or not all(isinstance(inner, Carries) for inner in part.of):
        return part
    hits = [inner.hit for inner in part.of if isinstance(inner, Carries)]
    if any(hit != Hit(virus=hit.virus) for hit in hits):
        return part
    return Carries(Hit(virus=tuple(name for hit in hits for name in hit.virus)))


def runs_words(of: RunSet, names: CalledNames) -> str:
    """Return ``of`` as the words after "runs", including hits; empty for all runs."""
    taken = runs_in_words(of, names)
    parts = [taken.where] if taken.where else []
    if taken.carried:
        parts.append(f"with {_and(taken.carried, names)}")
    if taken.lacking:
        parts.append(f"without {_and(taken.lacking, names)}")
    return " ".join(parts)


def _and(hits: Sequence[Hit], names: CalledNames) -> str:
    return listed([hit_words(hit, names) for hit in hits]).replace("any virus", "a virus")


def clause_words(of: RunSet, names: CalledNames, *, first: bool = False) -> str:
    """Return ``of`` as a clause after "runs": "carry EBV and are from bats"."""
    taken = runs_in_words(of, names)
    parts = []
    if taken.carried:
        carried = [hit_words(hit, names, first=first) for hit in taken.carried]
        parts.append(f"carry {listed(carried)}".replace("carry any virus", "carry a virus"))
    if taken.lacking:
        lacking = " or ".join(hit_words(hit, names) for hit in taken.lacking)
        parts.append(f"do not carry {lacking}")
    if taken.where:
        parts.append(_as_clause(taken.where))
    return " and ".join(parts) or "are in the index"


def _as_clause(where: str) -> str:
    for begin, instead in (("that ", ""), ("whose ", "are those whose "), ("with ", "have ")):
        if where.startswith(begin):
            return instead + where.removeprefix(begin)
    is_done = where.startswith(("released", "collected", "sequenced", "submitted", "searched"))
    return f"{'were' if is_done else 'are'} {where}"


def _is_of_hits(part: RunSet) -> bool:
    denied = isinstance(part, Not) and isinstance(part.of, Carries)
    return isinstance(part, Carries) or denied


def _where(parts: Sequence[RunSet], names: CalledNames) -> str:
    hosts, tissues, diseases = (
        _with_values(parts, field) for field in ("host", "tissue", "disease")
    )
    said: list[tuple[int, str]] = []
    rest = list(parts)
    if len(hosts) == 1 and len(diseases) == 1:
        rest = [part for part in rest if part not in (diseases[0], hosts[0])]
        patients = f"{_part(hosts[0], names)} with {_values(diseases[0], names)}"
        if len(tissues) == 1:
            rest.remove(tissues[0])
            patients = f"{_part(tissues[0], names)} of {patients.removeprefix('from ')}"
        said.append((0, patients))
    elif len(hosts) == 1 and len(tissues) == 1:
        rest = [part for part in rest if part not in (hosts[0], tissues[0])]
        said.append((0, _tissue_of_host(tissues[0], hosts[0], names)))
    for part, denied, without in _narrowed(rest):
        rest = [other for other in rest if other not in (part, denied)]
        said.append((_place(part), f"{_has(part, names)} other than {_values(without, names)}"))
    said += [(_place(part), _part(part, names)) for part in rest]
    in_order = sorted(said, key=lambda pair: pair[0])
    ordered = [text.replace("from ", "in ", 1) if rank in _WITHIN and place else text
               for place, (rank, text) in enumerate(in_order)]  # fmt: skip
    relative = [text for text in ordered if text.startswith(("that ", "whose "))]
    plain = [text for text in ordered if text not in relative]
    return " ".join([*plain, " and ".join(relative)]).strip()


def _narrowed(parts: Sequence[RunSet]) -> list[tuple[Has, Not, Has]]:
    """Return a value with a denied one of the same field, such as "plants other than rice"."""
    for denied in parts:
        if isinstance(denied, Not) and isinstance(without := denied.of, Has) and without.values:
            same = _with_values(parts, without.field)
            if len(same) == 1 and without.field in _BEHIND:
                return [(same[0], denied, without)]
    return []


def _place(part: RunSet) -> int:
    inner = part.of if isinstance(part, Not) else part
    name = inner.field if isinstance(inner, Has | Between | Top) else ""
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)


def _with_values(parts: Sequence[RunSet], field: str) -> list[Has]:
    return [part for part in parts if isinstance(part, Has) and part.field == field and part.values]


def _tissue_of_host(tissue: Has, host: Has, names: CalledNames) -> str:
    """Return "from human liver", or "from liver of Homo sapiens"."""
    tissues = _values(tissue, names)
    hosts = [names.called(name, "host") for name in host.values]
    if len(hosts) == 1 and hosts[0].islower():
        return f"from {singular(hosts[0])} {tissues}"
    return f"from {tissues} of {_values(host, names)}"


def _part(part: RunSet, names: CalledNames) -> str:
    match part:
        case Has():
            return _has(part, names)
        case Between(field, bounds):
            return _between(field, bounds)
        case Searched():
            wanted = " or ".join(names.called(name, "virus") for name in part.virus)
            by = f"by {' or '.join(part.source)}" if part.source else ""
            return joined("searched", by, f"for {wanted}" if wanted else "")
        case Not(Has() as inner) if inner.contains is None and inner.share is None:
            return _lacking(inner, names)
        case Or(of):
            by_singular: dict[str, str] = {}
            for clause in (clause_words(part, names) for part in of):
                by_singular.setdefault(clause.removesuffix("s"), clause)
            said = list(by_singular.values())
            if all(text.startswith("are ") for text in said):
                return " or ".join(text.removeprefix("are ") for text in said)
            return f"that {' or '.join(said)}"
    return f"that {say_clause(part)}"


def _has(part: Has, names: CalledNames) -> str:
    said = said_field(part.field)
    if part.contains is not None:
        return f"whose {said} contains “{part.contains}”"
    if not part.values:
        return f"with a recorded {said}"
    values = _values(part, names)
    if part.share is not None:
        return f"with {_percent(part.share)} of their k-mers from {values}"
    exactly = "" if part.below else " itself"
    return _BEHIND.get(part.field, f"whose {said} is {{}}").format(values) + exactly


def _lacking(part: Has, names: CalledNames) -> str:
    """Return that the runs have other values of a field, or no value at all."""
    if not part.values:
        return f"with no recorded {said_missing(part.field)}"
    values = _values(part, names)
    if part.field in ("host", "tissue", "country", "place", "disease", "cell_line"):
        others = f"{said_field(part.field, plural=True)} other than {values}"
        return _BEHIND[part.field].format(others)
    return f"whose {said_field(part.field)} is not {values}"


def _percent(bounds: Range) -> str:
    """Return a share in words: "more than half", "20% to 40%".

    >>> _percent(Range(above=50)), _percent(Range(at_least=5)), _percent(Range(5, None, None, 9))
    ('more than half', 'at least 5%', 'from 5% to below 9%')
    """
    if bounds == Range(above=50.0):
        return "more than half"
    said = said_range(bounds).replace("above", "more than")
    return re.sub(r"(\d+(?:\.\d+)?)", r"\1%", said)


def _with_country(country: str, within: str = "") -> str:
    """Return a place with its country: "Peru: Lima" is Lima, Peru."""
    return f"{within}, {country}" if within else place_name(country)


def _values(part: Has, names: CalledNames) -> str:
    """Return the values of a condition, hosts in the plural."""
    kind = field_named(part.field).said
    called = [names.called(name, kind) for name in part.values]
    if part.field == "host":
        called = [names.hosts(name) for name in part.values]
    if part.field == "sex":
        called = [f"{name} hosts" if name.endswith("male") else name for name in called]
    if part.field in ("country", "sea", "place"):
        formal = [names.formal(name, kind) or name for name in part.values]
        called = [_with_country(*name.split(": ", 1)) for name in formal]
    if len(called) > _MOST_NAMED:
        rest = len(called) - _SOME_NAMED
        several = field_named(part.field).plural
        return f"{', '.join(called[:_SOME_NAMED])} or {rest} other {several}"
    return " or ".join(called)


def _between(field: str, bounds: Range) -> str:
    known = field_named(field)
    if known.type == "date" or field in YEARS:
        verb = "collected" if field.startswith("collect") else "released"
        return f"{verb} {_dates(bounds)}"
    if field in ("spots", "bases"):
        return f"with {amount_words(bounds)} {field}"
    unit = known.unit if known.unit and known.unit not in known.said else ""
    of = joined(known.said, said_range(bounds), unit)
    return joined("with", article(of) if field in ("latitude", "longitude") else "", of)


def _dates(bounds: Range) -> str:
    """Return "in 2018", "after 2018", "since 2018", "from 2016 to 2018".

    >>> _dates(Range(at_least=2018)), _dates(Range(above=2018)), _dates(Range(2016, 2018))
    ('since 2018', 'after 2018', 'from 2016 to 2018')
    """
    said = said_range(bounds)
    if bounds.at_least is not None and len(bounds.bounds()) == 1:
        return f"since {said_number(bounds.at_least)}"
    if bounds.at_least is not None and bounds.at_least == bounds.at_most:
        return f"{'on' if '-' in str(bounds.at_least) else 'in'} {said_number(bounds.at_least)}"
    for word, instead in (("above", "after"), ("below", "before"), ("at most", "until")):
        said = said.replace(word, instead)
    return said


def without_hits(of: RunSet) -> RunSet:
    """Return ``of`` without its conditions on hits."""
    return intersect(*(part for part in parts_of(of) if not _is_of_hits(part)))
