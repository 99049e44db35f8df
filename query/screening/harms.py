"""What a question would harm with: an act of making, enhancing, acquiring, releasing or evading,
applied to an agent or its traits.

An act alone is routine: runs are released, cells cultured, viruses evade. It is harmful where a way
to it is asked for (``requests``), or where a question names a purpose that no count serves: a
weapon, an attack, an agent let loose, a change that would add a trait. Questions about what runs,
studies and the register record are not judged by their purpose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from query.screening.words import AGENT, verbs

_STRONGER: Final = (
    r"(?:(?:more|highly|extra|fully|less|most)\s+(?:easily\s+)?(?:transmissible|transmittable|"
    r"contagious|lethal|deadly|virulent|infectious|pathogenic|dangerous|airborne|resistant|harmful|"
    r"treatable|stable)|deadl\w+|(?<!\w)worse|killers?|lethal\w*|airborne|untreatable|incurable|"
    r"spread\w*\s+(?:better|faster|further|more)|infectious again|"
    r"(?:pass|travel|spread|go|jump|cough|catch)\w*\b.{0,25}\b(?:air|cough\w*|sneez\w*|breath\w*|"
    r"people|humans?|mammals?|ferrets?|birds)|ansteckender|tödlicher|gefährlicher|übertragbarer|"
    r"contagieu\w+|mortel\w*|contagioso|letal|mortal|transmisible|virulento|заразн\w*|смертельн\w*|"
    r"опасн\w*|传染\w*|致命)"
)
_TRAIT: Final = (
    r"(?:transmissib\w+|transmission|contagio\w+|lethality|virulen\w+|infectivity|infectious\w*|"
    r"pathogenic\w*|host range|fatality|mortality|gain[- ]of[- ]function|loss of attenuation|"
    r"drug resistan\w+|antiviral resistan\w+|resistan\w+|receptors?|ace2|tropism|stable|stability|"
    r"harm\w*|kill\w*)"
)
_PROTECTION: Final = (
    r"(?:vaccin\w+|immun\w+|antivirals?|antibod\w+|drugs?|medicines?|treatments?|oseltamivir|"
    r"detect\w*|diagnos\w+|screening|surveillance|biosecurity|biosafety|customs|borders?|"
    r"quarantine|inspect\w+|checks?|permits?|licen[cs]es?|export controls?|pcr|tests?|notic\w+|"
    r"traced?|select agents?|security|synthesis (?:firms?|compan\w+))"
)
_TO_CHANGE: Final = verbs(
    "increase enhance boost raise improve maximise maximize heighten strengthen widen broaden "
    "extend expand gain adapt alter modify mutate edit change swap engineer optimise optimize "
    "confer render evolve passage turn convert transform upgrade"
)
_TO_EVADE: Final = (
    verbs(
        "evade escape bypass circumvent overcome defeat dodge avoid hide resist sneak smuggle slip "
        "fool trick mask conceal beat outsmart elude"
    )
    + r"|(?:get|bring|carry|ship|mov|tak|way|cross)\w*\b.{0,60}"
    r"\b(?:past|round|around|through|across)"
)
_TO_OBTAIN: Final = verbs(
    "synthesise synthesize synthetise reconstruct resurrect recreate build assemble produce brew "
    "manufacture grow culture cultivate propagate rescue rebuild revive create make steal acquire "
    "obtain buy purchase order isolate amplify store clone package design construct invent revive "
    "supply sell chimer smuggle"
) + (
    r"|fabri\w+|züchte\w*|herstell\w*|crea\w*|criar|cultiv\w*|вырастить|создать|сделать|制造|培养|"
    r"get|come by|shopping|reverse genetics|chimeric|infectious clones?|bringing? back|made|making|"
    r"media|equipment|freezer|suppl\w+"
)
_TO_HARM: Final = verbs(
    "aerosolise aerosolize disperse disseminate spray release unleash deliver spread scatter "
    "infect poison contaminate kill harm sicken attack target sabotage weaponise weaponize dry "
    "mill dose starve devastate destroy ruin cripple murder hurt trigger launch seed"
) + (
    r"|wip\w+ out|aerosol\w*|(?:start|caus|creat|stag|plan)\w*\b.{0,30}\b(?:outbreak|epidemic|"
    r"pandemic|plague|accident)s?|\bill\b|\bsick\b|on purpose|secretly|"
    r"(?:bring|carry|introduc)\w*\b.{0,60}\b(?:farms?|herds?|cattle|crops?|harvests?|cit(?:y|ies))"
)
_HOSTILE: Final = (
    r"(?:bio-?\w*weapon\w*|\w*weapon(?:s|i[sz]\w+)?|biological (?:warfare|attacks?)|warfare|"
    r"bio-?(?:terror\w*|attacks?)|terror\w*|sabotage\w*|assassin\w*|murder\w*|genocide|biowaffen?|"
    r"arme biologique|arma biol[oó]gica|биологическ\w+ оружи\w+|生物武器|mass casualt\w+|"
    r"an attack(?!\s+(?:by|of)\b))"
)
_LOOSE: Final = (
    r"(?:\b(?:let|lets|set|letting|setting)\s+(?:[\w'-]+\s+){0,4}?(?:loose|free|out|escape)\b|"
    r"\b(?:if|when|once)\b.{0,40}\b(?:releas|unleash|spray|dispers|aerosoli[sz])ed\b|"
    r"\b(?:on purpose|deliberately|intentionally)\b|\blab (?:leak|accident)\b.{0,20}\bstag)"
)
_BEST: Final = (
    r"(?:best|ideal\w*|easiest|hardest|simplest|surest|fastest|deadliest|worst|effective\w*|"
    r"suit(?:s|ed|able)?|choose|pick|rank|candidates?|most (?:people|damage|dangerous))"
)
_PURPOSE: Final = (
    r"(?:attacks?(?! by\b)|spray\w*|releas\w+|unleash\w*|crowds?|trace\w*|steal|get hold|"
    r"against (?:people|humans?|us|them)|harm(?:ing)?|murder|poison\w*|damage|"
    r"kill (?:\w+ ){0,2}(?:people|persons?|humans?|someone|somebody))"
)
_CHANGES: Final = (
    r"(?:mutations?|changes?|edits?|modifications?|swaps?|substitutions?|alterations?|codons?|"
    r"tweaks?|tricks?|insertions?|deletions?|experiments?|conditions?|viral proteins?)"
)
_ADDS: Final = (
    r"(?:would|could|should|might|must|can|make|makes|let|lets|give|gives|allow|allows|enable|"
    r"enables|help|helps|raise|raises|keep|keeps|put|add|that)"
)
RECORDED: Final = re.compile(
    r"\b(?:runs?|stud(?:y|ies)|bioprojects?|projects?|(?:bio)?samples?|titles?|register|communit\w+|"
    r"detected|found|seen|according to|are found|occur|metadata|libraries)\b"
)


@dataclass(frozen=True, slots=True)
class Harm:
    """What must not be answered: why, and the words that ask for it."""

    why: str
    pattern: re.Pattern[str]


def _harm(why: str, *patterns: str) -> Harm:
    return Harm(why, re.compile("|".join(f"(?:{one})" for one in patterns)))


_STRENGTHENED: Final = "it reads like one that asks how an agent could be made more dangerous"
_DEFEATED: Final = "it reads like one that asks how defences against an agent could be defeated"
_OBTAINED: Final = "it reads like one that asks how a dangerous agent could be obtained or made"
_USED: Final = "it reads like one that asks how an agent could be used to harm"

REQUESTED: Final = (
    _harm(_USED, rf"\b{_HOSTILE}", _LOOSE),
    _harm(
        _STRENGTHENED,
        _STRONGER,
        rf"\b(?:{_TO_CHANGE})\b.{{0,80}}\b{_TRAIT}",
        rf"\b{_TRAIT}\b.{{0,60}}\b(?:{_TO_CHANGE})\b",
        rf"\b(?:give|giving|add|introduc|insert|put)\w*\b.{{0,60}}\b{_TRAIT}",
        r"\b(?:gain[- ]of[- ]function|serial passage|passaging)\b",
        rf"\b(?:{_TO_CHANGE})\b.{{0,60}}\b(?:to|into|for|infect\w*)\b.{{0,20}}"
        r"\b(?:humans?|people|mammals?|something)\b",
    ),
    _harm(
        _DEFEATED,
        rf"\b(?:{_TO_EVADE})\b.{{0,80}}\b{_PROTECTION}",
        rf"\bwithout\b.{{0,40}}\b{_PROTECTION}",
        rf"\b{_PROTECTION}\b.{{0,25}}"
        r"\b(?:not|cannot|can't|don't|doesn't|no longer|never|useless)\b",
        rf"\b(?:not|nobody|no one|useless)\b.{{0,30}}\b{_PROTECTION}",
        r"\bno(?:body| one)\b.{0,20}\bimmune\b",
    ),
    _harm(_USED, rf"\b(?:{_TO_HARM})\b", r"\b(?:only|just)\b.{0,40}\b(?:ethnic|rac(?:e|ial))\w*"),
    _harm(_OBTAINED, rf"(?:\b|^)(?:{_TO_OBTAIN})(?:\b|$)"),
)
"""Acts on an agent that nobody is helped with. The most telling come first."""

SUPPOSED: Final = (
    _harm(_USED, rf"\b{_HOSTILE}", _LOOSE, r"\b(?:minimum|lethal|infectious) dose\b.{0,60}\bkill"),
    _harm(_USED, rf"\b{_BEST}\b.{{0,70}}\b{_PURPOSE}\b"),
    _harm(
        _STRENGTHENED,
        rf"\b{_CHANGES}\b.{{0,60}}\b{_ADDS}\b.{{0,60}}(?:{_STRONGER}|\b{_TRAIT}|\b(?:{_TO_EVADE})\b)",
        rf"\b(?:would|could|might|should)\b\s+(?:make|turn|render)\b.{{0,60}}{_STRONGER}",
    ),
    _harm(
        _DEFEATED,
        rf"\b{_CHANGES}\b.{{0,60}}\b{_ADDS}\b.{{0,60}}\b{_PROTECTION}\b",
        r"\b(?:past|through|round|around)\b.{0,30}\b(?:screening|customs|borders?|checks)\b",
    ),
    _harm(
        _OBTAINED,
        r"\bhow (?:is|are|was|were)\b.{0,60}\b(?:made|produced|grown|built|synthesi[sz]ed|rescued|"
        r"weaponi[sz]ed|packaged|assembled|resurrected|engineered|cultivated|manufactured)\b",
    ),
)
"""Purposes that no count serves, and changes that would add a trait."""

_AGENT: Final = re.compile(
    rf"\b(?:{AGENT}|{_HOSTILE}|(?:dna|gene) synthesis|biosecurity|biosafety)\b|病毒|病原"
)


def names_agent(words: str) -> bool:
    """Return whether ``words`` name an agent, or what protects from one."""
    return _AGENT.search(words) is not None


def harm_requested(words: str) -> str | None:
    """Return why a request for a way, ``words``, is harmful; None where it is not known to be."""
    if not names_agent(words):
        return None
    return _first(REQUESTED, words)


def harm_supposed(words: str) -> str | None:
    """Return why a question that asks for no way is harmful all the same; None where it is not.

    >>> harm_supposed("which virus would be the best for an attack?")
    'it reads like one that asks how an agent could be used to harm'
    >>> harm_supposed("which bioprojects are about biological attacks?") is None
    True
    """
    if RECORDED.search(words) or not names_agent(words):
        return None
    return _first(SUPPOSED, words)


def _first(harms: tuple[Harm, ...], words: str) -> str | None:
    return next((harm.why for harm in harms if harm.pattern.search(words)), None)
