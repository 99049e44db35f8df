"""What the reports of an index are worth: redundancy of findings, truth of titles, run sets,
ratings.

    python -m benchmarks.reports INDEX.duckdb

Prints one line each. The index is opened read-only; reports are judged against profiles gathered
anew from its facts, so indexes of earlier versions can be measured where they have the same tables.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb

from index.reports.compose import gather_profiles
from index.reports.naming.named_values import is_joined
from index.reports.redundancy import redundant_findings

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


def main(path: Path) -> int:
    """Print the measures of the index at ``path``; return the exit code."""
    with duckdb.connect(str(path), read_only=True) as con:
        print(measure_reports(con))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
