"""Conditions on runs that no name says: how alike a hit is, how many viruses a run has, its risk
group, its year of release, its library, whether something is stated.

Each is read from the words by a pattern and kept as a mention, so that it joins any name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import duckdb

from query.reading.held.unlike import LEAST_ALIKE
from query.reading.measured.amounts import SIGN_WORDS, amount_of, compared_of, number_text
from query.reading.measured.patterns import (
    DIVERGENT,
    GIVEN,
    HITS_BEHIND,
    HITS_IN_FRONT,
    HITS_IN_PERCENT,
    IN_YEARS,
    LIBRARIES,
    RISK,
    SEARCHED,
    SEVERAL,
    SEVERAL_BY_WORD,
    SEVERAL_OF,
    STATED,
    STATED_FACETS,
    UNNAMED,
)
from query.reading.measured.selects import MEASURED_FACETS, runs_measured
from query.reading.mentions import Mention
from query.reading.senses import Sense, is_of_genome, is_recorded_in

_COLUMNS: Final = {"species": "stated", "family": "family", "phylum": "phylum"}
"""Facet of a name of viruses -> the column of ``detection`` that has it."""
_HEALTH: Final = ("disease",)
"""Without a disease is healthy, without a stated one is not."""
_GIVEN: Final = re.compile(rf"\b{GIVEN}\b")
_HIGHEST: Final = 4
"""The highest risk group."""
_EARLIEST: Final = 0
_LATEST: Final = 9999
"""Years that leave an end open."""
_YEARS: Final = """
SELECT DISTINCT year(release_date) FROM run WHERE release_date IS NOT NULL ORDER BY ALL
"""
_NOUNS_OF_STATED: Final = (
    "noun", "nounless", "nounbehind", "nounnamed", "nounlacking", "nounverb", "nounknown",
    "nounending", "nounsilent", "nounpassive", "origin",
)  # fmt: skip
"""Groups of ``STATED`` for what is stated."""
_LISTING: Final = frozenset({"a", "an", "the", "and", "or", "any", "stated", "known", "given"})
"""Words between the nouns of such a list."""
_SOTU: Final = re.compile(r"[a-z]{0,3}u\d+|[A-Z]{1,2}_?\d{5,}(?:\.\d+)?")
"""A palmprint sOTU, or the accession of a genome."""
_IS_SOTU: Final = """
SELECT stated, family FROM detection WHERE sotu = $1
GROUP BY ALL ORDER BY count(DISTINCT run) DESC, stated, family LIMIT 1
"""
_UNITS: Final = {"identity": "% identity", "reads": " reads", "score": " score",
                "coverage": "-fold coverage"}  # fmt: skip


class Found(NamedTuple):
    """A condition in the words ``start`` to ``end``: ``value`` of a ``facet``, and its name."""

    start: int
    end: int
    facet: str
    value: str
    label: str


Stretch = tuple[int, int, re.Match[str]]
"""The first word, the one after the last, and what a pattern found in them."""


def measured_names(con: duckdb.DuckDBPyConnection, words: Sequence[str]) -> list[Mention]:
    """Return a mention of each condition in ``words``, with how many runs meet it."""
    found = [
        *_of_hits(words),
        *_of_several(words),
        *_of_risk(words),
        *_of_years(con, words),
        *_of_libraries(words),
        *_of_stated(words),
        *_of_searched(words),
        *_of_sotus(con, words),
    ]
    return [_mention(con, one) for one in found]


def several_of_groups(con: duckdb.DuckDBPyConnection, mentions: Sequence[Mention]) -> list[Mention]:
    """Return ``mentions`` where a number of viruses right before a group of them counts species of
    this group, whose words it has as well: more than one polyomavirus.
    """
    groups = {one.start: one for one in mentions if one.group == "virus" and not one.is_condition}
    counted = {}
    for one in mentions:
        if one.end in groups and all(sense.facet == "several" for sense in one.senses):
            counted[one] = _of_group(con, one, groups[one.end])
    taken = {one.end for one, of_group in counted.items() if of_group is not one}
    return [counted.get(one, one) for one in mentions if one.start not in taken]


def _of_group(con: duckdb.DuckDBPyConnection, several: Mention, group: Mention) -> Mention:
    """Return the condition ``several`` on species of ``group``, whose words it takes."""
    named = {(sense.facet, sense.value) for sense in group.senses if sense.value}
    quoted = [(facet, value.replace("'", "''")) for facet, value in sorted(named)]
    conditions = [f"{_COLUMNS[facet]} = '{value}'" for facet, value in quoted if facet in _COLUMNS]
    recorded = [is_recorded_in(hosts) for facet, hosts in named if facet == "recorded"]
    genomes = [is_of_genome(kind) for facet, kind in named if facet == "genome"]
    conditions += [f"virus IN (SELECT virus FROM virus WHERE {one})" for one in recorded + genomes]
    (sense,) = several.senses
    if not conditions:
        return several
    label = re.sub(r"named virus(?:es)?", f"species of {group.name}", sense.label)
    value = f"FILTER (WHERE {' OR '.join(conditions)}) {sense.value}"
    return _mention(con, Found(several.start, group.end, "several", value, label))


def _mention(con: duckdb.DuckDBPyConnection, one: Found) -> Mention:
    senses = []
    for value in one.value.split("|"):
        query = f"SELECT count(*) FROM ({runs_measured(one.facet, [value])})"
        ((runs,),) = con.execute(query).fetchall()
        senses.append(Sense(one.facet, one.label, int(runs), value=value))
    group = MEASURED_FACETS[one.facet]
    return Mention(one.label, one.start, one.end, one.label, group, tuple(senses))


def _matches(
    pattern: re.Pattern[str], words: Sequence[str]
) -> Iterator[tuple[int, int, re.Match[str]]]:
    """Yield the words that ``pattern`` takes, the first and the one after the last, with what it
    found; whole words only.
    """
    text = " ".join(words).lower()
    for match in pattern.finditer(text):
        start = len(text[: match.start()].split())
        yield start, start + len(match[0].split()), match


def _of_hits(words: Sequence[str]) -> Iterator[Found]:
    """Yield thresholds of single hits: how alike they are, their reads, their score."""
    found = []
    for pattern in (HITS_IN_FRONT, HITS_BEHIND, HITS_IN_PERCENT):
        for start, end, match in _matches(pattern, words):
            found.append(_threshold(start, end, match.groupdict()))
    yield from found
    for start, end, _ in _matches(UNNAMED, words):
        yield Found(start, end, "hits", "virus IS NULL", "with no named taxon")
    alike = [one for one in found if one.value.startswith("identity")]
    for start, end, _ in _matches(DIVERGENT, words):
        label = f"with less than {LEAST_ALIKE}{_UNITS['identity']}"
        usual = Found(start, end, "hits", f"identity < {LEAST_ALIKE}", label)
        yield alike[0]._replace(start=start, end=end) if alike else usual


def _threshold(start: int, end: int, parts: Mapping[str, str | None]) -> Found:
    """Return the threshold that ``parts`` of a pattern say; divergence is identity from the other
    end.
    """
    amount = amount_of(parts["amount"] or "")
    sign = compared_of(parts.get("before") or parts.get("after") or parts.get("behind") or "")
    if parts.get("diverging"):
        amount, sign = 100 - amount, _MIRRORED[sign]
    column = next((name for name in _UNITS if parts.get(name)), "identity")
    shown = number_text(amount)
    label = f"with {SIGN_WORDS[sign]} {shown}{_UNITS[column]}"
    return Found(start, end, "hits", f"{column} {sign} {amount:.10g}", label)


def _of_several(words: Sequence[str]) -> Iterator[Found]:
    """Yield how many different viruses a run has."""
    for start, end, match in _matches(SEVERAL, words):
        parts = match.groupdict()
        number = int(amount_of(parts["number"] or parts["number_after"] or "1"))
        sign = compared_of(parts["before"] or parts["after"] or "exactly")
        yield _several(start, end, number, sign)
    for start, end, _ in _matches(SEVERAL_BY_WORD, words):
        yield _several(start, end, 2, ">=")
    for start, end, match in _matches(SEVERAL_OF, words):
        parts = match.groupdict()
        number = int(amount_of(parts["number"] or parts["number_after"] or "2"))
        yield _several(start, end, number, compared_of(parts["before"] or parts["after"] or ""))


def _several(start: int, end: int, number: int, sign: str) -> Found:
    number += {">": 1, "<": -1}.get(sign, 0)
    sign = sign if sign == "=" else f"{sign[0]}="
    viruses = "named virus" if number == 1 else "named viruses"
    return Found(
        start, end, "several", f"{sign} {number}", f"{SIGN_WORDS[sign]} {number} {viruses}"
    )


def _of_risk(words: Sequence[str]) -> Iterator[Found]:
    for start, end, match in _matches(RISK, words):
        first = int(amount_of(match["group"]))
        upwards = match["last"] in ("higher", "above")
        last = _HIGHEST if upwards else int(amount_of(match["last"] or match["group"]))
        groups = [f"RG{number}" for number in range(first, last + 1)]
        named = " or ".join(group.removeprefix("RG") for group in groups)
        yield Found(start, end, "risk", "|".join(groups), f"of risk group {named}")


def _of_years(con: duckdb.DuckDBPyConnection, words: Sequence[str]) -> Iterator[Found]:
    """Yield the years in which runs were released, all that the index holds."""
    for start, end, match in _matches(IN_YEARS, words):
        parts = match.groupdict()
        held = [int(year) for (year,) in con.execute(_YEARS).fetchall()]
        first, last = _bounds(parts)
        years = [year for year in held if first <= year <= last]
        if not years:
            yield Found(start, end, "year", str(last), f"released {_years_text(first, last)}")
            continue
        listed = "|".join(str(year) for year in years)
        yield Found(start, end, "year", listed, f"released {_years_text(years[0], years[-1])}")


def _years_text(first: int, last: int) -> str:
    """Return years in words, either end left open.

    >>> _years_text(2019, 2021), _years_text(2020, 2020), _years_text(0, 1989)
    ('in 2019 to 2021', 'in 2020', 'before 1990')
    """
    if first == _EARLIEST:
        return f"before {last + 1}"
    if last == _LATEST:
        return f"in {first} or later"
    return f"in {first}" if first == last else f"in {first} to {last}"


def _bounds(parts: dict[str, str | None]) -> tuple[int, int]:
    """Return the first and last year asked for."""
    if parts["first"] and parts["last"]:
        return int(parts["first"]), int(parts["last"])
    year = int(parts["year"] or 0)
    how = parts["how"] or ""
    if parts["onwards"]:
        return year, _LATEST
    bounds = {
        "since": (year, _LATEST),
        "after": (year + 1, _LATEST),
        "before": (_EARLIEST, year - 1),
    }
    ends = dict.fromkeys(("until", "up to", "by"), (_EARLIEST, year))
    return (bounds | ends).get(how, (year, year))


def _of_libraries(words: Sequence[str]) -> Iterator[Found]:
    for start, end, match in _matches(LIBRARIES.pattern, words):
        facet, value = LIBRARIES.meant(match[0])
        yield Found(start, end, facet, value, f"with library {facet} {value}")


def _of_stated(words: Sequence[str]) -> Iterator[Found]:
    """Yield of what a run states anything, or nothing: without a stated host."""
    for start, end, match in _matches(STATED, words):
        parts = match.groupdict()
        noun = next(parts[name] for name in _NOUNS_OF_STATED if parts[name])
        if noun in _HEALTH and not (parts["nounverb"] or _GIVEN.search(match[0])):
            continue
        if parts["origin"]:
            noun = "place"
        lacking = bool(parts["without"] or parts["unknown"] or parts["nothing"])
        first = _stated(start, end, str(noun), lacking=lacking)
        listed = list(_going_on(words, end))
        others = [_stated(place, place + 1, further, lacking=lacking) for place, further in listed]
        either = any(word.lower() == "or" for word in words[end : listed[-1][0] if listed else end])
        if either and not lacking:
            yield _any_stated([first, *others])
        else:
            yield from (first, *others)


def _any_stated(alternatives: Sequence[Found]) -> Found:
    """Return the condition that a run states one of what ``alternatives`` are of, at least."""
    first, last = alternatives[0], alternatives[-1]
    values = "|".join(one.value for one in alternatives)
    label = " or ".join(one.label.removeprefix("with ") for one in alternatives)
    return first._replace(end=last.end, value=values, label=f"with {label}")


def _stated(start: int, end: int, noun: str, *, lacking: bool) -> Found:
    facet = STATED_FACETS[noun]
    value = f"!{facet}" if lacking else facet
    article = "no" if lacking else "a"
    if noun == "namedvirus":
        return Found(start, end, "stated", value, f"with {article} named virus")
    called = noun if noun in facet or facet == "geography" else facet
    return Found(start, end, "stated", value, f"with {article} stated {called}")


def _of_searched(words: Sequence[str]) -> Iterator[Found]:
    """Yield by how many sources of the index a run was searched."""
    for start, end, match in _matches(SEARCHED, words):
        said = match["by"] or match["subject"] or match["never"] or match["nobody"]
        value, label = _BY_SOURCES.get(said, _BY_SOURCES["one"])
        yield Found(start, end, "searched", value, label)


def _going_on(words: Sequence[str], start: int) -> Iterator[tuple[int, str]]:
    """Yield the nouns that a list of what is stated goes on with: a host, a tissue and a sex."""
    for place, word in enumerate(words[start:], start):
        noun = word.lower()
        if noun in STATED_FACETS:
            yield place, noun
        elif noun not in _LISTING:
            return


def _of_sotus(con: duckdb.DuckDBPyConnection, words: Sequence[str]) -> Iterator[Found]:
    """Yield the virus sOTUs that are named by their identifiers, as far as runs have hits of
    them.
    """
    for place, word in enumerate(words):
        called = con.execute(_IS_SOTU, [word]).fetchall() if _SOTU.fullmatch(word) else []
        if not called:
            continue
        names = ", ".join(str(name) for name in called[0] if name)
        label = f"of sOTU {word}{f' ({names})' if names else ''}"
        named = place > 0 and words[place - 1].lower() in ("sotu", "otu")
        yield Found(place - int(named), place + 1, "hits", f"sotu = '{word}'", label)


_NOBODY: Final = (
    "neither", "no", "none", "never", "not", "nobody", "noone", "no one", "no source",
)  # fmt: skip
_BY_SOURCES: Final = {
    "any": ("any", "searched by any source"),
    **dict.fromkeys(("both", "all"), ("all", "searched by all sources")),
    **dict.fromkeys(_NOBODY, ("none", "searched by no source")),
    "one": ("one", "searched by one source alone"),
}
_MIRRORED: Final = {">=": "<=", ">": "<", "<=": ">=", "<": ">", "=": "="}
"""What a threshold of divergence is as one of identity."""
