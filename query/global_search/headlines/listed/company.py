"""Which other viruses are in the runs of a virus: what co-occurs with it, what else they carry."""

from __future__ import annotations

from typing import Final

from index.reports.phrases import counted
from query.global_search.headlines.listed.values_listed import runs_about, values_text
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matched_values import ValueCount
from query.reading.question import Question

_USUAL: Final = 5
_NAMES_VIRUSES: Final = frozenset({"family", "species"})


def asks_other_viruses(question: Question) -> bool:
    """Return whether ``question`` asks which other viruses are in the runs of one that it names."""
    reading = question.reading
    named = any(one.group == "virus" for one in question.mentions)
    of_viruses = not reading.explicit or not _NAMES_VIRUSES.isdisjoint(reading.facets)
    return reading.company and named and of_viruses


def list_company(question: Question, matched: MatchedRuns) -> str:
    """Return the other named viruses of the matching runs, those of most runs first: by species, or
    by family where only that is known. Strains under the names of the virus itself are none.
    """
    own = matched.values.of_virus or "false"
    found = [ValueCount(*row) for row in matched.rows(_OTHERS.format(own=own))]
    about = runs_about(question, matched)
    if not found:
        return f"{about}. No other virus with a name is found in the same runs."
    limit = question.reading.limit or _USUAL
    shown = found[:limit]
    of_how_many = f", {len(shown)} of {len(found):,}" if len(found) > len(shown) else ""
    ((carrying,),) = matched.rows(_CARRYING.format(own=own))
    others = counted(int(carrying), "run carries", "runs carry")
    return (
        f"{about}, of which {others} another virus with a name. "
        f"Other viruses in the same runs{of_how_many}: {values_text(shown)}."
    )


_OTHER: Final = """
FROM (
    SELECT run, coalesce(stated, family) AS name FROM detection SEMI JOIN matched USING (run)
)
WHERE name IS NOT NULL AND name NOT IN (
    SELECT name FROM (SELECT unnest([stated, family]) AS name FROM detection WHERE {own})
    WHERE name IS NOT NULL
)
"""
_OTHERS: Final = f"""
SELECT name, count(DISTINCT run) AS runs {_OTHER} GROUP BY name ORDER BY runs DESC, name
"""
_CARRYING: Final = f"SELECT count(DISTINCT run) {_OTHER}"
