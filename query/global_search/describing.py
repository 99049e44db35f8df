"""A community in one to three sentences: how many matching runs, of which study, what is special.

The first sentence counts the matching runs and names the study that dominates. The second gives the
values asked for, or else what distinguishes the community from the other matching runs. A caution
follows if there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from index.checking.sentences import split_sentences
from index.claims.phrases import counted, listed, percent, sentence
from index.reports.citations import strip_references
from index.reports.quotes import study_title
from index.stated import REPORTED
from query.answers.names import CalledNames
from query.answers.run_words import clause_words
from query.compiler.flags import leaves
from query.global_search.facts import CommunityFacts, StudyRuns, ValueRuns
from query.global_search.matched import MatchedRuns, names_in
from query.global_search.quoting import quotable
from query.request.fields import field_named
from query.request.measures import Describe, Records
from query.request.run_sets import Carries, RunSet
from query.request.wording import said_field

_NEARLY_ALL: Final = 0.9
_MOST: Final = 0.5
_LONGEST_CLAUSE: Final = 70
_LONGEST_QUOTE: Final = 90
_APART: Final = 0.3
"""Difference of shares from which a value sets a community apart."""
_FEWEST: Final = 5
"""Runs that must state a field, here and elsewhere, before shares are compared."""
_MANY: Final = 0.2
"""Share of the matching runs that must state a field before its values are worth a sentence."""
_USUAL: Final = ("host", "tissue", "disease", "environment", "country")
"""Fields whose values are said where no field is listed and nothing sets a community apart."""
_OF_RECORDS: Final = {
    "tests": "belong to projects with such a test",
    "effects": "belong to projects with such an effect",
    "pairs": "carry such a virus in such a host",
    "novel": "carry such a virus",
    "studies": "belong to such a study",
    "projects": "belong to such a project",
}
"""What is true of the runs that stored rows are about."""
_LEAD: Final = 2
"""Sentences of a report that say what its community is."""


def describe(facts: CommunityFacts, matched: MatchedRuns, fields: Sequence[str]) -> str:
    """Return what is said of a community for a request that lists ``fields``."""
    speaks_for_itself = matched.is_open or isinstance(matched.request.measure, Describe)
    opening = report_lead(facts, sentences=_LEAD) if speaks_for_itself else _extent(facts, matched)
    values = [text for field in fields for text in _listed_values(facts, matched, field)]
    telling = [text for text in values if text]
    if not telling:
        telling = [_contrast(facts, matched) or _usual(facts, matched)]
    parts = [f"{facts.candidate.title}.", opening, *telling, *facts.cautions[:1]]
    return " ".join(part for part in parts if part)


def report_lead(facts: CommunityFacts, *, sentences: int) -> str:
    """Return the first sentences of the report, without citations."""
    text = strip_references(facts.report)
    return " ".join(split_sentences(text)[:sentences])


# --- how many runs match --------------------------------------------------------------------------


def _extent(facts: CommunityFacts, matched: MatchedRuns) -> str:
    """Return how many of the runs match, which study they are from, and how well they are known."""
    study = _study(facts, matched)
    first = _share(facts, matched)
    counted_runs = f"{first}; {study}." if study else f"{first}."
    known = _identity(facts) if matched.names_virus else _found(facts, matched)
    return f"{counted_runs} {known}".strip()


def _share(facts: CommunityFacts, matched: MatchedRuns) -> str:
    """Return how many of the runs match; in a comparison, how many of each side."""
    runs, whole = facts.counts.runs, facts.candidate.runs
    if matched.about.sides:
        pairs = zip(facts.counts.sides, matched.about.sides, strict=True)
        sides = [f"{number or 'none'} {_said(side)}" for number, side in pairs]
        return f"Of its {counted(whole, 'run')}, {listed(sides)}"
    if runs == 1:
        return "Its only run matches" if whole == 1 else f"1 of its {whole:,} runs matches"
    which = f"All {runs:,} runs" if runs == whole else f"{runs:,} of its {whole:,} runs"
    return f"{which} {_clause(matched)}"


def _clause(matched: MatchedRuns) -> str:
    """Return what is true of the matching runs, or "match" if that is long."""
    measure = matched.request.measure
    if isinstance(measure, Records):
        return _OF_RECORDS.get(measure.table, "match")
    clause = _said(matched.about.whole)
    return clause if len(clause) <= _LONGEST_CLAUSE else "match"


def _said(runs: RunSet) -> str:
    """Return ``runs`` as a clause: "are from bats"."""
    return clause_words(runs, CalledNames())


def _identity(facts: CommunityFacts) -> str:
    """Return how many runs reach 90 % identity, unless nearly all of them do."""
    counts = facts.counts
    if counts.at_90 >= _NEARLY_ALL * counts.runs or not counts.identified:
        return ""
    reached = counts.at_90 or "none"
    if counts.identified == counts.runs:
        return sentence(f"{reached} of them reach 90% identity to a reference.")
    if counts.identified == counts.at_90:
        return f"An identity is known for {reached} of them: 90% or more."
    return f"Of the {counts.identified:,} with an identity to a reference, {reached} reach 90%."


def _found(facts: CommunityFacts, matched: MatchedRuns) -> str:
    """Return how many runs were searched, and how many of these have a virus.

    Nothing if the request is for runs without one.
    """
    counts = facts.counts
    if any(isinstance(leaf, Carries) for leaf, _ in leaves(matched.about.whole)):
        return ""
    if not counts.searched:
        return "None of them was searched for viruses."
    if counts.found == counts.runs:
        return ""
    verb = "has" if counts.found == 1 else "have"
    found = f"{counts.found:,} {verb}" if counts.found else "none has"
    which = "them" if counts.searched == counts.runs else f"the {counts.searched:,} searched"
    return f"Of {which}, {found} a virus."


def _study(facts: CommunityFacts, matched: MatchedRuns) -> str:
    """Return which study dominates; nothing if hardly any run has one, or one is asked for."""
    counts = facts.counts
    named = names_in(matched.about.whole).keys()
    if not facts.studies or 2 * counts.stated < counts.runs or named & {"study", "project"}:
        return ""
    largest = facts.studies[0]
    origin = "" if named & {"country", "place"} else _origin(facts)
    study = f"one study {origin}({_quoted(largest)})"
    if largest.runs == counts.runs:
        return f"all come from {study}" if counts.runs > 1 else f"it comes from {_quoted(largest)}"
    if largest.runs >= _NEARLY_ALL * counts.runs:
        return f"nearly all come from {study}"
    studies = counted(counts.studies, "study", "studies")
    if largest.runs == 1 and counts.studies > 1:
        return f"they come from {studies}"
    if largest.runs >= _MOST * counts.runs:
        verb = "comes" if largest.runs == 1 else "come"
        return f"{largest.runs:,} of them {verb} from {study}"
    return f"they come from {studies}, {largest.runs:,} from the largest ({_quoted(largest)})"


def _origin(facts: CommunityFacts) -> str:
    """Return where the runs come from, if nearly all state one country."""
    for value in facts.values.get("country", ())[:1]:
        if value.runs >= _NEARLY_ALL * facts.counts.runs:
            return f"in {value.value} "
    return ""


def _quoted(study: StudyRuns) -> str:
    """Return the accession of a study with what its authors call it."""
    quoted = quotable(study_title(study.title), characters=_LONGEST_QUOTE)
    return f"{study.accession}, {quoted}" if quoted else study.accession


# --- what they state ------------------------------------------------------------------------------


def _listed_values(facts: CommunityFacts, matched: MatchedRuns, field: str) -> list[str]:
    """Return the most frequent values of a field; in a comparison, those of each side."""
    if not facts.of_sides:
        return [_values(facts, field)]
    texts = []
    sides = zip(matched.about.sides, facts.counts.sides, facts.of_sides, strict=True)
    for side, runs, of_side in sides:
        values = of_side.get(field, ())
        if values:
            many = f"{said_field(field, plural=True)} of those that {_said(side)}"
            texts.append(_named(values, field, many, runs=runs))
    return texts


def _values(facts: CommunityFacts, field: str) -> str:
    """Return the most frequent values of a field."""
    values = facts.values.get(field, ())
    of_hits = field_named(field).of == "hit"
    if not values:
        return "" if of_hits else f"None of them states a {said_field(field)}."
    known = values[0].known
    if len(values) == 1 and values[0].runs == known == facts.counts.runs:
        return f"The {said_field(field)} is {values[0].value} throughout."
    return _named(values, field, said_field(field, plural=True), runs=facts.counts.runs)


def _named(values: Sequence[ValueRuns], field: str, many: str, *, runs: int) -> str:
    """Return the ``values`` of a field, called ``many``, each with its number of runs."""
    known = values[0].known
    names = [f"{value.value} ({value.runs:,})" for value in values]
    if known == runs:
        return sentence(f"{many}, with their runs: {listed(names)}.")
    verb = "named" if field_named(field).of == "hit" else "stated"
    return sentence(f"{many} are {verb} for {known:,}: {listed(names)}.")


def _usual(facts: CommunityFacts, matched: MatchedRuns) -> str:
    """Return the values of the field that says most beyond title and request; "" without one."""
    known = " ".join(_names_known(facts, matched)).lower()
    best: ValueRuns | None = None
    for field in [name for name in _USUAL if name not in names_in(matched.about.whole)]:
        for value in facts.values.get(field, ())[:1]:
            is_new = value.value.lower() not in known and _MANY * facts.counts.runs <= value.known
            if is_new and (best is None or value.known > best.known):
                best = value
    return "" if best is None else _values(facts, best.field)


def _contrast(facts: CommunityFacts, matched: MatchedRuns) -> str:
    """Return what distinguishes the community from the other matching runs."""
    apart = contrasting(facts, known=_names_known(facts, matched))
    if apart is None:
        return ""
    field = field_named(apart.field)
    name = f"the {field.said} {apart.value}"
    if field.of == "hit":
        name = apart.value.replace(REPORTED, f"a virus {REPORTED}", 1)
    known = "name a virus" if field.of == "hit" else "state one"
    elsewhere = percent(apart.share_elsewhere) if apart.elsewhere else "none"
    return (
        f"What sets it apart is {name}, in {apart.runs:,} of the {apart.known:,} runs that {known} "
        f"and in {elsewhere} of those elsewhere."
    )


def contrasting(facts: CommunityFacts, *, known: Iterable[str]) -> ValueRuns | None:
    """Return the value whose share differs most from that of the other matching runs.

    What ``known`` texts say already, such as the title, is left out.
    """
    said = " ".join(known).lower()
    apart = [
        value
        for values in facts.values.values()
        for value in values
        if min(value.known, value.known_elsewhere) >= _FEWEST
        and value.known >= _MANY * facts.counts.runs
        and value.value.lower() not in said
    ]
    best = max(
        apart, key=lambda value: (value.share - value.share_elsewhere, value.value), default=None
    )
    if best is None or best.share - best.share_elsewhere < _APART:
        return None
    return best


def _names_known(facts: CommunityFacts, matched: MatchedRuns) -> list[str]:
    named = names_in(matched.about.whole).values()
    return [facts.candidate.title, *(name for names in named for name in names)]
