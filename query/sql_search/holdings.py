"""Questions about the index itself: how many runs, projects, communities, reports it holds."""

from __future__ import annotations

import re
from typing import Final

from query.reading.question import Question
from query.sql_search.compiling import Compiled

_HELD: Final = {
    "run": "SELECT count(*) AS runs FROM run",
    "sample": "SELECT count(*) AS biosamples FROM biosample",
    "biosample": "SELECT count(*) AS biosamples FROM biosample",
    "project": "SELECT count(*) AS bioprojects FROM bioproject",
    "bioproject": "SELECT count(*) AS bioprojects FROM bioproject",
    "study": "SELECT count(*) AS studies FROM study",
    "community": "SELECT level, count(*) AS communities FROM community GROUP BY level ORDER BY 1",
    "report": "SELECT count(*) AS reports FROM report",
    "finding": "SELECT count(*) AS findings FROM finding",
    "association": "SELECT count(*) AS associations FROM association",
    "detection": "SELECT count(*) AS detections FROM detection",
    "sotu": "SELECT count(DISTINCT sotu) AS sotus FROM detection",
    "taxon": "SELECT count(*) AS terms FROM term WHERE ontology = 'NCBITaxon'",
    "term": "SELECT ontology, count(*) AS terms FROM term GROUP BY ontology ORDER BY ontology",
}
_SINGULAR: Final = {"communities": "community", "studies": "study", "taxa": "taxon"}
_NOUN: Final = rf"({'|'.join(['communities', 'studies', 'taxa', *(f'{one}s' for one in _HELD)])})"
_WHOLE: Final = (
    r"(?: (?:are there|there are|in total|altogether|(?:does|are in|is in|in|of) (?:the|this) index"
    r"(?: (?:hold|have|contain)s?)?|exist))*"
)
_ASKED: Final = re.compile(rf"^(?:how many|number of|count(?: of)?(?: all)?) {_NOUN}{_WHOLE} ?\??$")


def compile_holdings(question: Question) -> Compiled | None:
    """Return the SQL that counts what the index holds, None where that is not asked."""
    text = question.text.lower().strip()
    asked = _ASKED.match(text)
    if asked is None:
        return None
    nouns = asked[1]
    regular = nouns.removesuffix("s")
    noun = _SINGULAR.get(nouns, regular)
    explained = f"counts the {nouns} of the whole index"
    return Compiled(_HELD[noun], (explained,))
