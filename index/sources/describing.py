"""Describe a format in words: what its files must have, and each of its columns."""

from __future__ import annotations

from index.sources.layout import Column, Layout
from index.sources.source import Source


def describe(name: str, source: Source) -> str:
    """Return a format as text for a terminal: its content, columns, options and licence."""
    parts = [f"{name}: {source.description}", f"licence: {source.licence}"]
    if source.holds:
        parts.append(f"holds {source.holds}")
    parts += [_table(layout, titled=len(source.layouts) > 1) for layout in source.layouts]
    for option, companion in source.companions.items():
        tables = [_table(layout, titled=False) for layout in companion.layouts]
        meaning = f"option {option}: {companion.meaning}"
        parts.append("\n".join([meaning, "\n  or\n".join(tables)]).rstrip())
    return "\n\n".join(parts)


def _table(layout: Layout, *, titled: bool) -> str:
    """Return the columns of ``layout``, a line each; ``*`` marks those that a file must have."""
    needs = f" (every row needs the option {layout.needs})" if layout.needs else ""
    title = [f"as {layout.name}{needs}:"] if titled else []
    width = max((len(column.name) for column in layout.columns), default=0)
    rows = [_row(column, width) for column in layout.columns]
    rest = [f"    all other columns are taken for {layout.rest}"] if layout.rest else []
    return "\n".join([*title, *rows, *rest])


def _row(column: Column, width: int) -> str:
    mark = "*" if column.required else " "
    unit = f" ({column.unit})" if column.unit else ""
    return f"  {mark} {column.name:<{width}}  {column.meaning}{unit}, e.g. {column.example}"
