"""Questions for runs by the year in which they were released."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import duckdb

from query.reading.mentions import Mention
from query.reading.question import Question
from query.sql_search.compiling import Compiled, compile_matched
from query.sql_search.errors import UncoveredError

_BY_YEAR: Final = re.compile(
    r"\b(?:per|by|(?:in|for|of|from) (?:each|every)|each|every|over the) (?:\w+ )?years?\b"
    r"|\b(?:in )?(?:which|what) years?\b|\byearly\b"
)
_OF_YEARS: Final = frozenset({
    "year", "years", "yearly", "release", "released", "releases", "public", "published", "date",
    "dates", "become", "became",
})  # fmt: skip
_DATES: Final = ("dates", "collection dates")
"""What counts of runs cannot tell, and the table of runs can (``query.reading.limits``)."""
_COLLECTED: Final = re.compile(r"\b(?:collect\w*|sampled|sampling|taken|isolated)\b")
_MEASURED: Final = re.compile(
    r"\b(?:share|percent\w*|proportion|fraction|rate|searched|positive|average|mean|median)\b"
    r"|\bhow many\b.*\bhow many\b|\bnumber of\b.*\bnumber of\b|[:;?.] \w+, "
    r"|\b(?:unknown|undated|not (?:known|stated|given)|left out|leav\w* out"
    r"|without (?:an? )?(?:\w+ )?dates?)\b"
    r"|\band (?:virus |viral )?(?:famil\w+|hosts?|tissues?|countr\w+|projects?|sources?"
    r"|strateg\w+)\b"
)
"""Asks for other numbers of each year than its runs, or for other rows than years."""
_COUNTED: Final = """\
SELECT year(release_date) AS release_year, count(*) AS runs
FROM run SEMI JOIN matched USING (run)
GROUP BY ALL ORDER BY release_year NULLS LAST"""


def asks_by_year(question: Question) -> bool:
    """Return whether ``question`` asks for runs by year, and all its other words are understood."""
    reading = question.reading
    text = question.text.lower()
    beyond = reading.beyond
    if beyond is not None and beyond.topic not in _DATES:
        return False
    if reading.setting or _BY_YEAR.search(text) is None or _MEASURED.search(text) is not None:
        return False
    left = {one.lower() for one in (*reading.not_understood, *reading.only_wording)}
    asked_for = {one.label for one in question.mentions}
    ruled_out = {one.label for one in reading.without}
    return left <= _OF_YEARS and asked_for.isdisjoint(ruled_out)


def compile_years(con: duckdb.DuckDBPyConnection, question: Question) -> Compiled:
    """Return the SQL of the matching runs by year of release.

    Raises ``UncoveredError`` where the index holds no such dates, or others are asked for.
    """
    text = question.text.lower()
    if _COLLECTED.search(text):
        reason = "the index holds when runs were released, and not when samples were collected"
        raise UncoveredError(question.text, reason)
    ((dated,),) = con.execute("SELECT count(release_date) FROM run").fetchall()
    if not dated:
        raise UncoveredError(question.text, "the index holds no release date of any run")
    named = [one for one in question.mentions if not _is_of_years(one)]
    asked = replace(question, mentions=tuple(named))
    what = "counts runs by the year of their release"
    return compile_matched(asked, _COUNTED, what)


def _is_of_years(mention: Mention) -> bool:
    """Return whether ``mention`` is a word of titles that only says by what is counted."""
    if mention.group != "title":
        return False
    word = mention.text.lower()
    return word in _OF_YEARS
