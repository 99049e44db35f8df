"""What the groups of a question are called in a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from index.reports.phrases import listed
from query.reading.measured.selects import QUALITIES
from query.reading.mentions import Mention
from query.reading.question import WITHOUT, Question

GROUP_WORDS: Final = {
    "geography": "place", "organism": "host", "tissue": "tissue", "disease": "disease",
    "environment": "environment", "biome": "biome", "sex": "sex",
    "year": "release date", "library": "library strategy", "source": "library source",
}  # fmt: skip
"""What a sentence calls the values of a group."""


_OF_LIBRARY: Final = re.compile(r"^with library (?:strategy|source) ")
_SAID_OF_RUNS: Final = ("year", "library", "source", "searched", "stated")
"""Groups of what is said of runs, and is no name of what they are of."""
_COMES_FROM: Final = {"geography", "organism", "tissue", "environment", "biome"}
"""Groups of what a run is from: from France, from liver."""
_IS_OF: Final = {*_COMES_FROM, "disease"}
"""Groups of what a run is of: of hepatitis, of liver and hepatitis."""


def group_of(key: str) -> str:
    """Return the group of a key of matching runs.

    >>> group_of("virus: Coronaviridae"), group_of("without tissue")
    ('virus', 'tissue')
    """
    positive = key.removeprefix(WITHOUT)
    group, *_ = positive.split(":")
    return group


def name_of(question: Question, key: str) -> str:
    """Return the names behind ``key``: alternatives joined by or; of what is ruled out, no virus of
    that name, and another value than that.
    """
    if key.startswith(WITHOUT):
        group = group_of(key)
        ruled = [one.name for one in question.reading.without if one.group == group]
        either = " or ".join(dict.fromkeys(ruled))
        if group in GROUP_WORDS:
            kind = GROUP_WORDS[group]
            article = "an" if kind[0] in "aeiou" else "a"
            return f"{article} {kind} other than {either}"
        if either.startswith("of sOTU "):
            return f"no viruses {either}"
        return f"no {either.removeprefix('any ')}"
    named = [one for one in question.mentions if question.key(one) == key]
    qualities = [one.label for one in named if _is_quality(one)]
    names = [one.name for one in named if not _is_quality(one)]
    if key == "title":
        quoted = [f"“{one}”" for one in names]
        return f"{listed(quoted)} (in titles)"
    either = " or ".join(dict.fromkeys(names))
    if qualities:
        of_any = "any virus" if qualities[0].startswith("with") else "viruses"
        return " ".join([either or of_any, *dict.fromkeys(qualities)])
    return either


def _is_quality(one: Mention) -> bool:
    """Return whether ``one`` says what a hit must be like beside its name."""
    return any(sense.facet in QUALITIES for sense in one.senses)


def side_name(one: Mention) -> str:
    """Return what one of the groups compared is called; a condition as its runs are: 2018, RNA-Seq
    libraries.
    """
    if one.group == "year":
        return one.name.removeprefix("released in ")
    if one.group in ("library", "source"):
        return f"{_OF_LIBRARY.sub('', one.name)} libraries"
    return one.name


def names_of(question: Question, keys: Sequence[str]) -> str:
    """Return the names behind all ``keys``: ``Chiroptera (bat) and gut``; what is said of runs
    behind them: ``Canada released in 2018``.
    """
    names = [name_of(question, key) for key in keys if group_of(key) not in _SAID_OF_RUNS]
    said = [name_of(question, key) for key in keys if group_of(key) in _SAID_OF_RUNS]
    having = [one.removeprefix("with ") for one in said if one.startswith("with ")]
    others = [one for one in said if not one.startswith("with ")]
    conditions = [*others, f"with {listed(having)}"] if having else others
    return " ".join([listed(names), *conditions]).strip()


def of_names(question: Question, keys: Sequence[str]) -> str:
    """Return what runs are of, for behind the word runs: of bats, released in 2018; empty where
    there is no key.
    """
    names = names_of(question, keys)
    if not names:
        return ""
    if names.startswith("no "):
        return f" with {names}"
    said = all(group_of(key) in _SAID_OF_RUNS for key in keys)
    return f" {names}" if said or names.startswith("with ") else f" of {names}"


def are_names(question: Question, keys: Sequence[str], runs: int) -> str:
    """Return that ``runs`` runs are of what ``keys`` mean: are from bats and France, are of
    hepatitis, are released in 2018, have a stated host.
    """
    be, have = ("is", "has") if runs == 1 else ("are", "have")
    names = names_of(question, keys)
    if names.startswith("with "):
        return f"{have} {names.removeprefix('with ')}"
    groups = {group_of(key) for key in keys if group_of(key) not in _SAID_OF_RUNS}
    if groups and groups <= _COMES_FROM:
        return f"{be} from {names}"
    if groups and groups <= _IS_OF:
        return f"{be} of {names}"
    return f"{be} {names}"
