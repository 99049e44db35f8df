"""The text of a request made ready to be read: without what says nothing of a table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from query.sql_search.layer.fields import FACET_OF, FIELDS, NOUN, RUNS
from query.sql_search.layer.lexicon import any_word, tokens_of

if TYPE_CHECKING:
    from query.reading.mentions import Mention
    from query.reading.question import Question

_OF_SOURCE: Final = re.compile(
    r"(?:,? ?(?:only )?(?:using|by|from|in|of|for|with|according to) )?(?:the )?(?:source )?"
    r"(?:serratus(?:[_ ]nt)?|palm[_ ]virome)(?: (?:detections|hits|data|source|screening))?(?: "
    r"only)?"
)
_COUNTED_OF_SOURCE: Final = re.compile(
    r"(?<=\bnumber of )(?:serratus(?:[_ ]nt)?|palm[_ ]virome) (?=detections|hits)"
)
"""The source before hits that are counted: the number of palm_virome detections."""
_EXAMPLES: Final = re.compile(
    r" ?\([^()]*(?:\([^()]*\)[^()]*)*(?:and so on|etc\.?|\.\.\.|…|e\.g\.)\)"
    r"| ?\((?:e\.g\.?|for example|for instance|such as|like),? [^()]*\)"
)
"""Examples of values in parentheses: (dsDNA, ssRNA(+) and so on)."""
_BELOW: Final = re.compile(r" ?\([^()]*(?:everything|all) below (?:it|them)\)")
"""Says of a name what every name means here."""
_RISK: Final = re.compile(r"§\d+ (?=risk[ -]groups?)")
_RISK_GROUP: Final = re.compile(r"\brisk[ -]groups?\b")
_GROUP: Final = re.compile(r"(?<!risk )(?<!risk-)\bgroups?\b")
"""Says risk group once more."""
_TYPES: Final = re.compile(r"(§\d+) (?:sub)?types?\b")
"""Asks for the terms below a name: cancer types."""
_TITLE: Final = re.compile(
    r"(?:i need the |give me the |the )?(?:[\w§]+ ){1,2}(?:panel|overview|picture|survey)(?=:| \()"
)
_HEADING: Final = re.compile(
    r"(?P<said>(?:[a-z-]+ ){1,4})(?:lists?|overview|table|summary|report|figure): ?"
)
"""Says before a colon what the table is for."""
_INTERVAL: Final = re.compile(
    r"(?<!lower )(?<!upper )(?<!and )\b(?:the )?(?:95 ?% )?(?:ci|confidence intervals?)\b(?!_)"
)
_BOTH_ENDS: Final = re.compile(r"\blower and upper (ci|bound|limit|end)s?")
_SAMPLES_TOO: Final = re.compile(r"\b(how many|number of|runs and|runs,) (?:distinct )?samples\b")
"""Counts samples beside runs: these are biosamples then."""
_ANY_OF: Final = re.compile(
    r"\b(?:any|either)(?: one)? of (?:the )?(?P<names>(?:§\d+(?:,|,? and|,? or) )+§\d+)"
)
"""Says of names that are listed that any of them counts."""
_OCEANS: Final = ("ocean", "oceans")
_KINDS_OF_VIRUS: Final = ("family", "genus", "species", "virus", "order")
_KIND_BEFORE: Final = re.compile(
    r"(?P<lead>(?:\b(?:in|with|not|and|or|of|from|for|by)|[,(]) ?(?:the )?)(?P<kind>[a-z]+) "
    r"§(?P<number>\d+)"
)
_NAME: Final = re.compile(r"§\d+")


_STATED: Final = r"(?:known|stated|given|recorded|available)"
_UNSTATED: Final = (
    rf"(?:not {_STATED}|unknown|unstated|missing|blank|empty|null|not available|unrecorded)"
)
_LEFT_OUT: Final = (
    r"(?:leav(?:e|ing) out|ignor(?:e|ing)|skip(?:ping)?|exclud(?:e|ing)|omit(?:ting)?"
    r"|drop(?:ping)?|not counting)"
)
_ROW: Final = (
    r"(?:environment|host|tissue|country|family|species|virus|project|bioproject|disease|biome"
    r"|strategy|year|sex|genus|source)"
)
_SHARE: Final = r"(?:percentage|percent|per cent|%|share|fraction|proportion)"
_NEWEST: Final = r"(?:most recent(?:ly released)?|newest|latest)"
_SKIPPED: Final = r"(?:left out|excluded|omitted|ignored|not counted|dropped|set aside)"
_TOGETHER: Final = (
    r"(?:occur |found |seen |detected |appear |turn up )?(?:together|jointly)"
    r"(?: in (?:one|the same|a|a single) (?:run|sample))?"
)
_SAID_PLAINLY: Final = (
    (r"^(?:(?:supplementary|supplemental|supporting|additional|extended data|suppl?\.?) )?"
     r"(?:table|data|file|dataset|figure)(?: no\.?)? ?s?\d+[a-z]?(?::|\.| -| –) ", ""),
    (rf"[,;] ?(?:with )?(?:the )?(§\d+)(?: runs| samples)? (?:are |being )?{_SKIPPED}"
     r"(?=$|[,;:.?)])", r", leave out \1"),
    (rf"\b(\d+) ({_NEWEST}) (§\d+)(?= from| in| with|:| - |,)", r"\1 \2 \3 runs"),
    (r" (?:through|over|across) (?:time|the years)(?=:|,| - |$)", ""),
    (rf"^in which ([a-z ]+?) (?:do|does|did|are|were) (§\d+) and (§\d+) {_TOGETHER}\?",
     r"runs with both \2 and \3 per \1:"),
    (r"\b(how many (?:\S+ ){1,2}?(?:runs|samples)) (?:come|came|are|were|stem|originate) from "
     r"(§\d+)", r"\1 from \2"),
    (r"\bfrom (§\d+) (?:donors|patients|individuals|subjects|people|persons)\b", r"from \1"),
    (r"\b(searched (?:for (?:any |a )?virus(?:es)?)?,? ?(?:and )?(?:in )?how many) (?:of (?:them"
     r"|these|those) )?(?:had|have|carr(?:y|ied)|contain(?:ed)?|h[eo]ld) (?:one|any)\b",
     r"\1 runs with a virus"),
    (r"\bwith ((?:the )?(?:identity|reads|score|coverage)(?:(?:,|,? and) (?:the )?(?:identity|reads"
     r"|score|coverage))*) (?:of|for) each (?:virus )?(?:hit|detection)\b", r"with sotu, \1"),
    (r",? (?:with )?(?:both|the two|the|their|all) (?:run )?(?:counts|numbers) (?:side by side"
     r"|next to each other)(?=$|[,;:.?)])", ", number of runs for each"),
    (r"\bw/o\b", "without"),
    (r"\bw/ ?", "with "),
    (r"\b(\w+)-annotated (runs|samples)\b", r"\2 with a stated \1"),
    (r" of (?:the|that|this) (?:family|genus|virus)(?=$|[,;:.?])", ""),
    (r"\b(how many (?:\w+ ){1,3}?)each(?: one| of (?:them|these))? (?:(?:was|were|is|are) )?"
     r"(?:turn(?:s|ed)? up|found|seen|detected|reported|occurs?|occurred|appears?|appeared)"
     r"(?: in)?(?=$|[,;:.?)]| and )", r"\1"),
    (r"\b(how many (?:\w+ ){1,4})(?:they|it|these|those) (?:contain|hold|have|carry|show|span)s?"
     r"(?=$|[,;:.?)]| and )", r"\1of them"),
    (r"\b(runs|samples) (?:do|does|did) (?:we|you|they|it|the index) (?:hold|have|contain)\b",
     r"\1"),
    (r"\bin how many (?:of (?:them|these|those) |runs )?(?:is|was|are|were) (?:at least one|an?|any"
     r"|some) virus (?:detected|found|seen)\b", "number of runs with a virus"),
    (rf"\bwhat ({_SHARE})(?: of (?:the |all )?runs)? is (?:that|this|it)\b", r"percent"),
    (rf"^(?:what |the )?{_SHARE} of ((?:\S+ ){{0,2}}(?:runs|samples)) (?:that )?(?:carry(?:ing)?"
     r"|carries|with|have|having|contain(?:ing)?|hold(?:ing)?|show(?:ing)?) "
     r"each ([\w ]+?)(?=$|[,;:.?)])", r"\1: percent per \2"),
    (r"\b(without|with|any|an?|no|have|has|lacking) (§\d+) (?:hits?|detections?|findings?)\b",
     r"\1 \2"),
    (r"^is (§\d+) (?:ever )?(?:found |seen |detected )?together with (§\d+)\?",
     r"runs with both \1 and \2:"),
    (r"[.;,] ?\w+ (?:without|with no|lacking) (?:an? |any )?names? (?:(?:can be|are|should be|be"
     r"|being) )?(?:left out|ignored|skipped|dropped|excluded|omitted)\b", ""),
    (r"\bshares? (?:the same |their |an? )?(?:runs?|samples?) with\b", "found together with"),
    (r"\b(?:virus[- ])?positive and (?:virus[- ])?negative (?:runs|samples)\b",
     "number of runs with a virus and number of runs without any virus"),
    (r"\bcross ([\w ]+?) (?:with|and|against) ", r"\1 by "),
    (r"\bfor (?:the )?(?:release )?years (?=(?:19|20)\d\d ?(?:to|-|–|through))", "per year from "),
    (rf"(?:the )?\b(\d+) {_NEWEST} ((?:§\d+ )?(?:runs|samples))\b(.*)$",
     r"first \1 \2\3, newest first"),
    (r"^(?:for|in) (?:a|an|the|my|our|one) (?:\w+ ){0,2}(?:table|figure|slide|report|paper"
     r"|manuscript|poster|review|talk|appendix|grant)s?(?: \w+)?[:,] ?(?=[^,:])", ""),
    (r"^(?:i(?:'d| would)? (?:need|want|like)|please (?:tabulate|list|show|give)|give me"
     r"|can you (?:tabulate|list|show|give))(?: me| us)?(?: to (?:see|have|know))?:? ", ""),
    (rf"[,;:.?]? ?(?:and |but )?(?:please )?{_LEFT_OUT} (?:all |the |any )?(?:runs|samples|those"
     rf"|ones|rows) (?:where|for which|in which|of which|whose) (?:it|that|this|either|one|any"
     rf"|both|(?:the )?(?:release )?(?:{_ROW}|date))(?: of (?:them|these|the two))?"
     rf" (?:is|are) {_UNSTATED}", ""),
    (r"\b(runs|samples|ones|those) (?:without|with no|lacking) (?:an? |any |the )?([\w ]+?) "
     r"(?:are |is |being )?(?:left out|ignored|excluded|skipped|omitted|dropped|not counted)\b",
     r"leave out runs without \2"),
    (r"\b(sex|gender|tissue|country|disease) of (?:the |their |its )?(?:donors?|patients?"
     r"|individuals?|subjects?|samples?|runs?)\b", r"\1"),
    (r",? (?:counted|counting|computed|taken) (?:over|across|among|amongst|in|of) all (?:the )?runs"
     r"\b", ""),
    (r" (?:of|for|in|per) each (?:type|kind|one|group|category)(?=$|[,;:.?)])", " each"),
    (rf"\b(total (?:number of )?runs) (?:of|in|for) (?:the|that|this|each)(?: same)? {_ROW}\b",
     r"\1"),
    (r"\b(?:best|highest|top|maximum) (identity|score|coverage) (?:in|of|within) (?:the|that|each) "
     r"run\b", r"max \1"),
    (r"\b((?:aligned |mapped )?reads) summed (?:over|within|in) (?:the|each|a) run\b",
     r"total \1"),
    (r"\band what (?:is|are|was|were)\b(?= (?:the|their|its|average|mean|median))", "and"),
    (r"\bwhat (?:percent(?:age)?|share|fraction) is (?:that|this|it)\b", "percent"),
    (r"\bhow many (?:of the )?runs (?:did|does|has) each (?:detection )?source (?:search|screen"
     r"|examine|look at|analy[sz]e|test)(?:ed)?\b", "per source: number of searched runs"),
    (r"\bin how many (?:of (?:them|these|those) |runs )?(?:did|does|has) (?:it|they) (?:find"
     r"|found|detect|detected|report) (?:an?|any) virus\b", "number of runs with a virus"),
    (r"\b((?:turn|turns|turning) up|occur\w*|found|seen|detected|appear\w*)"
     r"((?: most)?(?: often| frequently)?) (?:alongside|next to|together with) (§\d+)"
     r"(?: in (?:the|one) same (?:runs?|samples?))?", r"found\2 together with \3"),
)  # fmt: skip
"""Wordings of a table -> the same said as the lists of words have it; an unstated value is in no
row anyway.
"""


def prepared(question: Question, masked: str, meant: list[Mention]) -> str:
    """Return ``masked``, whose names mean ``meant``, without the source that the question keeps to,
    without examples in parentheses, and without a title before names that are listed.
    """
    masked = _without_kinds(_without_nouns(masked, meant), meant)
    if question.reading.source:
        masked = _COUNTED_OF_SOURCE.sub("", masked)
        masked = _OF_SOURCE.sub("", masked)
    masked = _EXAMPLES.sub("", masked)
    masked = _of_oceans(masked, meant)
    masked = _ANY_OF.sub(lambda found: found["names"].replace(" and ", " or "), masked)
    masked = _BELOW.sub("", masked)
    for wording, plain in _SAID_PLAINLY:
        masked = re.sub(wording, plain, masked)
    masked = _INTERVAL.sub("lower ci, upper ci", masked)
    masked = _BOTH_ENDS.sub(r"lower \1, upper \1", masked)
    if re.search(r"\bruns?\b", masked):
        masked = _SAMPLES_TOO.sub(r"\1 biosamples", masked)
    masked = _RISK.sub("", masked)
    if _RISK_GROUP.search(masked):
        masked = _GROUP.sub("risk group", masked)
    masked = _TYPES.sub(r"\1 kindsof", masked)
    masked = _without_heading(masked)
    titled = _TITLE.match(masked)
    if titled is not None and len(_NAME.findall(masked[titled.end() :])) > 1:
        masked = masked[titled.end() :]
    return masked


def _without_heading(masked: str) -> str:
    """Return ``masked`` without what it says before a colon of its purpose, in words that say
    nothing of a table: possible contamination list.
    """
    headed = _HEADING.match(masked)
    if headed is None:
        return masked
    words = {key: one.words for key, one in FIELDS.items()}
    tokens = tokens_of(headed["said"], words, RUNS, unknown=any_word)
    telling = any(one.kind != "word" for one in tokens)
    return masked if telling else masked[headed.end() :]


def _without_nouns(masked: str, meant: list[Mention]) -> str:
    """Return ``masked`` with names that are nouns of a table as they are written: seas."""

    def written(found: re.Match[str]) -> str:
        text = meant[int(found[1])].text.lower()
        return text if re.fullmatch(NOUN, text) else found[0]

    return re.sub(r"§(\d+)", written, masked)


def _of_oceans(masked: str, meant: list[Mention]) -> str:
    """Return ``masked`` with oceans that are rows as a field: runs per ocean, and not those of
    ocean water.
    """
    named = {f"§{number}" for number, one in enumerate(meant) if one.text.lower() in _OCEANS}
    names = "|".join([*_OCEANS, *sorted(named)])
    return re.sub(rf"\b((?:per|by|each|every) )(?:{names})\b", r"\1oceanrows", masked)


def _without_kinds(masked: str, meant: list[Mention]) -> str:
    """Return ``masked`` without nouns that say what the name behind them is: in the family §0."""

    def alone(found: re.Match[str]) -> str:
        group = meant[int(found["number"])].group
        field = next(
            (key for key, one in FIELDS.items() if re.fullmatch(one.words, found["kind"])), ""
        )
        viral = group == "virus" and found["kind"] in _KINDS_OF_VIRUS
        same = viral or field == group or field in FACET_OF.get(group, ())
        return f"{found['lead']}§{found['number']}" if same else found[0]

    return _KIND_BEFORE.sub(alone, masked)
