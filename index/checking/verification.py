"""Verification: every citation, number and name of a sentence against its evidence. Reports,
points and answers are all checked here.

Evidence from statements is closed: a sentence may use no number and no name that they do not, and
no count beside another name than theirs (``index.checking.told``).

Of a profile, a number must equal a quantity of something the sentence names or cites, or of the
community as a whole. Tolerance is half a unit of the last digit written; a ratio may also be
rounded to two significant digits. Years, digits inside names and accessions are no numbers. A name
must be a name of the community: a value of its facts, a synonym of one, a title. Words that claim
(all, most, over-represented, significant) must hold for what the sentence names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from index.checking.evidence import (
    Evidence,
    Quantity,
    association_quantities,
    fact_parts,
    fact_quantities,
    folded,
)
from index.checking.faults import ACCESSION, Fault
from index.checking.numbers import matches, read_numbers
from index.checking.told import Told, beyond_statements
from index.reports.citations import (
    OUTSIDE_KNOWLEDGE,
    Citation,
    find_references,
    find_spans,
    strip_references,
)
from index.reports.phrases import SIGNIFICANT_Q
from index.reports.profiles import AssociationRow, FactRow


def verify(sentence: str, evidence: Evidence | Told, *, must_cite: bool = False) -> list[Fault]:
    """Return what is wrong with ``sentence``, nothing where it can be used.

    ``evidence`` is what may be cited, counted and named: drawn from the profile of a community, or
    from the statements that the sentence words. A sentence that ends with ``[LLM: verify]``
    declares outside knowledge: it may name what it likes, and may neither count nor cite. With
    ``must_cite`` a sentence without a citation is at fault.
    """
    references = find_references(sentence)
    words = strip_references(sentence).replace(OUTSIDE_KNOWLEDGE, "")
    outside = OUTSIDE_KNOWLEDGE in sentence
    citations = [one for reference in references for one in reference.citations]
    faults = [Fault("citation", one.text, one.problem) for one in references if one.problem]
    faults += _wrong_citations(citations, evidence)
    if must_cite and not citations and not outside:
        faults.append(Fault("citation", "", "nothing is cited"))
    if outside and citations:
        reason = "outside knowledge cannot cite this community"
        faults.append(Fault("citation", OUTSIDE_KNOWLEDGE, reason))
    if isinstance(evidence, Told):
        faults += beyond_statements(words, evidence)
    else:
        faults += _beyond_profile(sentence, words, citations, evidence, outside=outside)
    return list(dict.fromkeys(faults))


def _wrong_citations(citations: Iterable[Citation], evidence: Evidence | Told) -> Iterator[Fault]:
    for one in citations:
        if folded(one) not in evidence.citations:
            shown = f"{one.key}: {one.value}"
            yield Fault("citation", shown, "resolves to no run of this community")


def _beyond_profile(
    sentence: str,
    words: str,
    citations: Iterable[Citation],
    evidence: Evidence,
    *,
    outside: bool,
) -> Iterator[Fault]:
    """Yield what ``words`` say beyond the profile behind ``evidence``."""
    facts, masked = _named_facts(words, evidence)
    facts += [
        fact
        for one in citations
        for fact in evidence.names.get(one.value.lower(), ())
        if fact.facet == one.key
    ]
    associations = [row for row in evidence.profile.associations if _speaks_of(row, sentence)]
    yield from _wrong_numbers(masked, _quantities(facts, associations, evidence))
    yield from _wrong_parts(masked, facts, evidence)
    yield from _wrong_tallies(words, evidence)
    if not outside:
        yield from _foreign_names(masked, evidence)
        yield from _wrong_claims(masked, facts, associations, evidence)


_ABBREVIATIONS: Final = ("sp", "spp", "cf", "cv", "vs", "var", "subsp", r"e\.g", r"i\.e", "[A-Z]")
_ABBREVIATION: Final = "".join(rf"(?<!\b{one})" for one in _ABBREVIATIONS)
_SENTENCE_END: Final = re.compile(rf"{_ABBREVIATION}[.!?][”\"]?(?:\s*\x00+)*\s+(?=[A-Z“\"\d(])")


def split_sentences(text: str, evidence: Evidence | None = None) -> list[str]:
    """Return the sentences of ``text``; a reference after the full stop stays with the sentence
    before it.

    No sentence ends inside a reference, after a taxonomic abbreviation, or inside a name of
    ``evidence``.

    >>> split_sentences("One run of Culex sp. Two runs [Filters: {{sex: male}}]. It ends.")
    ['One run of Culex sp. Two runs [Filters: {{sex: male}}].', 'It ends.']
    """
    blanked = _blank(text, find_spans(text), "\0")
    if evidence is not None:
        blanked = _blank(
            blanked, [match.span() for match in evidence.name_pattern.finditer(blanked)], "x"
        )
    ends = [match.end() for match in _SENTENCE_END.finditer(blanked)]
    pieces = [
        text[start:end].strip() for start, end in zip([0, *ends], [*ends, len(text)], strict=True)
    ]
    return [piece for piece in pieces if piece]


def _blank(text: str, spans: Iterable[tuple[int, int]], filler: str) -> str:
    """Return ``text`` with each span overwritten, so that positions stay the same."""
    for start, end in spans:
        text = f"{text[:start]}{filler * (end - start)}{text[end:]}"
    return text


# --- names ----------------------------------------------------------------------------------------

_MASK: Final = "§"
_VIRUS_WORD: Final = re.compile(
    r"\b[A-Za-z-]*(?:vir(?:us|uses|idae|inae|ales|icota|icetes|ids?)|phages?)\b", re.IGNORECASE
)
_PLAIN_VIRUS_WORDS: Final = frozenset(
    {"virus", "viruses", "phage", "phages", "bacteriophage", "bacteriophages"}
)
_NAMED_VIRUS: Final = re.compile(
    r"\b(?!(?:a|an|any|each|every|named|no|one|other|same|that|the|this|which|with)\b)[a-z-]+ virus\b"
)
_CAPITALISED: Final = re.compile(r"(?<=[^\s.!?:“\"(§] )[A-Z][\w-]+")
_NEUTRAL: Final = frozenset({
    "benjamini", "bioproject", "bioprojects", "biosample", "biosamples", "dna", "fdr", "genbank", "hochberg", "k-mer",
    "k-mers", "mwas", "ncbi", "rna", "rg", "rpm", "sequence", "sra", "stat",
})  # fmt: skip
_LONGEST_NAME: Final = 6


def _named_facts(words: str, evidence: Evidence) -> tuple[list[FactRow], str]:
    """Return the facts that ``words`` name, and the words with every known name masked."""
    facts = [
        fact
        for name in evidence.name_pattern.findall(words)
        for fact in evidence.names[name.lower()]
    ]
    return facts, evidence.name_pattern.sub(_MASK, words)


def _foreign_names(masked: str, evidence: Evidence) -> Iterator[Fault]:
    for match in ACCESSION.finditer(masked):
        yield Fault("name", match.group(), "not an accession or term of this community's facts")
    for match in _VIRUS_WORD.finditer(masked):
        if match.group().lower() not in _PLAIN_VIRUS_WORDS | evidence.name_words:
            yield Fault("name", match.group(), "not among the viruses of this community's facts")
    for match in _NAMED_VIRUS.finditer(masked):
        if match.group().split()[0] not in evidence.name_words:
            yield Fault("name", match.group(), "not among the viruses of this community's facts")
    for match in _CAPITALISED.finditer(masked):
        if match.group().lower() not in _NEUTRAL | evidence.name_words:
            yield Fault("name", match.group(), "not a name of this community's facts")
    for name in _other_names(masked, evidence):
        yield Fault("name", name, "belongs to other communities of the index")


def _other_names(masked: str, evidence: Evidence) -> Iterator[str]:
    """Yield names of the index that stand in ``masked``: whatever was masked is a name of the
    community.
    """
    words = re.findall(r"[^\s,;()“”\"]+", masked.lower().rstrip(".!?"))
    for start in range(len(words)):
        for length in range(min(_LONGEST_NAME, len(words) - start), 0, -1):
            name = " ".join(words[start : start + length])
            if name in evidence.vocabulary and _MASK not in name:
                yield name
                break


# --- numbers --------------------------------------------------------------------------------------


def _quantities(
    facts: list[FactRow], associations: Iterable[AssociationRow], evidence: Evidence
) -> frozenset[Quantity]:
    of_facts = (one for fact in facts for one in fact_quantities(fact, runs=evidence.profile.runs))
    of_associations = (one for row in associations for one in association_quantities(row))
    unnamed = frozenset() if facts else evidence.stated
    return evidence.general.union(unnamed, of_facts, of_associations)


def _wrong_numbers(masked: str, quantities: frozenset[Quantity]) -> Iterator[Fault]:
    for text, written in read_numbers(masked):
        if not any(matches(written, quantity) for quantity in quantities):
            yield Fault("number", text.strip(), "equals no fact about what the sentence names")


_PART: Final = re.compile(
    r"(?<![\w.,])(\d[\d,]*) (?:out )?of (?:the |its |all )?(\d[\d,]*)(?!\w|%|\.\d)"
    r"(?:[^.;,(]*\((?P<percent>[\d.]+)%)?"
)
_ALL: Final = re.compile(
    r"\ball (?:the |its |of the )?(\d[\d,]*) (?:runs|libraries)\b", re.IGNORECASE
)
_QUALIFIED: Final = re.compile(r"\b(?:with|that|which|whose|stat(?:e|es|ed|ing)|named|known)\b")
NARROW: Final = 0.8
"""A share of fewer runs than this of the community is misread as one of them all, unless the
sentence says which.
"""
_TALLY: Final = re.compile(r"\s*\((\d[\d,]*) (?:runs?|libraries)\b")


def _wrong_parts(masked: str, facts: list[FactRow], evidence: Evidence) -> Iterator[Fault]:
    """Yield each "a of b (c%)" and "all a runs" that no single fact says, though each number may be
    true.
    """
    runs = evidence.profile.runs
    of_facts = (part for fact in facts for part in fact_parts(fact, runs=runs))
    parts = (
        evidence.theme_parts.union(of_facts)
        if facts
        else evidence.theme_parts | evidence.stated_parts
    )
    for match in _PART.finditer(masked):
        part, whole = _integer(match[1]), _integer(match[2])
        if (part, whole) not in parts:
            yield Fault(
                "number", match.group(), "no fact the sentence names is that part of that whole"
            )
        elif (
            whole < NARROW * runs
            and (part, whole) not in evidence.theme_parts
            and not _QUALIFIED.search(masked)
        ):
            yield Fault(
                "number", match.group(), f"does not say which {whole:,} runs of {runs:,} these are"
            )
        elif match["percent"] and abs(float(match["percent"]) - 100 * part / whole) > _half_unit(
            match["percent"]
        ):
            yield Fault("number", f"{match['percent']}%", f"{part} of {whole} is another share")
    for match in _ALL.finditer(masked):
        number = _integer(match[1])
        if (number, number) not in parts and (facts or number != runs):
            yield Fault("number", match.group(), "not all of that many runs have it")
        elif number < NARROW * runs and not _QUALIFIED.search(masked):
            yield Fault(
                "number", match.group(), f"does not say which {number:,} runs of {runs:,} these are"
            )


def _wrong_tallies(words: str, evidence: Evidence) -> Iterator[Fault]:
    """Yield each "name (n runs)" whose number belongs to another name."""
    for name in evidence.name_pattern.finditer(words):
        tally = _TALLY.match(words, name.end())
        allowed = evidence.tallies.get(name.group().lower())
        if tally and allowed and _integer(tally[1]) not in allowed:
            yield Fault("number", name.group() + tally.group(), "not the runs of that name")


def _integer(digits: str) -> int:
    return int(digits.replace(",", ""))


def _half_unit(digits: str) -> float:
    """Return half a unit of the last digit, with room for 99.9 % standing for almost all."""
    decimals = len(digits.partition(".")[2])
    return float(0.5 * 10.0**-decimals) * 1.000001 + (0.1 if digits == "99.9" else 0.0)


def _speaks_of(row: AssociationRow, sentence: str) -> bool:
    return row.bioproject in sentence and row.family.lower() in sentence.lower()


# --- claims ---------------------------------------------------------------------------------------


class Claim(NamedTuple):
    """Words that hold only if a fact says so."""

    pattern: re.Pattern[str]
    holds: Callable[[FactRow, int], bool]
    reason: str


def _claim(pattern: str, holds: Callable[[FactRow, int], bool], reason: str) -> Claim:
    return Claim(re.compile(rf"(?<!not )(?<!no )\b(?:{pattern})\b", re.IGNORECASE), holds, reason)


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
    for claim in CLAIMS:
        match = claim.pattern.search(masked)
        if match and not any(claim.holds(fact, evidence.profile.runs) for fact in facts):
            yield Fault("claim", match.group(), claim.reason)
