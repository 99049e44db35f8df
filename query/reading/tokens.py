"""Words of a question with their places, and the stems by which words are compared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

SINGLE: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Letters of scripts that are written without blanks: each is a token."""
_TOKEN: Final = re.compile(
    r"w/o\b|w/(?=\s)|\bvs\.?(?!\w)|\b[Nn]o\.(?=\s*of\b)"
    r"|\d(?:[\d,]*\d)?(?:\.\d+)?(?:\s?%|(?![\w]))"
    rf"|[{SINGLE}]|[^\W_{SINGLE}]+(?:[-'’./+_*][^\W_{SINGLE}]+)*|[≥≤<>=]+|%|[^\s\w]",
    re.UNICODE,
)
_COMPOUNDED: Final = frozenset(
    ["positive", "negative", "carrying", "infected", "associated", "free", "containing",
     "related", "derived", "only"]
)  # fmt: skip
"""Last parts of compounds that are words of their own: EBV-positive."""
_LISTED: Final = re.compile(r"[a-z]{4,}(?:/[a-z]{4,})+|[A-Z][A-Za-z0-9-]+(?:/[A-Z][A-Za-z0-9-]+)+")
"""Words joined by slashes, which are words of their own: latitude/longitude, HBV/HDV."""
_ELIDED: Final = frozenset(["l", "d", "all", "dall", "dell", "nell", "sull"])
"""Articles of French and Italian before a vowel: l'Antarctique."""
_STEM: Final = re.compile(r"(?<=\w\w\w)(?:ies|ied|ying|ing|ed|es|s|y|e)$")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign of a question."""

    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        """The text in small letters, with plain apostrophes."""
        return self.text.lower().replace("’", "'")

    @property
    def is_word(self) -> bool:
        """Whether it has a letter or digit."""
        return any(character.isalnum() for character in self.text)


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of ``text``; a name with hyphens or dots inside is one.

    >>> [token.text for token in tokens_of("SARS-CoV-2 w/o HHV-6, >= 90% (Ae. aegypti)?")]
    ['SARS-CoV-2', 'w/o', 'HHV-6', ',', '>=', '90%', '(', 'Ae', '.', 'aegypti', ')', '?']
    """
    tokens: list[Token] = []
    for found in _TOKEN.finditer(text):
        token = Token(found[0], *found.span())
        if token.text.lower().startswith("non-") and len(token.text) > 5:
            tokens += [Token("non", token.start, token.start + 3),
                       Token(token.text[4:], token.start + 4, token.end)]  # fmt: skip
            continue
        article, apostrophe, noun = token.text.replace("’", "'").partition("'")
        if apostrophe and noun[2:] and article.lower() in _ELIDED:
            place = token.end - len(noun)
            written = token.text[: len(article) + 1]
            tokens += [Token(written, token.start, place), Token(noun, place, token.end)]
            continue
        if _LISTED.fullmatch(token.text):
            tokens += _parts_of(token)
            continue
        head, hyphen, last = token.text.rpartition("-")
        if hyphen and last.lower() in _COMPOUNDED:
            place = token.start + len(head)
            tokens += [Token(head, token.start, place), Token(last, place + 1, token.end)]
        else:
            tokens.append(token)
    return tokens


def _parts_of(token: Token) -> list[Token]:
    """Return the words and slashes of a token: latitude/longitude."""
    return [
        Token(part[0], token.start + part.start(), token.start + part.end())
        for part in re.finditer(r"[^/]+|/", token.text)
    ]


def with_digits(text: str) -> str:
    """Return ``text`` with thousands and millions in digits.

    >>> with_digits("over 100k or 1.5 million reads, a thousand runs, HHV-6 k-mers")
    'over 100000 or 1500000 reads, 1000 runs, HHV-6 k-mers'
    """
    return _SCALED.sub(_in_digits, text)


def _in_digits(found: re.Match[str]) -> str:
    value = float(_WORDED.get(found[1].lower(), found[1]))
    is_million = (found[2] or "").lower().startswith("mi")
    return str(round(value * (1_000_000 if is_million else 1_000)))


_WORDED: Final = {"a": 1, "one": 1, "two": 2, "three": 3, "five": 5, "ten": 10, "hundred": 100}
_SCALED: Final = re.compile(
    r"(?<![\w.,-])(\d+(?:\.\d+)?|a|one|two|three|five|ten|hundred)"
    r"(?:(?<=\d)\s?k|\s?(thousand|million|mio))(?![\w-])",
    re.IGNORECASE,
)


def stem(word: str) -> str:
    """Return ``word`` without the ending of a verb or plural; enough to compare, not to print.

    >>> {stem(word) for word in ("carry", "carries", "carried", "carrying")}
    {'carr'}
    """
    shorter = _STEM.sub("", word)
    is_doubled = len(shorter) > 3 and shorter[-1] == shorter[-2] and shorter[-1] in "bdgmnpt"
    return shorter[:-1] if is_doubled else shorter
