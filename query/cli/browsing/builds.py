"""``query builds``: the builds an index remembers, and what two of them differ in."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Final

from query.cli.console import AsJson, Database, index_opened, print_json, print_table, reported
from query.cli.listing import columns_of
from query.cli.usage import optional

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
    with reported(as_json=as_json), index_opened(db) as con:
        from query.browsing.builds import compare_builds, list_builds

        found = compare_builds(con, *compare) if compare else list_builds(con)
    records = [asdict(each) for each in found]
    if as_json:
        print_json({"differences" if compare else "builds": records})
    elif compare:
        print_table(DIFFERENCES, [tuple(record.values()) for record in records])
    else:
        print_table(BUILDS, [_row(record) for record in records])


def _row(build: dict[str, object]) -> list[object]:
    """Return the values of ``BUILDS`` in order."""
    mark = " *" if build["current"] else ""
    names = ("run", "detection", "community", "report", "association", "seconds", "peak_mb")
    first = [f"{build['published']}{mark}", str(build["content_hash"])[:12]]
    return [*first, *(build[name] for name in names)]
