"""The words of a table cut into chunks: nouns, names, numbers, and what joins them.

A chunk is the longest phrase known at its place, with a letter for what it is; words that say
nothing of a table fall away, and a word that is not known makes the text no table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from query.reading.measured.amounts import AFTER, BEFORE, NUMBER, amount_of, compared_of
from query.sql_search.grammar.words import (
    ANY_COLUMN,
    ANY_NOUN,
    aggregate_meant,
    column_meant,
    noun_meant,
)
from query.sql_search.tables.nouns import AGGREGATES, RUN

_VERB: Final = r"(?:found|detected|seen|present|reported|identified|observed|known|recorded)"
_VIRUS: Final = (
    r"(?:(?:known|named|kind of|sort of|type of) )*(?:virus(?:es)?|(?:virus |viral )?"
    r"(?:hits?|detections?|findings?))"
)
_ANY: Final = r"(?:an?|any|at least (?:one|a|1)|some|one or more)"
_WITH: Final = (
    r"(?:with|having|have|has|had|carrying|carries|carry|carried|contain(?:ing|s|ed)?|showing"
    r"|shows?|show|yield(?:ing|ed|s)?|harbou?r(?:ing|s|ed)?|got|give|gave|hold(?:ing|s)?)"
)
_SUPERLATIVE: Final = r"(?:highest|largest|greatest|biggest|best|lowest|smallest|total)"
_PARTICIPLE: Final = (
    r"(?:broken down|grouped|split(?: up)?|separately|separated|stratified|aggregated|summari[sz]ed"
    r"|listed|counted|tabulated|arranged|divided)"
)
_FIRST: Final = r"(?:first|on top|at the top|on the top|at the beginning|first please|leading)"
_ABOVE: Final = rf"(?:{BEFORE}|exceed(?:ing|s)?|reach(?:ing|es)?|>=|<=|>|<)"
_KNOWN: Final = (
    ("n", rf"(?:{_ABOVE}) (?:an? |the )?(?:{NUMBER})(?: (?:percent|reads?(?= |$)))?|"
          rf"(?:{NUMBER})(?: percent)? (?:{AFTER})"),
    (">", AFTER),
    ("#", rf"(?:{NUMBER})"),
    ("N", ANY_NOUN),
    ("C", ANY_COLUMN),
    ("K", r"(?:total )?(?:how many|(?:numbers?|counts?|amounts?|tally|tallies) of(?: the)?"
          r"|no\.? of|numbers?|counts?|counting|#|how often|how much)"),
    ("F", rf"(?:the )?(?:(?:share|percent(?:age)?|fraction|proportion|number)|how many)(?: of)?"
          rf"(?: (?:the|these|its|all|their|that))*(?: {ANY_NOUN}['’]s?)?(?: runs| samples)?"
          r" (?:(?:that )?(?:it|this|that) (?:is|was|occurs|makes up)(?: found)?(?: in)?"
          r"|with (?:it|that virus|this virus))"),
    ("A", rf"(?:{AGGREGATES['avg']}|avg|{AGGREGATES['median']}|maxim(?:um|al)|max|minim(?:um|al)"
          rf"|min|sum of(?: the)?|{_SUPERLATIVE}(?= (?:of )?(?:the |best )?(?:{ANY_COLUMN})\b))"),
    ("P", r"(?:(?:virus |viral )?(?:detection|positivity|hit|positive|infection|discovery) "
          r"(?:rates?|percent(?:ages?)?)|prevalences?|positivity"
          r"|(?:what |the )?(?:percent(?:ages?)?|shares?|fractions?|proportions?|ratios?|rates?))"),
    ("L", r"(?:virus[ -])?(?:searched|looked (?:at|into|through)|screened|examined|analy[sz]ed"
          r"|tested|scanned|checked)(?: (?:for|at|against)(?: any| some)? virus(?:es)?)?"),
    ("+", rf"(?:{_WITH} )?(?:{_ANY} )(?:(?:known|named) )?{_VIRUS}"
          rf"|{_WITH} {_VIRUS}(?! (?:famil|species|gen|order|name))"
          r"|(?:tested |turned out |were |was )?positives?(?: ones)?"
          r"(?: for (?:any(?:thing)?|a|some|at least one)(?: virus| viral)?)?"
          r"|(?:anything|something)(?: viral)?|virus(?:es)? (?:was|were|could be) "
          rf"{_VERB}|(?:in which|where) (?:{_ANY} )?{_VIRUS}"),
    ("-", rf"(?:{_WITH} )?(?:no|not any|zero) {_VIRUS}|without (?:{_ANY} )?{_VIRUS}"
          r"|(?:tested |turned out |were |was )?negatives?(?: ones)?|nothing(?: viral)?"
          rf"|(?:did|do|have|had|were|are)(?: not|n['’]t)(?: {_WITH})?(?: any(?: {_VIRUS})?)?"),
    ("z", r"with~without"),
    ("p", rf"(?:{_PARTICIPLE} )?(?:by|per|for (?:each|every)|(?:in|of|from|within|across|on|at) "
          rf"(?:each|every)|across|according to)(?: (?:each|every|of|the))*(?: single)?(?= [\w§])"
          rf"|(?:each|every)(?: of the)?(?: single)?(?= (?:§|{ANY_NOUN}))|one (?:row|line) (?:per"
          r"|for each)|for all(?: the)?(?= )"),
    ("e", r"(?:(?:for|of|in|within) )?each(?: one| of them)?(?=$|[,;:.])|each(?: one)?"
          r"|apiece|respectively|separately|individually"),
    ("t", r"top|first(?= (?:\d|two|three|four|five|six|seven|eight|nine|ten))|leading|commonest"
          r"|most (?:common|frequent|abundant|prevalent|widespread|often)|main|dominant|biggest"
          r"|largest|greatest|highest|number one|most"),
    ("q", r"fewest|lowest|smallest|rarest|least (?:common|frequent)"),
    ("f", r"(?:(?:first|earliest|oldest|last|latest|newest|most recent)(?:~|,? )?)+"
          r"(?:release )?years?(?: of release)?"),
    ("l", r"(?:the )?last (?:column|one|number)"),
    ("o", r"(?:(?:sort(?:ed|ing)?|rank(?:ed|ing)?|order(?:ed|ing)?)(?: (?:them|it|rows|all|these"
          r"|those))*(?: (?:by|on|in|from|according to|with|down|the|order|of))*)"),
    ("d", rf"(?:in )?(?:descending|decreasing|high(?:est)?(?: to |-)low(?:est)?"
          rf"|large(?:st)? to small(?:est)?)(?: order)?|down(?:wards?)?"
          r"|(?:the )?(?:most(?: common| frequent)?|commonest|largest|biggest|highest|best"
          r"|greatest|newest|latest|worst)"
          rf"(?: [\w§]+){{0,2}} {_FIRST}"),
    ("u", rf"(?:in )?(?:ascending|increasing|low(?:est)?(?: to |-)high(?:est)?"
          rf"|small(?:est)? to large(?:st)?)(?: order)?|upwards?"
          rf"|(?:the )?(?:fewest|smallest|lowest|least|oldest|earliest|rarest)"
          rf"(?: [\w§]+){{0,2}} {_FIRST}"),
    ("b", r"(?:in )?alphabetical(?:ly)?(?: order)?|(?:by|on) name|a(?: to |-)z"
          r"|(?:in )?chronological(?:ly)?(?: order)?"),
    ("y", r"only|just|keep(?:ing)?(?: only| just)?|restrict(?:ed)? to|limit(?:ed)? to"
          r"|consider(?:ing)?(?: only)?|provided|but only|as long as|if"),
    ("x", r"leav(?:e|ing) out|drop(?:ping)?|exclud(?:e|ing)|skip(?:ping)?|ignor(?:e|ing)"
          r"|omit(?:ting)?"),
    ("w", r"(?:without|lacking|but not|except(?: for)?|other than|excluding|not)"
          r"(?: any)?(?= (?:the )?§)"),
    ("W", rf"{_WITH}|(?:is|are|was|were|tested)? ?positive for|infected (?:with|by)|found with"
          r"|(?:in|from) which|whose"),
    ("T", r"(?:(?:of|among|in|from|out of) (?:these|them|those)|(?:of|among) which|thereof"
          r"|(?:of|among|out of) (?:all(?: the)?|the total|the whole|its|their)"
          r"(?: (?:runs|samples|libraries))?)"),
    ("i", r"of|in|from|for|at|among|amongst|within|on|to|out of|over|under"),
    ("k", r"(?:with )?(?:(?:one|a) )?(?:(?:separate|own) )?columns?"
          r" (?:each|(?:per|for (?:each|every)) \w+)|(?:each )?in (?:(?:its|their) own|separate)"
          r" columns?|in columns of their own"
          r"|(?:each )?as (?:(?:its|their) own |separate |the )?columns?|in (?:the )?columns"
          r"|columns? for|across(?: the top)?(?=$|,)|columns:?"),
    ("h", r"(?:as|in|on|down)(?: the)? (?:rows?|side)|rows:?"),
    ("c", r"(?:cross|pivot) ?tables?(?: of)?|matrix(?: of)?|grid(?: of)?|heat ?map(?: of)?"),
    ("X", r"x|×|versus|vs\.?|against|compared (?:to|with)"),
    ("&", r"and(?: also| then)?|plus|as well as|(?:together|along|coupled) with|besides"
          r"|next to|followed by|beside|alongside"),
    ("|", r"or"),
    ("r", r"(?:(?:and |but )?released )?(?:(?:between|from|since|after|before|in|until|up to"
          r"|starting(?: in)?) )?(?:19|20)\d\d(?: ?(?:to|and|-|until|through) ?(?:19|20)\d\d)?"
          r"(?: (?:onwards?|on|or later|and later|or earlier))?"),
    ("", r"(?:(?:per|of|for|in) (?:the )?)?(?:hits?|detections?|alignments?)|per cent"
         r"|(?:to|from) (?:the |their |its )?(?:best |closest )?references?(?: sequences?)?"),
    ("", rf"(?:any|every|all) {ANY_NOUN} (?:that|which) (?:has|have) (?:at least one|any) of"
         r" (?:them|these)"),
    ("", r"the|a|an|their|its|his|there|are|is|was|were|be|been|being|has been|have been|do|does"
         r"|did|we|you|i|me|us|our|my|it|they|them|that|these|those|which|what|all|both|overall"
         r"|in total|total"
         r"|each with|in it|in them|behind (?:it|them)|come|comes|came|comes from|could|can|named"
         r"|involved|represented|covered|too|also|show(?:n|ing)?|give|giving|list|listing|listed"
         r"|including|include|different|distinct|unique|various|such|given|table|tables|column"
         rf"|columns|row|rows|{_VERB}(?: in)?|occur(?:s|ring)?|appear(?:s|ing)?|turn(?:s|ed)? up"
         r"|in|need|want|please|as|then|get|got|more|so|on|say|year of|respective|corresponding"
         r"|at all|out|index|in the index|in our index|in the data|data|own|any|some|based|where"
         r"|not|but|when|side by side|next to each other|compare|comparing|comparison|put|putting"
         r"|breakdown|distribution|overview|summary|statistics"
         r"|known|stated|recorded|sequenced|sequencing|among them|cover(?:s|ing)?"),
    (",", r"[,;.]"),
    (":", r":"),
)  # fmt: skip
_STOPS: Final = (",", ":")
_END: Final = r"(?![\w§])"
_LEXICON: Final = tuple(
    (code, re.compile(f"(?:{pattern}){_END if code not in _STOPS else ''}"))
    for code, pattern in _KNOWN
)
_NAME: Final = re.compile(r"§\d+")
_SPACE: Final = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class TableChunk:
    """A phrase of a table.

    ``code``   the letter of what it is: a letter of the lexicon, ``V`` for the name of a virus,
               ``O`` for another name, ``R`` for the noun of runs
    ``value``  the noun, column or function it means
    ``sign``   of a comparison, with its ``number``
    """

    code: str
    text: str
    value: str = ""
    sign: str = ""
    number: float = 0


def chunks_of(text: str, kind_of: dict[str, str]) -> list[TableChunk] | None:
    """Return the chunks of ``text``, plain words with names as ``§0``; None where a word of it is
    none that is known. ``kind_of`` says of each name what it is.

    >>> chunks = chunks_of("mean identity per host with §0", {"§0": "virus"})
    >>> "".join(one.code for one in chunks), chunks[0].value
    ('ACpNWV', 'avg')
    """
    chunks = []
    place = 0
    while place < len(text):
        name = _NAME.match(text, place)
        if name is not None:
            code = "V" if kind_of.get(name[0]) == "virus" else "O"
            chunk, end = TableChunk(code, name[0]), name.end()
        else:
            found = max(
                ((len(match[0]), code, match[0])
                 for code, pattern in _LEXICON if (match := pattern.match(text, place))),
                key=lambda one: one[0],
                default=None,
            )  # fmt: skip
            if found is None or not found[0]:
                return None
            chunk, end = _chunk(found[1], found[2]), place + found[0]
        if chunk.code:
            chunks.append(chunk)
        after = _SPACE.match(text, end)
        place = after.end() if after else end
    return chunks


def _chunk(code: str, text: str) -> TableChunk:
    """Return the chunk of a phrase, with what it means."""
    if code == "N":
        noun = noun_meant(text)
        return TableChunk("R" if noun == RUN else "N", text, noun)
    if code == "C":
        return TableChunk(code, text, column_meant(text))
    if code == "A":
        return TableChunk(code, text, aggregate_meant(text))
    if code == "p":
        return TableChunk(code, text, "by" if text == "by" else "each")
    if code == "P":
        rate = re.search(r"rate|prevalence|positiv|discovery", text) and not re.fullmatch(
            r"(?:the )?rates?", text
        )
        return TableChunk(code, text, "searched" if rate else "")
    if code in ("n", "#"):
        found = re.search(rf"(?:{NUMBER})", text)
        number = amount_of(found[0]) if found else 0
        said = text.replace(found[0], "").strip() if found else text
        return TableChunk(code, text, "", _sign(said), number)
    if code in ("t", "q"):
        return TableChunk("t", text, "fewest" if code == "q" else "most")
    return TableChunk(code, text)


def _sign(said: str) -> str:
    if said in (">", ">=", "<", "<="):
        return said
    if said.startswith(("exceed",)):
        return ">"
    return compared_of(said)


def codes(chunks: Sequence[TableChunk]) -> str:
    """Return the letters of ``chunks``."""
    return "".join(one.code for one in chunks)


def said(chunks: Sequence[TableChunk]) -> str:
    """Return the words of ``chunks``."""
    return " ".join(one.text for one in chunks)
