"""The words of a request cut into tokens: fields, names, numbers, comparisons, and what joins them.

A token is the longest phrase known at its place. Words that say nothing of a table are left out by
name; a word that no list holds makes the request none that is understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from query.reading.measured.amounts import AFTER, BEFORE, NUMBER, amount_of, compared_of

_FOUND: Final = (
    r"(?:found|detected|seen|present|reported|identified|observed|recorded|annotated|stated|listed"
    r"|positive|known|on record)"
)
_ANY: Final = r"(?:an?|any|at least (?:one|a|1)|some|one or more|1\+)"
_HIT: Final = (
    r"(?:(?:virus|viral) )?(?:hits?|detections?|findings?)|virus(?:es)?(?: (?:detections?|hits?))?"
)
_HAVE: Final = (
    r"(?:with|hosting|having|have|has|had|carry(?:ing)?|carries|carried|contain(?:ing|s|ed)?"
    r"|harbou?r"
    r"(?:ing|s|ed)?|show(?:ing|s)?|yield(?:ing|s|ed)?|hold(?:ing|s)?|positive for|infected (?:with"
    r"|by)|come with|comes with|that gave|(?:in|from|for) (?:which|whom)|whose|where|when)"
)
_MOST: Final = (
    r"(?:most|largest|biggest|highest|greatest|best|longest|widest|deepest|broadest|strongest)"
)
_LEAST: Final = r"(?:fewest|smallest|lowest|least|weakest|shortest)"
_FIRST: Final = (
    r"(?:first|on top|at the top|on the top|at the beginning|leading|come first|comes first)"
)

_KNOWN: Final = (
    ("agg", r"(?:first|earliest|oldest)(?= (?:and (?:the )?(?:last|latest|newest|most recent) "
            r")?(?:release )?"
            r"(?:dates?|years?))|(?:last|latest|newest|most recent)(?= (?:release )?(?:dates?"
            r"|years?))"
            r"|averages?|means?|avg\.?|medians?|maxim(?:um|al|a)|max\.?|minim(?:um|al|a)|min\.?"
            r"|(?:sum|total)s?(?: of)?(?= (?:the )?(?:number of )?(?:aligned |mapped |viral )?"
            r"(?:reads?|spots?|bases?))|summed"
            r"|(?:sum|total)s?(?=,? ?(?:and |or )?(?:the )?(?:averages?|means?|medians?|max\w*"
            r"|min\w*)\b)"),
    ("only", r"only|just|keep(?:ing)?(?: only| just)?|restrict(?:ed)? to|limit(?:ed)? to|provided"
             r"|if(?: they)?|as long as|consider(?:ing)?(?: only)?|using(?: only)?|but only"),
    ("cmp", rf"(?:{BEFORE}|exceed(?:ing|s)?|reach(?:ing|es)?|at or (?:above|below)|>=|<=|≥|≤|>|<|="
            r"|north of|south of|(?:=|is|of) exactly|equal to)"),
    ("after", rf"{AFTER}|(?<=\d)\+|(?<=\d )\+(?! [a-z])|and (?:higher|over)"
              r"|or (?:longer|deeper|larger|smaller)"),
    ("between", r"between|from(?= \d+(?:\.\d+)? (?:to|and) \d)"),
    ("num", rf"{NUMBER}|one(?= (?:run|or|virus|host|tissue|project))"),
    ("super", rf"(?:{_MOST}|{_LEAST})"),
    ("count", r"(?:how many|(?:numbers?|counts?|amounts?|tally|tallies) of|no\.? of|n(?= runs)"
              r"|# ?of|#|counting|numbers?|counts?|how often|how much|tally)"),
    ("share", r"(?:what )?(?:shares?|percentages?|fractions?|proportions?|percent|per cent"
              r"|%)(?: of all(?: of)?(?: the)?| \(%\)| in (?:%|percent)| \(in (?:%|percent)\))?"),
    ("rate", r"(?:(?:virus |viral )?(?:detection|positivity|hit|positive|infection|discovery) "
             r"(?:rates?|percent(?:ages?)?)|prevalences?|positivity|rates?|hit rates?)"
             r"(?: in (?:%|percent))?(?: \(%\))?"),
    ("percent_sign", r"%|percent|per cent"),
    ("risk", r"(?:risk[ -]groups?|rg)[ -]?(?:rg[ -]?)?[1-4]"
             r"(?: ?(?:or|and|/) ?(?:rg|risk[ -]group)? ?[1-4])*"
             r"(?: agents?| pathogens?)?"),
    ("virus+", r"positive for (?:any(?:thing)?|something|at least one|one|a)(?: virus(?:es)?)?|"
               rf"{_HAVE} (?:{_ANY} )?(?:(?:known|named|detected) )?(?:{_HIT})(?: {_FOUND})?"
               r"(?! (?:famil|spec|gen|ord|phyl|name|taxa))"
               r"|virus[- ]?(?:positive|containing)|with (?:a |any |at least (?:one|a) "
               r")?positives?|(?:with (?:a )?)?(?:positive|virus(?:es)?) "
               r"(?:runs?|samples?)(?! )|were positive|are positive|positives?(?: ones?)?"
               rf"|(?:a|any|some) virus(?:es)? (?:was|were) {_FOUND}"
               r"|anything (?:viral )?(?:was )?(?:found|detected)|with something"
               r"|(?:in which|where) (?:one|any(?:thing)?|something|(?:any|some) virus(?:es)?"
               r"|a virus) "
               rf"(?:was|were|is) {_FOUND}"),
    ("virus-", rf"(?:{_HAVE} )?(?:no|not any|zero|without (?:{_ANY} )?)(?: ?(?:{_HIT}))"
               r"|without (?:any|one)(?= ?(?:$|[,;:.)]| and\b))|without(?= ?(?:$|[,;.)]))"
               r"|virus[- ]?(?:negative|free)"
               r"|negatives?(?: ones?)?|nothing (?:was )?(?:found|detected)"),
    ("both_ways", rf"(?:with (?:and|or|versus|vs\.?) without)(?: (?:{_ANY} )?(?:detected )?"
                  rf"(?:{_HIT}))?(?! (?:famil|spec|§))"),
    ("searched", r"(?:virus[ -])?(?:searched|looked (?:at|into|through)|screened|examined"
                 r"|analy[sz]ed|tested|scanned|checked)(?: (?:for|at|against) (?:any |some )?"
                 r"virus(?:es)?)?"),
    ("each", r"(?:(?:for|of|in|within|at) )?each(?: one| of (?:them|these))?(?=$|[,;:.?!)(]| and"
             r"| -| with| was| were| is| has| occurs?| appears?)"
             r"|(?:of|for) each(?= in (?:its|their) own)|apiece|respectively|separately"
             r"|individually"),
    ("per", r"(?:(?:broken down|break(?: them| it)? down|grouped|split(?: up)?|separately"
            r"|separated|stratified|aggregated|summari[sz]ed|listed|counted|tabulated|arranged"
            r"|divided|distributed|down) )?(?:by|per|for (?:each|every|all|both)|(?:in|of|from"
            r"|within"
            r"|across|on|at|over) (?:each|every)|across|according to|one (?:row|line) (?:per"
            r"|for (?:each|every)|each)|as rows?)(?: (?:each|every|of|the|single|both|different))*"
            r"(?= [\w§])|(?:each|every)(?: single| one of the| of the)?(?= [\w§])"
            r"|distributed over(?: the)?"),
    ("top", r"top|first(?= (?:\d|two|three|four|five|six|seven|eight|nine|ten|twenty))"
            r"|commonest|most (?:common|frequent|abundant|prevalent|widespread|often|frequently"
            r"|commonly)|leading|max(?:imum)?(?: of)?(?= \d+(?: rows| lines)?$)|limit(?: to)?"
            r"|up to(?= \d+ rows)|dominant|main"),
    ("rare", r"rarest|least (?:common|frequent|often|frequently)|bottom"),
    ("sort", r"(?:sort(?:ed|ing)?|rank(?:ed|ing)?|order(?:ed|ing)?|arranged?)(?: (?:them|it|rows"
             r"|all|these|those|the table))*(?: (?:by|on|in|from|according to|with|the|order"
             r"|of))*"),
    ("down", r"(?:in )?(?:descending|decreasing|high(?:est)?(?: to |-)low(?:est)?"
             r"|large(?:st)? to small(?:est)?|(?:from )?largest to smallest|desc)(?: order)?"
             r"|(?:the )?(?:most|largest|biggest|highest|greatest|newest|latest|commonest|best"
             r"|most (?:common|frequent)|northernmost|strongest|most recent|deepest)"
             rf"(?: ones?| values?)? {_FIRST}"),
    ("up", r"(?:in )?(?:ascending|increasing|low(?:est)?(?: to |-)high(?:est)?"
           r"|small(?:est)? to large(?:st)?|asc)(?: order)?"
           r"|(?:the )?(?:fewest|smallest|lowest|least|oldest|earliest|rarest|southernmost|weakest)"
           rf"(?: ones?| values?)? {_FIRST}"),
    ("first", _FIRST),
    ("byname", r"(?:in )?alphabetical(?:ly)?(?: order)?|a(?: to |-)z|(?:in )?chronological(?:ly)?"
               r"(?: order)?"),
    ("skip", r"leav(?:e|ing) out|drop(?:ping)?|exclud(?:e|ing)|skip(?:ping)?|ignor(?:e|ing)"
             r"|omit(?:ting)?|not counting"),
    ("unknown", r"(?:unknowns?|blanks?|nulls?|missing(?: values?)?|empty(?: values?)?|unstated"
                r"|unspecified|undated|rows without (?:a |one))"),
    ("lacking", r"(?:without|lacking|with no|missing)(?: an?| any| the| known)*"),
    ("not", r"(?:without|lacking|outside(?: of)?|but not|but no|except(?: for)?|other than"
            r"|excluding|apart from|not|never|but never|not (?:in|from)|not counting|no)"
            r"(?: (?:any|the|in|from|found in|in samples from))*"),
    ("other", r"other|else|further|additional|(?:what )?else"),
    ("together", r"(?:occur(?:ring)?|found|seen|turn(?:ing)? up|detected|appear(?:ing)?|co-?occur"
                 r"(?:ring)?|shar(?:e|ing))?(?: most)?(?: often)? ?(?:together|(?:in|on) the same"
                 r" (?:runs?|samples?)|a runs?|in common|at the same time|co-?occur(?:ring|s)?"
                 r"|jointly)|co-?occur\w*|both(?= (?:found|detected|present|seen|were|are|in))"
                 r"|that (?:most )?(?:often )?share a run"),
    ("shared", r"shared|common"),
    ("both", r"both"),
    ("pairs", r"(?:co-?occurring )?(?:pairs?|pairings?|combinations?|couples?)"),
    ("thence", r"(?:that |which )?(?:they|these|those) (?:all )?(?:come|came|stem|derive|originate"
               r"|are|were)(?: (?:found|seen|detected|reported|taken|derived))?(?: from| in)"
               r"(?=$|[,;:.?!)]| and\b)"),
    ("those", r"(?:those|them|these|they|it|ones|its|their|theirs|of which|thereof)"),
    ("known", r"(?:(?:with|whose|where|that have|which have|for which|of) )?(?:a |an |the |both )?"
              r"(?:are |is )?(?:known|stated|recorded|given|annotated)"
              r"|(?:where|if|for which|with) (?:both|all(?: three)?|they|these)"
              r"(?: of (?:them|these))?(?: are)? "
              r"(?:known|stated|recorded|given|annotated|available|on record)"),
    ("with", rf"{_HAVE}"),
    ("in", r"of|in|from|for|at|among|amongst|within|on|to|out of|over|under|into|as"),
    ("which", r"which|what(?: are)?(?: the)?|whichever"),
    ("versus", r"x|×|versus|vs\.?|against(?: the)?|compared (?:to|with)(?: the)?"),
    ("compare", r"compar(?:e|ing|ison)(?: of| between)?"),
    ("and", r"and(?: also| then)?|plus|as well as|(?:together|along|coupled) with|besides|next to"
            r"|followed by|beside|alongside|&|\+"),
    ("or", r"or|and/or|/"),
    ("coordinates", r"(?:geographic )?coordinates|latitude/longitude"
                    r"|lat(?:\.|itude)?(?:/|, | and | )?lon(?:g(?:itude)?)?\.?"),
    ("split", r"split (?:up )?into|divided into|separated into|into"),
    ("one_column", r"(?:all )?(?:in|into|as) (?:one|a single) (?:column|cell|field)|joined"
                   r"|comma-separated"),
    ("released", r"(?:and |but )?(?:(?:made )?public |released |published )?(?:(?:between|from"
                 r"|since|after|before|in|for|during|over|until|up to|starting(?: in)?) )?"
                 r"(?:the years )?(?:19|20)\d\d(?: ?(?:to|and|or|-|–|until|through)"
                 r" ?(?:19|20)\d\d)?(?: (?:onwards?|on|or later|and later|or earlier))?"),
    ("round", r"(?:\()?(?:rounded?(?: to)?|with|to)? ?(?:(?P<places>\d|one|two|three|four|no|zero)"
              r" (?:decimals?|digits?|decimal places?|places)|(?:nearest )?whole numbers?|integers?"
              r"|the nearest (?:integer|whole number))(?:\))?"),
    ("comma", r",|;|\|"),
    ("colon", r":| -(?= )| –(?= )| —(?= )|->"),
    ("column_each", r"(?:one |an? )?(?:(?:separate|extra|own) )?columns? (?:for|per) "
                    r"(?:each|every)"),
    ("kinds", r"kindsof"),
    ("stop", r"\.|\?|!"),
    ("open", r"\("),
    ("close", r"\)"),
)  # fmt: skip
_IDLE_TEXT: Final = r"""
ever|actually|over time|extra|(?:in|of) the archive|made public|behind|break down|csv|line list
|as well(?! as)|(?:the )?(?:numerators?|denominators?)|year-by-year|of sampling|of any (?:kind|type)
|as (?:annotated|recorded|given)|ties (?:broken )?by (?:run )?(?:accessions?|runs?|numbers?)|pls|deg
|each pair (?:only |listed |counted )?once|each run (?:only |listed |counted )?once|
(?:show|shows|showed|showing|turn|turning|turns|turned) up|
the|a|an|his|there|are|is|was|were|be|been|being|has been|have been|do|does|did|had|we|you|i|me|us
|our|my|all|overall|in total|total(?! ?,| and\b)|come from|comes from|came from|can|could|may|might
|named
|involved|represented|covered|too|also|show(?:n|ing)?|give|giving|gives|list(?:ing|s|ed)?
|includ(?:ing|e)(?! §)|different|distinct|unique|various|separate|individual|such|given|tables?
|tabulate|columns?|rows?|lines?|occur(?:s|ring)?|appear(?:s|ing)?|turn(?:s|ed)? (?:up|out)|need
|want|would like|please|then|get|got|more|so|that|respective|corresponding|at all|index
|in the (?:index|data|database|dataset|collection|metadata)|our (?:index|data)|the data|data
|database|dataset|own|based on|not counted|side by side|next to each other|breakdown|distribution
|overview|summary|statistics|summari[sz]e|picture|panel|matrix|cross-?tab(?:ulation|le|s|ulate)?
|pivot|heat ?map|grid|accession numbers?|export|as csv|one|contribute|tell|fetch|report|return
|print|display|present|find|make|made|build|draw up|counted|count them|occurring|mapped
|(?:each )?in (?:two|three|separate|different|one|a|the other) (?:separate )?columns?
|(?:each )?in (?:their own|its own|another|own) (?:separate )?columns?
|in the other(?: one| column)?|as columns?|in columns|columns? (?:for|with|named)|with columns
|one row each|by run accession number|fall(?:s|ing)? in(?:to)?(?: it)?|belong(?:s|ing)? to|split
|break|sampled|degrees|any|but|used|names? of(?: the)?|collected|isolated|taken|derived|how are
|how is|how do|how|where|whatever the identity|at (?:any|whatever) identity|in it|in them|on it
|among them|within it|within them|entire|whole|full|(?:were |was |are )?released|sequenced
|deposited|published|available|existing|stored|when|(?:types?|kinds?)(?: of)?|two-way|cross|see
|tested out|shows? up|put (?:it|them|this) in(?:to)? (?:a|one) table
|(?:vs\.?|by|versus) virus content|across all|amongst all|table s?\d+|s\d+|have|found|detected
|seen|identified|observed|reported|recorded|annotated|stated|known|on record|has|just|turns|judged
|rated|classed|flagged as|marked(?: as)?|considered|terms?|come|comes|came|looks?|look|value
|values|about|themselves|metadata|described|description|kept|submitted|as submitted
|counting (?:all )?reports|they come|it was|they were|it is|involving|concerning|regarding|single"""
_IDLE: Final = re.sub(r"\n", "", _IDLE_TEXT)
_BREAKS: Final = frozenset(
    ["comma", "colon", "stop", "open", "close", "percent_sign", "share", "after", "cmp", "num",
     "round"]
)  # fmt: skip
_END: Final = r"(?![\w§])"
_NAME: Final = re.compile(r"§\d+")
_POSITIVE: Final = re.compile(
    r"[ -](?:virus )?(?:\+ve|positive|carrying|infected|(?<=-)derived(?: cells?| cell lines?)?)"
    r"(?![\w§])"
)
_WORD: Final = re.compile(r"[^\s,;:.?!()]+|.")
_SPACE: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class TableToken:
    """A phrase of a request: its ``kind``, and the field, function or number that it means.

    Kinds: ``name`` (``§0``), ``field``, ``runs`` (what is counted where nothing else is said), and
    those of the list above.
    """

    kind: str
    text: str
    value: str = ""
    sign: str = ""
    number: float = 0


class UnknownWordError(Exception):
    """A word that no list holds."""


_AGGREGATES: Final = (
    ("avg", "average|mean|avg"), ("median", "median"), ("max", "max|last|latest|newest|most"),
    ("min", "min|first|earliest|oldest"), ("sum", "sum|total"),
)  # fmt: skip


def aggregate_of(text: str) -> str:
    """Return the function of SQL that a word means."""
    return next(how for how, words in _AGGREGATES if re.match(words, text))


def any_word(text: str) -> tuple[TableToken, int]:
    """Return the word that ``text`` opens with as a token of its own kind, for callers to whom a
    word that no list holds is no reason to refuse.
    """
    found = _WORD.match(text)
    word = found[0] if found else text[0]
    return TableToken("word", word), len(word)


def tokens_of(
    text: str,
    fields: Mapping[str, str],
    units: str,
    *,
    extra: Mapping[str, str] | None = None,
    idle: str = "",
    unknown: Callable[[str], tuple[TableToken, int] | None] | None = None,
) -> list[TableToken]:
    """Return the tokens of ``text``, in lower case with names as ``§0``.

    ``fields`` are patterns by key, ``units`` the words for what is counted, and ``extra`` patterns
    of conditions. ``unknown`` reads a word that no list holds.

    Raises ``UnknownWordError``.
    """
    lexicon = _lexicon(tuple(fields.items()), units, tuple((extra or {}).items()), idle)
    tokens: list[TableToken] = []
    place = 0
    while place < len(text):
        space = _SPACE.match(text, place)
        if space is not None and not text.startswith((" - ", " – ", " — "), place):
            place = space.end()
            continue
        token, end = _token_at(text, place, lexicon, unknown)
        if token is not None:
            tokens.append(token)
        place = end
    return tokens


def _token_at(
    text: str,
    place: int,
    lexicon: tuple[tuple[str, str, re.Pattern[str]], ...],
    unknown: Callable[[str], tuple[TableToken, int] | None] | None,
) -> tuple[TableToken | None, int]:
    name = _NAME.match(text, place)
    if name is not None:
        positive = _POSITIVE.match(text, name.end())
        end = positive.end() if positive else name.end()
        return TableToken("name", name[0], "positive" if positive else ""), end
    best: tuple[int, str, str, str] = (0, "", "", "")
    for kind, key, pattern in lexicon:
        found = pattern.match(text, place)
        if found is not None and len(found[0]) > best[0]:
            best = (len(found[0]), kind, key, found[0])
    length, kind, key, words = best
    if not length:
        read = unknown(text[place:]) if unknown else None
        if read is None:
            raise UnknownWordError(re.split(r"[\s,;:.?!)]", text[place:].strip(), maxsplit=1)[0])
        return read[0], place + read[1]
    return (None if kind == "idle" else _token(kind, key, words)), place + length


def _token(kind: str, key: str, text: str) -> TableToken:
    if kind in ("field", "runs", "where"):
        return TableToken(kind, text, key)
    if kind == "kinds":
        return TableToken("field", "kinds", "kind")
    if kind == "num":
        return TableToken(kind, text, number=1 if text == "one" else amount_of(text))
    if kind == "after" and text == "plus":
        return TableToken("and", text)
    if kind in ("cmp", "after"):
        return TableToken(kind, text, sign=_sign(text))
    if kind == "agg":
        return TableToken(kind, text, aggregate_of(text))
    return TableToken(kind, text)


_SIGNS: Final = {">=": ">=", "≥": ">=", "<=": "<=", "≤": "<=", ">": ">", "<": "<", "=": "=",
                 "north of": ">", "south of": "<", "+": ">="}  # fmt: skip


def _sign(text: str) -> str:
    if text in _SIGNS:
        return _SIGNS[text]
    if text.startswith("exceed"):
        return ">"
    if "equal" in text or "exactly" in text:
        return "="
    return compared_of(text)


@cache
def _lexicon(
    fields: tuple[tuple[str, str], ...], units: str, extra: tuple[tuple[str, str], ...], idle: str
) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """Return each kind of token with its key and pattern; of equal length the first counts."""
    made = [("idle", "", idle)] if idle else []
    made += [("where", sql, words) for words, sql in extra]
    made += [("field", key, words) for key, words in fields]
    made.append(("runs", "run", units))
    made += [(kind, "", words) for kind, words in _KNOWN]
    made.append(("idle", "", _IDLE))
    return tuple(
        (kind, key, re.compile(f"(?:{words}){'' if kind in _BREAKS else _END}"))
        for kind, key, words in made
    )
