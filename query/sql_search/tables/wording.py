"""A table request read from words: each phrase that is understood is taken out of the text, and
what is left must name the runs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from query.sql_search.tables.nouns import (
    AGGREGATE,
    COLUMN,
    NOUN,
    NUMBER,
    RUN,
    aggregate_of,
    column_of,
    noun_of,
    number_of,
)
from query.sql_search.tables.request import Measure, TableRequest, Threshold

_EACH: Final = r"(?:each|every|any|a single|one|a)"
_PER: Final = r"(?:(?:for|in|of|from|by|within|across|on)? ?(?:each|every)|per|by|across(?: the)?)"
_MANY: Final = r"(?:the )?(?:total )?(?:how many|numbers? of|counts? of|no\. of)"
_MOST: Final = r"(?:most (?:common|frequent|abundant|prevalent|often (?:found|seen))|commonest)"
_LARGEST: Final = (
    r"(?:most|(?:largest|highest|greatest|biggest) (?:number|count|variety|range|diversity) of)"
)
_FEWEST: Final = r"(?:fewest|least|(?:smallest|lowest) (?:number|count|variety|range) of)"
_AT: Final = {
    ">=": r"at least|no fewer than|no less than|a minimum of|minimum",
    ">": r"more than|over|above|greater than",
    "<=": r"at most|no more than|up to",
    "<": r"fewer than|less than|below|under",
}
SIGNS: Final = "|".join(_AT.values())

_OPENING: Final = re.compile(
    r"^(?:(?:please|can you|could you|what (?:is|are|was|were)|which(?= (?:of|\w+ \w+))"
    r"|what(?= (?:share|fraction|proportion|percent))|export|print|select|group|split"
    r"|break (?:down|up)|(?:breakdown|distribution|matrix|contingency table|summary) of"
    r"|give(?: me)?|show(?: me)?"
    r"|list|tabulate|tally|display|make|create|produce|build|i (?:want|need)|cross-?tab(?:ulate)?"
    r"|rank|sort|find|get|return|write|an?|the|all|sql (?:for|of)|cross-?tab\w*(?: of)?"
    r"|(?:cross-?)?tables? (?:of|with|that (?:gives|shows|lists)|showing|listing)"
    r"|overview of)\b[ :,]*)+"
)
_ALPHABETICAL: Final = re.compile(
    r",?\s*(?:(?:and )?(?:sorted|ordered|listed|ranked) )?"
    r"(?:(?:in )?alphabetical(?:ly| order)(?: by (?:name|\w+))?|by name|from a to z|a to z)"
)
_ASCENDING: Final = re.compile(
    r",?\s*(?:(?:and )?(?:sorted|ordered|listed|ranked) )?(?:with )?(?:the )?"
    r"(?:(?:fewest|least|smallest|lowest|rarest)(?: \w+)? first|(?:in )?ascending(?: order)?)"
)
_DESCENDING: Final = re.compile(
    r",?\s*(?:(?:and )?(?:sorted|ordered|listed|ranked) )?(?:with )?(?:the )?"
    r"(?:(?:most|largest|biggest|highest)(?: (?:common|frequent|\w+))? first"
    r"|(?:in )?descending(?: order)?)"
)
_RANKED_BY: Final = re.compile(
    rf",?\s*(?:(?:ranked|sorted|ordered) )?by (?:(?:the|their) )?(?:numbers?|counts?) of"
    rf"(?: the)? (?P<noun>{NOUN})"
    r"(?P<tail>(?: (?:that|which|in which|where|they|it|are|is|were|was|have|has|occur|occurs"
    r"|found|seen|detected|carry|carries|in|from|with|them|both|together|co-?occur\w*)\b)*)"
)
_TOP: Final = re.compile(rf"^(?:the )?(?:top|first) (?P<number>{NUMBER})\b ?")
_NUMBERED: Final = re.compile(
    rf"^(?:the )?(?P<number>{NUMBER}) (?=(?:most|largest|biggest|{NOUN}|§))"
)
_OF_EACH: Final = re.compile(
    rf"(?:the )?(?P<top>top|first|leading)?(?: ?(?P<number>{NUMBER}))?(?: ?(?P<most>{_MOST}))? ?"
    rf"(?P<inner>{NOUN}) (?:(?:found|seen) )?"
    rf"(?:(?:in|of|for|from|within|on|at)(?: ?{_EACH})|per) (?P<outer>{NOUN})\b"
)
_EACH_FIRST: Final = re.compile(
    rf"(?:for|in|of|from) (?:each|every) (?P<outer>{NOUN}),? (?:what (?:is|are) |list |give )?"
    rf"(?:the )?(?P<top>top|first|leading)?(?: ?(?P<number>{NUMBER}))?(?: ?(?P<most>{_MOST}))? ?"
    rf"(?P<inner>{NOUN})\b"
)
_PAIRS: Final = re.compile(
    rf"(?:the )?(?:{_MOST} )?(?:(?:co-?occurring|co-?detected) )?"
    rf"(?:(?:pairs|combinations) of (?:two )?(?:{_MOST} )?(?:co-?occurring )?(?P<of>{NOUN})"
    rf"|(?P<before>{NOUN}) (?:pairs|combinations)"
    rf"|(?:which )?(?:two )?(?P<which>{NOUN})"
    r"(?= (?:most \w+ )?(?:co-?occur|occur together|are (?:most \w+ )?(?:found|seen) together)"
    r"(?! with)))"
)
_TOGETHER: Final = re.compile(
    r"(?: (?:that|which|are|is|were|found|seen|detected|most|often|frequently|commonly"
    r"|co-?occur\w*|occur\w*|together))+"
    r"(?: in (?:the )?(?:same|one|a single) (?:runs?|samples?))?"
    r"|(?:^| )(?:in )?(?:the )?same (?:runs?|samples?)"
)
_AGGREGATED: Final = re.compile(
    rf"(?:the )?(?P<how>{AGGREGATE}) (?:of )?(?:the )?(?:values? of )?(?:(?:numbers?|counts?) of )?"
    rf"(?:(?P<column>{COLUMN})\b|(?P<noun>{NOUN}) (?:per|(?:in|of|from) {_EACH}|in one)"
    r" (?:runs?|samples?)\b)"
)
_SHARE: Final = re.compile(
    r"(?:the )?(?:shares?|percentages?|proportions?|fractions?|percent|rate) of (?:the |all )?"
    r"(?:runs|samples|libraries)\b"
)
_AMONG: Final = re.compile(r"\b(?:among|amongst|out of|of)(?: all)?(?: the)? (?:runs|samples)\b")
_COUNTED: Final = re.compile(rf"(?:^|(?<=[ ,:]))(?:count )?{_MANY} (?P<noun>{NOUN})\b")
_COUNT: Final = re.compile(rf"^(?:count|counts of) (?:the )?(?P<noun>{NOUN})\b")
_SUPERLATIVE: Final = re.compile(
    rf"(?:(?:that|which) )?(?:(?:are|is) )?(?:found |seen |detected |occur(?:s|ring)? )?"
    rf"(?:with|in|from|has|have|having|carry|carries|carrying|infects?|infecting|by|across) "
    rf"(?:the )?(?:(?P<most>{_LARGEST})|(?P<fewest>{_FEWEST})) (?P<noun>{NOUN})\b"
)
_HAVING: Final = re.compile(
    r"(?:(?:that|which) )?(?:(?:are |were )?(?:found|seen|detected|present) |occur(?:s|ring)? )?"
    r"(?:with|have|has|having|carry|carrying|hold|holding|of|in|from|includ(?:e|ing)|contain(?:ing)?"
    r"|comprising|spanning|infecting) "
    rf"(?:(?P<sign>{SIGNS}) )?(?P<number>{NUMBER})(?P<more> or (?:more|fewer|less))? "
    rf"(?P<noun>{NOUN})\b"
)
_GROUPED: Final = re.compile(
    rf"\b(?:(?:broken down|grouped|split|separately) )?{_PER} (?:the )?(?P<first>{NOUN})"
    rf"(?:(?: and|,| by| and by| per| and per|/| x|×| versus| against)(?: each)? "
    rf"(?P<second>{NOUN}))?\b(?! (?:of|with) §)"
)
_DOES: Final = re.compile(rf"\b(?:does|do|did) (?:each|every) (?P<first>{NOUN})\b")
_HAS: Final = re.compile(rf"\b(?:has )?each (?P<first>{NOUN})(?: has| have)?\b")
_CROSSED: Final = re.compile(
    rf"^(?P<first>{NOUN})(?: by| and| against| versus| x|×) (?P<second>{NOUN})\b"
)
_HEAD: Final = re.compile(rf"^(?:which |all |the )*(?P<noun>{NOUN})\b")
_TITLES: Final = re.compile(
    r",?(?: (?:and|with))* (?:and )?(?:the(?:ir)? )?titles?\b(?:,| and(?= (?:the )?number))?"
)
_WITH_COUNT: Final = re.compile(
    rf",?(?: (?:with|and|together with|plus))* (?:(?:the|their) )?(?:numbers?|counts?) of "
    rf"(?P<noun>{NOUN})\b"
)


_ONE: Final = re.compile(
    r"^(?:which|what|what is the|the) (?:virus |viral )?"
    r"(?:family|virus|host|tissue|disease|country|place|(?:bio)?project|study|biome|environment|year|sotu)"
    r"\b(?! famil| species)(?=.*\b(?:most|fewest|largest|smallest|highest|lowest|greatest)\b)"
)
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
class Worded:
    """A request, and the words that it leaves: these must name runs."""

    request: TableRequest
    left: str


def read_wording(text: str) -> Worded | None:
    """Return the request of ``text``, in lower case with names as ``§0``; None where it is none.

    >>> read_wording("number of different virus families per host").request.rows
    ('host',)
    >>> read_wording("which viruses do §0 carry") is None
    True
    """
    words = _Text(" ".join(text.rstrip(" ?.!").split()))
    listing = re.match(r"(?:please )?list\b", words.left) is not None
    one = _ONE.match(words.left) is not None
    words.take(_OPENING)
    request = _sorted(words, TableRequest())
    made = _paired(words, request) or _first_of_each(words, request)
    if made is None:
        made = _measured(words, request, listing=listing)
    if made is None:
        return None
    if one and made.limit is None and not made.having and len(made.rows) == 1:
        made = replace(made, limit=1)
    return Worded(made, words.left)


def opened(text: str) -> str:
    """Return ``text`` without the verb that asks for a table."""
    return _OPENING.sub("", text)


def sign_of(text: str) -> str:
    """Return the sign of SQL that words before a number mean.

    >>> sign_of("at least"), sign_of("below")
    ('>=', '<')
    """
    return next(one for one, words in _AT.items() if re.fullmatch(words, text))


def _sorted(words: _Text, request: TableRequest) -> TableRequest:
    if words.take(_ALPHABETICAL):
        return replace(request, sorting="name")
    if words.take(_ASCENDING):
        return replace(request, sorting="fewest")
    words.take(_DESCENDING)
    return request


def _paired(words: _Text, request: TableRequest) -> TableRequest | None:
    """Return the request for pairs of values found in the same runs."""
    before = words.left
    limit = words.take(_TOP) or words.take(_NUMBERED)
    found = words.take(_PAIRS)
    if found is None:
        words.left = before
        return None
    noun = noun_of(found["of"] or found["before"] or found["which"])
    if noun not in ("family", "species"):
        words.left = before
        return None
    ranked = words.take(_RANKED_BY)
    if ranked is not None and noun_of(ranked["noun"]) != RUN:
        words.left = before
        return None
    words.left = f" {words.left}"
    words.take(_TOGETHER)
    number = number_of(limit["number"]) if limit else None
    if found["which"] and number == _OF_A_PAIR:
        number = 1
    return replace(request, rows=(noun,), pairs=True, limit=number)


def _first_of_each(words: _Text, request: TableRequest) -> TableRequest | None:
    """Return the request for the most frequent values of each value of another noun."""
    for pattern in (_EACH_FIRST, _OF_EACH):
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
    limit = words.take(_TOP) or words.take(_NUMBERED)
    if limit is not None:
        request = replace(request, limit=number_of(limit["number"]))
    measure, request = _measure_of(words, request)
    having = []
    while True:
        found = words.take(_HAVING) if not _is_of_runs(words.left) else None
        if found is None:
            break
        having.append(_threshold(found))
    rows = _rows_of(words)
    measure = measure or _counted_of(words, rows)
    if not rows:
        rows = _head_of(words, measure)
    if words.take(_TITLES):
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
    aggregated = words.take(_AGGREGATED)
    if aggregated is not None:
        how = aggregate_of(aggregated["how"])
        if aggregated["column"]:
            return Measure(how, column_of(aggregated["column"])), request
        return Measure(how, noun_of(aggregated["noun"]), per_run=True), request
    if words.take(_SHARE):
        of_whole = _AMONG.search(words.left) is not None
        return Measure("part" if of_whole else "share"), request
    superlative = words.take(_SUPERLATIVE)
    if superlative is not None:
        sorting = "fewest" if superlative["fewest"] else "most"
        asked = replace(request, sorting=sorting)
        return Measure("count", noun_of(superlative["noun"])), asked
    ranked = words.take(_RANKED_BY)
    if ranked is not None:
        return Measure("count", noun_of(ranked["noun"])), request
    return None, request


def _counted_of(words: _Text, rows: tuple[str, ...]) -> Measure | None:
    """Return what is counted: how many X, number of X, with their number of X."""
    found = words.take(_COUNT) or words.take(_COUNTED) or words.take(_WITH_COUNT)
    if found is not None:
        return Measure("count", noun_of(found["noun"]))
    head = _HEAD.match(words.left)
    if rows and head is not None and noun_of(head["noun"]) == RUN:
        words.take(_HEAD)
        return Measure()
    return None


def _rows_of(words: _Text) -> tuple[str, ...]:
    for pattern in (_DOES, _GROUPED, _HAS):
        found = words.take(pattern)
        if found is None:
            continue
        rows = [noun_of(found["first"])]
        second = found.groupdict().get("second")
        if second:
            rows.append(noun_of(second))
        head = _HEAD.match(words.left)
        if len(rows) == 1 and head and noun_of(head["noun"]) not in (RUN, *rows):
            words.take(_HEAD)
            rows.insert(0, noun_of(head["noun"]))
        return () if RUN in rows else tuple(rows)
    found = words.take(_CROSSED)
    if found is not None:
        return noun_of(found["first"]), noun_of(found["second"])
    return ()


def _head_of(words: _Text, measure: Measure | None) -> tuple[str, ...]:
    """Return the noun that the request opens with, where it is no run."""
    head = _HEAD.match(words.left)
    if head is None:
        return ()
    noun = noun_of(head["noun"])
    if noun == RUN or (measure is not None and measure.of == noun):
        return ()
    words.take(_HEAD)
    return (noun,)


def _is_of_runs(left: str) -> bool:
    """Return whether a threshold in ``left`` is one on each run: runs with at least two viruses."""
    found = _HAVING.search(left)
    if found is None:
        return False
    before = left[: found.start()].split()
    return bool(before) and bool(re.fullmatch(r"runs?|samples?|librar(?:y|ies)", before[-1]))


def _threshold(found: re.Match[str]) -> Threshold:
    sign = "=" if found["sign"] is None else sign_of(found["sign"])
    if found["more"]:
        sign = ">=" if found["more"].endswith("more") else "<="
    return Threshold(sign, number_of(found["number"]), noun_of(found["noun"]))
