"""What an accession holds, and in which community it is."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Final

from index.reports.phrases import counted, in_quotes, listed
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matched_values import ValueCount
from query.global_search.naming import names_of
from query.global_search.statements import FACET_TITLES
from query.reading.question import Question

_SHOWN: Final = 5
_SHOWN_OF_A_RUN: Final = 12
"""Viruses of a single run, which is asked for by name to see them."""
_ASKS_TITLE: Final = re.compile(
    r"\bwhat(?: (?:is|was|are|were)|['’]s)\b[^.?!]*\babout\b|\b(?:titles?|titled|called)\b",
    re.IGNORECASE,
)
"""Asks what a project or study is, beside what its runs hold."""
_ASKS_WHAT_IT_IS: Final = re.compile(
    r"\b(?:which|what) (?:organism|host|animal|plant|species|sample)s? (?:is|was)"
    r" (?:it|this|that)\b"
    r"|\bwhat(?: is| was|['’]s)"
    r" (?:it|(?:this|that|the)(?: bio-?)? ?(?:project|study|run|sample))\b",
    re.IGNORECASE,
)
_STATED: Final = ("host", "environment", "virus", "tissue", "disease", "geography")
"""Facets of what a sample is."""
_SAID_OF_A_RUN: Final = frozenset({
    *_STATED, "family", "species", "bioproject", "year", "strategy", "source",
})  # fmt: skip
"""Facets that a sentence of one run says."""
_ACCESSIONS: Final = frozenset({"bioproject", "study", "run", "biosample"})


def asks_contents(question: Question) -> bool:
    """Return whether ``question`` asks of nothing but accessions what they are, and what is in
    them.
    """
    asked = _ASKS_TITLE.search(question.text) or _ASKS_WHAT_IT_IS.search(question.text)
    viral = {*question.reading.facets} & {"family", "species"}
    return (
        bool(asked and viral) and bool(question.groups) and _ACCESSIONS.issuperset(question.groups)
    )


def lists_of_one_run(question: Question, matched: MatchedRuns) -> bool:
    """Return whether values of one run are asked for: all of them are said in a sentence."""
    groups = {*question.groups}
    of_a_run = "run" in groups and groups <= {"run", "organism"} and matched.runs == 1
    is_list = of_a_run and question.reading.kind == "list"
    return is_list and _SAID_OF_A_RUN.issuperset(question.reading.facets)


def accession_contents(question: Question, matched: MatchedRuns) -> str:
    """Return what the runs of the accessions of ``question`` are, carry, and belong to."""
    keys = ["run"] if "run" in question.groups else question.groups
    name = names_of(question, keys)
    community = "community" in question.groups
    if community:
        name = _with_title(name, matched)
    elif question.groups == ("bioproject",):
        name = _with_submitted_title(name, matched)
    stated = matched.value_counts(_STATED, limit=2)
    sampled = list(itertools.chain.from_iterable(stated.values()))
    runs = counted(matched.runs, "run")
    about = f"{name} has {runs}"
    if matched.runs == 1:
        about = f"{name} is a run"
    if sampled:
        about += f" of {listed([_of_part(one, matched.runs) for one in sampled])}"
    submitted = _submitted(matched, [one.value for one in sampled])
    if submitted:
        about += f", submitted as {listed(submitted)}"
    viruses = _viruses(matched)
    communities = "" if community else _communities(matched)
    record = _record(matched) if matched.runs == 1 else ""
    missing = _asked_and_not_stated(question, matched)
    sentences = (missing, f"{about}; {viruses}.", record, communities)
    return " ".join(part for part in sentences if part)


def _asked_and_not_stated(question: Question, matched: MatchedRuns) -> str:
    """Return which values of the only run are asked for and not stated; empty where all are."""
    asked = [one for one in _STATED if one in question.reading.facets]
    if not question.reading.explicit or matched.runs > 1 or not asked:
        return ""
    known = matched.value_counts(asked, limit=1)
    missing = [FACET_TITLES[one].lower() for one in asked if one not in known]
    run = names_of(question, ["run"])
    return f"Not stated for {run}: {listed(missing)}." if missing else ""


def _of_part(value: ValueCount, runs: int) -> str:
    """Return a value, with its runs where these are not all ``runs``: most may state none."""
    return value.value if value.runs == runs else f"{value.value} ({counted(value.runs, 'run')})"


def _submitted(matched: MatchedRuns, sampled: Sequence[str]) -> list[str]:
    """Return the organisms that the runs were submitted as, where ``sampled`` does not say them:
    the worm that a mouse is the host of.
    """
    labels = matched.value_counts(["label"], limit=2)
    named = [one.value for one in labels.get("label", ())]
    return [value for value in named if value not in sampled]


def title_asked(question: Question, matched: MatchedRuns) -> str:
    """Return the title of each project or study of which ``question`` asks what it is about, and
    what it holds as well; empty where it asks for none.
    """
    if (
        question.reading.kind == "identify"
        or asks_contents(question)
        or not _ASKS_TITLE.search(question.text)
    ):
        return ""
    projects = [one.label for one in question.reading.subjects if one.group == "bioproject"]
    titled = [(one, matched.rows(_TITLES, [one])) for one in projects]
    return " ".join(f"{one} is titled {in_quotes(rows[0][0])}." for one, rows in titled if rows)


def _record(matched: MatchedRuns) -> str:
    """Return what the record of the only run says of it; empty where it says nothing."""
    ((project, study, sample, released, strategy, source),) = matched.rows(_RECORD)
    entries = {
        "project": project,
        "study": study,
        "sample": sample,
        "released": released,
        "library strategy": strategy,
        "library source": source,
    }
    stated = [f"{name} {value}" for name, value in entries.items() if value]
    return f"Its record: {', '.join(stated)}." if stated else ""


def _with_title(community: str, matched: MatchedRuns) -> str:
    """Return a community with the title of its report, where it has one."""
    query = "SELECT title FROM report WHERE lower(community) = lower($1)"
    titles = matched.rows(query, [community])
    return f"{community} “{titles[0][0]}”" if titles else community


def _with_submitted_title(project: str, matched: MatchedRuns) -> str:
    """Return a project or study with the title that its submitter gave it, where it has one."""
    titles = matched.rows(_TITLES, [project])
    return f"{project} {in_quotes(titles[0][0])}" if titles else project


def _viruses(matched: MatchedRuns) -> str:
    single = matched.runs == 1
    it = "it carries" if single else "they carry"
    names = []
    found = matched.rows(_FOUND)
    shown = found[: _SHOWN_OF_A_RUN if single else _SHOWN]
    for name, runs in shown:
        seen = counted(runs, "run")
        names.append(str(name) if single else f"{name} ({seen})")
    hidden = len(found) - len(shown)
    if hidden:
        names.append(f"{hidden:,} more")
    if names:
        return f"{it} {listed(names)}"
    if matched.with_virus:
        return f"{it} viruses without a name"
    if matched.searched:
        return "it was searched, and no virus was found"
    return "it was not searched for viruses"


def _communities(matched: MatchedRuns) -> str:
    rows = matched.rows(_BELONGS)
    if not rows:
        return "It is in no community."
    names = []
    for community, title, _ in rows:
        name = f"{community} “{title}”" if title else str(community)
        names.append(name)
    return f"It is in {listed(names)}."


_RECORD: Final = """
SELECT bioproject, study, biosample, release_date, library_strategy, library_source
FROM run SEMI JOIN matched USING (run)
"""
_TITLES: Final = """
SELECT title FROM (
    SELECT bioproject AS project, title FROM bioproject
    UNION ALL SELECT study, title FROM study
)
WHERE lower(project) = lower($1) AND title IS NOT NULL LIMIT 1
"""
_FOUND: Final = """
WITH found AS (
    SELECT run, stated, family, bool_or(stated IS NOT NULL) OVER (PARTITION BY family) AS has_named
    FROM detection SEMI JOIN matched USING (run)
)
SELECT coalesce(stated, if(has_named, 'other ' || family, family)) AS name,
    count(DISTINCT run) AS runs
FROM found WHERE name IS NOT NULL GROUP BY name ORDER BY runs DESC, name
"""
"""Viruses by species; those of a family that have none are its others where some of it have one."""
_BELONGS: Final = """
WITH held AS (
    SELECT m.community, r.title, c.level, count(*) AS runs
    FROM community_member m JOIN matched ON matched.run = m.entity
    JOIN community c USING (community) LEFT JOIN report r USING (community)
    WHERE r.title IS NOT NULL OR c.level = 0
    GROUP BY ALL
)
SELECT community, title, runs FROM held
QUALIFY row_number() OVER (PARTITION BY level ORDER BY runs DESC, community) = 1
ORDER BY level
"""
