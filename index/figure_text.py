"""Dollar signs in the texts of figures, which matplotlib would read as formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def show_dollars(figure: Figure) -> None:
    """Let ``figure`` show the dollar signs of its texts; call it before it is saved.

    matplotlib reads what is between two of them as a formula, and fails where it is none. Its own
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
