"""What links two entities: runs with both, or else values that both have (shortest paths)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from index.claims.phrases import counted, listed
from query.local_search.gathering import own_families
from query.local_search.named import Seed

_SHARED: Final = 8
"""Values that two entities share, shown at most."""


@dataclass(frozen=True, slots=True)
class Joint:
    """Two entities: runs that carry both, and for each shared value the runs of either.

    ``shared`` has rows of facet, value, runs of the first, runs of the second, runs of the index.
    """

    first: str
    second: str
    runs: int
    example: str | None
    shared: tuple[tuple[str, str, int, int, int], ...]

    @property
    def _direct(self) -> str:
        """How many runs carry both."""
        if not self.runs:
            return f"No run carries both {self.first} and {self.second}."
        verb = "carries" if self.runs == 1 else "carry"
        both = f"{counted(self.runs, 'run')} {verb} both {self.first} and {self.second}"
        return f"{both}, e.g. {self.example}."

    @property
    def sentences(self) -> tuple[str, ...]:
        """How the two are joined, shortest path first."""
        shared = listed([
            f"{facet} {value} ({left:,} and {right:,} runs)"
            for facet, value, left, right, _ in self.shared
        ])  # fmt: skip
        if shared and self.runs:
            return self._direct, f"Both are found with {shared}."
        if shared:
            return self._direct, f"The shortest paths between them go through {shared}."
        return (self._direct,) if self.runs else (self._direct, "They share no value of any facet.")


def join_pairs(con: duckdb.DuckDBPyConnection, seeds: Sequence[Seed]) -> list[Joint]:
    """Return what joins each two neighbouring ``seeds``, in the order of the question.

    ``con`` has the temporary tables of ``query.local_search.gathering.gather_triples``.
    """
    named = [seed for seed in seeds if not seed.nearest]
    return [_joint(con, first, second) for first, second in itertools.pairwise(named)]


def _joint(con: duckdb.DuckDBPyConnection, first: Seed, second: Seed) -> Joint:
    con.execute(f"CREATE OR REPLACE TEMP TABLE left_run AS {first.runs}")
    con.execute(f"CREATE OR REPLACE TEMP TABLE right_run AS {second.runs}")
    ((runs, example),) = con.execute(_BOTH).fetchall()
    families = own_families(con, first) | own_families(con, second)
    own = [first.facet, second.facet]
    parameters = {"own": own, "families": sorted(families), "most": _SHARED}
    shared = con.execute(_SHARED_VALUES, parameters).fetchall()
    return Joint(first.name, second.name, runs, example, tuple(shared))


_BOTH: Final = "SELECT count(*), min(run) FROM left_run SEMI JOIN right_run USING (run)"
# The family that a virus is of joins it with nothing.
_SHARED_VALUES: Final = """
WITH here AS (SELECT facet, value, count(*) AS runs FROM run_value SEMI JOIN left_run USING (run)
              GROUP BY ALL),
there AS (SELECT facet, value, count(*) AS runs FROM run_value SEMI JOIN right_run USING (run)
          GROUP BY ALL)
SELECT facet, value, h.runs, t.runs, b.index_runs
FROM here h JOIN there t USING (facet, value) JOIN background b USING (facet, value)
WHERE facet IN ('host', 'environment', 'tissue', 'disease', 'geography', 'family', 'bioproject')
  AND NOT list_contains($own::VARCHAR[], facet)
  AND NOT (facet = 'family' AND list_contains($families::VARCHAR[], value))
ORDER BY least(h.runs, t.runs) / b.index_runs DESC, least(h.runs, t.runs) DESC, facet, value
LIMIT $most
"""
