"""Parts of the world that runs state by their countries: Africa, European, Southeast Asia."""

from __future__ import annotations

import csv
import functools
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import duckdb

from query.reading.held.values import value_senses
from query.reading.intent import is_stop_word
from query.reading.mentions import Mention
from query.reading.names.named_terms import NamedTerm
from query.reading.names.spans import positions
from query.reading.senses import Sense

_MOST_WORDS: Final = 3


def region_mentions(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], named: Sequence[NamedTerm]
) -> list[Mention]:
    """Return mentions of the regions that ``words`` name outside of longer names, each as the
    countries within it that some run states. Countries are placed by the United Nations' M49.
    """
    longer = positions([one for one in named if one.end > one.start + 1])
    found: list[Mention] = []
    for length in range(_MOST_WORDS, 0, -1):
        for start in range(len(words) - length + 1):
            end = start + length
            text = " ".join(words[start:end]).lower()
            taken = positions(found) | longer
            free = taken.isdisjoint(range(start, end)) and not _names_a_virus(words[end:])
            if text in _regions() and free:
                found.append(_mention(con, (start, end), text))
    return found


def _names_a_virus(words: Sequence[str]) -> bool:
    """Return whether the name of one virus goes on with ``words``: African swine fever virus."""
    before_a_stop = itertools.takewhile(lambda word: not is_stop_word(word), words)
    return any(word.lower().endswith("virus") for word in before_a_stop)


@functools.cache
def _regions() -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Return the name and the countries of each region, by the ways it is written."""
    path = Path(__file__).with_name("regions.tsv")
    regions = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            countries = tuple(row["countries"].split("|"))
            for written in row["written"].split("|"):
                regions[written] = (row["region"], countries)
    return regions


def _mention(con: duckdb.DuckDBPyConnection, span: tuple[int, int], text: str) -> Mention:
    """Return the mention of a region, as one of no runs where none of its countries is stated."""
    region, countries = _regions()[text]
    held = value_senses(con, sorted(country.lower() for country in countries))
    stated = {
        sense.value: sense
        for senses in held.values()
        for sense in senses
        if sense.facet == "geography" and sense.value in countries
    }
    senses = tuple(stated[value] for value in sorted(stated))
    none = (Sense("geography", region, 0, value=region),)
    return Mention(text, *span, region, "geography", senses or none)
