"""Small charts of an answer, drawn from its claims: a ranking, a comparison, a share.

SVG as text, without a library: a page shows it at once. An axis is the quantity that its claim has:
bars of counts begin at zero, bars of shares end at 100 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from index.claims import (
    Claim,
    Compared,
    Listed,
    NamedNumber,
    Ranking,
    ShareOf,
    SpeciesInstead,
    YesOrNo,
)

_WIDTH: Final = 560
_ROW: Final = 22
_NAMES: Final = 210
"""Width of the names on the left."""
_NUMBERS: Final = 130
"""Width of the numbers on the right."""
_LONGEST: Final = 30
_COLOUR: Final = "#2166ac"
_PALE: Final = "#d9e3ee"


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: its name, its length from 0 to 1, and the number that stands beside."""

    name: str
    length: float
    number: str


def chart_svg(claims: Sequence[Claim]) -> str | None:
    """Return the chart of the first of ``claims`` that has one, as SVG; None where none has."""
    for claim in claims:
        bars, whole = _bars(claim)
        if bars:
            return _drawn(bars, title=claim.sentence(), of_whole=whole)
    return None


def _bars(claim: Claim) -> tuple[list[Bar], bool]:
    """Return the bars of a claim, and whether they are shares of a whole."""
    match claim:
        case YesOrNo() | SpeciesInstead() | Listed():
            inner = claim.of if isinstance(claim, Listed) else _inner(claim)
            return _bars(inner)
        case Ranking() if len(claim.places) > 1:
            return _of_numbers(claim.places, claim.noun[1])
        case Compared():
            return _of_numbers(claim.sides, "")
        case ShareOf() if claim.part:
            share = claim.part / claim.whole
            return [Bar(claim.does.partition(" (")[0], share, claim.phrase())], True
    return [], False


def _inner(claim: YesOrNo | SpeciesInstead) -> Claim:
    return claim.because if isinstance(claim, YesOrNo) else claim.of_species


def _of_numbers(rows: Sequence[NamedNumber], unit: str) -> tuple[list[Bar], bool]:
    """Return a bar for each row: shares of their wholes, else numbers beside the largest."""
    are_shares = all(row.whole for row in rows)
    largest = 1.0 if are_shares else max((float(row.number) for row in rows), default=0.0)
    if largest <= 0:
        return [], False
    bars = [
        Bar(row.name, max(0.0, _length(row, shares=are_shares)) / largest, _said(row, unit))
        for row in rows
    ]
    return bars, are_shares


def _length(row: NamedNumber, *, shares: bool) -> float:
    return (row.part or 0) / row.whole if shares and row.whole else float(row.number)


def _said(row: NamedNumber, unit: str) -> str:
    said = row.said()
    return f"{said}{unit}" if unit == "%" else said


def _drawn(bars: Sequence[Bar], *, title: str, of_whole: bool) -> str:
    """Return bars as SVG, each with its name on the left and its number behind it."""
    height = _ROW * len(bars) + 8
    room = _WIDTH - _NAMES - _NUMBERS
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" height="{height}" font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
    ]
    for place, bar in enumerate(bars):
        top = 4 + place * _ROW
        length = round(room * min(bar.length, 1.0), 1)
        name = bar.name if len(bar.name) <= _LONGEST else f"{bar.name[: _LONGEST - 1]}…"
        end = room if of_whole else length
        if of_whole:
            parts.append(_rect(top, room, _PALE))
        parts += [
            _rect(top, length, _COLOUR),
            _text(_NAMES - 6, top, name, anchor="end"),
            _text(_NAMES + end + 6, top, bar.number, anchor="start"),
        ]
    return "".join([*parts, "</svg>"])


def _rect(top: int, length: float, colour: str) -> str:
    height = _ROW - 8
    return f'<rect x="{_NAMES}" y="{top + 3}" width="{length}" height="{height}" fill="{colour}"/>'


def _text(left: float, top: int, text: str, *, anchor: str) -> str:
    y = top + _ROW - 8
    return f'<text x="{left}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
