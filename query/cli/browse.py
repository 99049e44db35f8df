"""``query communities`` and ``query report``: the index as it was summarised."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from query.cli.console import (
    AsJson,
    Database,
    index_opened,
    print_json,
    print_prose,
    print_table,
    reported,
)


def communities(
    like: Annotated[
        str | None,
        typer.Option(
            help="Only those that hold this text: title, virus, host, …", show_default=False
        ),
    ] = None,
    level: Annotated[
        int | None, typer.Option(help="Only this level; 0 is the coarsest.", show_default=False)
    ] = None,
    limit: Annotated[int, typer.Option(help="Lines to show.", min=1)] = 50,
    db: Database = None,
    as_json: AsJson = False,
    figure: Annotated[
        Path | None,
        typer.Option(
            help="Draw the largest of --level (0) to this file, SVG or PNG.", show_default=False
        ),
    ] = None,
) -> None:
    """List communities that have a report, largest first within each level.

    \b
    Examples:
      query communities --level 0
      query communities --like Rhinolophus
      query communities --like coronavir --json
      query communities --level 0 --figure map.svg
    """
    with reported(as_json=as_json), index_opened(db) as con:
        if figure is not None:
            from index.reports.figures import plot_map

            typer.echo(plot_map(con, figure, level=level or 0), err=True)
        from query.browsing.communities import list_communities

        rows, total = list_communities(con, like=like, level=level, limit=limit)
    if as_json:
        print_json({"total": total, "communities": [asdict(row) for row in rows]})
        return
    columns = ("community", "level", "runs", "rating", "label", "title")
    print_table(columns, [[getattr(row, name) for name in columns] for row in rows], wide="title")
    if len(rows) < total:
        typer.echo(f"{len(rows)} of {total:,} shown; see more with --limit {total}", err=True)


def report(
    community: Annotated[
        str, typer.Argument(help="Identifier of a community, e.g. from `query communities`.")
    ],
    db: Database = None,
    as_json: AsJson = False,
    figure: Annotated[
        Path | None,
        typer.Option(help="Draw its strongest facts to this file, SVG or PNG.", show_default=False),
    ] = None,
) -> None:
    """Show the report of one community: summary, findings, citations.

    \b
    Examples:
      query report C1-0a1b2c3d
      query report C1-0a1b2c3d --json | jq .findings
      query report C1-0a1b2c3d --figure facts.png
    """
    with reported(as_json=as_json), index_opened(db) as con:
        from query.browsing.communities import read_report, report_text

        card = read_report(con, community)
        if figure is not None:
            from index.reports.figures import plot_report

            typer.echo(plot_report(con, card.community, figure), err=True)
    if as_json:
        print_json(asdict(card))
        return
    print_prose(report_text(card))
