"""Check a model's own prose: it holds no number and no name, because nothing counted it.

Whether such a sentence is true cannot be told, so it must not look like one that was counted. What
counts or names is said by the program, from facts. A sentence that breaks the rule is dropped and
counted; it is never repaired.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from index.checking.sentences import split_sentences
from index.reports.citations import OUTSIDE_KNOWLEDGE

MAX_SENTENCES: Final = 3
"""Sentences of interpretation that are read of one answer."""
MAX_CHARACTERS: Final = 320
NOTHING_LEFT: Final = "no sentence of the model was free of numbers and names"

_NUMBERS: Final = frozenset({
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    "hundred", "thousand", "million", "billion", "dozen", "couple", "pair", "single", "sole",
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "half", "halves", "halved", "quarter", "once", "twice", "thrice", "double", "doubled",
    "triple", "tripled", "fold", "percent", "percentage", "cent",
})  # fmt: skip
"""Cardinals, ordinals, fractions and multiples; plurals and hyphenated forms count too."""
_PARTS_OF_A_WHOLE: Final = frozenset({
    "all", "every", "each", "both", "none", "neither", "most", "mostly", "mainly", "chiefly",
    "majority", "minority", "few", "fewer", "fewest", "many", "several", "predominant",
    "predominantly", "dominant", "dominate", "dominates", "largest", "leading", "commonest",
})  # fmt: skip
"""Words that say how much of a whole, or which part is the largest."""
_STATISTICS: Final = frozenset({
    "significant", "significantly", "enriched", "enrichment", "depleted", "depletion",
    "overrepresented", "underrepresented", "over-represented", "under-represented",
})  # fmt: skip
_NONE_OF: Final = re.compile(
    r"\bno (?:other )?(?:run|sample|biosample|bioproject|project|stud(?:y|ies)|communit|librar)",
    re.IGNORECASE,
)
_VIRUS: Final = re.compile(
    r"\b(?!anti|pro|macro)\w{2,}(?:virus(?:es)?|viral|virids?|vir(?:idae|inae|ales|icetes|icota)"
    r"|viroids?|phages?)\b|\b\w+pox\b",
    re.IGNORECASE,
)
_ACRONYMS: Final = frozenset({"RNA", "DNA", "I"})
"""Words with capitals that name nothing of the index."""
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
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


class NameFinder(Protocol):
    """The names of what an index holds."""

    def found_in(self, text: str) -> str | None:
        """Return a name that ``text`` holds, None where it holds none."""


def interpretation_label(model: str) -> str:
    """Return the line above what ``model`` wrote.

    >>> interpretation_label("llama-8b")
    'Interpretation by llama-8b: not counted in the index'
    """
    return f"Interpretation by {model}: not counted in the index"


@dataclass(frozen=True, slots=True)
class Interpretation:
    """Sentences of a model that may be printed under its label, and how many may not."""

    sentences: tuple[str, ...] = ()
    dropped: int = 0


def interpretation_of(
    sentences: Iterable[str], names: NameFinder, *, example: str = ""
) -> Interpretation:
    """Return the distinct ``sentences`` that hold no number and no name, and count the others.

    What stands behind the first ``MAX_SENTENCES`` counts as dropped, unread. ``example`` is the
    solved example of the prompt, which small models copy.
    """
    written = [part for text in sentences for part in split_sentences(text)]
    read = written[:MAX_SENTENCES]
    kept = dict.fromkeys(text for text in read if why_dropped(text, names, example=example) is None)
    return Interpretation(tuple(kept), len(written) - len(kept))


def why_dropped(sentence: str, names: NameFinder, *, example: str = "") -> str | None:
    """Return why ``sentence`` may not be printed as interpretation, None where it may.

    The mark of general knowledge, ``[LLM: verify]``, may stand in it.
    """
    text = sentence.replace(OUTSIDE_KNOWLEDGE, "").strip()
    if text and text in example:
        return "it is copied from the example of the prompt"
    fault = next(_faults_of_form(text), None) or next(_numbers(text), None)
    if fault is not None:
        return fault
    name = next(_proper_names(text), None) or names.found_in(text)
    return None if name is None else f"it names {name}"


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


def _numbers(text: str) -> Iterator[str]:
    """Yield what ``text`` says of numbers, shares of a whole and tests."""
    for character in text:
        if character.isnumeric():
            yield f"it holds a number ({character})"
    for match in _WORD.finditer(text):
        word = match.group().lower()
        if any(_is_number(part) for part in re.split("['’-]", word)):
            yield f"it holds a number ({word})"
        if word in _PARTS_OF_A_WHOLE:
            yield f"it says how much of a whole ({word})"
        if word in _STATISTICS:
            yield f"it states a test ({word})"
    if found := _NONE_OF.search(text):
        yield f"it says how much of a whole ({found[0]})"


def _is_number(part: str) -> bool:
    """Return whether a word is a number, in the plural or as a multiple too.

    >>> [_is_number(word) for word in ("thirds", "twofold", "manifold", "someone")]
    [True, True, True, False]
    """
    singular = part.removesuffix("s")
    return part in _NUMBERS or singular in _NUMBERS or part.endswith("fold")


def _proper_names(text: str) -> Iterator[str]:
    """Yield names by their form: of viruses, and words with capitals inside a sentence."""
    for match in _VIRUS.finditer(text):
        yield match.group()
    for match in _WORD.finditer(text):
        word = match.group()
        opens = match.start() == 0
        capitals = word[1:] if opens else word
        if word not in _ACRONYMS and capitals.lower() != capitals:
            yield word
