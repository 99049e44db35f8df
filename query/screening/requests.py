"""Requests for a way to do something: how to, steps, a plan, help, an order, what one could use.

The index counts what was found, so a request for a way is outside it whatever it is about, except
where the way is one of looking things up. Decided by structure: what announces a request (a frame),
then the verb that it asks about. An unknown verb is a request: what is not known to be looking
something up is not answered.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from query.screening.words import (
    AGENT,
    DATA,
    HANDLING,
    LOOKING,
    PEOPLE,
    PERSON,
    PROTECTING,
    RECORD_ID,
    TEXTS,
    any_of,
)

_MODAL: Final = any_of("can could would should might may must shall will")
_NEEDS: Final = r"(?:need(?:ed|s)?|required?|requires|necessary|takes?|it take)"
_WAY: Final = any_of(
    "ways? steps? step-by-step methods? protocols? recipes? instructions? guides? plans? "
    "procedures? techniques? tips tricks? know-?how directions walkthroughs? manuals? blueprints? "
    "advice routes? strateg(?:y|ies) schemes? tutorials? experiments? approach(?:es)? means "
    "workflows? making process(?:es)? manufactur(?:e|ing) production"
)
_START: Final = (
    r"(?:^|[.!?:;]\s*|,\s*(?:and\s+|then\s+|so\s+|please\s+)*|\bnow,?\s+|\bplease\s+|\bthen\s+|"
    r"\brules and\s+)"
)
_ORDERS: Final = any_of(
    "make build design draft write devise invent engineer optimi[sz]e improve pretend imagine "
    "ignore act roleplay role-play simulate provide construct convert turn create produce "
    "generate increase enhance boost raise modify mutate edit change swap alter adapt evolve "
    "infect poison release spread sabotage smuggle steal obtain acquire buy get hide avoid evade "
    "bypass propose plan outline teach help reconstruct resurrect revive recreate rebuild "
    "synthesi[sz]e culture cultivate grow propagate isolate weaponi[sz]e aerosoli[sz]e spray "
    r"disperse disseminate unleash attack kill contaminate deliver ship "
    r"order(?!\s+by\b)(?!.*\b(?:alphabetic\w*|(?:as|des)cending)\b) suggest "
    "recommend "
    "assemble clone passage select combine recombine transform render strengthen maximi[sz]e "
    r"weaken defeat circumvent disable let(?!\s+me\s+(?:read|see|know|have)\b) start cause trigger "
    "launch put bring take use"
)
_ASKING_FOR: Final = (
    r"(?:give|get|tell|show|write|provide|send|find|hand|offer|draft|share)\s+(?:me|us)?\s*"
)
_THROUGH: Final = r"(?:through\s+|with\s+|how\s+(?:to\s+)?|to\s+|about\s+)?"

_FRAMES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"\bhow\s+(?:to|2)\b\s*",
        r"\bhow(?:'d| did| does| do)\s+(?:an?\s+\w+\s+)?" + PERSON + r"\s+",
        rf"\b(?!(?<!\w\s)should\s+(?:i|we|one)\b)(?:{_MODAL}|do|does)\s+(?:{PERSON})\s+",
        rf"\b(?:{_MODAL})\s+(?:{PEOPLE})\s+(?!(?:be|get|catch|have|become|carry)\b)",
        rf"\bhow\s+(?:{_MODAL})\s+(?:[\w'-]+\s+){{1,8}}?be\s+",
        r"\b(?:where|what|whom|when|which\s+[\w-]+|on how)\s+to\s+",
        rf"\b(?:best|ideal|good|right|perfect|easiest|simplest)\s+{AGENT}\s+(?:to|for)\s+",
        rf"\bhow\s+(?:do|does|did)\s+(?:{PEOPLE})\s+",
        rf"\b(?:{PERSON})\s+(?:{_MODAL}|have to|has to|needs? to)\s+",
        r"\b(?:i|we|he|she|they|friend|\w+er|character|villain|'m|am|are|is)\s*(?:'d|would|'m|am|"
        r"are|is)?\s*(?:want\w*|need\w*|wish\w*|plan\w*|intend\w*|like|try\w*|tries|hop\w*|"
        r"going|about|must|ha(?:ve|s))\s+(?:\w+\s+){0,2}?to\s+",
        rf"\b{_NEEDS}\s+(?:\w+\s+)?(?:to|for|if)\s+",
        r"\bit\s+(?:be\s+)?(?:possible|feasible|easy|easier|hard|realistic)\s+(?:\w+\s+){0,3}?to\s+",
        r"\bbest\s+to\s+",
        r"\b(?:teach|train|coach|help|instruct)\s+(?:me|us)\s+" + _THROUGH,
        r"\bwalk\s+(?:me|us)\s+" + _THROUGH,
        r"\blet(?:'s|\s+us)\s+",
        rf"\b{_WAY}\s+(?:\w+\s+){{0,2}}?(?:to|on how to|how to)\s+",
        rf"\b{_WAY}\s+(?:\w+\s+){{0,2}}?(?:for|of|on|about)\s+"
        r"(?=(?!(?:some|any|every|no)thing\b)\w+ing\b)",
        rf"{_START}(?={_ORDERS}\b)",
    )
)
_PLANS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_START}(?:an?\s+|the\s+|best\s+|simple\s+)*(?:[\w-]+\s+)?{_WAY}\s+(?:for|of|on|about)\b",
        rf"\b{_ASKING_FOR}(?:an?\s+|the\s+|some\s+|detailed\s+)*(?:\w+\s+)?{_WAY}\b"
        rf"(?!\s+{TEXTS}\b)",
        rf"\bhow\s+(?:{_MODAL})\b",
    )
)
"""What announces a request without a verb: all that follows decides."""
_FILLER: Final = re.compile(
    r"(?:(?:\w+ly|just|also|best|even|then|first|please|ever|not|never|be able to|able to|begin|"
    r"mind(?= \w+ing)|"
    r"begin to|begin by|start by|try to|try|manage to|go about|go on|go and|happen to|be|me|us|"
    r"(?<!\w)to|like to|want to|need to|wish to|have to)\s+)*"
)
_HEAD: Final = re.compile(r"[\w'-]+")
_ASKED_WORD: Final = any_of("what which where who whom whose when why how if whether that")
_LOOKS: Final = re.compile(rf"(?:{LOOKING}|{PROTECTING}|{_ASKED_WORD}|{DATA})$")
_HANDLES: Final = re.compile(rf"(?:{HANDLING})$")
_OBJECT_IS_DATA: Final = re.compile(
    r"(?:\s+(?!(?:of|from|for|with|to|into|as|that|which|and|in|so|past|by|if|against)\b)"
    rf"[\w'-]+){{0,5}}?\s+{DATA}\b(?!')|.*\b(?:to|into)\b.*\b(?:symbols?|names?)\W*$"
    r"|.*\bside by side\b"
)
_RETRIEVES: Final = any_of("get bring fetch retrieve extract collect pick obtain give take")
_OBJECT_IS_TEXT: Final = re.compile(
    rf"(?:me|us)?(?:\s+(?!(?:to|into|by|against|for)\b)[\w'-]+){{0,4}}?\s+{TEXTS}\b"
)
_NOTION: Final = re.compile(
    r"\s+(?:an?|some|the)\s+(?:\w+\s+){0,2}?(?:idea|impression|feel(?:ing)?|sense|picture|answer)\s+"
    r"(?:of|for|about|on|to)\s+(?!how\b)"
)
"""What is known after an answer: get an idea of what is associated with it."""
_CONVERTS: Final = re.compile(r"(?:convert|turn|map|translate|resolve)\w*$")
_AGENT: Final = re.compile(rf"\b{AGENT}\b")
_RECORD: Final = re.compile(rf"\W+(?:\w+\W+){{0,5}}?{RECORD_ID}\b")
WALK: Final = re.compile(
    r"\b(?:(?:one|two|three|\d|few|(?:how )?many)[- ]hops?|(?:hops|steps) out(?:wards?)?"
    r"|walk(?:ing)?(?: me)? (?:out(?:wards?)?|away)|(?:one|a single) (?:step|link) (?:away|from)"
    r"|(?:stations?|stops|links) (?:are |lie |along )?on (?:the|its|that) way|what goes with"
    r"|step by step,? with (?:sources|citations|references)"
    r"|hop by hop|following (?:the )?(?:relations|links)|project node"
    r"|(?:following|along|under (?:\w+ )?)(?: (?:the|its))? ?edges"
    r"|(?:by|through) (?:what|which) (?:chain|route|way|links?)|(?:go|going|walk me) outwards?"
    r"|in the (?:knowledge )?graph|edges (?:leaving|of|from|around)"
    r"|ego[- ]?(?:networks?|graphs?)|follow the (?:chain|path|trail))\b"
)
"""Says that what is asked about is a way through the graph, and no way to do something."""
_HOPS: Final = re.compile(
    r"(?:one|two|three|\d|a few|some) (?:hops?|steps? (?:out(?:wards?)?|away|further))\b"
)
"""Is walked through the graph, and nowhere else."""
_FROM_NODE: Final = re.compile(
    r"(?:(?:get|go|come|jump|step|start)\s+(?:from|at)|reach|arrive|outwards?)\b"
    r"(?!.*\b(?:live|infectious|sequences?|plasmids?|clones?|cultures?|stocks?)\b)"
)
_VIRUSES_OF: Final = re.compile(
    r"\s+(?:me\s+)?(?:[\w-]+\s+){0,3}?viruses\s+(?:of|in|on|from|with|that|found|seen)\b"
)
_NAMES_DATA: Final = re.compile(
    r"\b(?:which|what) (?:\w+ )?(?:symbol|name|accession|term|citation)\b"
)
_NO_VERB: Final = re.compile(
    rf"(?:{PERSON}|{PEOPLE}|an?|the|this|these|all|any|more|most|virus\w*|of|in|at|from|it)$"
)
_PASSED_ON: Final = re.compile(
    r"(?:(?:give|get|send|help|teach|train|walk|instruct)\s+(?:me|us))\b"
)
_DOES_THAT: Final = re.compile(
    r"(?:(?:do|manage) (?:that|this|it)"
    r"|help(?: (?:me|us|out))*(?: (?:with|on) (?:that|this|it))?)\W*$"
)
"""Asks for what was said before, which decides."""
_MEETS: Final = re.compile(r"(?:come|run|stumble) (?:across|into|upon)\b")
"""Finds without looking."""
_KNOWN_USE: Final = re.compile(rf"\b(?:{LOOKING}|{PROTECTING}|{DATA})\b")
_SUPPLY: Final = re.compile(
    r"\b(?:suppliers?|sellers?|vendors?|dealers?|black market|for sale|shopping|who sells?|"
    r"that sells?|hold of|come by|without (?:an?\s+)?(?:licen[cs]e|permit|bsl\S*))\b"
)
_INDIRECT: Final = re.compile(
    r"\b(?:pretend|role-?play|hypothetically|"
    r"you are (?:dan|an? (?:ai|expert|virologist|terror\w+))|"
    r"jailbreak|without (?:limits|restrictions|rules)|ignore (?:all|any|your|my|the|previous)|"
    r"for my (?:novel|film|movie|book|story|game|thriller|screenplay)|"
    r"(?:my|the) (?:villain|character|antagonist))\b"
)
_WORK: Final = re.compile(
    r"\b(?:describe|explain|outline|detail|say|tell|give|list)\b.{0,40}?\b(?:the|an?)\s+(?:\w+\s+)?"
    rf"(?:{_WAY}|work|changes|edits|mutations|equipment|materials|conditions)\b"
    rf"(?!\s+{TEXTS}\b|.{{0,40}}\b(?:found|seen|in the index|in these runs)\b)"
)
_LATIN_WAYS: Final = re.compile(
    r"\b(?:wie (?:kann|könnte|soll|muss|macht?|mache|baut?|züchte\w*|stell\w*|man|ich|verbreite)|"
    r"anleitung|bauanleitung|comment (?:faire|fabriquer|rendre|créer|cultiver|obtenir|puis|peut|"
    r"pourrait|on (?:peut|pourrait|fait|fabrique|cultive|obtient|rend|crée))|recette|"
    r"cómo (?:puedo|se|hacer|crear|fabricar|podría|cultivar|obtener)|"
    r"como (?:posso|se|criar|fazer|fabricar|tornar|puedo|hacer)|receita|come (?:posso|si|fare|"
    r"creare)|hoe (?:kan|maak|kweek)|jak (?:zrobić|stworzyć)|nasıl)\b"
)
_OTHER_WAYS: Final = re.compile(
    r"\bкак\s+(?:\w+ть|можно|мне|я)\b|инструкци|рецепт|如何|怎么|怎樣|怎样|作り方|方法を|어떻게|كيف|कैसे"
)


@dataclass(frozen=True, slots=True)
class Request:
    """A request for a way: the words that it asks about, from the verb on."""

    words: str


def find_request(words: str) -> Request | None:
    """Return the first request for a way in ``words`` that is no looking-up; None without one.

    ``words`` are as ``plain`` returns them.

    >>> find_request("how do i find the runs of bats?") is None
    True
    >>> find_request("how do i paint a wall?")
    Request(words='paint a wall?')
    """
    for pattern in (_INDIRECT, _LATIN_WAYS, _OTHER_WAYS, _SUPPLY, _WORK):
        found = pattern.search(words)
        if found:
            return Request(words[found.start() :])
    if _NAMES_DATA.search(words):
        return None
    for frame in _FRAMES:
        for match in frame.finditer(words):
            rest = words[match.end() :]
            if _asks_for_a_way(rest, walks=WALK.search(words) is not None):
                return Request(rest)
    for plan in _PLANS:
        found = plan.search(words)
        if found and not _KNOWN_USE.search(words[found.end() :]):
            return Request(words[found.start() :])
    return None


def _asks_for_a_way(rest: str, *, walks: bool) -> bool:
    """Return whether what follows a frame is to be done, and not to be looked up; ``walks``: a way
    through the graph is asked about.
    """
    filled = _FILLER.match(rest)
    asked = rest[filled.end() :] if filled else rest
    head = _HEAD.match(asked)
    if _DOES_THAT.match(asked) or _MEETS.match(asked) or _HOPS.match(asked):
        return False
    if _PASSED_ON.match(asked) or head is None or _LOOKS.match(head[0]) or _NO_VERB.match(head[0]):
        return False

    if walks and _FROM_NODE.match(asked):
        return False
    if _HANDLES.match(head[0]):
        return not _is_of_data(head[0], asked[head.end() :])
    return True


def _is_of_data(verb: str, rest: str) -> bool:
    """Return whether ``rest``, the object of ``verb``, is what the index holds or gives out."""
    if _VIRUSES_OF.match(rest) or _OBJECT_IS_DATA.match(rest):
        return True
    of_record = _RECORD.match(rest) is not None
    retrieves = re.fullmatch(_RETRIEVES, verb) is not None
    if retrieves and (of_record or _OBJECT_IS_TEXT.match(rest) or _NOTION.match(rest)):
        return True
    converts = _CONVERTS.match(verb) is not None
    return converts and of_record and _AGENT.search(rest) is None
