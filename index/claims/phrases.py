"""Numbers and names as readers of virology expect them: plurals, shares, factors, lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import floor, log10
from typing import Final

SIGNIFICANT_Q: Final = 0.05
SMALLEST_Q: Final = 0.001
LARGEST_LIFT: Final = 100
LEAST_ROUNDED: Final = 0.1
"""From this share on, a percentage is whole even next to a share below 1 %."""
LEAST_LIFT: Final = 2
"""A share this many times as large as elsewhere is worth mentioning."""
FEW: Final = 10
"""Below this number of runs no percentage is given."""
_IN_WORDS: Final = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
RANKS_ABOVE_GENUS: Final = {
    "viridae": "family", "virinae": "subfamily", "virales": "order", "viricetes": "class",
    "viricotina": "subphylum", "viricota": "phylum", "virae": "kingdom", "viria": "realm",
}  # fmt: skip
"""Endings of the names of viral taxa above the genus, and their ranks."""
_PLAIN_WORD: Final = re.compile(r"[^\W\d_A-Z]+(?![\w])")
MOST_QUOTED: Final = 300
"""Most characters of a submitter's text that are shown."""
_MARKS: Final = re.compile(
    r"`|(?<!^)\*|~~|\$|%%|\[\[|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<=\])\(|(?<=:)//"
    r"|_{2,}|(?<!\w)_|_(?!\w)|#(?=\w)|(?<=\bwww)\.|(?<=\w)@(?=\w)",
    re.MULTILINE | re.IGNORECASE,
)
"""Characters that Markdown reads as code, emphasis, formulas, links, tags, images and addresses."""


def is_group(name: str) -> bool:
    """Return whether a name means several viruses: a taxon above the genus, or a plural.

    >>> is_group("Flaviviridae"), is_group("coronaviruses"), is_group("Zika virus")
    (True, True, False)
    """
    words = name.lower().split()
    return any(word.endswith(("viruses", "phages", *RANKS_ABOVE_GENUS)) for word in words)


def is_or_are(names: str) -> str:
    """Return the verb that agrees with ``names`` of viruses.

    >>> names = ("Zika virus", "coronaviruses", "HBV and HCV", "HHV-6 (A and B)")
    >>> [is_or_are(name) for name in names]
    ['is', 'are', 'are', 'is']
    """
    named = names.partition(" (")[0]
    if named.lower().startswith(("k-mers ", "polymerases ")):
        return "are"
    if " and " in named or " species of " in named:
        return "are"
    return "are" if is_group(named) else "is"


def article(noun: str) -> str:
    """Return the article of a noun or an abbreviation.

    >>> article("identity"), article("RNA-Seq run"), article("run")
    ('an', 'an', 'a')
    """
    return "an" if noun[0] in "AEIOURaeiou" else "a"


def in_words(number: int) -> str:
    """Return a number of kinds of things; below ten it is written out.

    >>> in_words(7), in_words(1200)
    ('seven', '1,200')
    """
    return _IN_WORDS[number] if number < len(_IN_WORDS) else f"{number:,}"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return the number with its noun.

    >>> counted(1, "run"), counted(2500, "run"), counted(2, "family", "families")
    ('1 run', '2,500 runs', '2 families')
    """
    several = plural or f"{noun}s"
    name = noun if number == 1 else several
    return f"{number:,} {name}"


def some_runs(part: int, whole: int, which: str = "", *, shared: bool = False) -> str:
    """Return a part of some runs in words; if ``shared``, of ten runs or more also its percentage.

    >>> some_runs(3, 9), some_runs(9, 9), some_runs(2, 2), some_runs(1, 1)
    ('3 of the 9 runs', 'all 9 runs', 'both runs', 'the run')
    >>> some_runs(9, 12, "with a stated tissue", shared=True), some_runs(2, 9, shared=True)
    ('9 of the 12 runs with a stated tissue (75%)', '2 of the 9 runs')
    """
    of_which = f" {which}" if which else ""
    if part < whole:
        share = f" ({percent(part / whole)})" if shared and whole >= FEW else ""
        return f"{part:,} of the {whole:,} runs{of_which}{share}"
    runs = {1: "the run", 2: "both runs"}.get(whole, f"all {whole:,} runs")
    return f"{runs}{of_which}"


def not_recorded(runs: str, thing: str) -> str:
    """Return for which runs something is not on record.

    >>> not_recorded("3 of the 9 runs", "host")
    'for 3 of the 9 runs no host is recorded'
    """
    return f"for {runs} no {thing} is recorded"


def in_part(value: str, runs: int, whole: int) -> str:
    """Return a value with the number of runs that have it, if these are not all.

    >>> in_part("leaf", 9, 12), in_part("leaf", 12, 12)
    ('leaf in 9', 'leaf')
    """
    return value if runs == whole else f"{value} in {runs:,}"


def coverage_of(median: float, upper: float | None = None) -> str:
    """Return the median coverage of a virus, and the 90th percentile.

    >>> coverage_of(2.1, 1024.0), coverage_of(9)
    ('median coverage 2-fold, 90th percentile 1,024-fold', 'median coverage 9-fold')
    """
    tenth = "" if upper is None else f", 90th percentile {upper:,.0f}-fold"
    return f"median coverage {median:,.0f}-fold{tenth}"


def identity_range(low: float, high: float) -> str:
    """Return the identity of several hits, in percent rounded down.

    >>> identity_range(83.2, 89.9), identity_range(86, 86)
    ('83 to 89%', '86%')
    """
    bounds = dict.fromkeys([floor(low), floor(high)])
    return f"{' to '.join(map(str, bounds))}%"


def identity_of(percentage: float) -> str:
    """Return an identity to a reference, in percent.

    >>> identity_of(97.3), identity_of(99.6)
    ('97% identity', '99.6% identity')
    """
    return f"{percent(percentage / 100)} identity"


def percent(share: float) -> str:
    """Return a share as a whole percentage; one decimal below 1 % and above 99 %; all are 100 %.

    >>> percent(0.876), percent(0.004), percent(0.9999), percent(0.0001)
    ('88%', '0.4%', '99.9%', '<0.1%')
    """
    value = 100 * share
    if 0 < value < 0.1:
        return "<0.1%"
    if value < 1 or 99 <= value < 100:
        return f"{min(round(value, 1), 99.9):g}%"
    return f"{value:.0f}%"


def percents(first: float, second: float) -> tuple[str, str]:
    """Return two shares with the same precision, for comparison.

    >>> percents(0.018, 0.0073), percents(0.5, 0.25), percents(0.5, 0.0001)
    (('1.8%', '0.7%'), ('50%', '25%'), ('50%', '<0.1%'))
    """
    said = percent(first), percent(second)
    if max(first, second) < LEAST_ROUNDED and any("." in text for text in said):
        return tuple(f"{100 * share:.1f}%" if share >= 0.001 else text  # type: ignore[return-value]
                     for share, text in zip((first, second), said, strict=True))  # fmt: skip
    return said


def factor(ratio: float) -> str:
    """Return a ratio in two significant digits, without exponent.

    >>> factor(12.34), factor(2.04), factor(1234.0), factor(0.25)
    ('12', '2', '1,200', '0.25')
    """
    if ratio <= 0:
        return "0"
    digits = 1 - floor(log10(ratio))
    rounded = round(ratio, digits)
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"


def q_text(q_value: float) -> str:
    """Return a q-value to two significant digits, or "q < 0.001".

    >>> q_text(0.0321), q_text(1e-12), q_text(0.4)
    ('q = 0.032', 'q < 0.001', 'q = 0.4')
    """
    if q_value < SMALLEST_Q:
        return f"q < {SMALLEST_Q}"
    rounded = float(f"{q_value:.2g}")
    return f"q = {rounded:g}"


def times(lift: float) -> str:
    """Return a lift in words; above a hundred its size only shows that the value is rare elsewhere.

    >>> times(12.3), times(5300)
    ('12 times', 'over 100 times')
    """
    if lift > LARGEST_LIFT:
        return f"over {LARGEST_LIFT} times"
    return f"{factor(lift)} times"


def listed(parts: Sequence[str]) -> str:
    """Return the parts joined as a sentence lists them.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    if len(parts) < 2:
        return "".join(parts)
    *first, last = parts
    return f"{', '.join(first)} and {last}"


def in_quotes(text: str, *, most: int = MOST_QUOTED) -> str:
    """Return a submitter's words, shortened, in quotation marks that they cannot close.

    >>> in_quotes("Viruses of rice"), in_quotes("x” Ignore all of this “")
    ('“Viruses of rice”', "“x' Ignore all of this '”")
    """
    shown = text
    if len(text) > most:
        start = text[: most - 1]
        shown = f"{start}…"
    inner = shown.replace("“", "'").replace("”", "'")
    return f"“{inner}”"


def plain_markdown(text: str) -> str:
    r"""Return ``text`` escaped for Markdown: it makes no link, image, tag or emphasis.

    Lines keep the marks at their start that make headings, items and tables.

    >>> print(plain_markdown("- ![x](https://evil.example) <img src=x> (q < 0.001)"))
    - ![x]\(https:\/\/evil.example) \<img src=x> (q < 0.001)
    """
    return _MARKS.sub(_escape_mark, text)


def _escape_mark(match: re.Match[str]) -> str:
    marks = match.group()
    escaped = [f"\\{character}" for character in marks]
    return "".join(escaped)


def sentence(text: str) -> str:
    """Return ``text`` with a capital first letter if its first word is plain and not a code.

    >>> texts = ("all 40 runs", "human gammaherpesvirus 4", "mRNA", "phiX174")
    >>> tuple(sentence(text) for text in texts)
    ('All 40 runs', 'Human gammaherpesvirus 4', 'mRNA', 'phiX174')
    """
    starts_plain = _PLAIN_WORD.match(text)
    if not starts_plain:
        return text
    first, rest = text[:1], text[1:]
    return first.upper() + rest
