"""A community in one to three sentences: how many matching runs, of which study, what is special.

The first sentence counts the matching runs and names the study that dominates. The second has the
values that were asked for, else what sets the community apart from the other matching runs. A
caution follows where there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.reports.citations import strip_references
from index.reports.phrases import counted, in_quotes, listed, percent
from query.communities.facts import CommunityFacts, ValueRuns
from query.communities.matched import MatchedRuns
from query.request.measures import Compare
from query.request.saying_runs import say_clause
from query.request.wording import said_field

_NEARLY_ALL: Final = 0.9
_MOST: Final = 0.5
_LONGEST_CLAUSE: Final = 70
_LONGEST_TITLE: Final = 110
_APART: Final = 0.3
"""Difference of shares from which a value sets a community apart."""
_FEWEST: Final = 5
"""Runs that must state a field, here and elsewhere, before shares are compared."""
_SHOWN: Final = 3


def describe(facts: CommunityFacts, matched: MatchedRuns, fields: Sequence[str]) -> str:
    """Return what is said of a community for a request that asks for ``fields``."""
    sentences = [f"{facts.candidate.title}."]
    if matched.is_open:
        sentences += [_report_lead(facts)]
    else:
        sentences += [_extent(facts, matched)]
    listed_values = [_values(facts, field) for field in fields]
    sentences += [sentence for sentence in listed_values if sentence] or [_contrast(facts)]
    sentences += facts.cautions[:1]
    return " ".join(sentence for sentence in sentences if sentence)


def _report_lead(facts: CommunityFacts) -> str:
    """Return the first sentences of the report, which says what the community is."""
    text = strip_references(facts.report).replace("This community holds", "It holds", 1)
    sentences = text.split(". ")
    return ". ".join(sentences[:3]).rstrip(".") + "." if text else ""


def _extent(facts: CommunityFacts, matched: MatchedRuns) -> str:
    """Return how many of the runs match, and of which study they are."""
    runs, whole = facts.counts.runs, facts.candidate.runs
    what = _clause(matched)
    if runs == whole:
        start = "Its only run matches" if runs == 1 else f"All {runs:,} runs {what}"
    elif runs == 1:
        start = f"1 of its {whole:,} runs matches"
    else:
        start = f"{runs:,} of its {whole:,} runs {what}"
    parts = [start, *_sides(facts, matched), *_identity(facts, matched), _study(facts)]
    return f"{', '.join(part for part in parts if part)}."


def _clause(matched: MatchedRuns) -> str:
    """Return what is true of the matching runs; "match" where that is long."""
    if isinstance(matched.request.measure, Compare):
        return "match"
    clause = say_clause(matched.about.whole)
    return clause if len(clause) <= _LONGEST_CLAUSE else "match"


def _sides(facts: CommunityFacts, matched: MatchedRuns) -> list[str]:
    """Return how many runs of each side of a comparison are here."""
    pairs = zip(facts.counts.sides, matched.about.sides, strict=True)
    return [f"{runs:,} that {say_clause(side)}" for runs, side in pairs if runs]


def _identity(facts: CommunityFacts, matched: MatchedRuns) -> list[str]:
    """Return how many runs reach 90 % identity, where that is not nearly all of them."""
    counts = facts.counts
    if not matched.names_virus:
        if not counts.searched:
            return ["none of them searched for viruses"]
        whole = f"{counts.searched:,} searched" if counts.searched < counts.runs else "them"
        return [f"{counts.found:,} of {whole} with a virus"] if counts.found < counts.runs else []
    if counts.at_90 >= _NEARLY_ALL * counts.runs:
        return []
    return [f"{counts.at_90:,} of them at 90% identity or more" if counts.at_90 else
            "none of them at 90% identity or more"]  # fmt: skip


def _study(facts: CommunityFacts) -> str:
    """Return which study dominates; nothing where hardly any run has one."""
    counts = facts.counts
    if not facts.studies or 2 * counts.stated < counts.runs:
        return ""
    largest = facts.studies[0]
    title = f"{in_quotes(_shortened(largest.title))}, " if largest.title else ""
    name = f"({title}{largest.accession})"
    if largest.runs == counts.runs:
        return f"all of one study {name}" if counts.runs > 1 else f"of the study {name[1:-1]}"
    if largest.runs >= _NEARLY_ALL * counts.runs:
        return f"nearly all of one study {name}"
    if largest.runs >= _MOST * counts.runs:
        return f"{largest.runs:,} of them of one study {name}"
    studies = counted(counts.studies, "study", "studies")
    return f"from {studies}, the largest with {largest.runs:,} {name}"


def _shortened(title: str) -> str:
    plain = " ".join(title.split())
    if len(plain) <= _LONGEST_TITLE:
        return plain
    return f"{plain[:_LONGEST_TITLE].rsplit(' ', 1)[0]} …"


def _values(facts: CommunityFacts, field: str) -> str:
    """Return the most frequent values of a field that was asked for."""
    values = facts.values.get(field, ())
    if not values:
        return f"None of them states a {said_field(field)}." if field != "virus" else ""
    known = values[0].known
    if len(values) == 1 and values[0].runs == known == facts.counts.runs:
        return f"The {said_field(field)} is {values[0].value} throughout."
    first, *others = values[:_SHOWN]
    names = [f"{first.value} ({counted(first.runs, 'run')})"]
    names += [f"{value.value} ({value.runs:,})" for value in others]
    stated = "" if known == facts.counts.runs else f", stated for {counted(known, 'run')}"
    return f"Most frequent {said_field(field, plural=True)}{stated}: {listed(names)}."


def _contrast(facts: CommunityFacts) -> str:
    """Return what sets the community apart from the other matching runs."""
    apart = contrasting(facts)
    if apart is None:
        return ""
    here, elsewhere = percent(apart.share), percent(apart.share_elsewhere)
    return (
        f"What sets it apart is {said_field(apart.field)} {apart.value}: {here} of its runs that "
        f"state one, {elsewhere} of those elsewhere."
    )


def contrasting(facts: CommunityFacts) -> ValueRuns | None:
    """Return the value whose share differs most from that of the other matching runs."""
    best = None
    for values in facts.values.values():
        for value in values:
            enough = min(value.known, value.known_elsewhere) >= _FEWEST
            apart = value.share - value.share_elsewhere
            if enough and apart >= _APART and (best is None or apart > _difference(best)):
                best = value
    return best


def _difference(value: ValueRuns) -> float:
    return value.share - value.share_elsewhere
