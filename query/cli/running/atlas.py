"""``query atlas``: the whole index as one HTML page that opens from disk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from query.cli.console import AsJson, Database, index_opened, print_json, reported, say, writing
from query.cli.usage import MOST, argument


def atlas(
    out: Annotated[Path, argument("HTML file to write.")],
    reports: Annotated[
        int,
        typer.Option(
            help="Most reports to include, the coarsest and largest first.", min=1, max=MOST
        ),
    ] = 20_000,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """Draw the whole index as one HTML page: map, reports, hosts, associations, places.

    The page needs no network. It contains every risk group, so protect it like the index.

    \b
    Examples:
      query atlas atlas.html
      query atlas atlas.html --reports 500 --json
    """
    with reported(as_json=as_json), index_opened(db) as con:
        from index.store.whole_file import write_whole
        from query.atlas.content import gather_content
        from query.atlas.page import page_of

        content = gather_content(con, most_reports=reports)
        page = page_of(content)
        with writing(out):
            write_whole(out, page)
    size = out.stat().st_size
    if as_json:
        shown = len(content.reports)
        print_json(
            {"file": str(out), "bytes": size, "reports": shown, "left_out": content.left_out}
        )
        return
    say(f"{out}: {len(content.reports):,} reports, {size / 1e6:.1f} MB")
    if content.left_out:
        say(f"{content.left_out:,} reports are left out: --reports")
    say(f"open it in a browser: file://{out.resolve()}")
