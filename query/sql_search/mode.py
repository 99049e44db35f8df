"""``query sql`` as one of the ways of asking."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from query.mode import NO_FIT, Asking, Fit, Mode
from query.reading.limits import OF_ROWS

if TYPE_CHECKING:
    from query.answer import Answer
    from query.reading.question import Question

_TABULAR: Final = re.compile(
    r"\b(?:sql|tables?|tabulat\w*|write a query|csv|rows?|columns?|tally|export|per"
    r"|(?:for|in|at|of) (?:each|every)|(?:grouped|split) by|br(?:eak|oken) down"
    r"|all (?:of )?the|list (?:all|every)|alphabetical\w*|count by|cross-?tab\w*)\b"
    r"|\b(?:sort|order|rank)(?:ed)?\b.* by\b"
    r"|\b(?:average|mean|median|minimum|maximum)\b.* (?:by|of)\b"
    r"|\b(?:largest|smallest|highest|lowest|greatest) (?:number|count)\b"
)
_LAID_OUT: Final = re.compile(
    r"\b(?:one|a|single) (?:row|line) (?:each|per|for each|a run)\b|\bcross-?tab\w*\b|\bpivot\b"
    r"|\b(?:as|into|to) (?:an? )?(?:csv|tsv|parquet|spreadsheet|samplesheet|excel(?: file)?)\b"
    r"|\b(?:spreadsheet|csv|tsv|excel file|samplesheet)\b(?= (?:of|with|please)|:|,)"
    r"|\b(?:with|and) (?:the )?columns\b|\bcolumns?(?: should be| are|:)"
    r"|\bin (?:\w+ )?(?:separate|different) columns\b|\b(?:in|as) (?:a )?(?:grid|matrix)\b"
    r"|\bas (?:rows|lines)\b|\blat(?:itude)?,? (?:and )?lon(?:gitude)?\b"
    r"|\b(?:monthly|yearly|annual) (?:counts?|numbers?|totals?)\b"
    r"|\b(?:pairs|combinations)[;:] .*,"
)
"""Says what a table looks like, which nothing else shows."""
_SELECTED: Final = re.compile(r"(?:select|with)\s+(?:distinct\s+)?(?:\w+$|.*[*(,_.])", re.DOTALL)
_TABLE: Final = re.compile(
    r"\w+\s*(?:[;),]|$|(?:where|group|order|limit|join|left|inner|as|union)\b)"
)
_OF_THE_INDEX: Final = re.compile(
    r"\b(?:how many|number of|count of) (?:communities|reports|associations|findings|detections"
    r"|terms|taxa)\b"
)


OF_COLUMNS: Final = re.compile(
    r"\b(?:reads|spots|bases|identity|identities|coverage|average|mean|median|sum|minimum|maximum"
    r"|deviation|released?|release date|ratings?|risk groups?|biosamples?|columns?"
    r"|(?:in|per) (?:one|a single|each|any) run"
    r"|(?:lowest|highest|smallest|largest) [pq])\b"
)
"""Words that ask for columns which no reading knows: their counts of runs would be another
answer.
"""


def is_statement(text: str) -> bool:
    """Return whether ``text`` looks like SQL as it is typed.

    >>> is_statement("SELECT count(*) FROM run"), is_statement("Select the viruses from bats")
    (True, False)
    """
    selected, _, behind = text.lower().partition(" from ")
    return bool(_SELECTED.match(selected.strip()) and _TABLE.match(behind.strip()))


def fit(question: Question) -> Fit:
    """Return how well a table of counts suits ``question``."""
    from query.sql_search.layer.asking import is_worded_as_table
    from query.sql_search.years import asks_by_year

    reading = question.reading
    text = question.text.lower()
    if is_statement(question.text):
        return Fit(0.95, "it is SQL")
    if _LAID_OUT.search(text):
        return Fit(0.95, "it says how rows or columns are laid out")
    if asks_by_year(question):
        return Fit(0.8, "it asks for runs by the year of their release")
    if reading.beyond is not None and reading.beyond.topic not in OF_ROWS:
        return NO_FIT
    if _TABULAR.search(text) or is_worded_as_table(question):
        return Fit(0.8, "it asks for rows of a table")
    if _OF_THE_INDEX.search(text) and not question.mentions:
        return Fit(0.75, "it counts what the index holds")
    conditions = any(one.is_condition for one in question.mentions)
    if OF_COLUMNS.search(text) and not conditions:
        return Fit(0.7, "it asks for columns, and not for counts of runs")
    if reading.kind == "count" and (question.mentions or reading.explicit):
        return Fit(0.55, "it asks for a count")
    if reading.limit is not None:
        return Fit(0.5, "it asks for the first of a ranking")
    known = question.mentions or reading.explicit
    return Fit(0.3, "its counts can be written as SQL") if known else NO_FIT


def answer(asking: Asking) -> Answer:
    """Return the rows that answer the question with their SQL; raises as ``answer_in_sql``."""
    from query.sql_search.search import answer_in_sql, answer_of, run_own_sql

    if is_statement(asking.question):
        return answer_of(run_own_sql(asking, asking.question))
    return answer_of(answer_in_sql(asking))


MODE: Final = Mode(
    name="sql",
    can="Answer a question with a table and the SQL that made it: counts, shares, rankings, "
    "co-occurrence, filters by names with everything below them.",
    examples=(
        "How many runs per host carry coronaviruses?",
        "Which virus families occur together with Flaviviridae?",
    ),
    fit=fit,
    answer=answer,
    reads=True,
)
