"""``query communities``, ``query report`` and ``query builds``: the index as it was made."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from index.reports.citations import strip_references
from query.cli.console import AsJson, Database, opened, print_json, print_prose, print_table, say
from query.cli.listing import columns_of
from query.cli.usage import MOST, LinesShown, argument, file_option, optional

if TYPE_CHECKING:
    from query.browsing.lookup import CommunityLookup


COLUMNS: Final = columns_of(
    "community, level, runs, rating, label, title",
    cut="label, title",
    numbers="level, runs, rating",
    least="rating, level",
)


def communities(
    like: Annotated[
        str | None, optional("Only those that contain this text: title, virus, host, …")
    ] = None,
    level: Annotated[int | None, optional("Only this level; 0 is the coarsest.", max=MOST)] = None,
    limit: LinesShown = 50,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """List communities that have a report, largest first within each level.

    \b
    Examples:
      query communities --level 0
      query communities --like Rhinolophus
      query communities --like coronavir --json
    """
    with opened(db, as_json=as_json) as con:
        from query.browsing.communities import list_communities

        rows, total = list_communities(con, like=like, level=level, limit=limit)
    if as_json:
        print_json({"total": total, "communities": [asdict(row) for row in rows]})
        return
    print_table(COLUMNS, [[getattr(row, column.name) for column in COLUMNS] for row in rows])
    say(f"{len(rows):,} of {total:,} shown{more_with(len(rows), total)}", err=True)


def more_with(shown: int, total: int) -> str:
    """Return how to see the rest, nothing where all are shown."""
    return f"; all of them: --limit {total}" if shown < total else ""


def report(
    community: Annotated[
        str, argument("Identifier, the beginning of one, or words of a title or label.")
    ],
    db: Database = None,
    as_json: AsJson = False,
    figure: Annotated[
        Path | None, file_option("Draw what characterises it to this file, SVG or PNG.")
    ] = None,
    citations: Annotated[
        bool, optional("Print after each sentence what it counts.", "--citations")
    ] = False,
) -> None:
    """Show the report of one community: summary, findings, rating and risk group.

    If several communities match, the one at the coarsest level is shown, as long as there is only
    one.

    \b
    Examples:
      query report C0-133d
      query report "Rousettus bat coronavirus"
      query report Rhinolophus --citations
      query report Rhinolophus --json | jq .findings
      query report Rhinolophus --figure facts.png
    """
    with opened(db, as_json=as_json) as con:
        from query.browsing.communities import read_report, report_text
        from query.browsing.lookup import find_community

        found = find_community(con, community)
        card = read_report(con, found.community)
        if figure is not None:
            from index.reports.figures import plot_report

            say(plot_report(con, card.community, figure), err=True)
    if as_json:
        print_json(asdict(card))
    else:
        text = report_text(card)
        print_prose(text if citations else strip_references(text))
    _say_others(found)


def _say_others(found: CommunityLookup) -> None:
    """Name the finer communities that the words mean as well."""
    if found.others:
        shown = ", ".join(found.others[:4])
        more = ", …" if len(found.others) > 4 else ""
        say(
            f"the coarsest of {len(found.others) + 1:,} that match; the others: {shown}{more}",
            err=True,
        )


BUILDS: Final = columns_of(
    "published, content, runs, detections, communities, reports, associations, seconds, peak MB",
    cut="content",
    numbers="runs, detections, communities, reports, associations, seconds, peak MB",
)
DIFFERENCES: Final = columns_of("what, before, after", cut="before, after")


def builds(
    compare: Annotated[
        tuple[str, str] | None,
        optional(
            "Two builds: 'previous', 'current', or the beginning of a time or of a content hash.",
            metavar="BEFORE AFTER",
        ),
    ] = None,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """List earlier builds of the index, or compare two of them.

    ``--compare previous current`` lists differences in rows per table, inputs, parameters,
    versions, seconds and memory.

    \b
    Examples:
      query builds
      query builds --json
    """
    with opened(db, as_json=as_json) as con:
        from query.browsing.builds import compare_builds, list_builds

        found = compare_builds(con, *compare) if compare else list_builds(con)
    records = [asdict(each) for each in found]
    if as_json:
        print_json({"differences" if compare else "builds": records})
    elif compare:
        print_table(DIFFERENCES, [tuple(record.values()) for record in records])
    else:
        print_table(BUILDS, [_build_row(record) for record in records])


def _build_row(build: dict[str, object]) -> list[object]:
    """Return the values of ``BUILDS`` in order."""
    mark = " *" if build["current"] else ""
    names = ("run", "detection", "community", "report", "association", "seconds", "peak_mb")
    first = [f"{build['published']}{mark}", str(build["content_hash"])[:12]]
    return [*first, *(build[name] for name in names)]
