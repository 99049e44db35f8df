"""The chart of an answer: the numbers that its claims rank, compare, or give as a share of a whole.

What is drawn is what the sentences say, so picture and words cannot differ. Bars of counts begin at
zero; bars of shares end at 100 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from index.claims import (
    Claim,
    Compared,
    Listed,
    NamedNumber,
    Noun,
    Ranking,
    ShareOf,
    SpeciesInstead,
    YesOrNo,
)
from index.drawing import new_figure, save_figure, shorten
from query.answer import Bar, BarChart

_SHARE: Final = "share of runs"
_COLOUR: Final = "#0f766e"
_PALE: Final = "#e3eaef"
_ROW: Final = 0.28
"""Height of a bar in inches."""


def chart_of(claims: Sequence[Claim]) -> BarChart | None:
    """Return the chart of the first of ``claims`` that has one, else None.

    If each side of a comparison has a ranking of its own, return None: the chart of one side would
    be taken for both.
    """
    if sum(isinstance(claim, Ranking) for claim in claims) > 1:
        return None
    return next((chart for claim in claims if (chart := _chart(claim)) is not None), None)


def draw_chart(chart: BarChart, path: Path, *, title: str) -> None:
    """Write ``chart`` under ``title`` to ``path``, SVG or PNG.

    Raises ``InputError`` where matplotlib is not installed.
    """
    figure = new_figure(7.0, 0.8 + _ROW * len(chart.bars))
    axes = figure.subplots()
    places = range(len(chart.bars))
    if chart.of_whole:
        axes.barh(places, [1.0 for _ in places], color=_PALE)
    drawn = axes.barh(places, [bar.value for bar in chart.bars], color=_COLOUR)
    axes.bar_label(drawn, [bar.said for bar in chart.bars], padding=4, fontsize=7)
    axes.set_yticks(places, [shorten(bar.name, 40) for bar in chart.bars], fontsize=8)
    axes.set_xlim(0, 1.0 if chart.of_whole else 1.25 * max(bar.value for bar in chart.bars))
    if chart.of_whole:
        axes.xaxis.set_major_formatter("{x:.0%}")
    axes.tick_params(axis="x", labelsize=7)
    axes.set_title(shorten(title, 90), fontsize=9, loc="left")
    axes.set_xlabel(chart.quantity, fontsize=8)
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
    save_figure(figure, path)


def _chart(claim: Claim) -> BarChart | None:
    match claim:
        case YesOrNo():
            return _chart(claim.because)
        case SpeciesInstead():
            return _chart(claim.of_species)
        case Listed():
            return _chart(claim.of)
        case Ranking() if len(claim.places) > 1:
            return _of_numbers(claim.places, claim.noun)
        case Compared():
            return _of_numbers(claim.sides, ("run", "runs"))
        case ShareOf() if claim.part:
            bar = Bar(claim.runs, claim.part / claim.whole, claim.phrase())
            return BarChart(f"share that {claim.does}", (bar,), of_whole=True)
    return None


def _of_numbers(rows: Sequence[NamedNumber], noun: Noun) -> BarChart | None:
    """Return a bar for each row: shares if each has a whole, else numbers."""
    are_shares = all(row.share is not None for row in rows)
    lengths = [
        float(row.number) if row.share is None or not are_shares else row.share for row in rows
    ]
    if max(lengths) <= 0:
        return None
    bars = [Bar(row.name, value, row.said()) for row, value in zip(rows, lengths, strict=True)]
    return BarChart(_SHARE if are_shares else noun[1], tuple(bars), of_whole=are_shares)
