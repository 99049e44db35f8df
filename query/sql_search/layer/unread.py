"""Why a list of values would be no answer to a question: it asks for rows of a table that no rule
reads.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from query.reading.limits import RANK_BY_VALUES
from query.sql_search.layer.naming import masked, names_of, restored
from query.sql_search.layer.nouns import COLUMN, NOUN, NUMBER

if TYPE_CHECKING:
    from query.reading.question import Question

_COUNTED_EACH: Final = re.compile(
    r"(?:how many|(?:the )?number of|count(?: of)?) (?P<noun>\w+) (?:are there )?(?:were \w+ )?"
    r"(?:per|(?:in|for|of|from) (?:each|every)) "
)
_OF_ROWS: Final = re.compile(
    r"\b(?:accessions? (?:of|for)|matrix|cross-?tab\w*|breakdown|pairs of|rank(?:ed)? \w+ by"
    r"|(?:together|along) with (?:their|its))\b"
    r"|\bsearched runs, |\bby how many\b"
    r"|(?:%|\bpercent\w*|\bshares?) of (?:all )?(?:the )?runs (?:having|with|that (?:have|state))\b"
    r"|\b(?:two|three|\d+) most (?:common|frequent) \w+ in each\b"
    r"|\bwith (?:and|or|versus|vs) without\b|\bcontinents?\b|\bcommunities (?:whose|where|with)\b"
    rf"|\b(?:share|fraction|percentage|proportion|ratio)s?\b.*"
    rf"\b(?:each|every|per|by|for the) (?:{NOUN})"
    rf"|\b(?:how many|number of) (?:{NOUN})\b.*\beach$"
    rf"|\b(?:how many|number of|most|fewest) (?:{NOUN})\b.*\b(?:each|every|per) (?:{NOUN})"
    rf"|\b(?:top|most common|commonest)\b.*\b(?:each|every|per) (?:{NOUN})"
    rf"|\b(?:at least|more than|fewer than|at most) (?:{NUMBER}) (?:{NOUN})\b"
    r"|\bnumber of\b.*\bnumber of\b"
    r"|\bsplit by\b|\bby (?:the )?number of (?!runs\b)\w+"
    r"|\b(?:in|with|of|for) (?:each|every)(?: of)? §|\bper §|;[^;]*;[^;]*;"
    r"|\bfor each [^,]*,.* and the\b"
    rf"|\bfor (?:each|every) (?:{NOUN})|\b(?:share|percent\w*|proportion|fraction) of each\b"
    r"|\b(?:ranked|sorted|ordered) by (?:the )?(?:proportion|share|percent\w*|rate)"
    rf"|^(?:{NOUN}) (?:by|x|×|vs\.?|against) (?:virus )?(?:{NOUN})\b"
    r"|\bhow many\b[^,]*, ?(?:and )?how many\b|§\d+ (?:vs\.?|versus) §\d+ (?:vs\.?|versus) §"
    r"|§\d+ vs\.? §\d+:|\bhow many of (?:them|these|those)\b|\beach for §"
    r"|\b(?:largest|biggest|smallest|top-level)\b.*\bcommunities:"
    r"|\bwith (?:the |their |its )?(?:titles?|total|shares?|numbers? \w+)\b"
    r"|[:;?.] [^:;?.]*(?:\b(?:runs?|shares?|percent\w*)\b[^:;?.]*,|,[^:;?.]*\b(?:runs?|shares?"
    r"|percent\w*)\b)[^:;?.]*$"
    rf"|\bwhether\b|\bby (?:{NOUN}) and (?:{NOUN})\b|^for (?:each|every) \w+"
    r"|\b(?:numbers?|counts?) of (?:\w+ )*tests\b"
    r"|\b(?:do|does|did|has|have|is|are|was|were) each \w+"
    r"|\bruns\b[^.?;]*(?:,|\band\b)[^.?;]*\bruns\b|\bin how many runs\b"
    rf"|\bof (?:each|every) (?:{NOUN})\b|: (?:[\w ]+, )*(?:{NOUN}|{COLUMN}),"
    r"|\btogether with how many\b|\bone (?:row|line) (?:per|for|each)\b|\btabulate\b"
    r"|\bwith (?:the )?(?:counts?|numbers?|tall(?:y|ies)) of (?!runs?\b|samples?\b|them\b)"
    rf"|\b(?:only|exactly|just) (?:{NUMBER}|a single) (?:{NOUN})\b"
    r"|[.?;:] ?(?:give|show|list|include|report|columns?|rows?|\w+ rows?|leave out|keep)\b"
    rf"|\bwith (?:their|its|the) (?:{NOUN}),? and\b"
    r"|\b(?:leave|leaving|left) out\b[^.?;]*\b(?:without|known|unknown|stated|missing)\b"
    rf"|\bfor each of (?:the )?(?:two|three|them|these)|^(?:by|per) (?:{NOUN})[,:]"
    r"|\bhow many [^,.?]*\band how many (?!of|are|is|runs (?:of|in) (?:it|them))"
    rf"|^(?:the )?(?:{NOUN})\b[^?]*\b(?:and|\+|with|,|:) ?"
    r"(?:how many|(?:the )?(?:number|run count)s?(?: of)?) ?(?:runs|samples)?"
)
_TABLE: Final = re.compile(r"\b(?:tables?|tabulated?|cross table)\b")
_AS_TABLE: Final = re.compile(
    r",? (?:please )?(?:as|in) (?:a|one)(?: single)? table(?: please)?\W*$"
)
"""Says at the end in which form the answer is wanted, and nothing else."""
_BY_ROWS: Final = re.compile(rf"\b(?:per|by|(?:for|in) (?:each|every)) (?:{NOUN})\b")
_SEVERAL_SOURCES: Final = re.compile(
    r"\b(?:(?<!for )both|either|only one|two)(?: of)?(?: the)? (?:detection )?sources?\b"
)


def not_counted(question: Question) -> str | None:
    """Return why a list of values would be no answer to ``question``, None where it may be one.

    It counts what is neither a noun of tables nor a name (patients per country), or asks for rows
    of a table in words that only ``asked_table`` heeds.
    """
    both = {one.label for one in question.mentions}
    both &= {one.label for one in question.reading.without}
    if both:
        return f"{' and '.join(sorted(both))} is asked for and ruled out"
    limit = question.reading.of_tables
    if limit is not None and limit.topic == RANK_BY_VALUES:
        return "values are not ranked by how many others they have"
    if joins_sources(question):
        return "runs are not counted by how many sources found a virus in them"
    said = _AS_TABLE.sub("", masked(question.text.lower(), names_of(question)))
    counted = _COUNTED_EACH.match(said)
    if counted and not re.fullmatch(rf"(?:{NOUN})|(?:{COLUMN})|.*§.*", counted["noun"]):
        return f"“{counted['noun']}” is nothing that the index counts"
    unknown = question.reading.not_understood
    if unknown and _BY_ROWS.search(said):
        return f"“{unknown[0]}” was not understood"
    rows = _OF_ROWS.search(said)
    if rows is None and question.reading.kind != "associate":
        rows = _TABLE.search(said)
    if rows is None:
        return None
    return f"“{restored(rows[0].strip(), names_of(question))}” was not understood with the rest"


def joins_sources(question: Question) -> bool:
    """Return whether ``question`` asks what several sources of detections say of the same run,
    which no table here does; what each of them found is a table.
    """
    return _SEVERAL_SOURCES.search(question.text.lower()) is not None
