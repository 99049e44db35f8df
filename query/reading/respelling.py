"""A question as people type it, spelled the way names are written.

Everyday words for what metadata names otherwise (people are human), phrases that rule something
out, cell lines without the word cell, and the letter of a virus in lower case. Each rule is a
pattern and what replaces it; what is replaced means the same.
"""

from __future__ import annotations

import re
from typing import Final

_LETTERED: Final = r"influenza|flu|hepatitis|hep|rotavirus|enterovirus|rhinovirus|parechovirus"
_FOLLOWS_A_NAME: Final = (
    r"virus(?:es)?|in|on|of|from|and|or|vs|versus|than|with|to|is|was|are|were|be|been|found|seen"
)
_LACKED: Final = (
    r"absent|missing|lacking|undetected|not (?:found|detected|present|seen|there|observed)"
)
_SEEN: Final = r"found|seen|present|detected|observed"
_OF_CELLS: Final = r"\w*(?:oma|oid|aemia|emia|cancer|tumou?r|blast|cyte|carcinoma)s?"

_HOW_MANY: Final = (
    r"how many|how much|shares?|fractions?|percent\w*|proportions?|parts?|numbers?|counts?"
)
_ADDRESSED: Final = (
    r"hi|hello|hey|dear (?:all|team|colleagues)|good (?:morning|day|afternoon|evening)|ok(?:ay)?"
    r"|so|well|right|please|quick question|question|just curious|thanks?"
    r"|(?:just )?(?:out of|for|from)(?: sheer| pure| mere)? (?:curiosity|interest|fun)"
)
_WONDERED: Final = (
    r"wonder(?:ed|ing)?|curious|asking|interested in(?: knowing)?|looking for|searching for|after"
    r"|(?:(?:want|wanted|like|love|need|hope|try(?:ing)?) )?"
    r"to (?:know|see|learn|find(?: out)?|get)"
    r"|want|need"
)

_WHO_ASKS: Final = (
    "reviewer|referee|editor|boss|supervisor|student|colleague|collaborator|committee|advis[eo]r|pi"
    "|prof|professor|funder|journalist|friend|manager|team|lab|group|postdoc|teacher|director"
    "|partner|client|neighbou?r|wife|husband|mother|father|sister|brother|son|daughter"
)
_ONE: Final = "one|we|you|i|people|they|somebody|scientists"
_MEETS: Final = (
    r"(?:meets?|sees?|finds?|gets?|encounters?|(?:comes?|runs?|stumbles?) (?:across|into|upon)|has"
    r"|have)"
)
_GOES_WITH: Final = (
    r"(?:comes?|goes|go|travels?|turns? up|shows? up|occurs?|appears?|arrives?"
    r"|hangs? (?:out|around))"
    r" (?:along|together|hand in hand|in company) with"
)
_TRAVELS: Final = r"travels?|comes?|goes|go|rides?|circulates?|turns? up|shows? up|occurs?"
_WAS: Final = "was|were|did|is|are|has|have|does|do"
_TURNED_UP: Final = (
    r"seen|found|detected|released|present|reported|appear\w*|turn\w* up|show\w* up|occur\w*"
)
_DESCRIBES: Final = "metadata|attributes?|variables?|factors?|covariates?|traits?|conditions?"
_PUBLIC: Final = "people|others|everybody|everyone|somebody|researchers|scientists|labs?|groups"
_DEPOSITED: Final = (
    "data|datasets?|runs?|samples?|libraries|collections?|stud(?:y|ies)|deposits|uploads|work"
)
_LIVING: Final = "plants|animals|insects|mammals|birds|fish|fishes|crops|trees|rodents|arthropods"
_KINDS: Final = (
    "countries|places|hosts|animals|plants|viruses|families|species|tissues|organs|diseases|cancers"
    "|groups|projects|studies|years|lines|environments"
)
"""Nouns for what was named before: of these two countries."""
_TO_THE_POINT: Final = (
    (rf"^(?:(?:{_ADDRESSED})\b(?! of)[\s,!.:;-]+)+(?=\S)", ""),
    (
        r"^.*(?:\.{3}|…|—| - )\s*(?:no|sorry|i mean|(?:or )?rather|make that|actually)\b[\s,:]*",
        "",
    ),
    (
        rf"^(?:i|we)(?:['’](?:m|d|re|ve)| am| are| would| have| was)?"
        rf"(?: just| only| really| also)? (?:{_WONDERED})\b(?: about)?[\s,:]*",
        "",
    ),
    (
        rf"^(?:my|our|the|a|some) (?:[\w-]+ )??(?:{_WHO_ASKS})s? (?:asks?|asked|is asking"
        r"|was asking|wants?|wanted|needs?|needed|requests?|requested|would like)(?: (?:me|us))?"
        r"(?: (?:for|about|to (?:know|have|see|get)))?\b[\s,:]+(?=\w)",
        "",
    ),
    (
        r"^(?:can|could|would|will) (?:you|someone|anybody) (?:please |kindly )?(?:help me )?"
        r"(tell|show|give|list|name|find|check|count|rank|compare|look up|remind)\b"
        r"(?: me| us| out)?",
        r"\1",
    ),
    (r"^(?:would|do) you mind (?:telling|showing|giving|listing)(?: me| us)?\b", "tell"),
    (
        r"^(?:can|could|may|might) (?:i|we) (?:just |quickly )?ask(?: you)?"
        r"(?: (?:something|(?:a|one)(?: quick| more| other)? (?:question|thing)))?(?: about)?\b"
        r"[\s:,]*",
        "",
    ),
    (r"\s+in here(?=\W*$)", ""),
    (
        r"\bwhere (?:on the map|in the world|on (?:the )?(?:earth|globe|planet))\b",
        "in which countries",
    ),
    (
        rf"^(?:list|name|show|give)(?: me| us)?(?: all| every)?(?: the| those)? ({_LIVING})"
        r" (?=with|that|which|carrying|having|harbou?ring|hosting|infected)",
        r"which \1 ",
    ),
    (
        rf"^(what|which vir\w+)(?: else)? (?:{_TRAVELS}) with\b",
        r"\1 is found together with",
    ),
    (
        rf"^(?:since (?:what|which) year|since when|from when on) (?:{_WAS}) (.+?)"
        rf" (?:already )?(?:been )?(?:{_TURNED_UP})\b",
        r"years of release of \1 runs",
    ),
    (
        rf"^since when (?:{_WAS}) (?:{_ONE}) (?:see|seen|find|found|detect|detected|have|had) (.+?)"
        r"(?=(?: in| from| among) .+|\W*$)",
        r"years of release of \1 runs",
    ),
    (r",? (?:e\.g\.?,?|for (?:example|instance),?)(?= \w)", " such as"),
    (
        rf"^in (?:what|which) year (?:{_WAS}) (.+?) (?:been )?first (?:been )?(?:{_TURNED_UP})\b",
        r"years of release of \1 runs",
    ),
    (
        rf"\b(which|what) ([\w ]+?) is it (?:that )?(?:{_ONE}) {_MEETS} most(?: often)?\b",
        r"\1 \2 is found most often",
    ),
    (
        rf"^(?:are|is) there (?:any )?other ({_KINDS}) (?:(?:that|which|where|in which) )?"
        r"(it|they) (?:has|have|is|are|was|were)(?: also| ever)?(?: been)? (?:seen|found|detected"
        r"|reported|known)(?: (?:with|in|for|from|at))?",
        r"which other \1 is \2 found in",
    ),
    (rf"^((?!.*\b(?:{_DESCRIBES})\b).*?)\b{_GOES_WITH}(?= [\w§])", r"\1found together with"),
    (rf"\b(?:{_PUBLIC})['’]s? (?=(?:\w+ )??(?:{_DEPOSITED})\b)", ""),
    (
        r"^((?:is|are|was|were|has|have|does|do|did) .+?) (?:in|from) ([\w §-]{2,40}?),?"
        r" or (?:is|was|are|does|do)(?: that| it| this| they) (?:just|only|purely|all)"
        r"(?: in| from)? ([\w§ -]{2,40}?)(?=\W*$)",
        r"\1 more often in \2 or \3",
    ),
    (
        r"\bcompar(e|es|ed) (?:with|to) (?:that|those|the same|the one|the share)"
        r" (?=in |of |from |for )",
        r"compar\1 with ",
    ),
    (r"\bnothing (?:from|of|in) (?:the )?(?=[\w§])", "no "),
    (r"\b(?:hand|give|send|bring)(s|ed|ing)? (me|us|you|him|her|them)\b", r"give\1 \2"),
    (r"\b(those|these) (\w{4,}s)['’](?= )", r"\1 \2"),
    (r"\b(?:stack|measure|hold|size)(s|ed)? up (?:against|to|with)\b", r"compare\1 with"),
    (
        r"^(.+?),? where do (?:they|those|these) (?:all |mostly |mainly )?come from(?: more)?,"
        r" (.+? or .+?)(?: more)?(?: often)?(?=\W*$)",
        r"is \1 more often found in \2",
    ),
    (
        r"\b(?:which|what) parts? of (?:the|a) (?:plants?|bod(?:y|ies)|animals?|trees?|insects?)\b",
        "which tissues",
    ),
    (
        r"\b(and|or) (?:in|from) (?:which|what) (?:animals?|species|organisms?)\b",
        r"\1 in which hosts",
    ),
    (
        r",? (?:after all|according to (?:you|your \w+)|in your (?:opinion|view)|you know|mind you"
        r"|so to speak|i (?:mean|gather|take it))(?=[\s,.?!]*(?:$|[,.?!]))",
        "",
    ),
    (r"\bmix(?:ed|ing)? up\b|\bmix-ups?\b", "confused"),
    (
        rf"\b(?:of|between|among) (?:the|these|those) (?:two|three|four|five)(?: (?:{_KINDS}))?\b",
        "of them",
    ),
    (r"^((?:is|are|was|were|do|does|did|has|have)) ?n['’]t\b", r"\1"),
    (
        r"^(?:leaving |leave |setting |putting )?([\w' -]{2,40}?)(?: itself| themselves)?"
        r" (?:aside|excluded|excepted|apart|out), ",
        r"except \1, ",
    ),
    (
        r"^(?:did|has|have|does|do) (?:the )?(?:numbers? of )?(.+?) (?:gone? |went )?(?:up or down"
        r"|down or up|(?:ris|increas|grow)\w* or (?:fall|decreas|shr|drop)\w*)"
        r"(?=\W*$| (?:between|from|since|over|in|during|after|before|until)\b)",
        r"years of release of \1",
    ),
    (r"\b(either|one|any)\b(.*?),? or (?:even |maybe )?both(?: of them)?\b", r"\1\2"),
    (
        r"\b(have|has|had|carry|carries|carried|with|contain|contains|show|shows|hold|holds)"
        r" (?:at least )?(?:either|one|any) of them\b",
        r"\1 either",
    ),
    (
        r"^who (?=(?:has|have|had|contributed|submitted|provided|deposited|holds?)\b.* or )",
        "which ",
    ),
    (
        r"\b(?:has|have|is|are|makes?)(?: up)? the (?:bigger|larger|greater)"
        r" (?:chunk|part|portion|share)\b",
        "has more runs",
    ),
    (
        r"\band (?:whether|if) (.+?) (?:is|are) (?:in|found in|present in) (?:each|all|every one)"
        r" of them\b",
        r"and how many of them carry \1",
    ),
    (
        r"\band (?:do|does|have|has) (?:all|each|every one) of them (?:have|carry|contain|hold)?\b",
        "and how many of them carry",
    ),
    (r"\b(tissue|host|disease|place|family|country)[- ]?wise\b", r"\1s"),
    (r"\b(?:nam(?:e)?able|identifiable|recogni[sz]able|classifiable)\b", "identified"),
    (
        r"\b([\w-]{3,})-(?:related|associated|linked)(?= (?:ones?|runs?|samples?|cases?|hits?)\b)",
        r"\1",
    ),
    (r"^(?:tell|check|remind)(?: me| us)? (?=(?:whether|if|which|what|how|where|the)\b)", ""),
    (r"\b(what|which|who|where) (the .+?) (is|are|was|were)(?=\W*$)", r"\1 \3 \2"),
    (
        r"\b(?:any|is there (?:a|any)) (?:chances?|possibility|way) (?:that )?(?:you|one|someone)"
        r" (?:could|can|might|would) (?=\w)",
        "",
    ),
    (r"\bbreak (it|them|this|that|these|those) down\b", r"count \1"),
    (
        r"\b(?:any|is there (?:a|any)) (?:chances?|odds|possibility|likelihood)"
        r"(?: (?:that|of(?: finding| seeing| there being)?))?(?: there (?:is|are))?\b",
        "is there",
    ),
    (
        r"^(.+?)[\s,:;-]+(?:(?:present|found|there|detected|seen|known),? )?"
        r"(?:or (?:not|absent)|yes or no|true or false|fact or fiction|truth or myth"
        r"|myth or truth|real or not|seen or (?:not seen|unseen)|yes/no)\W*$",
        r"is there \1?",
    ),
)
"""Greetings, asides and wordings of doubt, and what is asked once they are gone."""
_SOME_VIRUS: Final = r"(?:(?:any|the|some) )?(?:\S*vir(?:us|al)\S*|(?-i:[A-Z]{2,}\S*))"
"""A word that is likely the name of a virus: a verb before it is no animal."""
_GRADED: Final = (
    r"(?:risk|bio-?safety|(?:bio-?)?hazard|containment|biological safety|safety)[ -]?"
    r"(?:groups?|levels?|class(?:es)?|categor(?:y|ies))"
)
"""Words for what a virus is handled at: its risk group."""
_OF_VIRUSES: Final = r"^((?!.*\b(?:communit|[Cc]\d-[0-9a-f]{8}\b)).*?)"
"""Before a risk group where no community is asked for: these have groups of their own."""
_MEASURED: Final = (
    (r"(?<=\d)\s*%", " percent"),
    (r"\s*(?:>=|=>|≥)\s*(?=[\d])", " at least "),
    (r"\s*(?:<=|=<|≤)\s*(?=[\d])", " at most "),
    (r"\s*>\s*(?=[\d])", " above "),
    (r"\s*<\s*(?=[\d])", " below "),
    (r"\b((?:19|20)\d\d)\s*[-–]\s*((?:19|20)\d\d)\b", r"\1 to \2"),
    (
        rf"{_OF_VIRUSES}\b(?:{_GRADED}|bsl|rg|bio-?level)[ -]?"
        r"([1-4]|(?-i:I{1,3}|IV)|four|three|two)\b",
        r"\1riskgroup \2",
    ),
    (rf"{_OF_VIRUSES}\b{_GRADED}\b", r"\1riskgroup"),
    (r"\b(riskgroup [1-4]) (?:agents?|organisms?|pathogens?|viral agents?)\b", r"\1 viruses"),
    (r"\bagents? (?=(?:of|in|at|from) riskgroup)", "viruses "),
    (
        r"\b(?:library|sequencing) (?:strateg(?:y|ies)|methods?|types?|approach(?:es)?)\b"
        r"|\b(?:types?|kinds?) of (?:library|libraries|sequencing)\b",
        "strategies",
    ),
    (rf"\b({_LETTERED}) ([A-E]) ?(or|and|/) ?(?:virus )?([A-E])(?![\w-])", r"\1 \2 \3 \1 \4"),
    (r"\b((?-i:[A-Z]{3,})[- ]?)(\d)(?: ?/ ?| or )(\d)(?!\w)", r"\1\2 or \1\3"),
    (
        r"^when (?:was|were|did|is|has) (.+?) (?:been )?(?:first|last|most recently"
        r"|earliest|latest) (?:seen|found|detected|released|published|appear\w*|show\w* up"
        r"|turn\w* up)\b",
        r"years of release of \1 runs",
    ),
    (
        r"^when (?:was|were|did|is|are|has|have) (?:the )?(.+?) (?:been |get |made )*"
        r"(?:released|published|deposited|public)\b",
        r"years of release of \1",
    ),
    (
        r"\b(?:first|last|most recent|latest|earliest) (?:seen|found|detected|released|detections?"
        r"|finds?|occurrences?|appearances?|releases?)\b",
        "years of release",
    ),
    (
        r"\b(?:the )?(?:earliest|latest|newest|oldest|most recent|last|first)"
        r"(?= (?:released )?(?:runs?|samples?|librar(?:y|ies)|records?)\b)",
        "years of release of",
    ),
    (r"^host species (?=of\b)|\bhost ranges?(?= (?:of|for)\b)", "hosts "),
    (r"\b(?:body|anatomical) sites?\b", "tissues"),
    (
        r"\btissues?(?: types?)?(?:,? (?:and|or)|,| ?/) ?cell(?: lines?| types?)\b"
        r"|\bcell(?: lines?| types?)(?: and| or| ?/) ?tissues?\b",
        "tissues",
    ),
    (r"\bhepatitis delta\b(?! virus)", "hepatitis delta virus"),
    (r"\b(Crohn|Hodgkin|Parkinson|Alzheimer)['’]?s\b(?! (?:disease|lymphoma))", r"\1's disease"),
    (r"\brelease dates?\b|\bdates? of release\b", "years of release"),
    (
        r"\b(?:over|through|across|along) (?:the )?(?:time|years)\b|\byear (?:by|on|after) year\b"
        r"|\b(?:yearly|annual(?:ly)?)\b",
        "by year",
    ),
)
"""Comparisons, risk groups, libraries and years, each in one wording."""
_SHORTHAND: Final = (
    (r"(?<!\w)w/o(?!\w)", "without"),
    (r"(?<!\w)w/(?!\w)", "with"),
    (r"\s&\s", " and "),
    (r"\bnrs? of\b|\bno\. of\b|#\s*of\b", "number of"),
    (r"\bpct\b", "percent"),
    (r"(?-i:\bU\.?S\.?(?!\w))", "USA"),
    (r"\b(top)[- ]?(\d{1,3})\b", r"\1 \2"),
    (r"(?<=\w)[-+ ](?:pos|\+ve)\b\.?", " positive"),
    (r"(?<=\w)[- ](?:neg|-ve)\b\.?", "-negative"),
    (r"(?<=[\w\d])-(?:positives?|infected|containing|carrying|bearing|harbou?ring)\b", " positive"),
    (r"(?<=[a-z] )(do|does|did|is|are|was|were|has|have|can|could)n['’]t\b", r"\1 not"),
    (r"\bcan ?not\b", "can not"),
    (
        rf"^(.*\b(?:{_HOW_MANY})\b.*?),? (?:is|are|was|were) ((?:[\w'-]+ ){{0,4}}?[\w'-]+) "
        rf"(?:{_LACKED})\W*$",
        r"\1 without \2",
    ),
    (r"\b(?:devoid|void|clear|clean|bereft|rid|exempt|spared) (?:of|from|by)\b", "without"),
    (r"\b(?:escap|dodg|evad)(?:e|es|ed|ing)\b", "without"),
    (r"\b(?:untouched|unaffected|unscathed) by\b", "without"),
    (r"\bgo(?:es|ing)? hand in hand\b", "correlate"),
    (r"\bhand in hand\b", "together"),
    (r"^(.+?) yes,? (?:but |and )?(.+?) no\b", r"\1 without \2"),
    (r"\bnot (?:one|a single|any|the least)\b", "no"),
    (r"\bwaste water\b", "wastewater"),
    (r"\bstem(?:s|med|ming)? from\b", "come from"),
    (r"\bhead ?counts?\b", "number"),
    (rf"\bbears?(?= {_SOME_VIRUS})", "carry"),
    (
        r"\b(?:but )?(?:leave|leaving|keep|keeping) ([\w-]+(?: [\w-]+){0,3}?) (?:out|aside)\b",
        r"except \1",
    ),
    (r"\bsets? (.+?) apart from (?=\S)", r"is the difference between \1 and "),
    (r"\bvirus-?wise\b|\bvirally\b", "viruses"),
    (
        r"\b(?:ignoring|disregarding|omitting|leaving out|aside from|excluding|forget about"
        r"|(?:if (?:we|you|i|one)|let us|let['’]s|please)"
        r" (?:ignore|disregard|omit|exclude|skip|forget|leave (?:out|aside)))\b",
        "except",
    ),
)
"""Shorthand, contractions and negations behind what they deny, spelled out."""
_NO_NAMES: Final = "disease|virus|pathogen|germ|contamination"
_SAMPLED: Final = (
    r"runs?|samples?|libraries|datasets?|people|persons?|patients?|individuals?|donors?|cells?"
    r"|cell lines?|lines?|animals?|plants?|humans?|mice"
)

_STATED: Final = r"hosts?|tissues?|diseases?|places?|countr(?:y|ies)|sex|(?:bio)?projects?"
_OFTEN: Final = "usually|often|typically|normally|mostly|generally|commonly|do|have|already"
_ORGANS: Final = (
    "colorectal|colon|rectal|breast|lung|liver|hepatic|brain|gastric|stomach|kidney|renal|skin"
    "|prostate|pancreatic|pancreas|ovarian|ovary|cervical|bladder|o?esophageal|thyroid|testicular"
    "|endometrial|bone|oral|nasopharyngeal"
)
"""Organs whose tumors the disease ontology names as cancers."""

RULES: Final = (
    *_TO_THE_POINT,
    *_MEASURED,
    *_SHORTHAND,
    (r"\bnon-?human ([\w-]+)\b(?! (?:cell|primate))", r"\1 except human"),
    (rf"\b(?:people|others|researchers|scientists|labs?)"
     rf"(?= (?:(?:{_OFTEN}) )?(?:find|found|see|saw|detect|report|get|observe|say|tell|told|think"
     r"|give|bring|send|pull|fish|recover|isolat|sequenc|identif|discover|spot|encounter|meet"
     r"|thought|claim|believe|ask|insist|talk|keep|assume|expect|argue|wonder|suspect)(?:e?d|e?s|e)?\b)",
     "one"),
    (r"\b(?:(?:back|in|over|home) )?(?:from|in|into) the field\b(?! of)", ""),
    (r"\b(?:my|our|your|his|her|their) field\b(?! (?:samples?|runs?))", "that"),
    (r"\bfield (?=(?:site|work|trip|station|campaign|season)s?\b)", ""),
    (r"\bbear with (?:me|us)\b", ""),
    (rf"\b({_ORGANS}) (?:tumou?rs?|neoplasms?|malignanc(?:y|ies))\b(?! virus)", r"\1 cancer"),
    (
        rf"\b(state|have|give|name)(s?) neither (?:an? )?({_STATED}) nor (?:an? )?({_STATED})\b",
        r"\1\2 no \3 and no \4",
    ),
    (r"\btumours\b", "tumors"),
    (r"\b(my|your|our|his|her|bad|poor|broken|plain|simple) english\b", r"\1 language"),
    (r"\b(?:people|persons?|human beings?|mankind|humankind|humanity)\b", "human"),
    (r"\bman\b", "human"),
    (r"\b(?:women|woman)\b", "female human"),
    (r"\bmen\b", "male human"),
    (r"\bcountries (?:and|or) (?:seas|oceans)\b", "countries"),
    (r"\bcountry (?:and|or) (?:sea|ocean)\b", "country"),
    (
        r"\b((?-i:MERS|SARS))(?![\w-])(?! (?:coronavirus|virus|patient|case|disease))",
        r"\1 coronavirus",
    ),
    (r"\b(what|who|where|how)['’]s\b", r"\1 is"),
    (r"\bper cent\b", "percent"),
    (r"\bat least (?:one|an?|1)\b", "a"),
    (rf"\b({_LETTERED}) a(?= (?:{_FOLLOWS_A_NAME})\b|\W*$)", r"\1 A"),
    (rf"\b({_OF_CELLS}) (lines?)\b", r"\1 cell \2"),
    (rf"\b(?:where|in which|that) no (.+?) (?:is|are|was|were) (?:{_SEEN})\b", r"without \1"),
    (rf"\b(?:where|(?:in|from|for) which) (.+?) (?:is|are|was|were) (?:{_LACKED})\b",
     r"without \1"),
    (
        r"\b(?:apart from|aside from|not counting|not including|leaving (?:out|aside)|save for"
        r"|(?:from )?outside(?: of)?|elsewhere than in)\b",
        "except",
    ),
    (rf"(?<![\w-])(?!{_NO_NAMES})([\w-]+)-(?:negative|free) ((?:[\w-]+ ){{0,3}}?(?:{_SAMPLED}))\b",
     r"\2 without \1"),
    (rf"(?<![\w-])(?!{_NO_NAMES})([\w-]+)-(?:negative|free)\b", r"without \1"),
    (r"\b(?:wherefrom|whence|from where|where from)\b", "where"),
    (r"\bwith (?:regard|respect|reference) to\b|\bwhen it comes to\b|\bin terms of\b"
     r"|\bas regards\b|\b(?:with )?regarding\b|\bconcerning\b", "of"),
    (r"\b(?:of|with|from) ([\w-]+) origin\b", r"of \1"),
)  # fmt: skip
"""Patterns, in lower or upper case, in the order in which they are applied."""
_COMPILED: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), spelled) for pattern, spelled in RULES
)


def respelled(text: str) -> str:
    """Return ``text`` with everyday wording replaced by that of names and metadata.

    >>> respelled("flu a in people, outside Spain")
    'flu A in human, except Spain'
    >>> respelled("Do lymphoma lines exist where EBV is absent?")
    'Do lymphoma cell lines exist without EBV?'
    """
    for pattern, spelled in _COMPILED:
        text = pattern.sub(spelled, text)
    return text
