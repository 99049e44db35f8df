"""The words of a table that is asked for, put plainly: nouns, columns, comparisons."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from query.reading.measured.amounts import AFTER, BEFORE, NUMBER
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

_BROADEST: Final = r"(?:broadest|widest|largest|greatest)"


def _runs_in_each(found: re.Match[str]) -> str:
    """Return runs in §0, in §1 and in §2 as runs of each."""
    return ", ".join(f"runs in {name}" for name in re.findall(r"§\d+", found[0]))


_IN_PLAIN_WORDS: Final[tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]] = (
    (re.compile(r"\b(?:in|of) (?:the|this) index\b"), ""),
    (re.compile(r"\bruns positive for (?=§)"), "runs with "),
    (re.compile(r"^(?P<noun>[\w ]+?) (?:vs\.?|versus) virus content\b"), r"per \g<noun>"),
    (
        re.compile(
            r",? with that (?:number|count) (?:next to|beside|and) (?:the|its|each) [\w' ]*?"
            r"total (?:run count|(?:number|count) of runs)"
        ),
        ", total runs",
    ),
    (
        re.compile(
            r" by (?:number|count)s? of (?:different )?(?P<noun>[\w ]+?) (?:found|seen) "
            r"(?:in them|there),? (?:with|and) "
        ),
        r": number of \g<noun>, ",
    ),
    (re.compile(r"§\d+ \((?:the )?(?:family|genus|species|order) (?P<name>§\d+)\)"), r"\g<name>"),
    (re.compile(r"(?P<name>§\d+) \((?:family|genus|species|order)\)"), r"\g<name>"),
    (
        re.compile(
            r"^(?P<of>insect|plant|animal|host|virus) (?:orders|classes|families|genera) ?, "
            r"(?P<cells>.+) per (?P<rank>order|class|family|genus)$"
        ),
        r"\g<cells> per \g<of> \g<rank>",
    ),
    (
        re.compile(r"^(?P<of>virus) families by \w+ diversity: (?P<cells>.+?) per family\b"),
        r"\g<cells> per virus family",
    ),
    (
        re.compile(
            r"^compare (?P<noun>virus \w+) between §\d+ and §\d+: (?P<cells>.+?) for each \w+ "
            r"(?:found|seen) in either"
        ),
        r"\g<noun>: \g<cells>",
    ),
    (
        re.compile(
            r"\bhow many (?:different )?(?P<noun>\w+) (?:those|these|the|its|their) runs "
            r"(?:belong to|come from|are (?:from|in|of))"
        ),
        r"number of \g<noun>",
    ),
    (re.compile(r",? plus (?=(?:the )?(?:number|how many))"), ", "),
    (re.compile(r"\bruns that were searched\b"), "searched runs"),
    (re.compile(r"\bkeep (?=\w+ with)"), "only "),
    (
        re.compile(
            r"\b(?:drop|skip|omit|leave out) (?:the )?[a-z]+ (?:below|under) (?=\d+ [a-z]+)"
        ),
        "only with at least ",
    ),
    (
        re.compile(r"\b(?:drop|skip|omit|leave out) (?:the )?[a-z]+ without any\b"),
        "only share more than 0",
    ),
    (
        re.compile(
            r"^(?P<names>§\d+(?:, §\d+)*,? and §\d+): runs (?:of|in|from) each(?: \w+)?,? "
            r"and how many of them (?:carry|have|hold|contain) (?:an? |any )?(?P<virus>§\d+)"
        ),
        r"for each of \g<names>: runs and runs with \g<virus>",
    ),
    (
        re.compile(r"^§\d+ in §\d+: for (?P<names>§\d+(?:, §\d+)*,? and §\d+) (?:show|give|list) "),
        r"for each of \g<names>: ",
    ),
    (
        re.compile(
            r"\b(?:number|count)s? of (?:those|them) (?:carrying|with|having) (?P<virus>§\d+),? "
            r"only (?:[\w ]+? )?with at least one such run"
        ),
        r"runs with \g<virus>, only with at least 1 run with \g<virus>",
    ),
    (
        re.compile(r"^cross (?P<row>[\w ]+?) with (?P<column>[\w ]+?): "),
        r"per \g<row> and \g<column>: ",
    ),
    (re.compile(r" per combination\b"), ""),
    (re.compile(r"\bwhere (?:the|a) combination has (?=at least|more than|\d)"), "only with "),
    (
        re.compile(
            r"^for every (?P<rows>[\w ]+?) found in at least (?P<least>\d+) runs, "
            r"the (?P<top>\w+) (?P<noun>[\w ]+?) with the most of its runs"
        ),
        r"top \g<top> \g<noun> per \g<rows>, only with at least \g<least> runs",
    ),
    (re.compile(r",? and (?:that|the) run (?:number|count)$"), ""),
    (re.compile(r"\bseas and countries\b"), "countries and oceans"),
    (
        re.compile(r"\branked by how many (?P<noun>[\w ]+?) were found there\b"),
        r"by number of \g<noun>",
    ),
    (re.compile(r",? ties by [\w ]+?(?=[,;.)]|$)"), ""),
    (re.compile(r",? also give (?=\w)"), ", "),
    (
        re.compile(
            r"(?:numbers? of )?runs (?P<in>in|from|of) §\d+(?:, (?P=in) §\d+)*,? and (?P=in) §\d+"
        ),
        _runs_in_each,
    ),
    (re.compile(r"\? "), ". "),
    (
        re.compile(r"\b(?:made public|published|deposited) (?=(?:in|per|by) (?:each|every) year)"),
        "",
    ),
    (re.compile(r"^orders of hosts\b"), "host orders"),
    (re.compile(r"\bthat (?:came|come) back with (?=any|a )"), "with "),
    (re.compile(r"\b(?:was|were|is|are) (?P<name>§\d+) positive\b"), r"with \g<name>"),
    (
        re.compile(r"^(?P<noun>[\w ]+?) with (?P<name>§\d+), and in how many runs$"),
        r"\g<noun> with \g<name>: runs",
    ),
    (re.compile(r" \(sra\)"), ""),
    (re.compile(r"\bthat (?:\w+)['’]s (?=(?:total|searched|number))"), "its "),
    (re.compile(r"\bon record\b|\bfor surveillance\b"), ""),
    (re.compile(r"\bcountry table:"), "per country:"),
    (re.compile(r"\bskip combinations (?:under|below) (?=\d)"), "only with at least "),
    (
        re.compile(
            r"^(?:for|in) each (?P<group>\w+(?: \w+)?),? the (?P<top>\w+ "
            r"(?:most (?:common|frequent|abundant)|commonest|leading) [\w ]+?)(?= and| with|,|$)"
        ),
        r"\g<top> per \g<group>",
    ),
    (
        re.compile(r", (?P<runs>§\d+ (?:runs|libraries|samples)) only\b"),
        r", only \g<runs>",
    ),
    (
        re.compile(r"(?<= runs),? and (?:how many |(?:number )?of )?samples\b(?! with)"),
        " and number of biosamples",
    ),
    (re.compile(r"(?<= runs), samples\b(?! with)"), ", biosamples"),
    (re.compile(rf"\b{_BROADEST} host range\b"), "most hosts"),
    (
        re.compile(rf"\b{_BROADEST} (?:geographic(?:al)?|country) (?:range|spread)\b"),
        "most countries",
    ),
    (re.compile(r"\b(?:narrowest|smallest) host range\b"), "fewest hosts"),
    (
        re.compile(
            r"^(?:(?:what is|what['’]?s) )?(?:the )?most widespread (?P<noun>[\w ]+?) "
            r"(?:geographically|across (?:the )?countries|by countr(?:y|ies))$"
        ),
        r"\g<noun> with the most countries",
    ),
    (re.compile(r" of (?:any|every|all) (?:kind|sort|type)s?\b"), ""),
    (re.compile(r" \+ "), " and "),
    (
        re.compile(
            r"\b(?:where|in which) (?P<name>§\d+) (?:(?:was|were|is|are|has been|have been) )?"
            r"(?:turn(?:s|ed)? up|found|seen|detected|present|occurs?|occurred)\b"
        ),
        r"with \g<name>",
    ),
    (re.compile(r"\b(?:(?:were|was|are) )?released (?=(?:in|per|by) (?:each |every )?year\b)"), ""),
    (re.compile(r"\b(?:detected|found|seen|present) in (?=§)"), "in "),
    (
        re.compile(r"^(?P<runs>(?:in|for|among|of) §\d+ (?:runs|samples)),? (?:which|what) "),
        r"\g<runs>: ",
    ),
    (re.compile(r"(?P<name>§\d+) ?\((?P=name)\)"), r"\g<name>"),
    (re.compile(r"^(?P<rows>for [^,:;.]+?) (?:give|show|list|tell)(?: me| us)? "), r"\g<rows>: "),
    (
        re.compile(
            r"\b(?:does|do|is|are|was|were|did) each (?P<noun>[\w ]+?) "
            r"(?:occur|appear|turn up|found|seen|detected) in\b"
        ),
        r"per \g<noun>",
    ),
    (
        re.compile(
            r"[,;.] ?(?:only )?(?:the )?(?P<n>\d+|\w+)(?: \w+)? with (?:the )?most "
            r"(?P<by>[\w§ ]+)$"
        ),
        r", top \g<n> by \g<by>",
    ),
    (
        re.compile(
            r"(?:\b(?:only|keep(?:ing)?) |(?<=[,;.] ))(?:[\w-]+ )?(?:pairs|combinations|combos)"
            r" (?:with|of|in) "
            r"(?=(?:at least |over |more than )?\d)"
        ),
        "only with ",
    ),
    (re.compile(r"\btable(?=:)"), ""),
    (re.compile(r"\baltogether\b"), "in total"),
    (
        re.compile(r"\b(?:of|from) those,? in which (?:one|a virus)(?: was| is)? (?:found|seen)\b"),
        "with a virus",
    ),
    (
        re.compile(
            r"\b(?:in|of) (?:how many|which) of (?:those|these|them) (?:no|not a|not any) virus"
            r"(?: was| is)?(?: found| seen)?\b"
        ),
        "runs with no virus",
    ),
    (re.compile(r"\b(?:name|names) and (?=(?:number|count)s?\b)"), ""),
    (re.compile(r"\ba member of (?:the )?(?=§)"), "a "),
    (re.compile(r"(?<=\w) reads? (?:aligned|mapped|mapping) to (?:it|them|§\d+)\b"), " reads"),
    (
        re.compile(
            r"[,;.]? ?(?:and )?(?:drop|skip|leave out|without|omit)(?:ping)? (?:those|rows|any)"
            r"(?: where (?:the )?(?:share|percent\w*|number|count)(?: is| was)?| with| of)?"
            r" (?:zero|none|0|no runs)\b"
        ),
        ", only share more than 0",
    ),
    (
        re.compile(r",? and (?:those|rows) (?:with|of) (?:none|zero)\b"),
        ", only share more than 0",
    ),
    (re.compile(r", (?:and )?then by (?:accession|name|run)\b"), ""),
    (
        re.compile(r"\b(?:number|count)s? (?:of runs )?with (?=§\d+(?:,|$| and| side))"),
        "runs with ",
    ),
    (re.compile(r",? ?\bi(?:['’]d| would) (?:like|love|want)(?: to (?:see|have))?\b ?"), ", "),
    (
        re.compile(
            r"[,;.?]? ?(?:please )?(?:i (?:need|want) (?:it|this|them)|put (?:it|this|them|that)) "
            r"(?:as|in|into) (?:a |one )?table\b"
        ),
        "",
    ),
    (
        re.compile(
            r",? (?:runs|counts|number of runs) in (?:the )?cells\b|,? (?:in )?long format\b"
        ),
        "",
    ),
    (re.compile(r", (?P<n>\w+) rows? with the most runs\b"), r", top \g<n>"),
    (re.compile(r"[\u2010-\u2013]"), "-"),
    (
        re.compile(
            r" ?\((?:[^()]|\([^()]*\))*(?:and so on|etc\.?|\.\.\.)\)|"
            r" ?\((?:and|or) (?:seas?|oceans?|§\d+)\)| ?\((?:everything|all) (?:in"
            r"|of|below) §\d+\)"
        ),
        "",
    ),
    (
        re.compile(
            r"[,;.]? ?(?:please )?(?:skip(?:ping)?|ignor(?:e|ing)|leav(?:e|ing) out|drop(?:ping)?"
            r"|excluding|without)(?: the)? (?:runs|those|rows) (?:without|with no|whose)"
            r"(?: (?:a|an|any|known|stated))?(?: [\w']+){1,3}(?: (?:isn't|is not|not) (?:given"
            r"|known"
            r"|stated))?(?=[,;:.]|$)"
        ),
        "",
    ),
    (
        re.compile(
            r"(?:leav(?:e|ing) out|drop(?:ping)?|excluding|skip(?:ping)?|without)(?: the| those)? "
            r"(?P<noun>[\w ]+?) (?P<in>in|with|having) (?:fewer|less) than (?=\d)"
        ),
        r"only \g<noun> \g<in> at least ",
    ),
    (
        re.compile(
            r",? ?(?:and )?(?:including|with) (?:all )?(?:sub-?\w+|descendants|everything "
            r"(?:below|under))"
            r"(?: (?:of|it)(?: the)?(?: \w+)?)?"
        ),
        "",
    ),
    (
        re.compile(
            r"^in (?:which|what) (?P<noun>[\w ]+?) (?:do|did|can) (?:we|you|i) (?:see|find|get"
            r"|have) "
            r"(?P<name>§\d+)"
        ),
        r"\g<noun> with \g<name>",
    ),
    (
        re.compile(
            r"[,;.]? ?(?:please )?(?:as|in) (?:a |one )(?:single )?table(?: please)?(?=[,;.]? )"
        ),
        ",",
    ),
    (re.compile(r"[,;.]? (?:a|as) table,? please$|(?<!-)\btabulate\b"), ""),
    (re.compile(r"(?:,|:) (?:please )?(?:show|give|list)(?: me| us)?\b"), ":"),
    (re.compile(r"\((?:e\.g\.|i\.e\.|such as)[^)]*\)|\([^)]*\.\.\.\)"), ""),
    (re.compile(r" ?(?:->|=>|→|⇒) ?"), ": "),
    (re.compile(r" \| "), ", "),
    (re.compile(r"(?<=\w) [-–—] (?=\w)"), ", "),
    (re.compile(r"\bnumerator and denominator\b"), ""),
    (re.compile(r"\b(?:two|2)-way table\b"), "cross table"),
    (re.compile(r"\bmin(?:imum)?\.? (?=\d)"), "at least "),
    (
        re.compile(r"^(§\d+) viruses(?=,? (?:sorted|ranked|ordered|by|with|per)\b)"),
        r"species of \1",
    ),
    (re.compile(r"≥ ?"), "at least "),
    (re.compile(r"≤ ?"), "at most "),
    (re.compile(r"(?<![<>])> ?(?=\d)"), "more than "),
    (re.compile(r"(?<![<>])< ?(?=\d)"), "less than "),
    (re.compile(r">= ?(?=\d)"), "at least "),
    (re.compile(r"<= ?(?=\d)"), "at most "),
    (re.compile(r"\b(\d+)\+(?=\W|$)"), r"at least \1"),
    (re.compile(r"\b(\d+)x\b"), r"\1"),
    (re.compile(r" ?\(? ?(?:in |as )(?:an? )?(?:%|percent(?:ages?)?)(?: ?\))?"), ""),
    (re.compile(r"\(%\)|\((?:in )?(?:the )?(?:rows|columns)\)"), ""),
    (re.compile(r" ?%"), " percent"),
    (re.compile(r"\s*[()]\s*"), ", "),
    (re.compile(r"\s*&\s*"), " and "),
    (re.compile(r"(?<=\w)\s*/\s*(?=\w)"), " and "),
    (re.compile(r"\b(?:virus|viral)[ -]positives?\b"), "positive"),
    (re.compile(r"\b(?:virus|viral)[ -]negatives?\b"), "negative"),
    (re.compile(r"(§\d+)[ -]positive(?: (runs|samples|libraries))?\b"), r"runs with \1"),
    (re.compile(r"\bcross-?tab(?:ulation|ulate)?\b"), "cross table"),
    (re.compile(r"\b(?:virus|viral) hits?\b"), "virus"),
    (re.compile(r"\bsequencing (?=runs?\b)"), ""),
    (re.compile(r"\bco-?(?=\w)"), "co"),
    (re.compile(r"\s+([,;:.])"), r"\1"),
    (re.compile(r"(?:,(?!\d{3}(?!\d)) ?)+"), ", "),
    (re.compile(r"\bwith (?:and|or|vs\.?|versus) without\b"), "with~without"),
    (re.compile(r"\b(earliest|first|oldest) and (?=last|latest|newest|most recent)"), r"\1~"),
    (re.compile(r",(?= (?:with|having)\b)"), ","),
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
    for pattern, plain in _IN_PLAIN_WORDS:
        text = " ".join(pattern.sub(plain, text).split())
    before = ""
    while before != text:
        before = text
        text = _CLOSING.sub("", _OPENING.sub("", text)).strip(" ,;:.")
    return _AS_ROWS.sub("", text)


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
