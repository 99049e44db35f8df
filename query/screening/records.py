"""Words for records that elsewhere ask for a way to do something, put in words that ask for none: a
release date, records of genomes, a way through the graph, the aim of a study, a polite opening.
"""

from __future__ import annotations

import re
from typing import Final

_IN_A_LAB: Final = (
    r"(?!.*\b(?:live|infectious|sequences?|plasmids?|clones?|cultures?|stocks?|[dr]na|genomes?|lab\w*"
    r"|freezers?|scratch|powder|aerosols?|harmless|deadly)\b)"
)
"""Nothing behind this is of a bench: a way from there is no way through the graph."""
_PLAINLY: Final = (
    (
        re.compile(
            rf"\bhow (?:do|does|did|can|could|might) (?:i|we|you|one) get from\b{_IN_A_LAB}"
            r"(?=.*\bto\b)"
            rf"|^start(?:ing)? (?:at|from|with) [^,;?]+, how (?:do|does|can) (?:i|we|you|one) get"
            rf"(?= to\b){_IN_A_LAB}"
            rf"|\b(?:trace|follow|show|find|give)(?: me)? (?:the|a|any) (?:\w+ )?"
            rf"(?:routes?|paths?|ways?|trails?|chains?)(?= (?:from|between)\b){_IN_A_LAB}"
        ),
        "show the link",
    ),
    (
        re.compile(
            r"\b(?:male\W{1,3}female|sex|gender) (?:split|ratio|breakdown|balance|distribution)\b"
        ),
        "sexes",
    ),
    (
        re.compile(
            r"\bhow (?:often|frequently) (?:do|does|did) (?:we|you|one|they|people)"
            r" (?:get|see|find|pick up|come across|detect)\b"
        ),
        "how often is seen",
    ),
    (re.compile(r"\brelease (?:dates?|years?|months?)\b"), "date"),
    (
        re.compile(r"\b(?:virus|viral|host|plant|animal) orders?\b(?! (?:more|some|a|an|the)\b)"),
        "taxa",
    ),
    (
        re.compile(
            r"^((?:please )?(?:get|fetch|find|retrieve|show|list|give|look up)(?: me| us)?"
            r"(?: the| all| any)?(?: (?!full|infectious|synthetic)\w+)? )genomes?(?: records?)?"
            r"(?= (?:of|for) .*\b(?:from|in|at|on) (?:ncbi|genbank|refseq)\b)"
        ),
        r"\1accessions",
    ),
    (re.compile(r"\brefseq genomes?(?= (?:of|for)\b)"), "refseq accessions"),
    (re.compile(r"\bshortest (?:routes?|ways?|paths?|chains?)(?= (?:between|from|to)\b)"), "link"),
    (
        re.compile(
            r"\bauthors?\b(.*)\b(?:they|he|she) (?:want|tr(?:y|ie)|hop|intend|plan|set)\w*"
            r"(?: out)? to"
            r"\b(?: do| find| find out| achieve| show| learn)?(?=\W*$)"
        ),
        r"authors\1aim",
    ),
    (re.compile(r"\b(?:may|might|could) (?:well |also )?be (?:wrong|mistaken|off)\b"), "err"),
    (
        re.compile(
            r"\bbreak (?:\w+ ){1,4}?down(?= (?:by|into|per|for|across)\b|\W*$)|\bbreak down\b"
        ),
        "count",
    ),
    (
        re.compile(
            r"\b(?:where|(?:which|what) \w+) (?:do|does|did) (?:they|those|these|it)"
            r"(?: all| mostly| mainly)? come from\b"
        ),
        "where they are from",
    ),
    (
        re.compile(
            r"\b(?:get|bring) (?:me |us )?up to (?:speed|date) (?:on|with|about)\b"
            r"|\bfill (?:me|us) in(?: on| about)?\b|\bget to know\b"
            r"|\b(?:put together|compile|write|prepare) an? (?:dossier|profile|fact ?sheet"
            r"|overview)(?: (?:on|of|about))?\b"
        ),
        "tell about",
    ),
    (re.compile(r"\b(?:walk|take|lead) (?:me|us)(?= from\b.* to\b)"), "show me the link"),
    (re.compile(r"\b(?:i (?:want|need) to )?weed(?:ing)? out\b"), "leave out"),
    (
        re.compile(
            r"^(?:could|can|would|will|might) you (?:please |kindly |perhaps )*"
            r"(?:inform me|let me know|set out(?: for me)?|gather|provide me with|provide)\b"
            r"|^i (?:should|would|'d) be (?:\w+ly )?(?:interested|curious|glad|pleased|happy|keen"
            r"|delighted) to (?:learn|know|see|hear|read|find out)\b"
            r"|^i (?:should|would|'d) be (?:\w+ly )?(?:obliged|grateful|thankful|glad) for\b"
            r"|^(?:i|we) (?:should |would |'d )(?:(?:very much|really) )?like (?!to\b)"
            r"|^please (?:provide|supply|send)(?: me)?\b"
            r"|^(?:could|may|might|can) i (?:please )?(?:trouble|bother) you for\b"
            r"|^i (?:should|would|'d) be (?:\w+ly )?(?:grateful|thankful|obliged) to know\b"
        ),
        "show me ",
    ),
    (
        re.compile(
            r",? ?\bif you (?:would|could|might|'d) be (?:so|very|that) (?:kind|good|nice)\b"
        ),
        "",
    ),
    (re.compile(r"\bbring (?:it|them|that|this) up\b"), "find it"),
    (re.compile(r"\bassigned to\b"), "of"),
    (re.compile(r"\b(?:work|figure|find) out (?=what|which|whether)"), "see "),
    (
        re.compile(
            r"\b(?:and )?(?:tell|show) me what (?:you|one|we) meets? (?:along|on) the way\b"
        ),
        "",
    ),
    (re.compile(r"\b(?:fix|correct|amend|complete) (?:those|these|the) records\b"), "see them"),
    (re.compile(r"\btrack (?:the|that|this|a) (?:passage|text|paper|study) down\b"), "find it"),
    (re.compile(r"\bwrite[- ]?ups?\b|\bread-?throughs?\b"), "text"),
    (
        re.compile(r"\b(?:spell (?:it|them|each(?: one)?) out|show (?:me )?the steps)\b"),
        "list them",
    ),
    (re.compile(r"\bdump(?= .*\b(?:matrix|hits|runs|counts|rows|file|parquet|csv)\b)"), "list"),
)
"""What is said of records -> the same in words that ask for no way."""


def records_plainly(words: str) -> str:
    """Return ``words``, as ``plain`` has them, with what they say of records in plain words.

    >>> records_plainly("break the runs down by release year")
    'count by date'
    """
    for pattern, record in _PLAINLY:
        words = pattern.sub(record, words)
    return words
