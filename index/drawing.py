"""What all figures share: how they begin, how long names may be, and how they are written.

Files are SVG or PNG by their suffix, drawn without a display and without dates, so equal input
gives equal bytes. matplotlib is an extra: builds and answers work without it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ontology_etl.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure in inches. Raises ``InputError`` without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        remedy = "pip install 'virome-graphrag[figures]'"
        raise InputError("figure", "matplotlib is not installed", remedy=remedy) from error

    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, path: Path) -> None:
    """Write ``figure`` to ``path`` without dates and with fixed identifiers."""
    import matplotlib as mpl

    _show_dollars(figure)
    undated = {"Date": None} if path.suffix == ".svg" else None
    with mpl.rc_context({"svg.hashsalt": "virome"}):
        figure.savefig(path, dpi=150, metadata=undated)


def shorten(text: str, length: int) -> str:
    """Return ``text`` in at most ``length`` characters.

    >>> shorten("Oryza sativa", 6)
    'Oryza…'
    """
    if len(text) <= length:
        return text
    return text[: length - 1] + "…"


def _show_dollars(figure: Figure) -> None:
    """Let ``figure`` show the dollar signs of its texts.

    matplotlib reads the text between two of them as a formula, and fails if it is not one. Its own
    formulas, the powers at a logarithmic axis, stay.
    """
    from matplotlib.text import Text
    from matplotlib.ticker import FixedFormatter, FuncFormatter

    texts = figure.findobj(Text)
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if isinstance(axis.get_major_formatter(), FixedFormatter | FuncFormatter):
                texts += axis.get_ticklabels()
    for text in texts:
        if "$" in text.get_text():
            text.set_parse_math(False)
