"""Requests for stored rows: runs with what they state, associations, communities."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from query.reading.measured.amounts import BEFORE, compared_of
from query.sql_search.grammar.words import ANY_COLUMN, column_meant, plainly
from query.sql_search.tables.nouns import (
    COLUMN,
    NOUN,
    NUMBER,
    column_of,
    noun_of,
    number_of,
)
from query.sql_search.tables.request import Measure, RecordKind, Sorting, TableRequest, Threshold
from query.sql_search.tables.wording import ReadWording, opened

_OF_ASSOCIATION: Final = (
    r"(?:(?:bio)?projects?|famil(?:y|ies)|attributes?|values?|[pq](?:[ -]?values?)?|directions?"
    r"|fold[ -]changes?|effects?|flags?|sample numbers)"
)
_OF_COMMUNITY: Final = (
    r"(?:labels?|titles?|levels?|(?:numbers? of )?runs|parents?|sizes?|ids?|(?:numbers? of )?"
    r"entities|(?:their )?(?:host|tissue|disease|family|species))"
)
_PLACES: Final = r"latitudes?|longitudes?"
_DATES: Final = r"release dates?|dates? of release"
_OF_RUN: Final = rf"(?:(?:run )?accessions?|{_DATES}|{_PLACES}|{COLUMN}|{NOUN})"
_LISTED: Final = (
    r"(?:(?:^|[,;.]? )(?:(?:(?:al)?together |along )?with|and|including|showing|show|list|giving"
    r"|give|plus|columns?:?|as well as)| \(|[:,;]) ?(?:columns?:? )?(?:the(?:ir)? |its )?"
    r"(?P<columns>{one}(?:(?:,? and|,| plus| &) (?:the(?:ir)? |its )?{one})*)\)?$"
)
_ASSOCIATIONS: Final = re.compile(
    r"\b(?:(?:the|all|stored) )*(?P<significant>significant |holding )?(?:mwas )?associations?\b"
    r"(?: rows)?"
)
_HOLD: Final = re.compile(r"\b(?:(?:that|which) (?:hold|are significant))\b(?: after correction)?")
_BY: Final = re.compile(
    r"\b(?:per|by|(?:for|in|of) (?:each|every)) (?P<by>(?:bio)?project|family|attribute|value)s?\b"
)
_CUTOFF: Final = re.compile(
    r",?(?: (?:with|at|having|whose|where|of|and|for))* ?(?:an? |the(?:ir)? )?\b(?:q|fdr)"
    r"(?:[ -]?values?)?(?: (?:is|are|of))?"
    r"(?: (?:below|under|at most|up to|less than|smaller than|lower than)| ?<=?)"
    r" ?(?P<q>0?\.\d+|\d+e-\d+)"
)
_MOST_TESTED: Final = re.compile(
    r"(?:which )?(?P<by>(?:bio)?projects?|famil(?:y|ies)|attributes?|values?)(?: \w+)*? most\b"
    r"(?: (?:are|is|tested|often|frequently|in|among|of|the|tests?))*"
)
_COUNTED: Final = re.compile(r"^(?:(?:the )?(?:number|count) of|how many|count(?: of)?) ")
_COMMUNITIES: Final = re.compile(r"\b(?:(?:the|all) )*(?P<size>largest |smallest )?communities\b")
_LEVEL: Final = re.compile(r"\b(?:at|of|on|in|from) level (?P<level>\d)\b")
_OF_SIZE: Final = re.compile(
    rf"\b(?:of|with|having) (?P<sign>{BEFORE}) (?P<number>{NUMBER}) runs\b"
)
_TOP: Final = re.compile(rf"^(?:the )?(?:top |first )?(?P<number>{NUMBER}) (?=\w*\s?communities)")
_ACCESSIONS: Final = re.compile(
    r"^(?:the |all )*(?:run )?(?:accessions?|ids?|accession numbers) (?:of|for|from) (?:all |the )*"
)
_FIRST: Final = re.compile(
    rf"^(?:the )?(?:(?:top|first) )?(?:(?P<number>{NUMBER}) )?"
    r"(?P<runs>(?:[\w'§-]+ )*?(?:runs|detections|hits)) "
    rf"(?:with|by|having) "
    rf"(?:the )?(?:(?:best|highest|most|largest|greatest)|(?P<fewest>lowest|fewest|worst"
    rf"|smallest)) "
    rf"(?P<by>{ANY_COLUMN})(?=[,;:. ]|$)"
)
_MOST: Final = r"highest|largest|most|greatest|best"
_FEWEST: Final = r"lowest|smallest|fewest|least"
_SORTED: Final = re.compile(
    rf",? (?:(?:sorted|ordered|ranked) )?by (?:the )?(?P<by>{ANY_COLUMN}|{_DATES})"
    r"(?P<up>,? (?:in )?(?:ascending|increasing)(?: order)?|,? (?:lowest|oldest|smallest) first)?"
    rf"(?:,? (?:in )?(?:descending|decreasing)(?: order)?|,? (?:{_MOST}|newest) first)?$"
    rf"|,? (?:(?:{_MOST}|(?P<fewest>{_FEWEST})) (?P<first>{ANY_COLUMN})"
    r"|(?P<new>newest|latest|most recent)|(?P<old>oldest|earliest))(?: first| on top| at the top)$"
)
"""What runs are sorted by: highest read count first, newest first, sorted by score."""
_AT_MOST: Final = re.compile(rf",? (?:(?:top|first|limit|at most) )(?P<number>{NUMBER})(?: rows)?$")
"""How many runs are listed."""
_BEFORE_RUNS: Final = re.compile(
    rf"^(?P<columns>{_OF_RUN}(?:(?:,? and|,| plus| &) {_OF_RUN})+) (?:of|for|from) "
    r"(?:all |the |every |each )*(?P<rest>.*\bruns\b.*)$"
)
_PLAIN_COLUMNS: Final = (
    (re.compile(r"\b(?:best|highest|top|maximum|maximal) (?=(?:identity|score|coverage)\b)"), ""),
    (re.compile(r"^coordinates of (?=.*\blatitude)"), ""),
    (re.compile(r"^(?:all (?:the )?)?samples\b"), "runs"),
    (re.compile(r"\b(?:reads aligned|reads mapped|(?:aligned|mapped) reads)\b"), "reads"),
    (
        re.compile(r"\b(?:cell lines?/tissues?|tissues?/cell lines?|cell lines? or tissues?)\b"),
        "tissue",
    ),
    (re.compile(r"\bruns (?:that are )?positive for (?:both )?"), "runs with "),
    (re.compile(r"\b(?:numbers?|counts?) of (?=reads|spots|bases)"), ""),
    (re.compile(r"^(?:every|each|all)(?: single)? (?P<of>(?:[\w'§-]+ )*?)run\b"), r"\g<of>runs"),
    (re.compile(r"^run (?=where|in which|with|that)"), "runs "),
    (
        re.compile(
            r"\b(?:whose|where(?: the)?) (?P<facet>[a-z]+) is (?P<given>known|stated|given)"
        ),
        r"with a stated \g<facet>",
    ),
    (re.compile(r",? and (?:say|tell me|show|add) (?:the |how many |which )*"), ", and "),
)
"""Wordings of columns, and the plain word: numbers of a run are those of its best hit anyway."""
_RUNS: Final = re.compile(r"\bruns\b")
_HITS: Final = re.compile(r"\b(?:viral |virus )?(?:detections|hits)\b")
"""Asks for one hit a row, and not one run."""
_LISTING: Final = re.compile(
    r"^(?:please )?(?:list|show|give|get|find|export|print|which (?=runs))\b"
)
_ASIDE: Final = re.compile(r"\b(?:how many|number of|average|median|mean|share|pairs?|per|each)\b")


def read_records(text: str) -> ReadWording | None:
    """Return the request for stored rows in ``text``, None where it is none."""
    bare = " ".join(text.rstrip(" ?.!").split())
    left = opened(bare)
    if _ASSOCIATIONS.search(left):
        return _associations(left)
    if _COMMUNITIES.search(left):
        return _communities(left)
    return _runs(plainly(left), listing=_LISTING.search(bare) is not None)


def _associations(left: str) -> ReadWording | None:
    counted = _COUNTED.match(left)
    left = _COUNTED.sub("", left)
    found = _ASSOCIATIONS.search(left)
    left = _ASSOCIATIONS.sub("", left, count=1)
    holds = _HOLD.search(left) is not None
    left = _HOLD.sub("", left)
    significant = holds or bool(found and found["significant"])
    request = TableRequest(records="associations", significant=significant)
    cutoff = _CUTOFF.search(left)
    if cutoff is not None:
        left = _CUTOFF.sub("", left, count=1)
        request = replace(request, most_q=float(cutoff["q"]))
    tested = _MOST_TESTED.fullmatch(_tidy(left))
    if tested is not None:
        noun = _stored(tested["by"])
        counted_by = Measure("count", "association")
        return ReadWording(replace(request, rows=(noun,), measure=counted_by), "")
    by = _BY.search(left)
    if by is not None:
        left = _BY.sub("", left, count=1)
        noun = _stored(by["by"])
        measure = Measure("count", "association") if counted else Measure()
        return ReadWording(replace(request, rows=(noun,), measure=measure), _tidy(left))
    if counted:
        return None
    columns, left = _columns(left, _OF_ASSOCIATION)
    return ReadWording(request, _tidy(left)) if columns or cutoff else None


def _stored(noun: str) -> str:
    """Return the column of ``association`` that a word for it means."""
    one = {"families": "family"}.get(noun, noun.removesuffix("s"))
    return one.replace("bioproject", "project").replace("project", "bioproject")


def _communities(left: str) -> ReadWording | None:
    limit = _TOP.search(left)
    left = _TOP.sub("", left)
    found = _COMMUNITIES.search(left)
    left = _COMMUNITIES.sub("", left, count=1)
    level = _LEVEL.search(left)
    left = _LEVEL.sub("", left)
    size = _OF_SIZE.search(left)
    left = _OF_SIZE.sub("", left)
    columns, left = _columns(_tidy(left), _OF_COMMUNITY)
    ranked = found is not None and found["size"]
    if _tidy(left) or not (columns or ranked or size):
        return None
    request = TableRequest(
        records="communities",
        columns=tuple(columns),
        having=(Threshold(compared_of(size["sign"]), number_of(size["number"])),) if size else (),
        sorting="fewest" if ranked == "smallest " else "most",
        limit=number_of(limit["number"]) if limit else None,
        level=int(level["level"]) if level else None,
    )
    return ReadWording(request, "")


def _runs(left: str, *, listing: bool) -> ReadWording | None:
    """Return the request for runs, one a row: with an accession, or with what they state."""
    first = _FIRST.match(left)
    if first is not None:
        left = f"{first['runs']}{left[first.end() :]}"
    before = _BEFORE_RUNS.match(left) if listing else None
    if before is not None:
        left = f"{before['rest']} with {before['columns']}"
    for pattern, plain in _PLAIN_COLUMNS:
        left = pattern.sub(plain, left)
    left, limit = _taken(left, _AT_MOST)
    left, order = _taken(left, _SORTED)
    accessions = _ACCESSIONS.search(left)
    rest = _ACCESSIONS.sub("", left)
    columns, rest = _columns(rest, _OF_RUN)
    hits = bool(columns or first) and _HITS.search(rest) is not None
    if _ASIDE.search(rest) or not (_RUNS.search(rest) or accessions or hits):
        return None
    if accessions is None and not columns and not listing and first is None:
        return None
    named: list[str] = []
    for one in columns:
        key = _column(one)
        if key == "biosample" or key not in ("run", *named):
            named.append(key)
    request = _request("detections" if hits else "runs", named)
    rest = _HITS.sub("runs", rest) if hits else rest
    if first is not None:
        by = column_meant(first["by"])
        request = replace(request, by=by, columns=tuple(dict.fromkeys([by, *named])),
                          limit=number_of(first["number"]) if first["number"] else None,
                          sorting="fewest" if first["fewest"] else "most")  # fmt: skip
    if order is not None:
        request = _sorted_by(request, order)
    if limit is not None:
        request = replace(request, limit=number_of(limit["number"]))
    return ReadWording(request, rest)


def _taken(left: str, pattern: re.Pattern[str]) -> tuple[str, re.Match[str] | None]:
    """Return ``left`` without its end where ``pattern`` finds it, and what it finds."""
    found = pattern.search(left)
    return (left, None) if found is None else (left[: found.start()], found)


def _sorted_by(request: TableRequest, order: re.Match[str]) -> TableRequest:
    """Return ``request`` with the order that is asked for, by a column that it then has."""
    named = order["by"] or order["first"]
    dated = order["new"] or order["old"] or (named and re.fullmatch(_DATES, named))
    by = "release_date" if dated else column_meant(named)
    ascending = order["up"] or order["fewest"] or order["old"]
    columns = tuple(dict.fromkeys([*request.columns, by]))
    sorting: Sorting = "fewest" if ascending else "most"
    return replace(request, by=by, columns=columns, sorting=sorting)


def _request(kind: RecordKind, columns: list[str]) -> TableRequest:
    return TableRequest(records=kind, columns=tuple(columns))


def _column(text: str) -> str:
    if re.fullmatch(r"(?:run )?accessions?", text):
        return "run"
    if re.fullmatch(_DATES, text):
        return "release_date"
    if re.fullmatch(r"organisms?(?: names?)?", text):
        return "organism"
    if re.fullmatch(_PLACES, text):
        return text.removesuffix("s")
    return column_of(text) if re.fullmatch(COLUMN, text) else noun_of(text)


def _columns(left: str, one: str) -> tuple[list[str], str]:
    """Return the columns that ``left`` ends with, and what is before them."""
    found = re.search(_LISTED.replace("{one}", one), left)
    if found is None:
        return [], left
    named = re.split(r",? and |, ?| plus | & ", found["columns"])
    bare = [re.sub(r"^(?:their|the|its) ", "", name.strip()) for name in named]
    return bare, left[: found.start()]


def _tidy(left: str) -> str:
    return " ".join(left.split()).strip(" ,:;")
