"""What kind of answer a question wants, how many values, and what no count can tell.

Rules read the frame of a question: its words in lower case, each name replaced by ``_``, so that no
word of a name is taken for a word of asking.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from query.reading.asked.besides import COUNTABLE, SHARED, UNEXPECTED
from query.reading.limits import LIMITS, OF_TABLES, Limit
from query.reading.words_read import words_read

Kind = Literal[
    "describe", "list", "count", "share", "exists", "compare", "rank", "associate", "identify"
]
Order = Literal["most runs", "fewest runs", "largest share", "smallest share"]
NAME: Final = "_"
"""What stands for a name in the frame of a question."""

NUMBERS: Final = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "twelve": 12, "fifteen": 15, "twenty": 20, "dozen": 12, "fifty": 50, "hundred": 100,
}  # fmt: skip
_ORDINALS: Final = {"second": 2, "third": 3, "fourth": 4, "fifth": 5}
_MOST: Final = (
    r"most|commonest|top|leading|highest|largest|biggest|greatest|main|dominant|chief|major"
    r"|strongest|richest|foremost|maximum|maximal|principal|predominant|prime"
)
_FEWEST: Final = r"fewest|rarest|least|lowest|smallest|scarcest|poorest|minimum|minimal|bottom"
SUPERLATIVE: Final = rf"{_MOST}|{_FEWEST}"
NUMBER: Final = rf"\d{{1,3}}|{'|'.join(NUMBERS)}"
_VALUES: Final = (
    r"viruses|families|species|hosts|animals|plants|organisms|environments|diseases|tissues|organs"
    r"|countries|places|regions|biomes|habitats|(?:bio)?projects|studies|years|strategies|sotus"
    r"|librarysource|detectionsource"
)
"""Words behind a number that says how many values are wanted."""
_TIED: Final = (
    r"associat\w*|correlat\w*|linked|links?|tied|connected|relat(?:es?|ed|ing|ions?|ionships?)"
    r"|predict(?:s|ed|ing)?"
    r"|explain(?:s|ed)?|covar(?:y|ies)"
)
_METADATA: Final = r"metadata|attributes?|variables?|covariates?|factors?|abundance"
_VARIES: Final = (
    r"go(?:es)? (?:up|down)(?: or (?:up|down))?|ris(?:es?|ing)|falls?|falling|increas\w*|decreas\w*"
    r"|var(?:y|ies)|depends?|scales?|tracks?"
)
"""Ways in which abundance follows an attribute; without one they say something of time."""
_FOLLOWS: Final = rf"{_TIED}|{_VARIES}"
_OF_METADATA: Final = (
    rf"\b(?:{_METADATA})\b.*\b(?:{_FOLLOWS})\b|\b(?:{_FOLLOWS})\b.*\b(?:{_METADATA})\b"
)
"""Asks for associations whatever else is named."""
_DATED: Final = rf"{_OF_METADATA}|\b(?:releas\w*|published|deposited|made public)\b"
"""What of time the index holds: attributes, and when runs were released."""
_ASSOCIATIONS: Final = re.compile(r"\b(?:associations?|correlations?)\b(?! studies)")
"""Names what is asked for, whatever is said of it: most, strongest, how many."""
_TIED_TO_NAME: Final = re.compile(r"^(?:is|are) _ (?:associat|correlat)ed with (?:the )?_")
"""Asks whether a name goes with another."""
_LIMIT: Final = re.compile(
    rf"\b(?:{SUPERLATIVE}|first|best)(?: (?:common|frequent|abundant))? ({NUMBER})\b"
    rf"|\b({NUMBER}) (?:{SUPERLATIVE}|best)\b"
    rf"|\b(?:name|list|give|show)(?: me)?(?: the)? ({NUMBER})\b"
    rf"|(?:^|\b(?:which|what|the|its|their|whose) )({NUMBER}) (?:\w+ )?(?:{_VALUES})\b"
    rf"|\b({'|'.join(_ORDINALS)}) (?:{SUPERLATIVE})\b"
)
_VALUE: Final = (
    r"virus|family|species|host|animal|plant|organism|environment|disease|tissue|organ|country|year"
    r"|place|region|biome|habitat|project|study|bioproject|sex|cell type|sotu|librarysource"
    r"|detectionsource"
)
_COMES_FIRST: Final = (
    r"leads?|tops?|heads?|reigns?|rules?|wins?|prevails?|(?:comes?|is) (?:first|top)"
)
"""What the one value with most runs does."""
_ONE_VALUE: Final = re.compile(
    rf"^(?:in |of |from |on )?(?:which|what) (?:\w+ )?(?:{_VALUE})\b(?! (?:{_VALUES})\b).*"
    rf"\b(?:{SUPERLATIVE})\b"
    rf"|^(?:which|what) (?:\w+ )?(?:{_VALUE}) (?:{_COMES_FIRST})\b"
    rf"|^what is the (?:{SUPERLATIVE}) (?:\w+ )?(?:\w+ )?(?:{_VALUE})\b(?! (?:{_VALUES})\b)"
    rf"|^(?:the )?(?:{SUPERLATIVE}) (?:\w+ )?(?:{_VALUE})\b(?! (?:{_VALUES})\b)"
)
"""Asks for the one value with most runs, or fewest: which host has the most."""
_OPENED_BY_A_VERB: Final = (
    r"^(?:and |so |then )?(?:is|are|was|were|do|does|did|has|have|had|can|could|any|anything)\b"
)

_BEHIND_ITS_SUBJECT: Final = (
    r"^_ (?:(?:runs|samples|patients|cells?|lines) )?(?:is|are|was|were|do|does|did|has|have)"
    r" (?:any |there )?_"
)
"""A verb behind what is asked about: of these samples, is a virus in them."""

_COMPARATIVE: Final = (
    r"harder|commoner|likelier|oftener|rarer|higher|lower|larger|bigger|stronger|richer|worse"
    r"|better"
)
_HOW_LARGE: Final = r"how (?:large|big|great|small|high)(?: is)? (?:an?|the)"

_MORE: Final = rf"more|less|fewer|{_COMPARATIVE}"

_TWO_NAMES: Final = (
    r"_ (?:\w+ )?(?:(?:or|and|than) )?(?:(?:for|in|from|of|among|to|by) )?(?:the )?_"
)
_PART_OF_RUNS: Final = r"shares?|fractions?|proportion\w*|percentages?|rates?|frequency"
_AHEAD: Final = rf"{_MORE}|greater|ahead|leads?|beats?|wins?|on top|comes? first|is first"
"""What is said of the one of two groups with the larger share."""
_PARTS: Final = (
    r"all(?= (?:of |the |those |these |your )*_)|every|each"
    r"|(?:most|majority|half|thirds?|quarter) of"
)
"""How large a part of what is named a yes or no is asked of."""
KIND_RULES: Final[tuple[tuple[Kind, str], ...]] = (
    ("list", r"\bwhich ones?\b.*\bhow many\b.*\beach\b"
             r"|^(?:which|what)\b(?!.*\b(?:than|versus|vs)\b).*(?:\band how (?:often|frequently)"
             r"|\b(?:with|in) (?:how many runs|(?:the |their )?run (?:numbers|counts))"
             r"(?: each)?)$"),
    ("compare", r"\b(?:versus|vs|compar\w+|contrast\w*|differ(?:s|ed|ing|ences?)?|unlike|than"
                r"|relative to|(?:as )?against|different (?:between|in|from)|in common"
                r"|common to|shared (?:by|between|among)|share between|overlap\w*|as opposed to"
                r"|side by side"
                r"|intersect\w*)\b|\bshare$"
                r"|\bshare (?:any|an?|the|some|viruses|virus)\b(?! of)"
                r"|\b_ or (?:the )?_ (?:in |on |from |of )?"
                r"(?:which|what|where|who)\b(?! _ (?:was|were|is|are|has|have)\b)"
                r"(?! (?:carry|carries|have|has|contains?|holds?|shows?)\b)"
                r"|\bwhich (?:one )?of (?:them|these|those|the two|both|_ (?:and|or) _)\b"
                r"|\bwhich (?:one )?(?:wins|leads|prevails)\b"
                rf"|(?=.*\b{_TWO_NAMES}\b)(?=.*\b(?:{_PART_OF_RUNS})\b)"
                rf"(?=.*\b(?:which|what|where|who|whether|or|name|rank)\b).*\b(?:{_AHEAD})\b"
                rf"|\b(?:rather|{_MORE})\b.*\bor (?:more )?(?:(?:in|on|from|of|among) )?(?:the )?"
                r"_(?: _)?(?: \w+)?$"
                rf"|\b(?:which|what|who|where)\b.*\b(?:{SUPERLATIVE}|frequent|abundant)\b"
                r".* _ or (?:the )?_(?: \w+)?$"
                r"|\b_ (?:(?:runs|samples|libraries) )?or (?:the )?_\b"
                rf".*\b(?:{_MORE})\b"
                r"|^(?!.*\bboth\b).*\bin (?:the )?_(?: \w+)? and in (?:the )?_(?: \w+)?$"
                r"|\b_ and (?:what|how) about (?:(?:in|for|of|with) )?(?:the )?_$"
                r"|\b_ (?:and|or) (?:the )?_\b.*\bwhich (?:one )?\w+ "
                rf"(?:\w+ ){{0,3}}?(?:{_MORE})\b"),
    ("share", rf"^(?:is|are|was|were|do|does|has|have)\b.*\b(?:{_PARTS})"
              r"(?: (?:of|one|the|those|these|your))* _"),
    ("share", r"\b(?:shares?|percent\w*|proportion(?:s|al|ally)?|fractions?|prevalence|prevalent"
              r"|positivity|relative(?:ly)? to (?:its|their)|incidence"
              r"|frequency|rates?|ratio|portions?|parts? of"
              r"|(?<!\bcome )(?<!\bcame )(?<!\bcoming )out of"
              rf"|(?:what|{_HOW_LARGE}) (?:part|slice)"
              rf"|{_HOW_LARGE} (?:share|\w*portion|fraction|percentage|rate|part|number)"
              r"|how (?:common|often|frequent\w*|widespread|rare))\b"),
    ("count", r"^(?:in |and )?how many\b"),
    ("rank",
    rf"^(?:which|what) (?:\w+ )?(?:{_VALUE}) (?:{_COMES_FIRST})\b"
    rf"|\b(?:{SUPERLATIVE}|rank\w*|dominat\w*|predominant\w*|frequent|abundant|widespread"
    r"|ubiquitous)\b"),
    ("count", r"\b(?:how many|how much|numbers?|counts?|tally|total|size)\b"),
    ("exists", rf"{_OPENED_BY_A_VERB}|{_BEHIND_ITS_SUBJECT}"
               r"|^(?!which\b|what\b).*\b(?:is|are) there\b|\bevidence\b"
               r"|\b(?:ever|whether)\b"),
    ("associate", r"\b(?:(?:significant(?:ly)? )?associat\w*"
                  r"|correlat\w*|linked|links?|tied|connected|enrich\w*"
                  r"|co-?occur\w*|accompan\w*"
                  r"|go(?:es)? (?:along |together )?with|mwas|factors?|predictors?)\b"),
    ("list", r"\b(?:which|what|who|whose|where|list|name|show|enumerate|give)\b"),
)  # fmt: skip
"""Kinds in the order they are tried, with what asks for them; ``describe`` where nothing does."""


_LEAST_SIDES: Final = 2
_VALUES_FIRST: Final = re.compile(
    r"(?:the )?(?:hosts|animals|tissues|organs|diseases|countries|places|environments|biomes|years"
    r"|projects|bioprojects|studies|sotus|strategies|librarysource|detectionsource"
    r"|sex(?:es)?"
    r"|(?:(?:virus|viral) )?(?:families|species))\b"
)
"""Values asked for without a verb: hosts of a virus, virus families in soil."""
_BY_VALUE: Final = re.compile(
    rf"\b(?:by|per|for each|for every|in each|in every|across|broken down by) "
    rf"(?:(?:virus|viral) )?(?:{_VALUE}|{_VALUES})\b"
)
"""Asks for the values of what stands behind: by country, per host."""
_MOST_OF_THEM: Final = re.compile(
    rf"\bwhich (?:one )?of (?:them|these|those)\b.*\b(?:{SUPERLATIVE}|frequent|often)\b"
)
"""Asks which of the values that are listed comes first."""
_RANKED: Final = re.compile(rf"\b(?:rank\w*|order(?:ed)?|sort(?:ed)?|{SUPERLATIVE})\b")
_FEW: Final = re.compile(rf"(?<!most to )\b(?:{_FEWEST})\b(?! (?:one|an?|\d))")
_COUNTS_RUNS: Final = re.compile(
    rf"^(?:{COUNTABLE}) by\b|^_ (?:hosts? )?(?:numbers?|counts?) of (?:{COUNTABLE})$"
    r"|^(?:(?:in|and|of|for|please|the|total) )*(?:how many|numbers? of|counts?(?: of)?|count)"
    r"(?: (?:the|all|of|different|total|your|our|its|their|these|those|_)){0,4}"
    rf" (?:{COUNTABLE}|accessions)\b"
)
_MORE_RUNS: Final = re.compile(
    rf"\b(?:more|fewer|less|most|fewest) _(?: (?:{COUNTABLE}))? (?:or|than) (?:the )?_"
    rf"(?: (?:{COUNTABLE}))?$"
    rf"|\b(?:more|fewer|less|most|fewest) (?:[\w-]+ ){{0,2}}(?:{COUNTABLE})\b"
    r".*\b_ (?:or|than|and) (?:\w+ )?_$"
    rf"|\bmore _ or more _ (?:{COUNTABLE})\b"
    rf"|\b(?:more|fewer|less)(?: (?:{COUNTABLE}))? (?:from|of)(?: _)+ or (?:(?:from|of) )?"
    r"_(?: _)*$"
    rf"|\b_ (?:or|and|vs|versus) _\b.*\b(?:more|fewer|most|fewest) (?:{COUNTABLE})"
    r"(?: which (?:one )?(?:is|has) (?:it|that|more))?$"
)
_VALUES_BEHIND: Final = re.compile(
    r"^_ (?:(?:and|which|what|their|its|the|all|known|viral|virus|runs?|accessions?|_) )*"
    r"(?:hosts|families|species|tissues|organs|countries|diseases|places|environments)\b"
)
"""Values asked for behind a name: hydrothermal vents, viral families there."""
_CARRIERS: Final = re.compile(r"^_ (?:with|carrying|harbouring) (?:an? |the )?_$")
"""Values asked for by what they have: cancers with a virus."""
_BARE: Final = re.compile(r"^_ (?:in|on|from|within|of|among|at) (?:the )?_(?: \w+)?$")
"""A name in another: with a question mark it asks whether."""


def kind_of(frame: str, *, explicit: bool, asks: bool = False) -> Kind:
    """Return the kind of answer that ``frame`` asks for.

    ``explicit``: a facet is asked for, so that "which tissues go with it" lists tissues. ``asks``:
    it ends in a question mark.

    >>> kind_of("how many runs carry _", explicit=False)
    'count'
    >>> kind_of("does _ show up in _ tissue", explicit=True)
    'exists'
    >>> kind_of("_ in _", explicit=False)
    'describe'
    """
    if re.search(_OF_METADATA, frame) or _ASSOCIATIONS.search(frame):
        return "associate"
    if not explicit and _TIED_TO_NAME.match(frame):
        return "associate"
    by_value = explicit and _BY_VALUE.search(frame) is not None
    for kind, pattern in KIND_RULES:
        if kind == "associate" and explicit:
            continue
        if kind == "compare" and frame.count(NAME) < _LEAST_SIDES and _ranks_one(frame):
            continue
        if kind == "share" and explicit and ranks_by_share(frame):
            return "rank"
        if kind == "count" and by_value:
            return "list"
        if re.search(pattern, frame):
            return kind
    values = _VALUES_FIRST.match(frame) or _VALUES_BEHIND.match(frame) or _CARRIERS.match(frame)
    if by_value or (explicit and values):
        return "list"
    return "exists" if asks and _BARE.match(frame) else "describe"


def _ranks_one(frame: str) -> bool:
    """Return whether ``frame``, which names one thing, ranks its values by share or how often."""
    return ranks_by_share(frame) or _MOST_OF_THEM.search(frame) is not None


def limit_of(frame: str) -> int | None:
    """Return how many values ``frame`` asks for, None where it does not say.

    >>> limit_of("top 5 virus families"), limit_of("the ten most common hosts"), limit_of("_ in _")
    (5, 10, None)
    >>> limit_of("which host has the most runs with _"), limit_of("most common virus family in _")
    (1, 1)
    >>> limit_of("most common virus families in _") is None
    True
    """
    found = _LIMIT.search(frame)
    if found is None:
        return 1 if _ONE_VALUE.match(frame) else None
    number = next(group for group in found.groups() if group)
    words = {**NUMBERS, **_ORDINALS}
    if number in words:
        return words[number]
    return max(1, int(number))


def order_of(frame: str) -> Order:
    """Return by what ``frame`` wants values ranked.

    >>> order_of("the most common hosts of _"), order_of("the rarest virus family in _")
    ('most runs', 'fewest runs')
    >>> order_of("which tissue has the highest share of _")
    'largest share'
    """
    few = _FEW.search(frame) is not None
    if ranks_by_share(frame):
        return "smallest share" if few else "largest share"
    return "fewest runs" if few else "most runs"


def ranks_by_share(frame: str) -> bool:
    """Return whether ``frame`` asks for the value with the largest share, and not with most runs.

    >>> ranks_by_share("which tissue has the highest share of _"), ranks_by_share("share of _ in _")
    (True, False)
    """
    ranked = _RANKED.search(frame) or _BY_VALUE.search(frame)
    return asks_rate(frame) and ranked is not None


def asks_rate(frame: str) -> bool:
    """Return whether ``frame`` asks how often something is found, and not what is.

    >>> asks_rate("detection rate in _ vs _"), asks_rate("viruses of _ vs _")
    (True, False)
    """
    return re.search(dict(KIND_RULES)["share"], frame) is not None


def counts_runs(frame: str) -> bool:
    """Return whether ``frame`` counts runs, whatever values it names.

    >>> counts_runs("how many runs have a country"), counts_runs("how many countries")
    (True, False)
    """
    return _COUNTS_RUNS.search(frame) is not None


def compares_runs(frame: str) -> bool:
    """Return whether ``frame`` asks which of two groups has more runs.

    >>> compares_runs("are there more _ or _ runs"), compares_runs("_ or _ more often in _")
    (True, False)
    """
    return _MORE_RUNS.search(frame) is not None


def beyond_counts(frame: str) -> Limit | None:
    """Return what ``frame`` asks for that counts cannot tell, None where they can.

    >>> beyond_counts("which viruses cause _").topic
    'cause'
    """
    for limit in LIMITS:
        of_metadata = limit.topic == "dates" and re.search(_DATED, frame)
        if re.search(limit.pattern, frame) and not of_metadata:
            return limit
    return None


def wants_table(frame: str) -> Limit | None:
    """Return what ``frame`` asks for that only a table by SQL tells, None where counts do.

    >>> wants_table("how many _ runs per year").topic
    'years'
    """
    return next((limit for limit in OF_TABLES if re.search(limit.pattern, frame)), None)


def rule_words(frame: str) -> frozenset[str]:
    """Return the words of ``frame`` that some rule reads."""
    patterns = [pattern for _, pattern in KIND_RULES]
    patterns += [limit.pattern for limit in LIMITS]
    words: set[str] = set()
    others = (_LIMIT, _RANKED, UNEXPECTED, SHARED, _BY_VALUE)
    patterns += [one.pattern for one in others]
    if re.search(_OF_METADATA, frame):
        patterns.append(rf"\b(?:{_VARIES})\b")
    for pattern in (*patterns, rf"\b(?:{_METADATA}|{_TIED})\b"):
        words.update(words_read(pattern, frame))
    return frozenset(words)
