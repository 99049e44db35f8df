"""What else a question asks of the names in it: what they have in common, what else is in their
runs, what is found nowhere else, what is not expected.

Rules read the frame of a question, as those of its kind do (``query.reading.kinds``).
"""

from __future__ import annotations

import re
from typing import Final

COUNTABLE: Final = "runs|samples|libraries|biosamples|records|datasets"
"""Nouns for runs."""
UNEXPECTED: Final = re.compile(
    r"\b(?:unexpected\w*|implausib\w*|is (?:it|(?:that|this) pair) (?:considered )?plausible"
    r"|suspicious|surprising|unusual|odd|weird|dubious|doubtful"
    r"|(?:likely|possible|probable|possibly|potential) contamina\w*|contaminants?|spurious"
    r"|artefacts?|artifacts?|out of place|false positives?)\b"
)
"""Asks for what is not expected of a virus in its host."""
_COMPANY: Final = re.compile(
    r"\bco-?(?:occur|detect|infect|exist)\w*\b|\b(?:what|which|who|anything) (?:else|other)\b"
    r"|\bother (?:virus(?:es)?|viral)\b|\b(?:together|along|in company) with\b|\balongside\b"
    r"|\baccompan\w+\b|\bcompanions?\b"
)
"""Asks for what is found beside what is named."""
_ONLY_THERE: Final = re.compile(
    r"\b(?:only|exclusively|solely|strictly|uniquely?|restricted|confined|limited|specific|nowhere"
    r" (?:else )?(?:but|than))\b(?: (?!how|which|what|where)[a-z]+){0,3}?"
    r" (?:in|to|from|among|within)(?: (?:the|a|an))? _"
    r"|^(?:is|are|do|does|were) (?:all|every)(?: (?:of|the|these|those|them|its|your|such))*"
    rf"(?: (?:{COUNTABLE}|hits|finds|detections|cases))?(?: come)? (?:from|in|of) (?:the )?_"
    r"|\b(?:just|merely|nowhere (?:else )?(?:but|than)) (?:found |seen |present )?in _"
)
"""Says of what is found that it is nowhere else."""
SHARED: Final = re.compile(
    r"\b(?:in common|common to|shared? (?:by|between|among|with)|overlap\w*|intersect\w*)\b"
    r"|\bshare$|\bshare (?:any|an?|the|some|viruses|virus)\b(?! of)"
    r"|\b(?:which|what) (?:virus(?:es)?|(?:virus )?families)\b.*\bin (?:the )?_(?: \w+)?"
    r" and in (?:the )?_(?: \w+)?$"
)


def asks_in_common(frame: str) -> bool:
    """Return whether ``frame`` asks for what groups have in common, and not how they differ.

    >>> asks_in_common("what do _ and _ have in common"), asks_in_common("_ versus _")
    (True, False)
    """
    return SHARED.search(frame) is not None


def asks_company(frame: str) -> bool:
    """Return whether ``frame`` asks what else is in the runs of a name.

    >>> asks_company("which viruses co-occur with _"), asks_company("viruses other than _")
    (True, False)
    """
    return _COMPANY.search(frame) is not None


def asks_only_there(frame: str) -> bool:
    """Return whether ``frame`` says of what is found that it is found nowhere else.

    >>> asks_only_there("is there _ only shows up in _"), asks_only_there("is only _ found in _")
    (True, False)
    """
    return _ONLY_THERE.search(frame) is not None


def asks_unexpected(frame: str) -> bool:
    """Return whether ``frame`` asks for finds that are not expected in their host.

    >>> asks_unexpected("which detections in _ are unexpected"), asks_unexpected("_ in _")
    (True, False)
    """
    return UNEXPECTED.search(frame) is not None
