"""How many biosamples counted runs are of, where samples are asked for: one may have many runs."""

from __future__ import annotations

import re
from typing import Final

from index.reports.phrases import counted
from query.global_search.matched_runs import MatchedRuns
from query.reading.question import Question

_SAMPLES: Final = re.compile(
    r"\b(?:how many|number of|count(?: of)?) (?:[\w-]+ ){0,3}(?:bio)?(?:samples|specimens)\b"
    r"|\b(?:biosamples|biological samples)\b",
    re.IGNORECASE,
)
_OF_RUNS: Final = """
SELECT count(DISTINCT biosample), count(*) FILTER (biosample IS NULL)
FROM run SEMI JOIN matched USING (run)
"""


def biosamples_counted(question: Question, matched: MatchedRuns) -> str:
    """Return how many biosamples the matching runs are of, empty where runs are asked for."""
    reading = question.reading
    asks = reading.kind == "count" and not reading.explicit and not reading.sides
    if not asks or matched.dropped or not matched.runs or not _SAMPLES.search(question.text):
        return ""
    ((samples, unstated),) = matched.rows(_OF_RUNS)
    runs = "This run is" if matched.runs == 1 else "These runs are"
    if not samples:
        return ""
    said = f"{runs} of {counted(samples, 'biosample')}"
    none = "states" if unstated == 1 else "state"
    return f"{said}; {unstated:,} of them {none} none." if unstated else f"{said}."
