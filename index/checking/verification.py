"""Verification: every citation, number and name of a sentence is checked against its evidence.

Reports, points and answers are all checked here. Evidence from statements is closed: a sentence may
use no number and no name that they do not, and no count beside another name than theirs
(``index.checking.statements``).

Of a profile, a number must equal a quantity of something the sentence names or cites, or of the
community as a whole. Tolerance is half a unit of the last digit written; a ratio may also be
rounded to two significant digits. Years, digits inside names and accessions are no numbers. A name
must be a name of the community: a value of its facts, a synonym of one, a title. Words that claim
(all, most, over-represented, significant) must hold for what the sentence names. Whatever the
evidence is, a sentence may use no content word, negation or sign of its own
(``index.checking.language``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from index.checking.claims import wrong_claims
from index.checking.evidence import (
    Evidence,
    folded,
)
from index.checking.faults import Fault
from index.checking.language import COMPARING, DENIABLE, Sources, beyond_language, foreign_signs
from index.checking.naming import foreign_names, named_facts
from index.checking.quantified import (
    named_pairs,
    quoted_runs,
    sayable_quantities,
    wrong_numbers,
    wrong_parts,
    wrong_tallies,
)
from index.checking.statements import StatementEvidence, beyond_statements
from index.reports.citations import (
    OUTSIDE_KNOWLEDGE,
    CitedValue,
    find_references,
    strip_references,
)
from index.reports.profiles import AssociationRow, FactRow


def verify(
    sentence: str,
    evidence: Evidence | StatementEvidence,
    *,
    must_cite: bool = False,
    statements: Sequence[str] = (),
) -> list[Fault]:
    """Return what is wrong with ``sentence``, nothing where it can be used.

    ``evidence`` is what may be cited, counted and named: drawn from the profile of a community, or
    from the statements that the sentence words. A sentence that ends with ``[LLM: verify]``
    declares outside knowledge: it may name what it likes, and may neither count nor cite. With
    ``must_cite`` a sentence without a citation is at fault. ``statements``: the statements that a
    sentence about a profile words.
    """
    references = find_references(sentence)
    citations: list[CitedValue] = []
    faults: list[Fault] = []
    for reference in references:
        citations += reference.citations
        if reference.problem:
            faults.append(Fault("citation", reference.text, reference.problem))

    outside = OUTSIDE_KNOWLEDGE in sentence
    faults += _wrong_citations(citations, evidence)
    if must_cite and not citations and not outside:
        faults.append(Fault("citation", "", "nothing is cited"))
    if outside and citations:
        reason = "outside knowledge cannot cite this community"
        faults.append(Fault("citation", OUTSIDE_KNOWLEDGE, reason))

    words = strip_references(sentence).replace(OUTSIDE_KNOWLEDGE, "")
    if isinstance(evidence, StatementEvidence):
        faults += beyond_statements(words, evidence)
        if outside:
            faults.append(Fault("citation", OUTSIDE_KNOWLEDGE, "is in none of the statements"))
    else:
        sources = _sources(evidence, statements)
        faults += _beyond_words(words, evidence, sources, outside=outside)
        faults += _beyond_profile(
            sentence,
            words,
            citations,
            evidence,
            outside=outside,
        )
    return list(dict.fromkeys(faults))


def _wrong_citations(
    citations: Iterable[CitedValue],
    evidence: Evidence | StatementEvidence,
) -> Iterator[Fault]:
    for citation in citations:
        if folded(citation) not in evidence.citations:
            shown = f"{citation.key}: {citation.value}"
            yield Fault("citation", shown, "resolves to no run of this community")


def _beyond_profile(
    sentence: str,
    words: str,
    citations: Iterable[CitedValue],
    evidence: Evidence,
    *,
    outside: bool,
) -> Iterator[Fault]:
    """Yield what ``words`` say beyond the profile behind ``evidence``."""
    facts, masked = named_facts(words, evidence)
    facts += _cited_facts(citations, evidence)
    associations = [row for row in evidence.profile.associations if _speaks_of(row, sentence)]
    pairs = named_pairs(facts, evidence.profile)
    quantities = sayable_quantities(facts, associations, evidence) | pairs.quantities
    quantities |= quoted_runs(sentence, evidence.profile)
    yield from wrong_numbers(masked, quantities)
    yield from wrong_parts(masked, facts, evidence, pairs.parts)
    yield from wrong_tallies(words, evidence)

    if not outside:
        yield from foreign_names(masked, evidence)
        yield from wrong_claims(masked, facts, associations, evidence)


def _sources(evidence: Evidence, statements: Sequence[str]) -> Sources:
    """Return what a sentence about the profile behind ``evidence`` may draw its words from."""
    return Sources(
        statements=tuple(statements),
        allowed=COMPARING | evidence.name_words,
        deniable=DENIABLE | {""},
    )


def _beyond_words(
    words: str, evidence: Evidence, sources: Sources, *, outside: bool
) -> Iterator[Fault]:
    """Yield words and signs of the sentence's own; outside knowledge has words of its own."""
    unnamed = evidence.name_pattern.sub(" ", words)
    if outside:
        yield from foreign_signs(unnamed, sources.statements)
    else:
        yield from beyond_language(unnamed, sources)


def _cited_facts(citations: Iterable[CitedValue], evidence: Evidence) -> Iterator[FactRow]:
    for citation in citations:
        value = citation.value.lower()
        for fact in evidence.names.get(value, ()):
            if fact.facet == citation.key:
                yield fact


def _speaks_of(row: AssociationRow, sentence: str) -> bool:
    if row.bioproject not in sentence:
        return False
    family = row.family.lower()
    return family in sentence.lower()
