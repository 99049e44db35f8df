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

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from index.checking.evidence import (
    Evidence,
    Quantity,
    association_quantities,
    company_quantities,
    fact_parts,
    fact_quantities,
    folded,
)
from index.checking.faults import ACCESSION, Fault
from index.checking.language import COMPARING, DENIABLE, Sources, beyond_language, foreign_signs
from index.checking.numbers import matches, read_numbers
from index.checking.statements import StatementEvidence, beyond_statements
from index.reports.citations import (
    OUTSIDE_KNOWLEDGE,
    CitedValue,
    find_references,
    find_spans,
    strip_references,
)
from index.reports.phrases import SIGNIFICANT_Q
from index.reports.profiles import AssociationRow, FactRow, Profile


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
    facts, masked = _named_facts(words, evidence)
    facts += _cited_facts(citations, evidence)
    associations = [row for row in evidence.profile.associations if _speaks_of(row, sentence)]
    pairs = _named_pairs(facts, evidence.profile)
    quantities = _quantities(facts, associations, evidence) | pairs.quantities
    quantities |= _quoted_runs(sentence, evidence.profile)
    yield from _wrong_numbers(masked, quantities)
    yield from _wrong_parts(masked, facts, evidence, pairs.parts)
    yield from _wrong_tallies(words, evidence)
    if not outside:
        yield from _foreign_names(masked, evidence)
        yield from _wrong_claims(masked, facts, associations, evidence)


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


_ABBREVIATIONS: Final = ("sp", "spp", "cf", "cv", "vs", "var", "subsp", r"e\.g", r"i\.e", "[A-Z]")
_ABBREVIATION: Final = "".join(rf"(?<!\b{one})" for one in _ABBREVIATIONS)
_SENTENCE_END: Final = re.compile(rf"{_ABBREVIATION}[.!?][”\"]?[\s\x00]*\s(?=[A-Z“\"\d(])")


def split_sentences(text: str, evidence: Evidence | None = None) -> list[str]:
    """Return the sentences of ``text``, each with the references that follow its full stop.

    No sentence ends inside a reference, after a taxonomic abbreviation, or inside a name of
    ``evidence``.

    >>> split_sentences("It ends. [Filters: {{tissue: epithelium of the small intestine}}]")
    ['It ends. [Filters: {{tissue: epithelium of the small intestine}}]']
    >>> split_sentences("One run of Culex sp. Two runs [Filters: {{sex: male}}]. It ends.")
    ['One run of Culex sp. Two runs [Filters: {{sex: male}}].', 'It ends.']
    """
    blanked = _blank(text, find_spans(text), "\0")
    if evidence is not None:
        names = evidence.name_pattern.finditer(blanked)
        spans = [match.span() for match in names]
        blanked = _blank(blanked, spans, "x")

    pieces = []
    start = 0
    for match in _SENTENCE_END.finditer(blanked):
        end = match.end()
        pieces.append(text[start:end].strip())
        start = end
    pieces.append(text[start:].strip())
    return [piece for piece in pieces if piece]


def _blank(text: str, spans: Iterable[tuple[int, int]], filler: str) -> str:
    """Return ``text`` with each span overwritten, so that positions stay the same."""
    for start, end in spans:
        blank = filler * (end - start)
        before = text[:start]
        after = text[end:]
        text = f"{before}{blank}{after}"
    return text


# --- names ----------------------------------------------------------------------------------------

_MASK: Final = "§"
_VIRUS_WORD: Final = re.compile(
    r"\b[A-Za-z-]*(?:vir(?:us|uses|idae|inae|ales|icota|icetes|ids?)|phages?)\b", re.IGNORECASE
)
_PLAIN_VIRUS_WORDS: Final = frozenset(
    {"virus", "viruses", "phage", "phages", "bacteriophage", "bacteriophages"}
)
_NOT_A_NAME: Final = "a|an|any|each|every|named|no|one|other|same|that|the|this|which|with"
_NAMED_VIRUS: Final = re.compile(rf"\b(?!(?:{_NOT_A_NAME})\b)[a-z-]+ virus\b")
_NAME_WORD: Final = re.compile(r"[^\s,;()“”\"]+")
_CAPITALISED: Final = re.compile(r"(?<=[^\s.!?:“\"(§] )[A-Z][\w-]+")
_NEUTRAL: Final = frozenset({
    "benjamini", "bioproject", "bioprojects", "biosample", "biosamples", "dna", "fdr", "genbank",
    "hochberg", "k-mer", "k-mers", "mwas", "ncbi", "rna", "rg", "rpm", "sequence", "sra", "stat",
})  # fmt: skip
_LONGEST_NAME: Final = 6


def _named_facts(words: str, evidence: Evidence) -> tuple[list[FactRow], str]:
    """Return the facts that ``words`` name, and the words with every known name masked."""
    facts: list[FactRow] = []
    for name in evidence.name_pattern.findall(words):
        facts += evidence.names[name.lower()]
    masked = evidence.name_pattern.sub(_MASK, words)
    return facts, masked


def _foreign_names(masked: str, evidence: Evidence) -> Iterator[Fault]:
    for match in ACCESSION.finditer(masked):
        yield Fault("name", match.group(), "not an accession or term of this community's facts")
    for virus in _foreign_viruses(masked, evidence):
        yield Fault("name", virus, "not among the viruses of this community's facts")
    for match in _CAPITALISED.finditer(masked):
        name = match.group()
        if name.lower() not in _NEUTRAL | evidence.name_words:
            yield Fault("name", name, "not a name of this community's facts")
    for name in _other_names(masked, evidence):
        yield Fault("name", name, "belongs to other communities of the index")


def _foreign_viruses(masked: str, evidence: Evidence) -> Iterator[str]:
    """Yield words for viruses, and named viruses, that are no names of the community."""
    for match in _VIRUS_WORD.finditer(masked):
        word = match.group()
        if word.lower() not in _PLAIN_VIRUS_WORDS | evidence.name_words:
            yield word
    for match in _NAMED_VIRUS.finditer(masked):
        name = match.group()
        first_word = name.split()[0]
        if first_word not in evidence.name_words:
            yield name


def _other_names(masked: str, evidence: Evidence) -> Iterator[str]:
    """Yield names of the index that are in ``masked``, which has no names of the community left."""
    words = _NAME_WORD.findall(masked.lower().rstrip(".!?"))
    for start in range(len(words)):
        following = words[start : start + _LONGEST_NAME]
        for length in range(len(following), 0, -1):
            name = " ".join(following[:length])
            if name in evidence.vocabulary and _MASK not in name:
                yield name
                break


# --- numbers --------------------------------------------------------------------------------------


def _quantities(
    facts: list[FactRow], associations: Iterable[AssociationRow], evidence: Evidence
) -> frozenset[Quantity]:
    """Return what may be counted in a sentence that names these facts and associations."""
    quantities = set(evidence.general)
    if not facts:
        quantities |= evidence.stated
    for fact in facts:
        quantities.update(fact_quantities(fact, runs=evidence.profile.runs))
    for row in associations:
        quantities.update(association_quantities(row))
    return frozenset(quantities)


def _quoted_runs(sentence: str, profile: Profile) -> frozenset[Quantity]:
    """Return the runs of the studies that ``sentence`` names and the profile quotes."""
    quoted = [quote for quote in profile.quotes if quote.study in sentence]
    return frozenset(Quantity(quote.runs, "count") for quote in quoted)


class _Pairs(NamedTuple):
    """What may be said of values together: quantities, and which "a of b runs"."""

    quantities: frozenset[Quantity]
    parts: frozenset[tuple[int, int]]


def _named_pairs(facts: list[FactRow], profile: Profile) -> _Pairs:
    """Return what may be said of the pairs that ``facts`` name: viruses in company, hosts with a
    caveat, a value here and in the rest of the parent.
    """
    values = {fact.value for fact in facts}
    company = [pair for pair in profile.company if {pair.first, pair.second} <= values]
    hosts = [pair for pair in profile.pairings if {pair.virus, pair.host} <= values]
    of_company = (one for pair in company for one in company_quantities(pair))
    of_hosts = (Quantity(pair.runs, "count") for pair in hosts)
    parts = [(pair.together, pair.known) for pair in company]
    parts += [(fact.rest_runs, fact.rest_known) for fact in facts if fact.rest_known]
    return _Pairs(frozenset([*of_company, *of_hosts]), frozenset(parts))


def _wrong_numbers(masked: str, quantities: frozenset[Quantity]) -> Iterator[Fault]:
    for text, written in read_numbers(masked):
        known = any(matches(written, quantity) for quantity in quantities)
        if not known:
            yield Fault(
                "number",
                text.strip(),
                "equals no fact about what the sentence names",
            )


_PART: Final = re.compile(
    r"(?<![\w.,])(\d[\d,]*) (?:out )?of (?:the |its |all )?(\d[\d,]*)(?!\w|%|\.\d)"
    r"(?:[^.;,(]*\((?P<percent>[\d.]+)%)?"
)
_ALL: Final = re.compile(
    r"\ball (?:the |its |of the )?(\d[\d,]*) (?:runs|libraries)\b", re.IGNORECASE
)
_QUALIFIED: Final = re.compile(r"\b(?:with|that|which|whose|stat(?:e|es|ed|ing)|named|known)\b")
NARROW: Final = 0.8
"""A share of fewer runs than this share of the community is misread as a share of them all.

It is not where the sentence says which runs they are.
"""
_TALLY: Final = re.compile(r"\s*\((\d[\d,]*) (?:runs?|libraries)\b")


def _wrong_parts(
    masked: str,
    facts: list[FactRow],
    evidence: Evidence,
    of_pairs: frozenset[tuple[int, int]],
) -> Iterator[Fault]:
    """Yield each "a of b (c%)" and "all a runs" that no fact and no pair of values says.

    Each number may be true of something else. ``of_pairs`` are what pairs of values say, and what
    is said of runs outside of the community.
    """
    parts = _sayable_parts(facts, evidence) | of_pairs
    clear = evidence.theme_parts | of_pairs
    for match in _PART.finditer(masked):
        part = _Part(_integer(match[1]), _integer(match[2]))
        percent = match["percent"]
        if part not in parts:
            reason = "no fact the sentence names is that part of that whole"
            yield Fault("number", match.group(), reason)
        elif part not in clear and _is_vague(part.whole, masked, evidence):
            yield Fault("number", match.group(), _which_runs(part.whole, evidence))
        elif percent and not _is_percent_of(percent, part):
            reason = f"{part.number} of {part.whole} is another share"
            yield Fault("number", f"{percent}%", reason)
    for match in _ALL.finditer(masked):
        number = _integer(match[1])
        is_community = not facts and number == evidence.profile.runs
        if (number, number) not in parts and not is_community:
            yield Fault("number", match.group(), "not all of that many runs have it")
        elif _is_vague(number, masked, evidence):
            yield Fault("number", match.group(), _which_runs(number, evidence))


class _Part(NamedTuple):
    """How many of how many."""

    number: int
    whole: int


def _sayable_parts(facts: list[FactRow], evidence: Evidence) -> frozenset[tuple[int, int]]:
    """Return which "a of b" may be said in a sentence that names these facts."""
    if not facts:
        return evidence.theme_parts | evidence.stated_parts
    parts = set(evidence.theme_parts)
    for fact in facts:
        parts.update(fact_parts(fact, runs=evidence.profile.runs))
    return frozenset(parts)


def _is_vague(whole: int, masked: str, evidence: Evidence) -> bool:
    """Return whether a share of ``whole`` runs would be misread as a share of the community."""
    enough = NARROW * evidence.profile.runs
    if whole >= enough:
        return False
    said_which = _QUALIFIED.search(masked)
    return said_which is None


def _which_runs(whole: int, evidence: Evidence) -> str:
    runs = evidence.profile.runs
    return f"does not say which {whole:,} runs of {runs:,} these are"


def _is_percent_of(percent: str, part: _Part) -> bool:
    """Return whether ``percent``, as written, is the share that ``part`` is."""
    share = 100 * part.number / part.whole
    distance = abs(float(percent) - share)
    return distance <= _half_unit(percent)


def _wrong_tallies(words: str, evidence: Evidence) -> Iterator[Fault]:
    """Yield each "name (n runs)" whose number belongs to another name."""
    for match in evidence.name_pattern.finditer(words):
        name = match.group()
        tally = _TALLY.match(words, match.end())
        allowed = evidence.tallies.get(name.lower())
        if not tally or not allowed:
            continue
        if _integer(tally[1]) not in allowed:
            shown = name + tally.group()
            yield Fault("number", shown, "not the runs of that name")


def _integer(digits: str) -> int:
    plain = digits.replace(",", "")
    return int(plain)


def _half_unit(digits: str) -> float:
    """Return half a unit of the last digit; 99.9 may also be written for almost all."""
    decimals = len(digits.partition(".")[2])
    half = 0.5 * 10.0**-decimals
    room = 0.1 if digits == "99.9" else 0.0
    return float(half) * 1.000001 + room


def _speaks_of(row: AssociationRow, sentence: str) -> bool:
    if row.bioproject not in sentence:
        return False
    family = row.family.lower()
    return family in sentence.lower()


# --- claims ---------------------------------------------------------------------------------------


class Claim(NamedTuple):
    """Words that hold only if a fact says so."""

    pattern: re.Pattern[str]
    holds: Callable[[FactRow, int], bool]
    reason: str


def _claim(pattern: str, holds: Callable[[FactRow, int], bool], reason: str) -> Claim:
    unnegated = rf"(?<!not )(?<!no )\b(?:{pattern})\b"
    return Claim(
        re.compile(unnegated, re.IGNORECASE),
        holds,
        reason,
    )


_RUNS: Final = r"(?: of)?(?: the| its| these)?(?: [\d,]+)? (?:runs|samples|biosamples|libraries)"
CLAIMS: Final = (
    _claim(
        rf"(?:all|every one|both){_RUNS}",
        lambda fact, _: fact.runs == fact.known,
        "not all runs have it",
    ),
    _claim(
        rf"(?:most|the majority|a majority){_RUNS}",
        lambda fact, runs: 2 * fact.runs > min(fact.known, runs),
        "no more than half of the runs have it",
    ),
    _claim(
        r"over-?represented|enriched|enrichment|more (?:common|frequent) than (?:in|elsewhere)",
        lambda fact, _: fact.lift > 1,
        "its share is not above the index",
    ),
    _claim(
        r"under-?represented|depleted",
        lambda fact, _: fact.lift < 1,
        "its share is not below the index",
    ),
    _claim(
        r"significant(?:ly)?", lambda fact, _: fact.q_value < SIGNIFICANT_Q, "q is not below 0.05"
    ),
)


def _wrong_claims(
    masked: str, facts: list[FactRow], associations: list[AssociationRow], evidence: Evidence
) -> Iterator[Fault]:
    if associations or not facts:
        return
    runs = evidence.profile.runs
    for claim in CLAIMS:
        match = claim.pattern.search(masked)
        if match is None:
            continue
        holds = any(claim.holds(fact, runs) for fact in facts)
        if not holds:
            yield Fault("claim", match.group(), claim.reason)
