"""Verification: every citation, number and name of a sentence against the evidence of its
community.

A number must equal a quantity of something the sentence names or cites, or of the community as a
whole. Tolerance is half a unit of the last digit written; a ratio may also be rounded to two
significant digits. Years, digits inside names and accessions are no numbers. A name must be a name
of the community: a value of its facts, a synonym of one, a title. Words that claim (all, most,
over-represented, significant) must hold for what the sentence names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from index.checking.evidence import (
    Evidence,
    Measure,
    Quantity,
    association_quantities,
    fact_parts,
    fact_quantities,
    folded,
)
from index.reports.citations import OUTSIDE_KNOWLEDGE, find_references, find_spans, strip_references
from index.reports.phrases import SIGNIFICANT_Q
from index.reports.profiles import AssociationRow, FactRow

Kind = Literal["citation", "number", "name", "claim"]


class Problem(NamedTuple):
    """What is wrong with a sentence: the words, and why they cannot stand."""

    kind: Kind
    text: str
    reason: str


@dataclass(frozen=True)
class Verdict:
    """The outcome for one sentence."""

    sentence: str
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the sentence can stand."""
        return not self.problems


def verify_text(text: str, evidence: Evidence) -> list[Verdict]:
    """Return the verdict of every sentence of ``text``, in order."""
    return [verify_sentence(one, evidence) for one in split_sentences(text, evidence)]


def verify_sentence(sentence: str, evidence: Evidence, *, must_cite: bool = False) -> Verdict:
    """Return what is wrong with ``sentence``, if anything.

    A sentence that ends with ``[LLM: verify]`` declares outside knowledge: it may name what it
    likes, and may neither count nor cite. With ``must_cite`` a sentence without a citation is a
    problem.
    """
    references = find_references(sentence)
    outside = OUTSIDE_KNOWLEDGE in sentence
    words = strip_references(sentence).replace(OUTSIDE_KNOWLEDGE, "")
    citations = [one for reference in references for one in reference.citations]
    problems = [Problem("citation", one.text, one.problem) for one in references if one.problem]
    problems += [
        Problem("citation", f"{one.key}: {one.value}", "resolves to no run of this community")
        for one in citations
        if folded(one) not in evidence.citations
    ]
    if must_cite and not citations and not outside:
        problems.append(Problem("citation", "", "nothing is cited"))
    if outside and citations:
        problems.append(
            Problem("citation", OUTSIDE_KNOWLEDGE, "outside knowledge cannot cite this community")
        )
    facts, masked = _named_facts(words, evidence)
    facts += [
        fact
        for one in citations
        for fact in evidence.names.get(one.value.lower(), ())
        if fact.facet == one.key
    ]
    associations = [row for row in evidence.profile.associations if _speaks_of(row, sentence)]
    quantities = _quantities(facts, associations, evidence)
    problems += _wrong_numbers(masked, quantities)
    problems += _wrong_parts(masked, facts, evidence)
    problems += _wrong_tallies(words, evidence)
    if not outside:
        problems += _foreign_names(masked, evidence)
        problems += _wrong_claims(masked, facts, associations, evidence)
    return Verdict(sentence, tuple(dict.fromkeys(problems)))


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


# --- names ----------------------------------------------------------------------------------------------------------

_MASK: Final = "§"
_ACCESSION: Final = re.compile(
    r"\b(?:[SED]R[RXPS]|SAM(?:N|EA|D)|PRJ[A-Z]{2}|GSE|GSM|SYN[A-Z]*)\d+\b|\b[A-Za-z]{2,}:\d+\b"
)
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


def _foreign_names(masked: str, evidence: Evidence) -> Iterator[Problem]:
    for match in _ACCESSION.finditer(masked):
        yield Problem("name", match.group(), "not an accession or term of this community's facts")
    for match in _VIRUS_WORD.finditer(masked):
        if match.group().lower() not in _PLAIN_VIRUS_WORDS | evidence.name_words:
            yield Problem("name", match.group(), "not among the viruses of this community's facts")
    for match in _NAMED_VIRUS.finditer(masked):
        if match.group().split()[0] not in evidence.name_words:
            yield Problem("name", match.group(), "not among the viruses of this community's facts")
    for match in _CAPITALISED.finditer(masked):
        if match.group().lower() not in _NEUTRAL | evidence.name_words:
            yield Problem("name", match.group(), "not a name of this community's facts")
    for name in _other_names(masked, evidence):
        yield Problem("name", name, "belongs to other communities of the index")


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


# --- numbers --------------------------------------------------------------------------------------------------------

_NUMBER: Final = re.compile(
    r"(?<![\w.,])(?<![A-Za-z]-)(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?P<decimals>\.\d+)?"
    r"(?:e(?P<exponent>-?\d+)|\s?[x×]\s?10\^?(?P<power>[-−]?\d+))?(?P<percent>\s?%| per ?cent)?(?![\w%])",
    re.IGNORECASE,
)
_WORDS_FOR: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
_COUNT_NOUN: Final = (
    r"(?:runs?|biosamples?|samples?|bioprojects?|stud(?:y|ies)|communit(?:y|ies)|librar(?:y|ies))"
)
_NUMBER_WORD: Final = re.compile(
    rf"\b({'|'.join(_WORDS_FOR)})\s+(?:(?!of\b)\w+\s+)?{_COUNT_NOUN}\b", re.IGNORECASE
)
_YEAR: Final = re.compile(rf"(?:19|20)\d\d(?!\s*(?:{_COUNT_NOUN}|of|times|%))")
_BELOW: Final = re.compile(r"(?:<|≤|below|under|less than)\s*$", re.IGNORECASE)
_ABOVE: Final = re.compile(r"(?:>|≥|over|above|more than|at least)\s*$", re.IGNORECASE)


LARGEST_Q_BOUND: Final = 0.1


class Written(NamedTuple):
    """A number as a text writes it: its value and half a unit of its last digit; bound is "<", ">"
    or "".
    """

    value: float
    tolerance: float
    percent: bool
    bound: str


def read_numbers(masked: str) -> Iterator[tuple[str, Written]]:
    """Yield every number of ``masked`` with its text: digits, percentages, number words before
    something counted.
    """
    for match in _NUMBER.finditer(masked):
        if not match["percent"] and not match["decimals"] and _YEAR.match(masked, match.start()):
            continue
        exponent = int((match["exponent"] or match["power"] or "0").replace("−", "-"))
        decimals = len(match["decimals"] or ".") - 1
        value = float(match["digits"].replace(",", "") + (match["decimals"] or "")) * 10.0**exponent
        before = masked[: match.start()]
        bound = "<" if _BELOW.search(before) else ">" if _ABOVE.search(before) else ""
        yield (
            match.group(),
            Written(value, 0.5 * 10.0 ** (exponent - decimals), bool(match["percent"]), bound),
        )
    for match in _NUMBER_WORD.finditer(masked):
        yield match.group(), Written(_WORDS_FOR[match[1].lower()], 0.0, False, "")


def matches(written: Written, quantity: Quantity) -> bool:
    """Return whether the number written says the quantity."""
    value = quantity.value * 100 if written.percent else quantity.value
    if written.percent != (quantity.measure == "share") and not (
        quantity.measure == "share" and written.value <= 1
    ):
        return False
    if written.bound and quantity.measure != "count":
        return _within(written, value, quantity.measure)
    if quantity.measure == "count":
        return written.value == value
    return abs(written.value - value) <= written.tolerance * 1.000001 or _two_digits(
        written, value, quantity.measure
    )


def _within(written: Written, value: float, measure: Measure) -> bool:
    """Return whether a bound holds; "below 0.05" is said of a q-value, other bounds of shares and
    ratios.
    """
    of_q = written.bound == "<" and not written.percent and written.value <= LARGEST_Q_BOUND
    if of_q != (measure == "q"):
        return False
    return value < written.value if written.bound == "<" else value > written.value


def _two_digits(written: Written, value: float, measure: Measure) -> bool:
    return measure in ("ratio", "q") and value > 0 and written.value == float(f"{value:.2g}")


def _quantities(
    facts: list[FactRow], associations: Iterable[AssociationRow], evidence: Evidence
) -> frozenset[Quantity]:
    of_facts = (one for fact in facts for one in fact_quantities(fact, runs=evidence.profile.runs))
    of_associations = (one for row in associations for one in association_quantities(row))
    unnamed = frozenset() if facts else evidence.stated
    return evidence.general.union(unnamed, of_facts, of_associations)


def _wrong_numbers(masked: str, quantities: frozenset[Quantity]) -> Iterator[Problem]:
    for text, written in read_numbers(masked):
        if not any(matches(written, quantity) for quantity in quantities):
            yield Problem("number", text.strip(), "equals no fact about what the sentence names")


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


def _wrong_parts(masked: str, facts: list[FactRow], evidence: Evidence) -> Iterator[Problem]:
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
            yield Problem(
                "number", match.group(), "no fact the sentence names is that part of that whole"
            )
        elif (
            whole < NARROW * runs
            and (part, whole) not in evidence.theme_parts
            and not _QUALIFIED.search(masked)
        ):
            yield Problem(
                "number", match.group(), f"does not say which {whole:,} runs of {runs:,} these are"
            )
        elif match["percent"] and abs(float(match["percent"]) - 100 * part / whole) > _half_unit(
            match["percent"]
        ):
            yield Problem("number", f"{match['percent']}%", f"{part} of {whole} is another share")
    for match in _ALL.finditer(masked):
        number = _integer(match[1])
        if (number, number) not in parts and (facts or number != runs):
            yield Problem("number", match.group(), "not all of that many runs have it")
        elif number < NARROW * runs and not _QUALIFIED.search(masked):
            yield Problem(
                "number", match.group(), f"does not say which {number:,} runs of {runs:,} these are"
            )


def _wrong_tallies(words: str, evidence: Evidence) -> Iterator[Problem]:
    """Yield each "name (n runs)" whose number belongs to another name."""
    for name in evidence.name_pattern.finditer(words):
        tally = _TALLY.match(words, name.end())
        allowed = evidence.tallies.get(name.group().lower())
        if tally and allowed and _integer(tally[1]) not in allowed:
            yield Problem("number", name.group() + tally.group(), "not the runs of that name")


def _integer(digits: str) -> int:
    return int(digits.replace(",", ""))


def _half_unit(digits: str) -> float:
    """Return half a unit of the last digit, with room for 99.9 % standing for almost all."""
    decimals = len(digits.partition(".")[2])
    return float(0.5 * 10.0**-decimals) * 1.000001 + (0.1 if digits == "99.9" else 0.0)


def _speaks_of(row: AssociationRow, sentence: str) -> bool:
    return row.bioproject in sentence and row.family.lower() in sentence.lower()


# --- claims ---------------------------------------------------------------------------------------------------------


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
) -> Iterator[Problem]:
    if associations or not facts:
        return
    for claim in CLAIMS:
        match = claim.pattern.search(masked)
        if match and not any(claim.holds(fact, evidence.profile.runs) for fact in facts):
            yield Problem("claim", match.group(), claim.reason)
