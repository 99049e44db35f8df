"""Whether each word of a request is heeded by the table that is made of it.

What a phrase says may fit no slot and be lost where phrases are put together. A table is shown only
where its names, numbers, fields and conditions are those of the words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from query.sql_search.layer.lexicon import TableToken
from query.sql_search.layer.phrases.conditions import risk_of, years_of
from query.sql_search.layer.request import Measure, NotUnderstoodError, TableAsked, TableCondition

_ALIKE: Final = {"virus": ("taxon", "virus_reported"), "species": ("host", "virus"),
                 "release_date": ("year", "month"),
                 "kind": ()}  # fmt: skip
_NEVER_ADDED: Final = ("identity", "coverage", "score", "latitude", "longitude", "share")
_SEVERAL: Final = 2
_HOW: Final = {"avg", "median", "max", "min", "sum"}


def check_all_used(tokens: Sequence[TableToken], table: TableAsked) -> None:
    """Raise ``NotUnderstoodError`` for a name, number, field or condition that is in no slot."""
    conditions = list(_conditions(table))
    measures = list(_measures(table))
    names = {name for one in conditions for name in one.names} | {*table.names, *table.company}
    fields = _fields(table, conditions, measures)
    numbers = _numbers(table, conditions)
    hows = {one.how for one in measures}
    kinds = {one.kind for one in conditions}
    viral = any(one.given for one in measures)
    _check_apart(tokens)
    _check_summed(tokens, measures)
    if TableCondition("virus") in table.where and "no virus" in kinds:
        raise NotUnderstoodError("without a virus")
    if "same" in kinds:
        raise NotUnderstoodError("they come from")
    for token in tokens:
        lost = (
            (token.kind == "name" and token.text not in names)
            or (token.kind == "field" and not _is_used(token, fields))
            or (token.kind == "num" and token.number not in numbers)
            or (token.kind == "agg" and token.value not in hows and not _compares(token, tokens))
            or (token.kind in ("share", "rate") and not ({"percent"} & hows or _is_sign(token)))
            or (token.kind == "virus-" and "no virus" not in kinds)
            or (token.kind == "searched" and "searched" not in kinds)
            or (
                token.kind == "pairs"
                and not table.pairs
                and not table.kept
                and len(table.rows) < _SEVERAL
                and table.subject == "runs"
            )
            or (token.kind in ("together", "both") and not _is_joint(token, table, conditions))
            or (token.kind == "other" and not table.company)
            or (
                token.kind in ("not", "skip", "lacking")
                and not _skips_unknown(token, tokens)
                and not _is_denied(table, conditions)
            )
            or (token.kind == "risk" and risk_of(token.text) not in conditions)
            or (token.kind == "released" and not set(years_of(token.text)) <= set(conditions))
            or (token.kind == "both_ways" and not _is_denied(table, conditions))
            or (token.kind in ("cmp", "after") and not _is_compared(table, conditions))
            or (token.kind == "where" and token.value not in {one.field for one in conditions})
            or (
                token.kind in ("top", "rare")
                and table.limit is None
                and not table.order
                and table.per_first is None
                and "first" not in hows
                and not table.pairs
                and not (table.columns or table.rows)
            )
            or (token.kind == "virus+" and "virus" not in kinds and not viral)
        )
        if lost:
            raise NotUnderstoodError(token.text)


def _check_summed(tokens: Sequence[TableToken], measures: Sequence[Measure]) -> None:
    """Raise ``NotUnderstoodError`` for a sum that makes no sense and is not asked for: identities
    added up.
    """
    asked = any(one.kind == "agg" and one.value == "sum" for one in tokens)
    for one in measures:
        if one.how == "sum" and one.of in _NEVER_ADDED and not asked:
            raise NotUnderstoodError(one.of)


def _check_apart(tokens: Sequence[TableToken]) -> None:
    """Raise ``NotUnderstoodError`` for two fields side by side: the one says which of the other."""
    for one, other in pairwise(tokens):
        if one.kind == other.kind == "field" and other.value != "kind":
            raise NotUnderstoodError(f"{one.text} {other.text}")


def _conditions(table: TableAsked) -> Iterator[TableCondition]:
    yield from table.where
    yield from table.within
    yield from table.nowhere
    for one in _measures(table):
        yield from one.given
        yield from one.whole or ()


def _measures(table: TableAsked) -> Iterator[Measure]:
    for one in table.columns:
        if isinstance(one, Measure):
            yield one
    for bound in table.kept:
        yield bound.measure
    for order in table.order:
        if isinstance(order.by, Measure):
            yield order.by


def _fields(
    table: TableAsked, conditions: Sequence[TableCondition], measures: Sequence[Measure]
) -> set[str]:
    fields = {*table.rows, *(one.field for one in conditions), *(one.of for one in measures)}
    fields |= {one for one in table.columns if isinstance(one, str)} | {*table.named_as}
    fields |= {one.by for one in table.order if isinstance(one.by, str)}
    return fields | ({"name", "host", "virus", "species", "detection"} if table.names else set())


def _is_used(token: TableToken, fields: set[str]) -> bool:
    key = token.value
    if key == "kind":
        return True
    rank = key.removeprefix("virus_")
    if "vir" not in token.text and any(one.endswith(f"_{rank}") for one in fields):
        return True
    return key in fields or key == "detection" or any(one in fields for one in _ALIKE.get(key, ()))


def _numbers(table: TableAsked, conditions: Sequence[TableCondition]) -> set[float]:
    numbers = {one.number for one in conditions} | {one.number for one in table.kept}
    limits = {float(one) for one in (table.limit, table.per_first) if one is not None}
    return numbers | limits | {1.0} | ({2.0} if table.pairs else set())


def _compares(token: TableToken, tokens: Sequence[TableToken]) -> bool:
    place = next(place for place, one in enumerate(tokens) if one is token)
    return place + 1 < len(tokens) and tokens[place + 1].kind == "num"


def _is_joint(token: TableToken, table: TableAsked, conditions: Sequence[TableCondition]) -> bool:
    """Return whether things that are found together are asked for."""
    counted = any(one.kind == "count" for one in conditions)
    joint = table.pairs or table.company or any(one.at_once for one in conditions)
    return bool(joint or counted or "run" in token.text)


def _skips_unknown(token: TableToken, tokens: Sequence[TableToken]) -> bool:
    place = next(place for place, one in enumerate(tokens) if one is token)
    return token.kind == "skip" and tokens[place + 1 : place + 2][0:1] != [] and (
        tokens[place + 1].kind == "unknown")  # fmt: skip


def _is_sign(token: TableToken) -> bool:
    return token.text in ("%", "percent", "per cent", "percentage")


def _is_denied(table: TableAsked, conditions: Sequence[TableCondition]) -> bool:
    denied = any(one.negated or one.kind in ("no virus", "known") for one in conditions)
    return denied or bool(table.nowhere or table.kept or table.company)


def _is_compared(table: TableAsked, conditions: Sequence[TableCondition]) -> bool:
    return bool(table.kept) or any(one.sign for one in conditions)
