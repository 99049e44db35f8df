"""A question as people type it, spelled the way names are written.

Everyday words for what metadata names otherwise (people are human), phrases that rule something
out, cell lines without the word cell, and the letter of a virus in lower case. Each rule is a
pattern and what replaces it; what is replaced means the same.
"""

from __future__ import annotations

import re
from typing import Final

_LETTERED: Final = r"influenza|flu|hepatitis|hep|rotavirus|enterovirus|rhinovirus|parechovirus"
_FOLLOWS_A_NAME: Final = (
    r"virus(?:es)?|in|on|of|from|and|or|vs|versus|than|with|to|is|was|are|were|be|been|found|seen"
)
_LACKED: Final = (
    r"absent|missing|lacking|undetected|not (?:found|detected|present|seen|there|observed)"
)
_SEEN: Final = r"found|seen|present|detected|observed"
_OF_CELLS: Final = r"\w*(?:oma|oid|aemia|emia|cancer|tumou?r|blast|cyte|carcinoma)s?"

RULES: Final = (
    (r"\b(?:people|persons?|human beings?|mankind|humankind|humanity)\b", "human"),
    (r"\bman\b", "human"),
    (r"\b(?:women|woman)\b", "female human"),
    (r"\bmen\b", "male human"),
    (r"\bcountries (?:and|or) (?:seas|oceans)\b", "countries"),
    (r"\b(what|who|where|how)['’]s\b", r"\1 is"),
    (r"\bper cent\b", "percent"),
    (r"\bat least (?:one|an?|1)\b", "a"),
    (rf"\b({_LETTERED}) a(?= (?:{_FOLLOWS_A_NAME})\b|\W*$)", r"\1 A"),
    (rf"\b({_OF_CELLS}) (lines?)\b", r"\1 cell \2"),
    (rf"\b(?:where|in which|that) no (.+?) (?:is|are|was|were) (?:{_SEEN})\b", r"without \1"),
    (rf"\b(?:where|in which) (.+?) (?:is|are|was|were) (?:{_LACKED})\b", r"without \1"),
    (
        r"\b(?:apart from|aside from|not counting|not including|leaving (?:out|aside)|save for"
        r"|(?<!from )outside(?: of)?|elsewhere than in)\b",
        "except",
    ),
    (r"(?<![\w-])(?!disease|virus|pathogen|germ|contamination)([\w-]+)-(?:negative|free)\b",
     r"without \1"),
)  # fmt: skip
"""Patterns, in lower or upper case, in the order in which they are applied."""
_COMPILED: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), spelled) for pattern, spelled in RULES
)


def respelled(text: str) -> str:
    """Return ``text`` with everyday wording replaced by that of names and metadata.

    >>> respelled("flu a in people, outside Spain")
    'flu A in human, except Spain'
    >>> respelled("Do lymphoma lines exist where EBV is absent?")
    'Do lymphoma cell lines exist without EBV?'
    """
    for pattern, spelled in _COMPILED:
        text = pattern.sub(spelled, text)
    return text
