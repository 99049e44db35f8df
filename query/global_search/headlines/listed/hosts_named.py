"""Hosts of the taxon that a question asks for by its name: which fungi carry endornaviruses?

A run may be annotated with fungi and state a plant as its host. Its plant is no answer there.
"""

from __future__ import annotations

import re
from typing import Final

from query.global_search.carrying import equals_any
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matched_values import FacetCounts, ValueCount
from query.reading.mentions import Mention
from query.reading.question import Question

HOST: Final = "host"
"""Facet of the hosts that runs state."""
_OF_TAXON: Final = """
FROM annotation SEMI JOIN matched USING (run)
WHERE facet = 'host' AND (curie {curies}
    OR curie IN (SELECT descendant FROM closure WHERE ancestor {curies}))
"""
_BY_VALUE: Final = f"""
SELECT value, count(DISTINCT run) {_OF_TAXON}
GROUP BY value ORDER BY count(DISTINCT run) DESC, value
"""
_STATING: Final = f"SELECT count(DISTINCT run) {_OF_TAXON}"


def hosts_named(question: Question, matched: MatchedRuns) -> FacetCounts | None:
    """Return the hosts of the taxon asked for, with the runs that state one; None where hosts of
    any kind are asked for, or all that are stated are of it.
    """
    asked = _taxon_asked(question)
    known = matched.values.counts(HOST) if asked and HOST in question.reading.facets else None
    if asked is None or known is None:
        return None
    curies = equals_any(asked.curies)
    rows = matched.rows(_BY_VALUE.format(curies=curies))
    if not rows or len(rows) == len(known.values):
        return None
    ((runs,),) = matched.rows(_STATING.format(curies=curies))
    return FacetCounts(tuple(ValueCount(*row) for row in rows), int(runs))


def _taxon_asked(question: Question) -> Mention | None:
    """Return the taxon whose members a question asks for: which fungi, what insects."""
    for one in question.mentions:
        written = re.escape(one.text)
        asked = re.search(rf"^(?:which|what) (?:\w+ )?{written}\b", question.text, re.IGNORECASE)
        if one.group == "organism" and one.curies and asked:
            return one
    return None
