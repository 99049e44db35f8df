"""A table request read from words: each phrase that is understood is taken out of the text, and
what is left must name the runs.
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
    AMONG,
    ASCENDING,
    COUNT,
    COUNTED,
    CROSSED,
    DESCENDING,
    DOES,
    EACH_FIRST,
    GROUPED,
    HAS,
    HAVING,
    HEAD,
    NUMBERED,
    OF_EACH,
    ONE,
    ONLY_ROWS,
    OPENING,
    PAIRS,
    RANKED_BY,
    SHARE,
    SUPERLATIVE,
    TITLES,
    TOGETHER,
    TOP,
    WITH_COUNT,
    WITH_COUNTS,
)
from query.sql_search.tables.request import Measure, Sorting, TableRequest, Threshold

_BROADEST: Final = r"(?:broadest|widest|largest|greatest)"
_IN_OTHER_WORDS: Final = (
    (
        re.compile(
            rf"^(?:run|sample) counts? (?:of|for|by|per|in) (?:all |the |each )*(?P<rows>{NOUN})\b"
        ),
        r"number of runs per \g<rows>",
    ),
    (re.compile(rf"\b{_BROADEST} host range\b"), "most hosts"),
    (
        re.compile(rf"\b{_BROADEST} (?:geographic(?:al)?|country) (?:range|spread)\b"),
        "most countries",
    ),
    (re.compile(r"\b(?:narrowest|smallest) host range\b"), "fewest hosts"),
    (
        re.compile(
            r"^(?:(?:what is|what['’]?s) )?(?:the )?most widespread (?P<noun>[\w ]+?) "
            r"(?:geographically|across (?:the )?countries|by countr(?:y|ies))$"
        ),
        r"\g<noun> with the most countries",
    ),
    (
        re.compile(
            rf"\bhow many (?P<noun>{NOUN}) (?:do|does) (?:an?|each|every|one|(?:the|an) average)"
            r" (?:run|sample) (?:carry|have|contain|hold)(?: on average)?|"
            rf"\bhow many (?P<nouns>{NOUN}) (?:are there )?(?:on average )?(?:in|per) (?:an? )?"
            r"(?:run|sample)(?: on average)\b"
        ),
        lambda found: f"average number of {found['noun'] or found['nouns']} per run",
    ),
    (
        re.compile(
            rf"^(?P<rows>{NOUN}) and (?:how many|the number of) (?P<noun>{NOUN})"
            r"(?: \w+){0,2}?(?: (?:in|of|for|from|on|with))? (?:each|them)(?: one)?$"
        ),
        r"number of \g<noun> per \g<rows>",
    ),
    (
        re.compile(
            rf"^(?P<first>{NOUN})(?: by | x | × |-by-| against | versus | vs )(?P<second>{NOUN})"
            r"(?: |-)(?:matrix|table|grid|heat ?map|cross-?tab\w*|contingency table)"
            r"(?: (?:of|with) (?:the )?(?:run counts?|counts?(?: of runs)?|numbers? of runs|runs))?"
        ),
        r"\g<first> by \g<second>",
    ),
)
"""Everyday words for how many hosts or countries something has."""
_OF_A_PAIR: Final = 2
_SINGULAR: Final = ("virus", "species")


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

    >>> read_wording("number of different virus families per host").request.rows
    ('host',)
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
    made = _paired(words, request) or _first_of_each(words, request)
    if made is None:
        made = _measured(words, request, listing=listing)
    if made is None:
        return None
    if one and made.limit is None and not made.having and len(made.rows) == 1:
        made = replace(made, limit=1)
    return ReadWording(made, words.left)


def _plainly(text: str) -> str:
    """Return ``text`` with what is counted by its name.

    >>> _plainly("which virus has the broadest host range")
    'which virus has the most hosts'
    >>> _plainly("the most widespread virus family geographically")
    'virus family with the most countries'
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


def _first_of_each(words: _Text, request: TableRequest) -> TableRequest | None:
    """Return the request for the most frequent values of each value of another noun."""
    for pattern in (EACH_FIRST, OF_EACH):
        found = pattern.match(words.left)
        if found is None or not (found["top"] or found["most"]):
            continue
        rows = (noun_of(found["outer"]), noun_of(found["inner"]))
        if RUN in rows:
            continue
        words.take(pattern)
        plural = found["inner"].endswith("s") and not found["inner"].endswith(_SINGULAR)
        number = number_of(found["number"]) if found["number"] else (None if plural else 1)
        if number is None:
            return None
        return replace(request, rows=rows, per_first=number)
    return None


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
    if measure.how == "count" and not rows:
        return None
    return replace(request, rows=rows, measure=measure, having=tuple(having))


def _measure_of(words: _Text, request: TableRequest) -> tuple[Measure | None, TableRequest]:
    aggregated = words.take(AGGREGATED)
    if aggregated is not None:
        how = aggregate_of(aggregated["how"])
        if aggregated["column"]:
            return Measure(how, column_of(aggregated["column"])), request
        return Measure(how, noun_of(aggregated["noun"]), per_run=True), request
    if words.take(SHARE):
        of_whole = AMONG.search(words.left) is not None
        return Measure("part" if of_whole else "share"), request
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
    for pattern in (DOES, GROUPED, HAS):
        found = words.take(pattern)
        if found is None:
            continue
        rows = [noun_of(found["first"])]
        second = found.groupdict().get("second")
        if second:
            rows.append(noun_of(second))
        head = HEAD.match(words.left)
        if len(rows) == 1 and head and noun_of(head["noun"]) not in (RUN, *rows):
            words.take(HEAD)
            rows.insert(0, noun_of(head["noun"]))
        alone = rows == [RUN] and COUNTED.search(words.left) is not None
        return () if RUN in rows and not alone else tuple(rows)
    found = words.take(CROSSED)
    if found is not None:
        return noun_of(found["first"]), noun_of(found["second"])
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
