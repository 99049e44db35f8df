"""What the studies of a community found, whose runs they are, and what their authors write."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from index.reports.findings.sentences import (
    NEARLY_ALL,
    Clause,
    Sentences,
    citable,
    finding,
    listed_fact,
    listed_name,
    own,
)
from index.reports.phrases import counted, in_quotes, listed, times
from index.reports.profiles import WHOLE, AssociationRow, Profile, Provenance, StudyShare, Value
from index.reports.quotes import Quote
from index.tables import COVERAGE_BASED, KMER_BASED

LEAST_RUNS: Final = 2
LEAST_SHARE: Final = 0.01
"""Runs, and share of the runs of the community, of a study that is worth a name."""
LEAST_OF_STUDY: Final = 0.1
"""Share of the runs of a study that have a virus, from which the study is said to have it."""
LEAST_DOUBLINGS: Final = 1
"""Doublings of abundance, up or down, from which an association is worth a finding."""
_MEASURES: Final = {COVERAGE_BASED: "contig coverage", KMER_BASED: "k-mers"}
"""What is compared in place of reads, by the flag that says so."""


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
    clauses = [Clause(test, clause.citations)]
    if flags:
        care = f"To be read with care: {', '.join(flags)}"
        clauses.append(Clause(care, clause.citations))

    return finding(clause, clauses)


def association_clause(row: AssociationRow) -> Clause:
    """Return the one sentence that states an association."""
    samples = counted(row.num_true, row.unit)
    condition = f"{row.attribute} is {in_quotes(row.value)}"
    text = (
        f"In {row.bioproject}, {row.family} {_effect(row)} where {condition} "
        f"({samples} against {row.num_false:,})"
    )
    if row.found_true is not None and row.num_found is not None:
        others = row.num_found - row.found_true
        text = (
            f"In {row.bioproject}, {row.family} is found in {row.found_true:,} of {samples} "
            f"where {condition}, against {others:,} of {row.num_false:,} others"
        )
    facet = "statOrganism" if KMER_BASED in (row.flag or "") else "family"
    cited = [(row.key, row.bioproject), (facet, row.family)]

    return Clause(text, citable(cited))


def telling_associations(rows: Iterable[AssociationRow]) -> list[AssociationRow]:
    """Return the associations in which a family is twice as abundant or more, each once: two
    studies of the same samples give the same test.
    """
    met: dict[tuple[str, str, str], AssociationRow] = {}
    for row in rows:
        if row.fold_change is None or abs(row.fold_change) >= LEAST_DOUBLINGS:
            met.setdefault((row.family, row.attribute, row.value), row)
    return list(met.values())


def study_findings(profile: Profile) -> list[Sentences]:
    """Return what the largest studies of a community are about: their titles, or what their authors
    write, or else which organism and virus most of their runs have.
    """
    quotes = {quote.study: quote for quote in profile.quotes}
    least = max(LEAST_RUNS, LEAST_SHARE * profile.runs)
    large = [one for one in profile.largest_studies if one.runs >= least]
    largest = [one for one in large if _is_of_topic(one, profile)]
    implied = _implied(profile)
    largest = _with_differences(largest, quotes, implied, profile)
    described = [
        _described(one, quotes.get(one.study), _what(one, implied, profile)) for one in largest
    ]
    if not described:
        return []
    cited = citable((one.key, one.study) for one in largest)
    several = "Its largest studies are" if len(largest) > 1 else "One of its largest studies is"
    subject = several if profile.studies.studies > 1 else "Its study is"
    return [finding(Clause(f"{subject} {listed(described)}", cited), [])]


def _is_of_topic(study: StudyShare, profile: Profile) -> bool:
    """Return whether a study carries one of the viruses that the community is about."""
    species = profile.of("species") if profile.has_viruses("species") else ()
    topics = {fact.value for fact in species if fact.runs >= LEAST_OF_STUDY * fact.known}
    return not topics or study.virus in topics


def _implied(profile: Profile) -> set[str]:
    """Return the values that nearly all runs have: of a single study they need no word."""
    facts = [fact for facts in profile.facts.values() for fact in facts]
    return {fact.value for fact in facts if fact.runs >= NEARLY_ALL * fact.known}


def _with_differences(
    studies: Sequence[StudyShare],
    quotes: Mapping[str, Quote],
    implied: Collection[str],
    profile: Profile,
) -> list[StudyShare]:
    """Return the studies with a title or words of their authors, and those of another organism or
    virus than the others: what all have in common is said of the community.
    """
    about = {one.study: tuple(_what(one, implied, profile)) for one in studies}
    values = {_values(one, implied) for one in studies if about[one.study]}
    differ = len(values) > 1 or profile.studies.studies == 1
    return [
        one for one in studies if one.title or one.study in quotes or (differ and about[one.study])
    ]


def _values(study: StudyShare, implied: Collection[str]) -> tuple[str | None, ...]:
    return tuple(one for one in (study.organism, study.virus) if one not in implied)


def _what(study: StudyShare, implied: Collection[str], profile: Profile) -> list[str]:
    """Return the organism and the virus of most runs of a study."""
    parts = []
    is_most = 2 * study.organism_runs >= study.runs
    if study.organism is not None and is_most and study.organism not in implied:
        parts.append(_in_runs(study.organism, study.organism_runs, study.runs))
    is_common = study.virus_runs >= LEAST_OF_STUDY * study.runs
    if study.virus is not None and is_common and study.virus not in implied:
        known = [fact for fact in profile.of("species") if fact.value == study.virus]
        name = listed_fact(known[0]) if known else listed_name(study.virus)
        parts.append(_in_runs(name, study.virus_runs, study.runs))
    return parts


def _described(study: StudyShare, quote: Quote | None, what: Sequence[str]) -> str:
    """Return a study with its runs and what it is about."""
    runs = counted(study.runs, "run")
    title = quote.text if quote is not None and quote.is_title else study.title
    parts = list(what)
    if quote is not None and not quote.is_title:
        parts.insert(0, f"its authors write: “{quote.text}”")
    about = f": {'; '.join(parts)}" if parts else ""
    called = f"{study.study} {in_quotes(title)}" if title else study.study
    return f"{called} ({runs}{about})"


def _in_runs(value: str, runs: int, whole: int) -> str:
    return f"{value} in {'all' if runs == whole > 1 else f'{runs:,}'}"


def describes_studies(profile: Profile) -> bool:
    """Return whether authors say what one of its studies is about."""
    return any(one.title for one in profile.largest_studies) or bool(profile.quotes)


def origin_clauses(profile: Profile, of: Value = WHOLE) -> list[Clause]:
    """Return how many runs of a virus have evidence of a laboratory, of nature and of neither."""
    origin = profile.origins.get(of, Provenance())
    if not origin.runs:
        return []
    runs = counted(origin.runs, "run")
    cited = citable([of]) or own(profile)
    if not origin.laboratory and not origin.natural:
        none = f"Nothing tells whether its {runs} are of natural infection or of a laboratory"
        return [Clause(none, cited)]
    why = f" ({origin.why})" if origin.laboratory else ""
    have = "has" if origin.laboratory == 1 else "have"
    kinds = [
        f"{_number(origin.laboratory, origin)} {have} evidence of laboratory origin{why}",
        f"{_number(origin.natural, origin)} of natural origin",
    ]
    neither = origin.runs - origin.laboratory - origin.natural
    kinds += [f"{neither:,} of neither"] if neither else []
    return [Clause(f"Of its {runs}, {listed(kinds)}", cited)]


def _number(runs: int, origin: Provenance) -> str:
    return {0: "none", origin.runs: "all"}.get(runs, f"{runs:,}")


def _effect(row: AssociationRow) -> str:
    if row.fold_change is None:
        return "differs in abundance"
    comparison = "as abundant" if row.fold_change >= 0 else "less abundant"
    doublings = abs(row.fold_change)
    ratio = times(2**doublings)
    return f"is {ratio} {comparison}"
