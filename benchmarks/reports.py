"""What the reports of an index are worth: redundancy of findings, truth of titles, run sets,
ratings.

    python -m benchmarks.reports INDEX.duckdb

Prints one line each. A finding adds nothing where the title or an earlier finding implies it
(``index.reports.redundancy``), or where its share is the share of the parent, or without a parent
that of the index, within its 95 % interval. The index is opened read-only; reports are judged
against profiles gathered
anew from its facts, so indexes of earlier versions can be measured where they have the same tables.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import duckdb
import polars as pl

from index.facets import SAMPLED
from index.reports.citations import read_citations
from index.reports.compose import gather_profiles
from index.reports.contrast import is_expected
from index.reports.fact_rows import FactRow, Value
from index.reports.joints import JOINED
from index.reports.naming.named_values import key, titled_facts
from index.reports.profiles import Profile
from index.reports.redundancy import NOTHING_SAID, Said
from index.stated import REPORTED, VIRAL

QUOTED: Final = "“"
"""In a claim that quotes authors: words, no share."""
_JOINABLE: Final = (*SAMPLED, "tissue", "disease", "geography", "biome")

_RUN_SETS = """
WITH runs AS (
    SELECT m.community, bit_xor(hash(m.entity)) AS runs, count(*) AS number
    FROM community_member AS m JOIN run AS r ON r.run = m.entity
    WHERE m.community IN (SELECT community FROM report) GROUP BY m.community
)
SELECT count(*), count(DISTINCT (runs, number)) FROM runs
"""
_RATINGS = "SELECT floor(rating)::INT, count(*) FROM report GROUP BY ALL ORDER BY ALL"
_NAMES = "SELECT count(DISTINCT lower(title)), count(DISTINCT lower(label)) FROM report"


class Repeated(NamedTuple):
    """A finding that adds nothing, and what says it already: title, finding, parent or index."""

    community: str
    ordinal: int
    said_by: str


def measure_reports(con: duckdb.DuckDBPyConnection) -> str:
    """Return the measures of the reports of an index, one a line."""
    profiles = gather_profiles(con, min_runs=1)
    report = con.table("report").pl()
    finding = con.table("finding").pl()
    repeated = redundant_findings(report, finding, profiles)
    by_name = {profile.community: profile for profile in profiles}
    titles = report.select("community", "title").iter_rows()
    joined = sum(is_joined(title, by_name[community]) for community, title in titles)
    ((reports, run_sets),) = con.sql(_RUN_SETS).fetchall()
    ((distinct_titles, labels),) = con.sql(_NAMES).fetchall()
    ratings = ", ".join(f"{rating}: {number:,}" for rating, number in con.sql(_RATINGS).fetchall())
    share = len(repeated) / max(1, len(finding))
    return "\n".join([
        f"redundancy: {len(repeated):,} of {len(finding):,} findings add nothing ({share:.1%})",
        f"titles whose values runs join: {joined:,} of {reports:,}",
        f"distinct: {distinct_titles:,} titles, {labels:,} labels, {run_sets:,} sets of runs",
        f"ratings by whole number: {ratings}",
    ])  # fmt: skip


def redundant_findings(
    report: pl.DataFrame, finding: pl.DataFrame, profiles: Iterable[Profile]
) -> list[Repeated]:
    """Return the findings that add nothing. Only claims that one value makes are judged: what a
    division, a pair, a test, a quotation or a silence says follows from no single fact.
    """
    titles = dict(report.select("community", "title").iter_rows())
    claims = _claims(finding)

    repeated: list[Repeated] = []
    for profile in profiles:
        name = profile.community
        title = titles.get(name, "")
        repeated += _repeated(profile, title, claims.get(name, ()))
    return repeated


def is_joined(title: str, profile: Profile) -> bool:
    """Return whether runs of the community join each virus that ``title`` names to every other
    value it names.
    """
    viruses = [fact for fact in titled_facts(profile, title) if fact.facet in VIRAL]
    for fact in viruses:
        title = title.replace(fact.value.removeprefix(REPORTED), "")
    others = [fact for fact in titled_facts(profile, title) if fact.facet in _JOINABLE]
    return all(
        profile.together(key(virus), key(fact)) >= JOINED * virus.known
        for virus in viruses
        for fact in others
    )


def _claims(finding: pl.DataFrame) -> dict[str, list[tuple[int, str]]]:
    """Return ordinal and summary of the findings of each community, in their order."""
    ordered = finding.sort("community", "ordinal")
    rows = ordered.select("community", "ordinal", "summary")

    claims: dict[str, list[tuple[int, str]]] = {}
    for community, ordinal, summary in rows.iter_rows():
        of_community = claims.setdefault(community, [])
        of_community.append((ordinal, summary))
    return claims


def _repeated(
    profile: Profile, title: str, claims: Iterable[tuple[int, str]]
) -> Iterator[Repeated]:
    facts: dict[Value, FactRow] = {}
    for stated in profile.facts.values():
        facts |= {fact.facet_value: fact for fact in stated}
    titled = Said.of((), titled_facts(profile, title))
    before = NOTHING_SAID

    for ordinal, claim in claims:
        if QUOTED in claim:
            continue
        values = [(one.key, one.value) for one in read_citations(claim)]
        if len(values) != 1:
            continue
        fact = facts.get(values[0])
        by = None if fact is None else _said_by(fact, titled, before, profile)
        if by is not None:
            yield Repeated(profile.community, ordinal, by)
        before = before.with_values(values)


def _said_by(fact: FactRow, titled: Said, before: Said, profile: Profile) -> str | None:
    """Return what says the fact already, None where it adds something."""
    if titled.implies(fact, profile):
        return "title"
    if before.implies(fact, profile):
        return "finding"
    if is_expected(fact):
        return "parent" if fact.parent_known else "index"
    return None


def main(path: Path) -> int:
    """Print the measures of the index at ``path``; return the exit code."""
    with duckdb.connect(str(path), read_only=True) as con:
        print(measure_reports(con))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
