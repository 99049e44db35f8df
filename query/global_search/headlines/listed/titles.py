"""Titles of projects and studies, beside their accessions; few of them have one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from query.global_search.matched_runs import MatchedRuns
from query.global_search.matched_values import STUDY, ValueCount

ASKED: Final = re.compile(r"\btitles?\b|\bentitled\b", re.IGNORECASE)
"""Asks for titles, so that what has none is no answer."""
_TITLED: Final = {"bioproject": "bioproject", STUDY: "study"}
"""Facet -> table of its titles."""


def with_titles(facet: str, counts: Sequence[ValueCount], matched: MatchedRuns) -> list[ValueCount]:
    """Return ``counts`` with the title of each behind its accession, where it has one."""
    titles = _titles(facet, matched)
    return [
        replace(one, value=f"{one.value} “{titles[one.value]}”") if one.value in titles else one
        for one in counts
    ]


def only_titled(facet: str, matched: MatchedRuns) -> list[ValueCount]:
    """Return the values of ``facet`` in the matching runs that have a title, with it."""
    known = matched.values.counts(facet)
    titles = _titles(facet, matched)
    held = [one for one in known.values if one.value in titles] if known else []
    return with_titles(facet, held, matched)


def titles_asked(facets: Sequence[str], text: str) -> bool:
    """Return whether ``text`` asks for titles of the projects or studies among ``facets``."""
    return ASKED.search(text) is not None and not _TITLED.keys().isdisjoint(facets)


def _titles(facet: str, matched: MatchedRuns) -> dict[str, str]:
    if facet not in _TITLED:
        return {}
    table = _TITLED[facet]
    query = f"SELECT {table}, title FROM {table} WHERE title IS NOT NULL"
    return dict(matched.rows(query))
