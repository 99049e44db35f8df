"""The language of a sentence: whose words it uses, and no sign that only the system may write.

A true number beside a claim makes no true sentence. So a sentence of a model may use the content
words of its sources (the statements it words, the question, the names it may use) and a closed list
of connecting words, and nothing else. A negation must be one of its sources', before the same
word. Advice, addresses, markup, citation syntax and invisible characters are no language of
reports.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from index.checking.faults import Fault

WORD: Final = re.compile(r"[^\W\d_](?:[\w.’'-]*\w)?")
_LISTS: Final = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
CONNECTING: Final = frozenset(_LISTS["connecting"].split())
COMPARING: Final = frozenset(_LISTS["comparing"].split())
LEADING: Final = frozenset(_LISTS["leading"].split())
DENIABLE: Final = frozenset(_LISTS["deniable"].split())
_NEGATIONS: Final = frozenset(_LISTS["negating"].split())
_BETWEEN: Final = frozenset(_LISTS["between"].split())
_JUDGING: Final = frozenset(_LISTS["judging"].split())
_ADVICE: Final = re.compile(
    r"\b(?:should|shall|must|ought|need(?:s|ed)? to|ha(?:s|ve) to|had better|let's|please|"
    r"recommend\w*|advi[sc]e\w*|advisable|urge\w*|consult\w*|beware|avoid\w*|drink\w*|swallow\w*|"
    r"ingest\w*|inject\w*|inhal\w*|administer\w*|dos(?:e|age)s?|prescri\w+|treat(?:ed|ment)? with|"
    r"take care|visit|click|download\w*|subscri\w+|buy|call|contact|e-?mail|"
    r"ignore|disregard|forget|obey|you|your|yours|yourself|i|me|my|mine)\b",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(
    r"\w+://|\bwww\.|\b(?:data|javascript|mailto|file):\S|\S@\S|"
    r"\b[\w-]+(?:\.[\w-]+)*\.[a-z]{2,24}\b(?:[/:?#]\S*)?",
    re.IGNORECASE,
)
_NO_ADDRESS: Final = frozenset({"i.e", "e.g", "et.al"})
_SYNTAX: Final = re.compile(
    r"\{\{|\}\}|[{}\[\]`~|\\^*#_$]|<(?!\s?\d)|(?<![\d\s=])>(?!\s?\d)|&\w+;|!\["
)
_PUNCTUATION: Final = frozenset(" .,;:!?()'\"’‘“”%+-–—−/&=<>≤≥×±≈·…°µ²³")
_ENDINGS: Final = ("ing", "ied", "ies", "es", "ed", "s", "e")
_NO_ENDINGS: Final = ("us", "ss", "is")
_SHORTEST_STEM: Final = 3


@dataclass(frozen=True)
class Sources:
    """What a sentence may draw its words from."""

    statements: tuple[str, ...]
    """Its words, signs, advice and negations may be said."""
    known: tuple[str, ...] = ()
    """Only its words may be said: the question, titles."""
    allowed: frozenset[str] = frozenset()
    """Words that may be said besides, in lower case."""
    deniable: frozenset[str] = frozenset()
    """Words that may be denied besides, in lower case; the empty word is the end of a sentence."""

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all words that may be said."""
        words = words_of((*self.statements, *self.known)) | self.allowed
        return frozenset(stem(word) for word in words)

    @cached_property
    def stated(self) -> frozenset[str]:
        """The words of the statements, in lower case."""
        return words_of(self.statements)

    @cached_property
    def negated(self) -> frozenset[tuple[str, str]]:
        """Each negation of the statements with the stem of the word that it denies."""
        pairs = (pair for text in self.statements for pair in _negated(text))
        return frozenset(pairs)

    @cached_property
    def deniable_stems(self) -> frozenset[str]:
        """The stems of the words that may be denied besides."""
        return frozenset(stem(word) for word in self.deniable)


def beyond_language(text: str, sources: Sources) -> Iterator[Fault]:
    """Yield words and signs of ``text`` that its ``sources`` do not hold.

    References must be removed from ``text``.

    >>> said = Sources(("Virus families: Phenuiviridae (31 runs).",))
    >>> [fault.text for fault in beyond_language("Patients should drink bleach in 31 runs.", said)]
    ['should', 'drink', 'Patients', 'should', 'drink', 'bleach']
    >>> list(beyond_language("Phenuiviridae is the family of 31 runs.", said))
    []
    """
    yield from foreign_signs(text, sources.statements)
    for match in WORD.finditer(text):
        word = match.group()
        judges = word.lower() in _JUDGING and word.lower() not in sources.stated
        if judges or not _may_say(word, sources.stems):
            yield Fault("word", word, "is in none of the statements and connects nothing")
    for negation, word in _negated(text):
        denied = (negation, word) in sources.negated or word in sources.deniable_stems
        if not denied:
            shown = f"{negation} {word}".strip()
            yield Fault("word", shown, "is denied by none of the statements")


def foreign_signs(text: str, texts: tuple[str, ...]) -> Iterator[Fault]:
    """Yield markup, addresses, advice and characters of ``text`` that ``texts`` do not hold."""
    joined = "\n".join(texts)
    for match in _SYNTAX.finditer(text):
        if _token_at(text, match.start()) not in joined:
            yield Fault("sign", match.group(), "is markup or the syntax of citations")

    for match in _ADDRESS.finditer(text):
        address = match.group()
        if address.lower() not in _NO_ADDRESS and address not in joined:
            yield Fault("sign", address, "is an address")
    known = joined.lower()
    for match in _ADVICE.finditer(text):
        if _with_next_word(text, match).lower() not in known:
            yield Fault("claim", match.group(), "gives advice, which no count can")
    symbols = {one for one in text if not _is_plain(one)}.difference(*texts)
    for one in sorted(symbols):
        name = unicodedata.name(one, f"U+{ord(one):04X}")
        yield Fault("sign", name, "is no character of a sentence")


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of ``texts`` in lower case, those in hyphens also by their parts."""
    words: set[str] = set()
    for text in texts:
        for word in WORD.findall(text.lower()):
            words.add(word)
            words.update(WORD.findall(word.replace("-", " ")))
    return frozenset(words)


def stem(word: str) -> str:
    """Return ``word`` in lower case without its ending; enough to compare, not to print.

    >>> [stem(word) for word in ("Runs", "run", "carried", "carries", "carry", "virus's")]
    ['run', 'run', 'carr', 'carr', 'carr', 'virus']
    """
    lower = word.lower().removesuffix("'s").removesuffix("’s")
    if lower.endswith("y") and len(lower) > _SHORTEST_STEM:
        return lower[:-1]

    for ending in _ENDINGS:
        cut = lower.removesuffix(ending)
        if cut != lower and len(cut) >= _SHORTEST_STEM and not lower.endswith(_NO_ENDINGS):
            return cut
    return lower


_CONNECTING_STEMS: Final = frozenset(stem(word) for word in CONNECTING)


def _may_say(word: str, stems: frozenset[str]) -> bool:
    """Return whether ``word`` connects, or is of the sources, as a whole or by its parts."""
    folded = stem(word)
    if (
        folded in _CONNECTING_STEMS
        or folded in stems
        or word.lower().replace("’", "'") in _NEGATIONS
    ):
        return True
    parts = word.split("-")
    return len(parts) > 1 and all(_may_say(part, stems) for part in parts if part)


def _negated(text: str) -> Iterator[tuple[str, str]]:
    """Yield each negation with the stem of the word that it denies, empty at the end."""
    words = [word.lower().replace("’", "'") for word in WORD.findall(text)]
    for place, word in enumerate(words):
        if word in _NEGATIONS:
            after = (one for one in words[place + 1 :] if one not in _BETWEEN)
            yield word, stem(next(after, ""))


def _with_next_word(text: str, match: re.Match[str]) -> str:
    """Return the words matched and the word after them: "drinking water" may be stated."""
    after = WORD.search(text, match.end())
    return text[match.start() : after.end() if after else match.end()]


def _is_plain(character: str) -> bool:
    return character.isalnum() or character in _PUNCTUATION


def _token_at(text: str, place: int) -> str:
    """Return the token of ``text`` around ``place``, between blanks."""
    start = text.rfind(" ", 0, place) + 1
    end = text.find(" ", place)
    return text[start : end if end >= 0 else len(text)].strip('.,;:()“”"')
