"""Tables of one number, of pairs, of single runs and of titled projects, read from words.

Each phrase that is understood is taken out of the text, and what is left must name the runs. Tables
of groups are those of ``query.sql_search.grammar``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from query.reading.measured.amounts import compared_of
from query.sql_search.tables.nouns import NOUN, RUN, aggregate_of, column_of, noun_of, number_of
from query.sql_search.tables.phrases import (
    AGGREGATED,
    ALPHABETICAL,
    ASCENDING,
    COUNT,
    COUNTED,
    DESCENDING,
    GROUPED,
    HAVING,
    HEAD,
    NUMBERED,
    ONE,
    ONLY_ROWS,
    OPENING,
    PAIRS,
    RANKED_BY,
    SUPERLATIVE,
    TITLES,
    TOGETHER,
    TOP,
    WITH_COUNT,
    WITH_COUNTS,
)
from query.sql_search.tables.request import Measure, Sorting, TableRequest, Threshold

_IN_OTHER_WORDS: Final = (
    (
        re.compile(
            rf"\bhow many (?P<noun>{NOUN}) (?:do|does) (?:an?|each|every|one|(?:the|an) average)"
            r" (?:run|sample) (?:carry|have|contain|hold)(?: on average)?|"
            rf"\bhow many (?P<nouns>{NOUN}) (?:are there )?(?:on average )?(?:in|per) (?:an? )?"
            r"(?:run|sample)(?: on average)\b"
        ),
        lambda found: f"average number of {found['noun'] or found['nouns']} per run",
    ),
)
_OF_A_PAIR: Final = 2


class _Text:
    """The words that are not understood yet."""

    def __init__(self, text: str) -> None:
        self.left = text

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return where ``pattern`` is, and take it out."""
        found = pattern.search(self.left)
        if found is None:
            return None
        joined = f"{self.left[: found.start()]} {self.left[found.end() :]}"
        self.left = " ".join(joined.split())
        return found


@dataclass(frozen=True, slots=True)
class ReadWording:
    """A request, and the words that it leaves: these must name runs."""

    request: TableRequest
    left: str


def read_wording(text: str) -> ReadWording | None:
    """Return the request of ``text``, in lower case with names as ``§0``; None where it is none.

    >>> read_wording("average number of virus families per run").request.measure
    Measure(how='avg', of='family', per_run=True)
    >>> read_wording("which viruses do §0 carry") is None
    True
    """
    words = _Text(_plainly(" ".join(text.rstrip(" ?.!").split())))
    listing = re.match(r"(?:please )?list\b", words.left) is not None
    one = ONE.match(words.left) is not None
    listing |= words.take(WITH_COUNTS) is not None
    words.take(OPENING)
    words.take(ONLY_ROWS)
    request = _sorted(words, TableRequest())
    made = _paired(words, request)
    if made is None:
        made = _measured(words, request, listing=listing)
    if made is None:
        return None
    if one and made.limit is None and not made.having and len(made.rows) == 1:
        made = replace(made, limit=1)
    return ReadWording(made, words.left)


def _plainly(text: str) -> str:
    """Return ``text`` with a mean by its name.

    >>> _plainly("how many virus species does a run have on average")
    'average number of virus species per run'
    """
    for pattern, plain in _IN_OTHER_WORDS:
        text = pattern.sub(plain, text)
    return text


def opened(text: str) -> str:
    """Return ``text`` without the verb that asks for a table."""
    return OPENING.sub("", text)


def _sorted(words: _Text, request: TableRequest) -> TableRequest:
    if words.take(ALPHABETICAL):
        return replace(request, sorting="name")
    if words.take(ASCENDING):
        return replace(request, sorting="fewest")
    words.take(DESCENDING)
    return request


def _paired(words: _Text, request: TableRequest) -> TableRequest | None:
    """Return the request for pairs of values found in the same runs."""
    before = words.left
    limit = words.take(TOP) or words.take(NUMBERED)
    found = words.take(PAIRS)
    if found is None:
        words.left = before
        return None
    noun = noun_of(found["of"] or found["before"] or found["which"])
    if noun not in ("family", "species"):
        words.left = before
        return None
    ranked = words.take(RANKED_BY)
    if ranked is not None and noun_of(ranked["noun"]) != RUN:
        words.left = before
        return None
    words.left = f" {words.left}"
    words.take(TOGETHER)
    number = number_of(limit["number"]) if limit else None
    if found["which"] and number == _OF_A_PAIR:
        number = 1
    return replace(request, rows=(noun,), pairs=True, limit=number)


def _measured(words: _Text, request: TableRequest, *, listing: bool) -> TableRequest | None:
    """Return the request for rows with a number of each."""
    limit = words.take(TOP) or words.take(NUMBERED)
    if limit is not None:
        request = replace(request, limit=number_of(limit["number"]))
    measure, request = _measure_of(words, request)
    having = []
    while True:
        found = words.take(HAVING) if not _is_of_runs(words.left) else None
        if found is None:
            break
        having.append(_threshold(found))
    rows = _rows_of(words)
    measure = measure or _counted_of(words, rows)
    if not rows:
        rows = _head_of(words, measure)
    if words.take(TITLES):
        request = replace(request, titles=True)
    if measure is None and having:
        measure = Measure("count", having[0].of)
    stated = len(rows) > 1 or request.titles or request.sorting != "most" or listing
    if measure is None and not stated:
        return None
    measure = measure or Measure()
    if measure.how == "count" and measure.of in rows:
        return None
    of_groups = rows and rows != (RUN,) and not request.titles
    if of_groups or (measure.how == "count" and not rows):
        return None
    return replace(request, rows=rows, measure=measure, having=tuple(having))


def _measure_of(words: _Text, request: TableRequest) -> tuple[Measure | None, TableRequest]:
    aggregated = words.take(AGGREGATED)
    if aggregated is not None:
        how = aggregate_of(aggregated["how"])
        if aggregated["column"]:
            return Measure(how, column_of(aggregated["column"])), request
        return Measure(how, noun_of(aggregated["noun"]), per_run=True), request
    superlative = words.take(SUPERLATIVE)
    if superlative is not None:
        sorting: Sorting = "fewest" if superlative["fewest"] else "most"
        asked = replace(request, sorting=sorting)
        return Measure("count", noun_of(superlative["noun"])), asked
    ranked = words.take(RANKED_BY)
    if ranked is not None:
        return Measure("count", noun_of(ranked["noun"])), request
    return None, request


def _counted_of(words: _Text, rows: tuple[str, ...]) -> Measure | None:
    """Return what is counted: how many X, number of X, with their number of X."""
    found = words.take(COUNT) or words.take(COUNTED) or words.take(WITH_COUNT)
    if found is not None:
        return Measure("count", noun_of(found["noun"]))
    head = HEAD.match(words.left)
    if rows and head is not None and noun_of(head["noun"]) == RUN:
        words.take(HEAD)
        return Measure()
    return None


def _rows_of(words: _Text) -> tuple[str, ...]:
    """Return runs as the rows where something of each is counted: species per run."""
    before = words.left
    found = words.take(GROUPED)
    if found is None:
        return ()
    alone = noun_of(found["first"]) == RUN and not found["second"]
    if alone and COUNTED.search(words.left) is not None:
        return (RUN,)
    words.left = before
    return ()


def _head_of(words: _Text, measure: Measure | None) -> tuple[str, ...]:
    """Return the noun that the request opens with; runs only where other things of them are
    counted.
    """
    head = HEAD.match(words.left)
    if head is None:
        return ()
    noun = noun_of(head["noun"])
    uncounted = measure is None or measure.how != "count" or measure.of == RUN
    if (noun == RUN and uncounted) or (measure is not None and measure.of == noun):
        return ()
    words.take(HEAD)
    return (noun,)


def _is_of_runs(left: str) -> bool:
    """Return whether a threshold in ``left`` is one on each run: runs with at least two viruses."""
    found = HAVING.search(left)
    if found is None:
        return False
    before = left[: found.start()].split()
    return bool(before) and bool(re.fullmatch(r"runs?|samples?|librar(?:y|ies)", before[-1]))


def _threshold(found: re.Match[str]) -> Threshold:
    sign = "=" if found["sign"] is None else compared_of(found["sign"])
    if found["more"]:
        sign = ">=" if found["more"].endswith("more") else "<="
    return Threshold(sign, number_of(found["number"]), noun_of(found["noun"]))
