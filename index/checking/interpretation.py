"""Judge the sentences of a model: restated from the index, its own interpretation, or dropped.

A sentence with numbers is never printed itself: if it matches statements of the index, these are
printed. Nobody can check whether interpretation is true, so it must not look like something
counted: it has no number of its own, and no name that is in no statement.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from index.checking.evidence import ShownEvidence
from index.checking.matching import claiming_word, match_sentence, unknown_names
from index.checking.quantities import UNITS, ReadText
from index.checking.sentences import split_sentences
from index.reports.citations import OUTSIDE_KNOWLEDGE

MAX_SENTENCES: Final = 3
"""Sentences of interpretation that are read from one answer."""
MAX_CHARACTERS: Final = 320
NOTHING_LEFT: Final = "no sentence of the model could be printed"

_NUMBERS: Final = frozenset({
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    "hundred", "thousand", "million", "billion", "dozen", "couple", "pair", "single", "sole",
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "half", "halves", "halved", "quarter", "once", "twice", "thrice", "double", "doubled",
    "triple", "tripled", "treble", "quadruple", "quadrupled", "quintuple", "fold", "percent",
    "percentage", "cent", "nil", "nought", "naught", "trillion", "trio", "quartet", "score",
    "myriad", "umpteen", "majority", "majorities", "minority", "minorities", "plurality",
})  # fmt: skip
"""Cardinals, ordinals, fractions, multiples and votes; plurals and hyphenated forms count too."""
_ROMAN: Final = re.compile(
    r"\b(?=[IVXLCM])C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}) (?:of |other |more )?"
    rf"(?:{'|'.join(UNITS)})\b"
)
"""A Roman numeral before something counted; the I of "type I" counts nothing."""
_PARTS_OF_A_WHOLE: Final = frozenset({
    "all", "every", "each", "both", "none", "neither", "most", "mostly", "mainly", "chiefly",
    "few", "fewer", "fewest", "many", "several", "predominant",
    "predominantly", "dominant", "dominate", "dominates", "largest", "leading", "commonest",
})  # fmt: skip
"""Words for a part of a whole, or for the largest part."""
_STATISTICS: Final = frozenset({
    "significant", "significantly", "enriched", "depleted",
    "overrepresented", "underrepresented", "over-represented", "under-represented",
})  # fmt: skip
_COUNTS_NOTHING: Final = re.compile(
    r"\b(?:one|pairs?)\b(?! (?:of (?:the |its |these )?)?(?:[a-z]+ )?"
    rf"(?:{'|'.join(UNITS)}|them|those|virus\w*|famil\w+|gen(?:us|era)|species|hosts?|countr\w+"
    r"|places?|organisms?|animals?|patients?)\b)|\b(?:above|after|at) all\b",
    re.IGNORECASE,
)
"""Words that are a number only before something counted ("one explanation", "such pairs"), and
phrases that count nothing ("above all").
"""
_NONE_OF: Final = re.compile(
    r"\bno (?:other )?(?:run|sample|biosample|bioproject|project|stud(?:y|ies)|communit|librar)",
    re.IGNORECASE,
)
_REFERENCE: Final = re.compile(r" ?\[(\d{1,3})\]")
_CLAUSE: Final = re.compile(r"; (?![^(]*\))(?![^\[]*\])")
"""The end of a clause outside brackets."""
_OF_INDEX: Final = re.compile(
    r"\b(?:found|detected|stated|runs?|biosamples?|parent|communit\w+|here|index|[A-Z]{3,}\d{4,})\b"
)
_PART: Final = re.compile(r"[,;:] ")
_GUESS: Final = re.compile(r"\b(?:may|might|could|whether|cannot be (?:told|known))\b", re.I)
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_DIGITS: Final = re.compile(r"(?<!⟨)\b(?!\d+⟩)\w*\d\w*")
"""Digits that are not part of a name, also next to letters: 0A."""
_SIGNS: Final = frozenset(" .,;:!?()'\"’‘“”-–—/")
_ADDRESS: Final = re.compile(
    r"//|\bwww\.|\b(?:data|javascript|mailto|file):\S|\b[\w-]+(?:\.[\w-]+)*\.[a-z]{2,24}\b",
    re.IGNORECASE,
)
_SPEAKS_TO_READER: Final = re.compile(
    r"\b(?:you|your|yours|yourself|me|my|please|click|visit|download|subscribe|contact|ignore|"
    r"disregard|obey|drink|swallow|ingest|inject|inhale|administer|dos(?:e|age)s?|prescribe)\b",
    re.IGNORECASE,
)


def interpretation_label(model: str) -> str:
    """Return the line above what ``model`` wrote.

    >>> interpretation_label("llama-8b")
    'Interpretation by llama-8b: not counted in the index'
    """
    return f"Interpretation by {model}: not counted in the index"


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """What becomes of a sentence of a model.

    ``printed``   the sentence as interpretation, its references rendered; None if it is not
    ``restated``  statements of the index that say the same: they are printed in its place
    ``fault``     why it is neither
    """

    printed: str | None = None
    restated: tuple[str, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """Sentences that may be printed under the label of a model, statements that it restated, and
    other sentences, each with its fault; ``unread`` are the sentences after the last one read.
    """

    sentences: tuple[str, ...] = ()
    restated: tuple[str, ...] = ()
    faults: tuple[tuple[str, str], ...] = ()
    unread: int = 0

    @property
    def dropped(self) -> int:
        """Number of sentences of the model that are not printed."""
        return len(self.faults) + self.unread


def interpretation_of(
    sentences: Iterable[str], evidence: ShownEvidence, *, example: str = ""
) -> Interpretation:
    """Return what may be printed of ``sentences``, written about ``evidence``.

    ``example`` is the solved example of the prompt, which small models copy.
    """
    written = [part for text in sentences for part in split_sentences(text)]
    read = written[:MAX_SENTENCES]
    judged = [(text, judge(text, evidence, example=example)) for text in read]
    return Interpretation(
        sentences=tuple(dict.fromkeys(verdict.printed for _, verdict in judged if verdict.printed)),
        restated=tuple(dict.fromkeys(text for _, verdict in judged for text in verdict.restated)),
        faults=tuple((text, verdict.fault) for text, verdict in judged if verdict.fault),
        unread=len(written) - len(read),
    )


def judge(sentence: str, evidence: ShownEvidence, *, example: str = "") -> JudgedSentence:
    """Return what becomes of ``sentence``.

    A sentence with numbers restates the index or is dropped. A sentence without numbers may be
    interpretation: its names are in statements, its claims are marked as a guess ("may") or as
    general knowledge (``[LLM: verify]``), and ``[2]`` means the second statement.
    """
    cited = [int(found[1]) for found in _REFERENCE.finditer(sentence)]
    text = " ".join(_REFERENCE.sub("", sentence.replace(OUTSIDE_KNOWLEDGE, "")).split())
    text = re.sub(r" (?=[.,;!?])", "", text)
    if text and text in example:
        return JudgedSentence(fault="it is copied from the example of the prompt")
    unknown = [number for number in cited if not 1 <= number <= len(evidence.statements)]
    if unknown:
        return JudgedSentence(fault=f"there is no statement [{unknown[0]}]")
    read = evidence.read(text)
    if read.quantities:
        match = match_sentence(read, evidence)
        return JudgedSentence(restated=match.statements, fault=match.fault)
    is_marked = OUTSIDE_KNOWLEDGE in sentence
    fault = next(_faults(text, read, evidence, is_marked=is_marked), "")
    if fault:
        return JudgedSentence(fault=fault)
    return JudgedSentence(_rendered(sentence, read, evidence))


def _rendered(sentence: str, read: ReadText, evidence: ShownEvidence) -> str:
    """Return ``sentence`` with each reference replaced by a clause of the statement that it means.

    It is the first clause that shares a name with the sentence, else the first.
    """

    def clause(found: re.Match[str]) -> str:
        shown = evidence.statements[int(found[1]) - 1].shown
        clauses = _CLAUSE.split(split_sentences(shown)[0].rstrip(". "))
        about = [text for text in clauses if evidence.read(text).names & read.names]
        return f" ({(about or clauses)[0]})"

    return _REFERENCE.sub(clause, sentence.strip())


def _faults(
    text: str, read: ReadText, evidence: ShownEvidence, *, is_marked: bool
) -> Iterator[str]:
    yield from _faults_of_form(text)
    yield from _amounts(text, is_marked=is_marked)
    if found := _DIGITS.search(read.marked):
        yield f"it holds a number ({found[0]})"
    certain = " ".join(part for part in _PART.split(text) if not _GUESS.search(part))
    if is_marked and (found := _OF_INDEX.search(certain)):
        yield f"it is about the index, so it is no general knowledge ({found[0]})"
    is_guess = _GUESS.search(text) is not None
    yield from unknown_names(read, evidence, is_general=is_marked, is_guess=is_guess)
    claim = claiming_word(read.marked)
    if read.keys and not is_marked and not is_guess:
        what = (
            f"it claims something about a name ({claim})"
            if claim
            else "it says something about a name"
        )
        yield f"{what}: say that it may be so, or end it with {OUTSIDE_KNOWLEDGE}"


def _faults_of_form(text: str) -> Iterator[str]:
    if not text:
        yield "it is empty"
    if len(text) > MAX_CHARACTERS:
        yield "it is too long"
    if not text.endswith((".", "!", "?")):
        yield "it does not end"
    for character in text:
        if not character.isalnum() and character not in _SIGNS:
            named = unicodedata.name(character, f"U+{ord(character):04X}")
            yield f"it holds a sign of markup or none of prose ({named})"
    if found := _ADDRESS.search(text):
        yield f"it holds an address ({found[0]})"
    if found := _SPEAKS_TO_READER.search(text):
        yield f"it speaks to the reader ({found[0]})"


def _amounts(text: str, *, is_marked: bool) -> Iterator[str]:
    """Yield the amounts in ``text``; for statements of the index also shares and tests."""
    for sign in text:
        if unicodedata.numeric(sign, None) is not None and not sign.isascii():
            yield f"it holds a number ({sign})"
    if found := _ROMAN.search(text):
        yield f"it holds a number ({found[0]})"
    for match in _WORD.finditer(_COUNTS_NOTHING.sub("", text)):
        word = match.group().lower()
        if any(_is_number(part) for part in re.split("['’-]", word)):
            yield f"it holds a number ({word})"
        if is_marked:
            continue
        if word in _PARTS_OF_A_WHOLE:
            yield f"it says how much of a whole ({word})"
        if word in _STATISTICS:
            yield f"it states a test ({word})"
    if not is_marked and (found := _NONE_OF.search(text)):
        yield f"it says how much of a whole ({found[0]})"


def _is_number(part: str) -> bool:
    """Return whether a word is a number, also in the plural or as a multiple.

    >>> [_is_number(word) for word in ("thirds", "twofold", "manifold", "someone")]
    [True, True, True, False]
    >>> [_is_number(word) for word in ("twentieth", "teeth", "beneath", "hundredth")]
    [True, False, False, True]
    """
    singular = part.removesuffix("s")
    is_ordinal = singular.endswith(("teenth", "tieth", "hundredth", "thousandth", "llionth"))
    is_multiple = part.endswith(("fold", "tuple"))
    is_cardinal = part != "ones" and not _NUMBERS.isdisjoint((part, singular))
    return is_cardinal or is_ordinal or is_multiple
