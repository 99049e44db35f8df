"""What the studies of a community found, whose runs they are, and what their authors write."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from index.claims import AssociationClaim
from index.claims.phrases import counted, in_quotes, listed, share_of
from index.reports.contrast import is_expected
from index.reports.findings.sentences import (
    Clause,
    Sentences,
    citable,
    cite,
    finding,
    own,
    with_runs,
)
from index.reports.profiles import AssociationRow, FactRow, Profile, by_runs
from index.reports.quotes import Quote
from index.tables import COVERAGE_BASED

SHARING: Final = 2
"""Studies that use the same words before these are a theme of several."""
MANY: Final = 1 / 3
"""Share of the studies with a text that a theme of several needs."""


def association_finding(row: AssociationRow) -> Sentences:
    """Return the finding of an association, with its flag as a caution."""
    clause = association_clause(row)
    flags = []
    if row.flag:
        flags = [flag.strip() for flag in row.flag.split(";")]
    measure = "contig coverage" if COVERAGE_BASED in flags else "reads"
    test = f"The test compares {measure} per million between biosamples of the bioproject"
    if row.fold_change is not None:
        test += f" (log2 fold change {row.fold_change:.1f})"
    clauses = [Clause(test, clause.citations)]
    if flags:
        care = f"To be read with care: {', '.join(flags)}"
        clauses.append(Clause(care, clause.citations))

    return finding(clause, clauses)


def association_clause(row: AssociationRow) -> Clause:
    """Return the one sentence that states an association."""
    claim = AssociationClaim(
        family=row.family,
        attribute=row.attribute,
        value=row.value,
        project=row.bioproject,
        with_value=row.num_true,
        without=row.num_false,
        fold_change=row.fold_change,
        q_value=row.q_value,
    )
    cited = [("bioproject", row.bioproject), ("family", row.family)]

    return Clause(claim.clause(), citable(cited))


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
        least = max(SHARING, MANY * theme.described)
        if theme.bioprojects < least:
            continue
        studies = f"{theme.bioprojects:,} of {theme.described:,} with a text"
        words.append(f"“{theme.term}” ({studies})")
    if not words:
        return []
    most_shared = listed(words[:3])
    text = f"Its studies share words: {most_shared}"
    return [Clause(text, own(profile))]


def study_findings(profile: Profile) -> list[Sentences]:
    """Return whose runs they are: the largest of several bioprojects, and the next ones."""
    projects = by_runs(profile.of("bioproject"))
    if len(projects) < 2 or is_expected(projects[0]):
        return []
    lead, *others = projects
    following = others[:3]
    stating = "" if lead.known == profile.runs else "with a bioproject"
    number = counted(profile.bioprojects, "bioproject")
    share = share_of(lead.runs, lead.known, stating)
    claim = f"{lead.value} holds {share}, of {number}"

    quoted = {quote.study for quote in profile.quotes}
    clauses = _titles([lead], profile, quoted)
    comes = "Next comes" if len(following) == 1 else "Next come"
    next_ones = f"{comes} {with_runs(following)}"
    clauses.append(Clause(next_ones, cite(following)))
    return [finding(Clause(claim, cite([lead])), clauses)]


def _titles(projects: Iterable[FactRow], profile: Profile, quoted: set[str]) -> list[Clause]:
    """Return the titles of ``projects`` that no quotation gives."""
    clauses = []
    for fact in projects:
        stated = profile.titles.get(fact.value)
        if stated is None or fact.value in quoted:
            continue
        title = in_quotes(stated.rstrip("."))
        text = f"{fact.value} is titled {title}"
        clauses.append(Clause(text, cite([fact])))
    return clauses
