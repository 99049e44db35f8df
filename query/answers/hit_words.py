"""Hits in the words of a virologist: "EBV", "RNA viruses", "viruses of risk group 4"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.claims import number_text
from query.answers.names import CalledNames, plural
from query.request import Hit, Range

_EVIDENCE: Final = {
    "any": "",
    "species": "at 90% identity or more",
    "known": "of known identity",
    "reported": "whose match quality is unknown",
}
JUDGED: Final = {
    "recorded": "known from their host",
    "new within class": "known from relatives of their host",
    "unexpected": "not known from their host",
    "resident": "that live in the cell line sequenced",
    "library": "that were sequenced themselves",
    "unknown": "of unknown hosts",
}
"""Plausibility of a hit -> words for its viruses."""
_AMOUNTS: Final = {
    "at_least": ("at least {}", "{}"),
    "above": ("more than {}", "over {}"),
    "at_most": ("at most {}", "to {}"),
    "below": ("less than {}", "to under {}"),
}
"""How a bound of an amount is said alone, and with another one."""
_RT: Final = "reverse-transcribing"


def hit_words(hit: Hit, names: CalledNames, *, first: bool = False) -> str:
    """Return ``hit`` as the subject of a sentence; ``first`` gives the formal name, too.

    A hit without conditions is "any virus".
    """
    return " ".join([_noun(hit, names, first=first), *_conditions(hit, names)])


def or_words(hits: Sequence[Hit], names: CalledNames, *, first: bool = False) -> str:
    """Return several hits as alternatives: "EBV or HCV"."""
    return " or ".join(hit_words(hit, names, first=first) for hit in hits)


def amount_words(bounds: Range) -> str:
    """Return the bounds of an amount in words, to precede its unit.

    >>> amount_words(Range(above=10000)), amount_words(Range(at_least=5, at_most=9))
    ('more than 10,000', '5 to 9')
    """
    given = bounds.bounds()
    is_pair = len(given) == 2
    said = (_AMOUNTS[name][is_pair].format(_amount(bound)) for name, bound in given.items())
    return " ".join(said)


def _identity_words(bounds: Range) -> str:
    """Return bounds of an identity: "99% identity or more", "more than 90% identity"."""
    if bounds.at_least is not None and len(bounds.bounds()) == 1:
        return f"{_amount(bounds.at_least)}% identity or more"
    return f"{amount_words(bounds)}% identity"


def _amount(number: float | str) -> str:
    return number if isinstance(number, str) else number_text(number)


def _noun(hit: Hit, names: CalledNames, *, first: bool) -> str:
    if hit.virus:
        first_alone = first and len({names.formal(name, "virus") for name in hit.virus}) > 1
        call = names.introduced if first_alone else names.called
        several = [call(name, "virus") for name in hit.virus[:-1]]
        last = (names.introduced if first else names.called)(hit.virus[-1], "virus")
        return " or ".join([*several, last])
    if hit.sotu:
        return f"the virus {' or '.join(hit.sotu)}"
    kinds = [_RT if kind == "RT" else kind for kind in hit.genome]
    if kinds:
        return f"{' or '.join(kinds)} viruses"
    if hit.infects:
        return f"viruses of {' or '.join(map(plural, hit.infects))}"
    if hit.risk or hit.plausibility:
        return "viruses"
    return "any virus"


def _conditions(hit: Hit, names: CalledNames) -> list[str]:
    risk = "of risk group {}" if hit.risk != ("unknown",) else "of no known risk group"
    said = {
        "other than {}": [names.called(name, "virus") for name in hit.other_than],
        risk: [group.removeprefix("RG") for group in hit.risk],
        "with {} genome": hit.genome if hit.virus else (),
        "recorded in {}": hit.infects if hit.virus or hit.genome else (),
        "reported by {}": hit.source,
        "as {}": hit.sotu if hit.virus else (),
        "reported as {}": hit.reported,
        "{}": [JUDGED[plausibility] for plausibility in hit.plausibility],
    }
    parts = [words.format(" or ".join(values)) for words, values in said.items() if values]
    if hit.named is not None:
        parts.append("identified to genus or species" if hit.named else "without a name")
    for name, bounds in hit.ranges.items():
        amount = f"at {_identity_words(bounds)}"
        parts.append(amount if name == "identity" else f"with {amount_words(bounds)} {name}")
    return [*parts, *([_EVIDENCE[hit.evidence]] if _EVIDENCE[hit.evidence] else [])]
