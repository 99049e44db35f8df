"""Read the numbers of a text: the kind, unit and whole of each, and the names it belongs to.

Statements of the index and sentences of a model are read in the same way, to compare them
(``index.checking.matching``). Names are marked first: their digits count nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["count", "whole", "percent", "times", "q", "p", "share", "ratio"]
Keys: TypeAlias = frozenset[str]
Span: TypeAlias = tuple[int, int]
NO_NAMES: Final[Keys] = frozenset()

UNITS: Final = {
    "run": "run", "runs": "run", "biosample": "biosample", "biosamples": "biosample",
    "bioproject": "project", "bioprojects": "project", "project": "project",
    "projects": "project", "study": "project", "studies": "project", "community": "community",
    "communities": "community", "test": "test", "tests": "test", "tissue": "tissue",
    "tissues": "tissue", "library": "library", "libraries": "library", "sample": "sample",
    "samples": "sample",
}  # fmt: skip
"""Nouns for what the index counts, and what each means; claims count nothing else."""
_TO_TWENTY: Final = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    "twenty",
]  # fmt: skip
_TENS: Final = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_CARDINALS: Final = {
    **{word: number for number, word in enumerate(_TO_TWENTY, 1)},
    **{word: 10 * number for number, word in enumerate(_TENS, 3)},
    "a single": 1, "only one": 1, "a pair of": 2, "a dozen": 12,
}  # fmt: skip
"""Numbers in words, which equal their digits. "One" and "a pair of" are numbers only before runs
and samples: "of one study" counts nothing.
"""
_FRACTIONS: Final = {
    "half": 1 / 2, "third": 1 / 3, "a third": 1 / 3, "quarter": 1 / 4, "a quarter": 1 / 4,
    "two thirds": 2 / 3, "three quarters": 3 / 4,
}  # fmt: skip
_NUMBER: Final = re.compile(
    r"(?P<share>\b(?:two[ -]thirds|three[ -]quarters|(?:a )?third|(?:a )?quarter|half)\b"
    r"(?! as many))"
    r"|(?P<ratio>\btwice\b)|(?P<none>\bnone\b(?= of\b))"
    r"|(?P<letter>\b[qp] ?)?(?P<sign>[=<>] ?)?"
    r"(?<![\w⟨.])(?P<digits>-?\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?)(?![\w⟩])"
    r"(?P<percent> ?%| per cent\b)?(?P<times>[ -](?:times|fold)\b)?"
    rf"|\b(?P<cardinal>{'|'.join(_TO_TWENTY[1:] + _TENS)}|a single|only one|a dozen"
    r"|(?:a pair of|one)"
    r"(?= (?:of (?:the |its |these )?)?(?:[a-z]+ )?(?:runs?|(?:bio)?samples?)\b))\b",
    re.IGNORECASE,
)
_BOUND: Final = re.compile(
    r"\b(over|more than|up to|at least|fewer than|less than|nearly|almost|just over|just under"
    r"|under)(?: a| an)? ?$",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"⟨(\d+)⟩")
_BREAK: Final = re.compile(r"[,;:()]|\b(?:and|but|while|whereas|against|than|yet|followed by)\b")
_STATEMENT_END: Final = re.compile(r"[.?!] (?=[A-Z“⟨\d])")
_ITEM: Final = re.compile(r"[\d,]+(?: runs?\b| each\b|\)|,)")
_NO_ITEM: Final = re.compile(r"(?:of|against|about|[=<>]) ?$")
_ITEM_NAME: Final = re.compile(r"⟨(\d+)⟩ \([\d,]+(?: runs?|,|\))")
_PART_OF: Final = re.compile(r"\)? ?of (?:the |all |the other |its )?")
_OF_FIRST: Final = re.compile(r"\bof (?:the )?$", re.IGNORECASE)
_ALL: Final = re.compile(r"\ball (?:the )?$", re.IGNORECASE)
_WORD: Final = re.compile(r" ?(⟨\d+⟩|[A-Za-z][\w-]*|.)")
_ENDS_NOUN: Final = frozenset({
    "of", "with", "in", "for", "is", "are", "was", "were", "and", "or", "have", "has", "had",
    "carry", "carries", "match", "matches", "that", "which", "each", "to", "as", "at", "on", "the",
    "by", "share", "lie", "come", "comes", "from", "do", "does", "not", "against", "here", "there",
    "its", "more", "less", "most", "named", "stated", "searched", "give", "gives", "show", "shows",
    "than", "turned", "follows", "make", "makes", "contribute", "fall", "all", "appears", "occur",
})  # fmt: skip
_LONGEST_NAME: Final = 8


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a text.

    ``statement``  place of its statement in the text
    ``whole``      what it is a part of, if the text says so next to it
    ``noun``       what is counted, as written; ⟨n⟩ for a name
    ``own``        keys of the names that it belongs to
    ``is_item``    whether it is the number of an item in a list: "leaf (12 runs)"
    ``bound``      words that make it a limit, "more than"; or the sign of a q-value
    """

    value: float
    kind: Kind
    start: int
    end: int
    statement: int
    noun: str = ""
    own: Keys = NO_NAMES
    is_item: bool = False
    bound: str = ""
    whole: float | None = None


@dataclass(frozen=True)
class ReadText:
    """A text whose names are marked as ⟨n⟩, with the keys of each, and its quantities in order.

    ``written`` has each name as the text has it.
    """

    marked: str
    keys: tuple[Keys, ...]
    written: tuple[str, ...]
    statements: tuple[Span, ...]
    quantities: tuple[Quantity, ...]

    @property
    def names(self) -> Keys:
        """Keys of all names in it."""
        return frozenset().union(*self.keys)

    def statement(self, quantity: Quantity) -> str:
        """Return the statement that a quantity is in."""
        return self.marked[slice(*self.statements[quantity.statement])]


def read_text(text: str, phrases: Mapping[str, Keys], *, of_index: bool = False) -> ReadText:
    """Return ``text`` with the names of ``phrases`` marked and its numbers read.

    Texts of the index (``of_index``) are regular: a number belongs to all names of its statement,
    or to the list item that it follows. In a sentence of a model it belongs to its clause.
    """
    marked, keys, written = _mark(text, phrases)
    statements = tuple(_statements(marked))
    found: list[Quantity] = []
    earlier = NO_NAMES
    for place, span in enumerate(statements):
        reader = _Statement(marked, keys, span, of_index, earlier)
        numbers = [reader.read(match, place) for match in _NUMBER.finditer(marked, *span)]
        found += _with_wholes(numbers, marked, span)
        earlier = reader.all_names or earlier
    return ReadText(marked, keys, written, statements, tuple(found))


def names_between(marked: str, keys: tuple[Keys, ...], start: int, end: int) -> list[Keys]:
    """Return the keys of each name that is marked in a part of the text."""
    return [keys[int(found[1])] for found in _NAME.finditer(marked, start, end)]


# --- names ----------------------------------------------------------------------------------------


def words_in(text: str) -> str:
    """Return the words of ``text`` in lower case, as phrases are written."""
    return " ".join(word.lower() for word in re.findall(r"[^\W_]+", text))


def _mark(text: str, phrases: Mapping[str, Keys]) -> tuple[str, tuple[Keys, ...], tuple[str, ...]]:
    """Return ``text`` with ⟨n⟩ in place of each quotation and name, longest first.

    Also return the keys of each and how it is written.
    """
    keys: list[Keys] = []
    written: list[str] = []

    def quotation(found: re.Match[str]) -> str:
        keys.append(frozenset({found.group().lower()}))
        written.append(found.group())
        return f"⟨{len(keys) - 1}⟩"

    quoted = re.sub(r"“[^”]*”", quotation, text)
    words = list(re.finditer(r"(?<!⟨)\b[^\W_]+", quoted))
    pieces, position, at = [], 0, 0
    while at < len(words):
        end, found = _longest(words, at, phrases)
        if found:
            pieces += [quoted[position : words[at].start()], f"⟨{len(keys)}⟩"]
            keys.append(found)
            position = words[end - 1].end()
            written.append(quoted[words[at].start() : position])
        at = end
    return "".join([*pieces, quoted[position:]]), tuple(keys), tuple(written)


def _longest(
    words: list[re.Match[str]], start: int, phrases: Mapping[str, Keys]
) -> tuple[int, Keys]:
    """Return where the longest name that begins at ``start`` ends, and its keys; else one word."""
    for end in range(min(len(words), start + _LONGEST_NAME), start, -1):
        phrase = " ".join(word.group().lower() for word in words[start:end])
        forms = (phrase, phrase.removesuffix("s"), phrase.removesuffix("es"), f"{phrase}s")
        for form in forms:
            if form in phrases and not phrase.isdigit():
                return end, phrases[form]
    return start + 1, NO_NAMES


# --- numbers --------------------------------------------------------------------------------------


def _statements(marked: str) -> Iterator[Span]:
    start = 0
    for end in _STATEMENT_END.finditer(marked):
        yield start, end.end()
        start = end.end()
    yield start, len(marked)


@dataclass(frozen=True)
class _Statement:
    """One statement of a text; ``earlier`` are the names of the one before, for "that is"."""

    marked: str
    keys: tuple[Keys, ...]
    span: Span
    of_index: bool
    earlier: Keys

    @property
    def all_names(self) -> Keys:
        return self._names(*self.span)

    def read(self, found: re.Match[str], statement: int) -> Quantity:
        start, end = found.span()
        value, kind = _value(found)
        own, is_item = self._own(found)
        after = self.marked[end : self.span[1]]
        if kind == "percent":
            after = re.sub(r"^ of(?: the| all)?(?= )", "", after)
        after = re.sub(r"^ searched(?= )", "", after)
        bound = _BOUND.search(self.marked[self.span[0] : start])
        sign = (found["sign"] or "").strip() if kind in ("q", "p") else ""
        said = bound[1].lower() if bound else sign
        return Quantity(value, kind, start, end, statement, _noun(after), own, is_item, said)

    def _own(self, found: re.Match[str]) -> tuple[Keys, bool]:
        """Return the names that a number belongs to, and whether they are an item of a list."""
        start = found.start()
        before = self.marked[self.span[0] : start]
        opened = before.rfind("(") if before.rfind("(") > before.rfind(")") else -1
        if opened >= 0:
            item = self._item(before, opened, start)
            if item:
                return item, True
        if self.of_index:
            return self._subject() or self.all_names or self.earlier, False
        return self._clause(found, opened) or self._names(self.span[0], start) or self.all_names, (
            False
        )

    def _item(self, before: str, opened: int, start: int) -> Keys:
        """Return the names of the list item that a number in brackets follows."""
        if _NO_ITEM.search(before) or not _ITEM.match(self.marked[start : start + 14]):
            return NO_NAMES
        first = self.span[0]
        inside = names_between(self.marked, self.keys, first + opened, start)
        breaks = [first + found.end() for found in _BREAK.finditer(before[:opened])]
        named = names_between(self.marked, self.keys, max([first, *breaks]), first + opened)
        named = inside[-1:] or (named[-1:] if self.of_index else named)
        return frozenset().union(*named)

    def _subject(self) -> Keys:
        """Return the names of the statement that are not items of its list."""
        text = self.marked[slice(*self.span)]
        items = {int(found[1]) for found in _ITEM_NAME.finditer(text)}
        named = {int(found[1]) for found in _NAME.finditer(text)} - items
        return frozenset().union(*(self.keys[place] for place in named))

    def _clause(self, found: re.Match[str], opened: int) -> Keys:
        """Return the names in the clause of a number."""
        breaks = list(_BREAK.finditer(self.marked, *self.span))
        if opened >= 0:
            end = self.span[0] + opened
            inside = names_between(self.marked, self.keys, end, found.start())
            if inside:
                return inside[-1]
        else:
            end = min([it.start() for it in breaks if it.start() >= found.end()] or [self.span[1]])
        limit = min(end, found.start())
        start = max([it.end() for it in breaks if it.end() <= limit] or [self.span[0]])
        return self._names(start, end)

    def _names(self, start: int, end: int) -> Keys:
        return frozenset().union(*names_between(self.marked, self.keys, start, end))


def _value(found: re.Match[str]) -> tuple[float, Kind]:
    if found["share"]:
        return _FRACTIONS[found["share"].lower().replace("-", " ")], "share"
    if found["ratio"]:
        return 2.0, "ratio"
    if found["none"]:
        return 0.0, "count"
    if found["cardinal"]:
        return _CARDINALS[found["cardinal"].lower()], "count"
    value = float(found["digits"].replace(",", ""))
    if found["letter"]:
        return value, "q" if found["letter"].strip().lower() == "q" else "p"
    if found["percent"]:
        return value, "percent"
    return value, "times" if found["times"] else "count"


def _noun(after: str) -> str:
    """Return the noun after a number; if there are several words, the last.

    >>> _noun(" tick runs with a virus"), _noun(" patients had it"), _noun(", and more")
    ('runs', 'patients', '')
    """
    noun = ""
    for found in _WORD.finditer(after):
        word = found[1]
        if word.startswith("⟨"):
            noun = noun or word
            continue
        if not word[0].isalpha() or word.lower() in _ENDS_NOUN:
            break
        noun = word.lower()
        if noun in UNITS:
            break
    return noun


def _with_wholes(numbers: list[Quantity], marked: str, span: Span) -> list[Quantity]:
    """Return the numbers of a statement; parts have their wholes."""
    read = list(numbers)
    for place, (part, whole) in enumerate(pairwise(numbers)):
        between = marked[part.end : whole.start]
        if (
            part.kind in ("count", "share")
            and whole.kind == "count"
            and _PART_OF.fullmatch(between)
        ):
            read[place] = replace(read[place], whole=whole.value)
            read[place + 1] = replace(read[place + 1], kind="whole")
        elif _is_turned(part, whole, marked, span):
            read[place] = replace(read[place], kind="whole")
            read[place + 1] = replace(read[place + 1], whole=part.value)
        elif re.search(r"\bagainst $", between) and not whole.noun:
            read[place + 1] = replace(read[place + 1], noun=part.noun)
    for place, number in enumerate(read):
        if number.kind == "count" and _ALL.search(marked[: number.start]):
            read[place] = replace(number, whole=number.value)
    return read


def _is_turned(whole: Quantity, part: Quantity, marked: str, span: Span) -> bool:
    """Return whether a sentence begins with the whole: "of 135 runs, just 2 carry it"."""
    begins = whole.start - span[0] < len("Of the other ")
    both_count = whole.kind == part.kind == "count"
    between = marked[whole.end : part.start]
    is_near = re.fullmatch(r"[^,;]*,?[^,;]*", between) is not None
    return begins and both_count and is_near and _OF_FIRST.search(marked[: whole.start]) is not None
