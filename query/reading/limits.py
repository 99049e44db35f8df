"""What no count of runs can tell, with the words that ask for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limit:
    """What counts of runs cannot tell: ``topic``, the words that ask for it, and why not."""

    topic: str
    pattern: str
    why: str


COLLECTION_DATES: Final = Limit(
    "collection dates",
    r"(?<!most )(?<!often )\b(?:collected|sampled|isolated|obtained)"
    r" (?:per|by|each|every) (?:year|month)"
    r"|\b(?:collection|sampling) (?:dates?|years?)\b"
    r"|\b(?:what|which) (?:year|month|season)s? (?:was|were|is|are)\b.*"
    r"\b(?:collected|sampled|isolated|obtained|taken)\b",
    "the index holds when runs were released, and not when samples were collected",
)
"""When samples were taken, which no table says."""
RANK_BY_VALUES: Final = "rank by values"
"""Topic of what only a table ranks: hosts by how many viruses they have."""
LIMITS: Final = (
    Limit(
        "cause",
        r"\b(?:blame[ds]?|cause[sd]?|causing|causal\w*|causative|aetiolog\w*|etiolog\w*"
        r"|responsible|induce[sd]?"
        r"|(?:comes?|came|escap\w+|leak\w*|originat\w+) (?:from|in|out of) (?:an? |the )?"
        r"(?:\w+ )?(?:labs?|laborator(?:y|ies))"
        r"|leads? to|led to|gives? rise|trigger\w*|due "
        r"to|provoke\w*|because|oncogenic|carcinogenic)\b"
        r"|\bmakes? \S+ (?:ill|sick)\b|\w (?:gives?|gave) (?:you|one|someone|them|_) (?:an? )?_",
        "counts of runs show what is found together, and no cause",
    ),
    Limit(
        "cure",
        r"\b(?:cure[sd]?|curable|treats?|be treated|treatments? (?:for|of|against)|therap\w*|drugs?"
        r"|vaccin(?:es?|ed|at\w+)|antivirals?|medicines?|heals?|remed\w*)\b"
        r"|\b(?:be done|(?:one|i|we|you) do|to do|helps?) (?:against|about)\b",
        "the index holds sequencing runs, and no treatments or their effects",
    ),
    Limit(
        "prognosis",
        r"\b(?:prognos\w*|g[eo]t(?:s|ting)? over|recover(?:s|y|ing)? from"
        r"|(?<!been )(?<!were )(?<!was )(?<!are )(?<!viruses )(?<!virus )recovered from"
        r"|surviv\w*(?! (?:the )?(?:correction|statistics|multiple))"
        r"|(?:patient|person|man|woman|child|donor)s?\b.*\b(?:live|lives|alive|living)"
        r"|mortality|fatal\w*|deadly|deadliest|dangerous|lethal\w*|die[sd]?"
        r"|dying|kills?|life expectancy|contagious|severe|severity|harmful)\b",
        "the index holds sequencing runs, and not how an illness goes on",
    ),
    Limit(
        "nature",
        r"^how many (?:[\w-]+ ){0,3}?(?:species|kinds|types|sorts|varieties) of\b.*"
        r"\b(?:in the (?:whole )?world|on earth|in nature|on the planet)\b",
        "the index counts what runs hold, and not what lives on earth",
    ),
    Limit(
        "publications",
        r"\b(?:most|highly|often|much)[- ]cited\b|\bcited (?:papers|articles|publications)\b"
        r"|\bimpact factors?\b",
        "the index holds sequencing runs and their projects, and no publications",
    ),
    Limit(
        "platforms",
        r"\b(?:novaseq|hiseq|miseq|nextseq|iseq|illumina|nanopore|minion|promethion|pacbio|sequel"
        r"|ion torrent|platforms?|instruments?|sequencers?|sequencing machines?"
        r"|paired[- ]end|single[- ]end|read lengths?)\b",
        "the index holds library strategies and sources, and no platforms or read lengths",
    ),
    COLLECTION_DATES,
    Limit(
        "loads",
        r"\b(?:viral|virus) (?:loads?|titres?|titers?)\b|\b(?:copy numbers?|ct values?|viremia"
        r"|viraemia|(?:median|mean|average|total|sum of(?: the)?) (?:number of )?"
        r"(?:viral |mapped )?reads?(?: counts?)?)\b|\bhow many (?:viral )?reads\b",
        "answers count runs; reads of a hit can be asked as a threshold (at least 100 reads), "
        "and are in the table detection (query sql)",
    ),
    Limit(
        "dates",
        r"^when\b(?! (?:effects?|results?|tests?|pooled|combined)\b)|^will\b"
        r"|\bwill (?:there )?be\b|\b(?:cases|outbreaks?) will\b"
        r"|\b(?:what|which) (?:date|month|decade|day)\b"
        r"|\b(?:what|which) year\b(?!.*\b(?:runs?|samples?|librar\w+|releas\w+|deposit\w+)\b)"
        r"(?! (?:has|had|have) (?:the )?most$)"
        r"|\bhow (?:old|long|recent\w*)\b"
        r"|\b(?:going|gone|went|goes|go) (?:up|down)\b(?! the\b)"
        r"|\bon the (?:rise|decline|increase)\b"
        r"|\b(?:since when|yesterday|today|tomorrow|next "
        r"(?:year|month|week|summer|winter|spring|autumn|season|decade)|forecast\w*|predict\w*)\b",
        "answers count what runs carry, and not when something happened or will",
    ),
    Limit(
        "persons",
        r"\b(?:he|she|his|her|him|hers)\b|^(?:who|whom|whose)\b"
        r"(?! (?:else )?(?:carr|harbou?r|host|is infected|are infected"
        r"|(?:is|are) (?:an? |the )?(?:host|carrier|reservoir)))|\binvented\b"
        r"|\b(?:name|who is) the (?:patient|donor|person|submitter)\b",
        "the index holds samples, and nothing of persons",
    ),
    Limit(
        "advice",
        r"\b(?:should|ought|recommend\w*|advi[cs]e\w*|safe|worr(?:y|ied)|protect\w*|prevent\w*)\b"
        r"|^(?:is|was|could|might|may) (?:that|this|it)(?: be)?(?: an?)? _\W*$",
        "counts of runs are no advice",
    ),
    Limit(
        "transmission",
        r"\b(?:spreads?|spreading|transmit\w*|transmission|transmissible|contagion)"
        r"(?: \w+){0,3}? (?:through|via|by|between|among|from _ to)\b"
        r"|\btransmit\w* (?:vertically|horizontally|sexually|mechanically)\b"
        r"|\bjump(?:s|ed|ing)?(?: \w+){0,3}? (?:from|to|between)\b"
        r"|\b(?:do|does|did|can|could|may|might) _(?: (?:and|or) _)* (?:transmit|spread|vector)\b"
        r"|\b(?:can|could) (?:one|you|we|_)(?: (?:and|or) _)*"
        r" (?:catch|contract|get infected|be infected)\b"
        r"|\bgo(?:es)? through (?:_|pollen|seeds?)\b|\bpass(?:ed|es)? (?:on|down)\b"
        r"|\b(?:transmissible|transmission (?:routes?|rates?|risk)"
        r"|routes? of (?:transmission|infection))\b",
        "counts of runs show where a virus is found, and not how it spreads",
    ),
    Limit(
        "effects on hosts",
        r"\b(?:crop|grain|fruit|seed|milk|egg|_) yields?\b"
        r"(?! (?:an?|any|no|the|of|more|most|positive|vir(?:us|al)\w*|hits?|_)(?:\W|$))"
        r"|\byield loss\w*\b|\bhow much yield\b"
        r"|\b(?:lower|reduce|increase|cut|hurt|improve|affect)s? (?:the )?"
        r"(?:_ |crop |grain |fruit |seed )?"
        r"(?:growth|fitness|health|fertility|weight|productivity|yields?)\b",
        "counts of runs show where a virus is found, and not what it does to its host",
    ),
    Limit(
        "recorded hosts",
        r"\b(?:whose|for which the) (?:ictv |recorded |known |natural )hosts? (?:is|are|include)\b",
        "hosts that ICTV records are asked for as plant viruses, mycoviruses and arboviruses only",
    ),
    Limit(
        "infectivity",
        r"\binfectious\b(?! (?:_|\w+ (?:virus|disease)|disease|agent|clone|virus))"
        r"|\binfectivity\b|\bviable\b"
        r"|\bform(?:s|ed)? plaques\b|\breplicat(?:es?|ing)\b",
        "sequences show what was there, and not whether it was alive or could infect",
    ),
    Limit(
        "populations",
        r"^how many _(?: \w+){0,6}? (?:ill|sick|hospitali[sz]ed|diagnosed|died|dead)\b"
        r"|^how many _(?: \w+){0,2}? (?:worldwide|globally)\b"
        r"|^how many _ (?:does|do) (?:a|an|one) _(?: _)* (?:hold|have|lay|contain|produce|bear)\b"
        r"|^how many _ live\b|\binhabitants\b|\bpopulation (?:of|size)\b",
        "the index counts runs, and not people, animals or plants",
    ),
    Limit(
        "mechanism",
        r"^(?:why|how come)\b|^how(?: \w+ly)? (?:does|do|did|can|could|is|was)"
        r" (?:_|it|they|that one) (?:\w+ )*?"
        r"(?:jump|pass|travel|move|get|go|cross|reach|escape|hide|cause|attack|kill|grow|live|die)"
        r"\w*\b|^how\b.*\b(?:replicat\w*|mutat\w*|transmi\w*|spreads?|evolv\w*|works?"
        r"|enters?|infects?)\b|\bwhat is the (?:function|mechanism|origin)\b",
        "counts of runs show where a virus is found, and not how it works",
    ),
)  # fmt: skip
"""Most telling first."""

_VALUES: Final = (
    r"(?:(?:different|distinct|unique|virus|viral|host) )*(?:countr(?:y|ies)|hosts?|tissues?"
    r"|organs?|diseases?|places?|environments?|biomes?|continents?|species|famil(?:y|ies)|(?:bio)?projects?"
    r"|studies|study)"
)
_SO_MANY: Final = (
    r"(?:(?:at least|at most|more than|fewer than|less than|exactly|only|just|over|under) )?"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|a single|[\d,]+)"
)
OF_TABLES: Final = (
    Limit(
        "values by their values",
        rf"\b{_VALUES}\b(?: \w+){{0,3}}? (?:in|from|across|has|have|having|carr\w+|infect\w*|with"
        rf"|hold\w*|state) (?:{_SO_MANY}|every|each and every|all(?: the| of the)?) {_VALUES}\b"
        r"(?! (?:runs?|samples?))",
        "values are kept by how many runs they have, and not by how many other values (query sql "
        "may count these)",
    ),
    Limit(
        "years",
        r"\b(?:by|per|each|every|over the|across(?: the)?) years?\b"
        r"|\brelease dates?\b"
        r"|\breleased (?:in|since|before|after|on|between|during|until) (?:\d{4}|each)\b",
        "answers count runs, and not by time (release dates are in the table run: query sql)",
    ),
    Limit(
        "months",
        r"\b(?:by|per|each|every|over the|across(?: the)?) (?:month|week|decade)s?\b",
        "answers count runs, and by time only by year (release dates are in the table run: "
        "query sql)",
    ),
    Limit(
        "sources of detections",
        r"\b(?:both|either|each|one|two|only one|neither|several)(?: of)?(?: the)?"
        r" (?:detectionsource|sources?)\b|\bserratus\w*|\bpalm_?(?:virome|scan)\b",
        "answers count what any source found, or one of them (sources are in the table detection: "
        "query sql)",
    ),
    Limit(
        "pairs",
        r"\bvir(?:us|al) (?:pairs?|combinations?)\b"
        r"|\b(?:pairs?|combinations?) of (?:\w+ )?virus\w*",
        "pairs of viruses are not ranked here; what co-occurs with one that is named is (query sql "
        "may count pairs)",
    ),
    Limit(
        RANK_BY_VALUES,
        r"\b(?:in|from|across|has|have|carr\w+|infects?|spans?|of) (?:by far )?(?:the )?"
        r"(?:most|fewest|(?:largest|greatest|highest|smallest|lowest) (?:number|count|range) of"
        r"|(?:widest|broadest) (?:range|variety) of)(?: different| distinct| unique)?"
        r" (?:countries|hosts|host species|tissues|organs|diseases|places|environments|biomes"
        r"|(?:virus |viral )?(?:species|families)|sotus)\b(?! (?:runs|samples))"
        r"|\b(?:most|least|more|less|greatest|highest|largest|lowest) (?:virus |viral )?"
        r"(?:divers\w+|varied)\b|\b(?:most|fewest) (?:different|distinct) (?:virus(?:es)?|viral)\b"
        r"|\b(?:run|accession|sample|library|dataset) (?:has|with|carr\w+|holds?) (?:the )?"
        r"(?:largest number of|most) (?:different )?virus"
        r"|\b(?:average|mean|median) number of (?:different |distinct )?virus\w*"
        r"|\b(?:largest|greatest|highest|smallest|lowest) (?:number|count|variety) of"
        r" (?:(?:different|distinct|unique|named|known) )*viruses\b(?! runs)"
        r"|\b(?:most|least) (?:widespread|wide-ranging|widely (?:spread|distributed))\b"
        rf".*\bgeograph\w*"
        rf"|(?<!^)(?<!and )\b(?:by|for|in) (?:how many|(?:the )?number of) {_VALUES}\b"
        r"(?! (?:runs|samples))"
        r"|\bgeograph\w*.*\b(?:most|least) widespread\b"
        r"|\b(?:widest|broadest|largest|narrowest|smallest)"
        r" (?:geographic(?:al)? |host )?(?:range|spread|distribution)s?\b",
        "values are ranked by runs, and not by how many viruses, hosts, tissues, diseases or "
        "places they have (query sql may count these)",
    ),
)  # fmt: skip
"""What is answered by a table of SQL, and not by counts over the matching runs."""
OF_ALL_SOURCES: Final = Limit(
    "what is made of all sources",
    "",
    "associations and communities are made of what all sources found together",
)
FIGURES_BY_GROUP: Final = Limit(
    "figures by group",
    "",
    "figures of hits are given for all that is asked about, and not group by group (query sql may "
    "have them)",
)
OF_ROWS: Final = ("loads", "collection dates")
"""Topics beyond counts of runs of which rows of the tables may say something."""
ANSWERED_HERE: Final = ("years",)
"""Topics of these that counts answer as well, where they are asked; a table shows them better."""
