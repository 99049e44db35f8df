"""``query runs``: what is known of the runs that a file lists, and what sets them apart."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from index.claims.phrases import counted, q_text
from ontology_etl.errors import InputError
from query.cli.console import AsJson, Database, opened, print_json, print_tables, say
from query.cli.listing import columns_of
from query.cli.usage import LinesShown, argument
from query.request.fields import FIELDS

if TYPE_CHECKING:
    from query.browsing.run_list import RunList

VALUES: Final = columns_of(
    "facet, value, runs, of known, studies, at 90 %, term",
    cut="value",
    numbers="runs, of known, studies, at 90 %",
    least="term, at 90 %",
)
APART: Final = columns_of(
    "sets apart, facet, here, elsewhere, q", cut="sets apart", numbers="here, elsewhere, q"
)
COMMUNITIES: Final = columns_of(
    "community, level, runs, of its, title",
    cut="title",
    numbers="level, runs, of its",
    least="level",
)


def runs(
    file: Annotated[
        str,
        argument(
            "Text, table or spreadsheet that names runs, samples, studies or projects; "
            "- reads standard input."
        ),
    ],
    limit: LinesShown = 8,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """Describe the runs in a file: viruses, grounded values, communities, what sets them apart from
    the rest of the index, and what is unknown.

    The file may be a list, a table, hits of a sequence search (Logan, BLAST), or names of contigs.
    Differences are tested by Fisher's exact test with Benjamini-Hochberg correction: over studies
    if there are at least five, otherwise over runs. All rows are in --json.

    \b
    Examples:
      query runs accessions.txt
      query runs logan_search_hits.tsv --limit 30
      grep -o 'SRR[0-9]*' hits.m8 | query runs - --json
    """
    with opened(db, as_json=as_json) as con:
        from query.browsing.pasted import read_pasted
        from query.browsing.run_list import describe_runs

        found = describe_runs(con, read_pasted(_text_of(file)))
        if not found.given:
            remedy = "name runs (SRR…), samples (SAMN…), studies (SRP…) or projects (PRJNA…)"
            raise InputError(Path(file), "contains no accession", remedy=remedy)
    if as_json:
        print_json(asdict(found))
        return
    _print(found, limit)


def _text_of(file: str) -> str:
    """Return the text of a file, plain, packed or a spreadsheet, or of standard input for ``-``.

    Raises ``InputError`` where it cannot be read.
    """
    if file == "-":
        return sys.stdin.read()
    from index.sources.packed import open_bytes, unpacking
    from index.sources.sheets import as_text

    with as_text(Path(file)) as path, unpacking(path), open_bytes(path) as stream:
        return stream.read().decode("utf-8", errors="replace")


def _print(found: RunList, limit: int) -> None:
    say(_tally(found))
    print_tables(
        (VALUES, _value_rows(found, limit)),
        (APART, _apart_rows(found, limit)),
        (COMMUNITIES, _community_rows(found, limit)),
    )
    say("")
    for line in (*_tested(found), *_unknown(found)):
        say(line)


def _tally(found: RunList) -> str:
    """Return how much of the list the index has, and in how many of the runs a virus was found."""
    known = found.given - len(found.unknown) - len(found.withdrawn)
    runs = counted(len(found.runs), "run")
    studies = counted(found.studies, "study", "studies")
    searched = len(found.runs) - found.without.get("searched", 0)
    return (
        f"{known:,} of {found.given:,} names lead to {runs} of {studies} in the index. "
        f"Searched for viruses: {searched:,}; with a virus: {found.positive:,}."
    )


def _value_rows(found: RunList, limit: int) -> list[list[object]]:
    """Return the most frequent values of each facet: at most ``limit`` of one."""
    rows: list[list[object]] = []
    shown: dict[str, int] = {}
    for value in found.values:
        shown[value.facet] = shown.get(value.facet, 0) + 1
        if shown[value.facet] <= limit:
            at_90 = None if value.at_90 is None else f"{value.at_90:,}"
            rows.append([_said(value.facet), value.value, f"{value.runs:,}", f"{value.known:,}",
                         f"{value.studies:,}", at_90, value.code])  # fmt: skip
    return rows


def _apart_rows(found: RunList, limit: int) -> list[list[object]]:
    return [
        [
            f"{'more' if value.is_more_frequent else 'less'} {value.value}",
            _said(value.facet),
            f"{value.here:,} of {value.known_here:,}",
            f"{value.elsewhere:,} of {value.known_elsewhere:,}",
            q_text(value.q_value).removeprefix("q = "),
        ]
        for value in found.apart[:limit]
    ]


def _community_rows(found: RunList, limit: int) -> list[list[object]]:
    return [
        [listed.community, listed.level, f"{listed.runs:,}", f"{listed.of_runs:,}", listed.title]
        for listed in found.communities[:limit]
    ]


def _said(facet: str) -> str:
    """Return what people call a facet: geography is a place, statOrganism an organism by k-mers."""
    if facet in FIELDS:
        return FIELDS[facet].said
    called = [field.said for field in FIELDS.values() if field.facet == facet]
    return called[-1] if called else facet


def _tested(found: RunList) -> list[str]:
    """Return what was tested, and what weighs against it."""
    if not found.tested:
        return ["Nothing was tested: too little is known of these runs, or of all others."]
    said = [
        f"Tested: {counted(found.tested, 'value')}, by {found.unit}; "
        f"{len(found.apart):,} set these runs apart (q up to 0.05)."
    ]
    if found.unit == "runs":
        said.append(
            f"All are of {counted(found.studies, 'study', 'studies')}: what sets them apart may be "
            "what the study is about."
        )
    return said


def _unknown(found: RunList) -> list[str]:
    """Return what is not known: facets that no one stated, and names that lead to no run."""
    said = []
    total = len(found.runs)
    missing = [f"{_said(facet)} ({count:,})" for facet, count in found.without.items()
               if facet != "searched" and count]  # fmt: skip
    if missing and total:
        said.append(f"Not stated, in runs of {total:,}: {', '.join(missing)}.")
    for names, what in (
        (found.unknown, "not in the index"),
        (found.withdrawn, "withdrawn from the archive"),
        (found.unread, "lines that name no run"),
    ):
        if names:
            more = ", …" if len(names) > 5 else ""
            said.append(f"{what}: {len(names):,} ({', '.join(names[:5])}{more})")
    return said
