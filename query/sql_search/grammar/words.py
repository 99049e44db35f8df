"""The words of a table that is asked for, put plainly: nouns, columns, comparisons."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from query.reading.measured.amounts import AFTER, BEFORE, NUMBER
from query.reading.respelling.rules import rules_of
from query.sql_search.tables.nouns import AGGREGATES, COLUMNS, NOUNS, RUN

_VIRAL: Final = r"(?:virus |viral )?"
_MORE_NOUNS: Final = {
    "genus": rf"{_VIRAL}(?:genus|genera)",
    "order": r"(?:virus|viral) orders?|orders? of viruses",
    "phylum": rf"{_VIRAL}(?:phylum|phyla)|phyla of viruses",
    "realm": rf"{_VIRAL}realms?",
    "genome": r"(?:genome|baltimore|nucleic[ -]acid) (?:types?|class(?:es)?|groups?|kinds?)",
    "risk_group": r"(?:biosafety )?risk[ -]groups?",
    "source": r"(?:detection |hit )?sources?(?: of (?:the )?(?:detections?|hits?))?",
    "month": r"(?:release )?months?",
    **{
        f"{hosts}_{rank}": rf"{hosts} (?:{words})"
        for hosts in ("host", "animal", "plant", "insect")
        for rank, words in {
            "class": "class(?:es)?",
            "order": "orders?",
            "family": "famil(?:y|ies)",
            "genus": "genus|genera",
            "species": "species",
        }.items()
    },
}
TABLE_NOUNS: Final = {
    **_MORE_NOUNS,
    **NOUNS,
    "tissue": r"(?:tissues?(?: (?:or|and) cell (?:types?|lines?))?|organs?|cell (?:types?|lines?))",
    "environment": r"environments?|metagenome (?:types?|kinds?)|metagenomes|types? of metagenomes?",
    "geography": r"(?:countr(?:y|ies)(?: (?:and|or) oceans?)?|places?|locations?)",
    RUN: r"(?:sequencing )?runs?|samples?|librar(?:y|ies)|data ?sets?",
}
"""What can be the rows of a table, or be counted -> the words that mean it."""
TABLE_COLUMNS: Final = {
    **COLUMNS,
    "reads": r"(?:numbers? of )?(?:aligned |mapped |viral |virus )?reads?(?: counts?| numbers?)?"
    r"|(?:aligned |mapped )read (?:counts?|numbers?)",
    "coverage": r"(?:genome |sequence )?coverages?",
    "score": r"(?:serratus )?scores?",
    "spots": r"(?:numbers? of )?spots?(?: counts?)?",
    "bases": r"(?:numbers? of )?bases?(?: counts?)?",
}
"""Columns of numbers -> the words that mean them."""
_ADJECTIVES: Final = (
    r"(?:(?:different|distinct|unique|separate|individual|known|named|all|such|various) )*"
)
ANY_NOUN: Final = rf"{_ADJECTIVES}(?:{'|'.join(TABLE_NOUNS.values())})"
ANY_COLUMN: Final = "|".join(TABLE_COLUMNS.values())
ANY_AGGREGATE: Final = "|".join({**AGGREGATES, "avg": r"averages?|means?|avg"}.values())
SIGN: Final = rf"{BEFORE}|>=|<=|>|<"
_SIGNS: Final = {">=": ">=", "<=": "<=", ">": ">", "<": "<"}
MANY: Final = (
    r"(?:the )?(?:total )?(?:how many|(?:numbers?|counts?|amounts?) of|no\.? of|numbers?|counts?)"
)

_RULES: Final = Path(__file__).with_name("plain_words.toml")
_IN_EACH: Final = re.compile(
    r"(?:numbers? of )?runs (?P<in>in|from|of) §\d+(?:, (?P=in) §\d+)*,? and (?P=in) §\d+"
)
_OPENING: Final = re.compile(
    r"^(?:(?:please|hi|hello|can (?:you|i)|could (?:you|i)|may i|i(?:['’]d| would) (?:like|need"
    r"|want)"
    r"|i (?:want|need)|what(?: is| are|['’]s)?|which|export|print|select|split|give(?: me| us)?"
    r"|show(?: me| us)?|list|tabulate|tally|display|make|create|produce|build|have|get|see|me|us"
    r"|break(?: down| up)?|(?:breakdown|distribution|summary|overview|list|spreadsheet|csv"
    r"|export|file) of|return|find"
    r"|write|an?|the|all|compute|calculate|compile|prepare|to|for all"
    r"|(?:(?:summary )?tables?|pivots?(?! ))(?: of| with| that (?:gives"
    r"|shows|lists)"
    r"| showing| listing|:)?)\b[ :,]*)+"
)
_CLOSING: Final = re.compile(
    r"[,;.]? ?(?:please|thanks?(?: you)?|thx|if (?:possible|you can)|as (?:a |one )?tables?"
    r"|in (?:a |one )(?:single )?tables?|as rows|one row each|one per (?:row|line)"
    r"|(?:side by side|next to each other)|in one go|for (?:a|my|our) (?:slide|paper|report)"
    r"|as csv|in long format|(?:where|if|when)(?: (?:it is|they are))? (?:known|stated|available"
    r"|given|recorded))[?.!]*$"
)
_AS_ROWS: Final = re.compile(
    r"(?:(?<=runs) as rows(?: please)?| as rows please|,? one row (?:each|per line))(?=[,;:.]|$)"
)


def plainly(text: str) -> str:
    """Return the words of a table, in lower case, without what asks for one politely.

    >>> plainly("Please give me a table of runs per host (≥20 runs), thanks!")
    'runs per host, at least 20 runs'
    """
    text = " ".join(text.lower().rstrip(" ?.!").split())
    text = _IN_EACH.sub(_runs_in_each, text)
    for rule in rules_of(_RULES):
        text = " ".join(rule.apply(text).split())
    before = ""
    while before != text:
        before = text
        text = _CLOSING.sub("", _OPENING.sub("", text)).strip(" ,;:.")
    return _AS_ROWS.sub("", text)


def _runs_in_each(found: re.Match[str]) -> str:
    """Return runs in §0, in §1 and in §2 as runs of each."""
    return ", ".join(f"runs in {name}" for name in re.findall(r"§\d+", found[0]))


def noun_meant(text: str) -> str:
    """Return what a word of ``ANY_NOUN`` means.

    >>> noun_meant("different virus genera"), noun_meant("cell types")
    ('genus', 'tissue')
    """
    return _key_of(TABLE_NOUNS, re.sub(rf"^{_ADJECTIVES}", "", text.strip()))


def column_meant(text: str) -> str:
    """Return which column of numbers a word of ``ANY_COLUMN`` means."""
    return _key_of(TABLE_COLUMNS, text.strip())


def aggregate_meant(text: str) -> str:
    """Return the function of SQL that a word of ``ANY_AGGREGATE`` means."""
    return "avg" if text.strip() == "avg" else _key_of(AGGREGATES, text.strip())


def _key_of(words: dict[str, str], text: str) -> str:
    for key, pattern in words.items():
        if re.fullmatch(pattern, text):
            return key
    raise KeyError(text)


COMPARED: Final = rf"(?:(?P<sign>{SIGN}) )?(?P<number>{NUMBER})(?: (?P<after>{AFTER}))?"
"""A number that something is compared with."""
