"""What the studies of a community found, whose runs they are, and what their authors write."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from index.reports.findings.sentences import Clause, Sentences, citable, finding, own
from index.reports.phrases import counted, in_quotes, listed, q_text, share_of, times
from index.reports.profiles import AssociationRow, Profile, StudyShare
from index.reports.quotes import Quote
from index.tables import COVERAGE_BASED, KMER_BASED

SHARING: Final = 3
"""Studies that use the same words before these are a theme of several."""
LEAST_RUNS: Final = 2
LEAST_SHARE: Final = 0.2
"""Runs, and share of the runs with a stated study, of a study that is worth a name."""
DESIGNED: Final = 0.2
"""Share of the runs with a stated study that a design has before that is said."""
INFECTED: Final = "experimental infection"
_MEASURES: Final = {COVERAGE_BASED: "contig coverage", KMER_BASED: "k-mers"}
"""What is compared in place of reads, by the flag that says so."""
WORDED: Final = 0.1
"""Share of all studies, with a text or without, that such a theme needs as well."""
MANY: Final = 1 / 3
"""Share of the studies with a text that a theme of several needs."""


def association_finding(row: AssociationRow) -> Sentences:
    """Return the finding of an association, with its flag as a caution."""
    clause = association_clause(row)
    flags = []
    if row.flag:
        flags = [flag.strip() for flag in row.flag.split(";")]
    measure = next((said for flag, said in _MEASURES.items() if flag in flags), "reads")
    flags = [flag for flag in flags if flag != KMER_BASED]
    test = f"The test compares {measure} per million between {row.unit}s of the study"
    if row.found_true is not None:
        test = f"The test compares in how many {row.unit}s of the study the family is found"
    if row.fold_change is not None:
        test += f" (log2 fold change {row.fold_change:.1f})"
    clauses = [Clause(test, clause.citations)]
    if flags:
        care = f"To be read with care: {', '.join(flags)}"
        clauses.append(Clause(care, clause.citations))

    return finding(clause, clauses)


def association_clause(row: AssociationRow) -> Clause:
    """Return the one sentence that states an association."""
    samples = counted(row.num_true, row.unit)
    significance = q_text(row.q_value)
    groups = f"{samples} against {row.num_false:,}; {significance}"
    condition = f"{row.attribute} is {in_quotes(row.value)}"
    text = f"In {row.bioproject}, {row.family} {_effect(row)} where {condition} ({groups})"
    if row.found_true is not None and row.num_found is not None:
        others = row.num_found - row.found_true
        text = (
            f"In {row.bioproject}, {row.family} is found in {row.found_true:,} of {samples} "
            f"where {condition}, against {others:,} of {row.num_false:,} others ({significance})"
        )
    facet = "statOrganism" if KMER_BASED in (row.flag or "") else "family"
    cited = [(row.key, row.bioproject), (facet, row.family)]

    return Clause(text, citable(cited))


def quote_findings(profile: Profile) -> list[Sentences]:
    """Return what the authors of its largest studies write, and the words that many of its studies
    share, in one finding; none without texts.
    """
    said = [_quotation(quote) for quote in profile.quotes]
    said += _shared_words(profile)
    if not said:
        return []
    first, *others = said
    return [finding(first, others)]


def _quotation(quote: Quote) -> Clause:
    runs = counted(quote.runs, "run")
    study = f"study {quote.study} ({runs})"
    said = f"The authors of its {study} write" if not quote.is_title else f"Its {study} is titled"
    text = f"{said}: “{quote.text}”"
    cited = [(quote.key, quote.study)]
    return Clause(text, citable(cited))


def _shared_words(profile: Profile) -> list[Clause]:
    """Return the words that several of its studies share, where several do."""
    words = []
    for theme in profile.themes:
        least = max(SHARING, MANY * theme.described, WORDED * profile.studies.studies)
        if theme.bioprojects < least:
            continue
        studies = f"{theme.bioprojects:,} of {theme.described:,} with a text"
        words.append(f"“{theme.term}” ({studies})")
    if not words:
        return []
    most_shared = listed(words[:3])
    text = f"Its studies share words: {most_shared}"
    return [Clause(text, own(profile))]


def design_clauses(profile: Profile) -> list[Clause]:
    """Return how many studies were cell cultures, infections on purpose and the like by their own
    words, where these have enough of the runs whose study is known.
    """
    least = max(LEAST_RUNS, DESIGNED * profile.studies.study_runs)
    common = [one for one in profile.designs if one.runs >= least]
    if not common:
        return []
    said = [
        f"{counted(one.studies, 'study', 'studies')} ({counted(one.runs, 'run')}) of {one.design}"
        for one in common
    ]
    text = f"By their own words, its studies include {listed(said)}"
    put_in = "A virus that was put in on purpose says nothing about where it occurs naturally"
    infected = any(one.design == INFECTED for one in common)
    return [Clause(text, own(profile)), *[Clause(put_in, own(profile))] * infected]


def study_findings(profile: Profile) -> list[Sentences]:
    """Return which of several studies has most runs, where these are many."""
    stated = profile.studies
    if stated.studies < 2 or not profile.largest_studies:
        return []
    lead = profile.largest_studies[0]
    if lead.runs < max(LEAST_RUNS, LEAST_SHARE * stated.study_runs):
        return []
    stating = "" if stated.study_runs == profile.runs else "with a stated study"
    number = counted(stated.studies, "study", "studies")
    share = share_of(lead.runs, stated.study_runs, stating)
    claim = f"The largest of its {number}, {lead.study}, has {share}"

    cited = citable([(lead.key, lead.study)])
    return [finding(Clause(claim, cited), _titles([lead], profile))]


def _titles(studies: Iterable[StudyShare], profile: Profile) -> list[Clause]:
    """Return the titles of ``studies`` that no quotation gives."""
    quoted = {quote.study for quote in profile.quotes}
    clauses = []
    for one in studies:
        stated = profile.titles.get(one.study)
        if stated is None or one.study in quoted:
            continue
        title = in_quotes(stated.rstrip("."))
        clauses.append(Clause(f"{one.study} is titled {title}", citable([(one.key, one.study)])))
    return clauses


def _effect(row: AssociationRow) -> str:
    if row.fold_change is None:
        return "differs in abundance"
    comparison = "as abundant" if row.fold_change >= 0 else "less abundant"
    doublings = abs(row.fold_change)
    ratio = times(2**doublings)
    return f"is {ratio} {comparison}"
