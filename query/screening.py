"""Questions that no mode answers: how to make an agent more dangerous, obtain it, or use it to
harm.

Screening is by rules over the words of a question, before anything is searched and before any model
sees it, so that it holds with and without one. A question is refused where it asks for a way ("how
could one", "steps to", "design") and names a harm of the list. Asking what was found, where, in
whom and how it is studied, of whatever agent, is routine and passes: the index holds public counts
of public runs. The graded set of questions is in ``tests/screened_questions.py``.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from query.errors import HarmfulQuestionError

_HIDDEN: Final = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_AGENT: Final = (
    r"(?:(?:a|the|an|some|any|this|these|its?)\s+)?(?:[\w’'/-]+\s+){0,4}?"
    r"(?:virus(?:es)?|viral|pathogens?|agents?|strains?|microbes?|germs?|toxins?|variants?|disease|"
    r"ebola\w*|marburg\w*|nipah\w*|hendra\w*|lassa\w*|smallpox|variola|h5n1|h7n9|influenza|flu|"
    r"sars[\w-]*|mers[\w-]*|coronavirus\w*|filovirus\w*|poxvirus\w*|anthrax|plague|rabies|measles|"
    r"zika|dengue|polio\w*|mpox|monkeypox|hantavirus\w*|arenavirus\w*|it)"
)
_MORE: Final = (
    r"(?:more|highly|extra|fully)\s+(?:easily\s+)?(?:transmissible|transmittable|contagious|lethal|"
    r"deadly|virulent|infectious|pathogenic|dangerous|airborne|resistant|harmful|stable in (?:the "
    r")?air)"
)
_TRAIT: Final = (
    r"(?:transmissib\w+|transmission|contagio\w+|lethality|virulence|infectiv\w+|infectious\w+|"
    r"pathogenicity|host range|fatality|deadliness|mortality)"
)
_ASKS: Final = (
    r"(?:how (?:to|can|could|would|should|might|may|(?:do|does) (?:i|we|you|one|someone))|"
    r"(?:ways?|steps?|methods?|means|"
    r"protocols?|recipes?|instructions?|guides?|plans?|procedures?|techniques?|tips|advice) "
    r"(?:to|for|of|on)|"
    r"help (?:me|us)|(?:teach|tell|show) (?:me|us)|explain how|what (?:would|does|could) it take|"
    r"what (?:changes?|mutations?|modifications?|edits?|do (?:i|we) need)|"
    r"which (?:changes?|mutations?|modifications?|edits?|genes?)\b.{0,40}\b"
    r"(?:should|would|could|to)|"
    r"i (?:want|need|would like|plan|intend) to|we (?:want|need|plan|intend) to|best way|"
    r"can (?:i|we|you|one|someone)|could (?:i|we|you|one|someone)|design|engineer|write|give me|"
    r"is it possible to|what is needed to|what (?:would|could|should|do) (?:i|we|one)|"
    r"suggest\w*|recommend\w*|which \w+ (?:should|could|would) (?:i|we|one)|"
    r"(?:best|ideal|easiest|simplest|fastest|(?:most )?effective) (?:way|virus|pathogen|agent)|"
    r"where (?:can|could|do) (?:i|we|one|someone))"
)


@dataclass(frozen=True, slots=True)
class Harm:
    """What must not be answered: why, and the words that ask for it."""

    why: str
    pattern: re.Pattern[str]


def _harm(why: str, *patterns: str) -> Harm:
    return Harm(why, re.compile("|".join(f"(?:{one})" for one in patterns)))


_PERSON: Final = (
    r"(?:(?:my|his|her|your|their|an?|the)\s+)?(?:co-?workers?|colleagues?|boss(?:es)?|"
    r"neighbou?rs?|wi(?:fe|ves)|husbands?|ex|roommates?|classmates?|teachers?|famil(?:y|ies)|"
    r"rivals?|enem(?:y|ies)|someone|somebody)"
)
_PROPERTY: Final = (
    r"(?:farms?|harvests?|crops?|fields|herds?|flocks?|cattle|livestock|food supply|"
    r"countr(?:y|ies)|cit(?:y|ies)|people)"
)
_MAKES: Final = r"(?:mak|build|creat|design|engineer|develop|produc|breed)\w*"
_TURNS: Final = r"(?:turn|convert|transform|modif|chang|alter|engineer)\w*"
_ASKED: Final = rf"\b{_ASKS}\b.{{0,80}}?\b"
HARMS: Final = (
    _harm(
        "it asks how an agent could be made more dangerous",
        rf"\b(?:mak|render|turn|becom|get)\w*\s+{_AGENT}.{{0,30}}\b{_MORE}",
        rf"{_ASKED}(?:be|become|made|mak\w+)\b.{{0,40}}\b{_MORE}",
        rf"{_ASKED}(?:increas|enhanc|boost|rais|improv|maximi[sz]|heighten|strengthen|widen|"
        rf"broaden|"
        rf"extend|expand|gain)\w*\b.{{0,50}}\b{_TRAIT}",
        rf"{_ASKED}(?:gain[- ]of[- ]function|weaponi[sz]\w+)",
        rf"{_ASKED}(?:give|giving|confer|add|introduc|insert)\w*\b.{{0,60}}\b(?:airborne|drug "
        rf"resistance|"
        rf"resistance to (?:antivirals?|vaccin\w+|drugs?)|{_TRAIT})",
        rf"{_ASKED}adapt\w*\s+{_AGENT}.{{0,30}}\bto (?:humans?|people|person|spread|infect)",
        rf"\b(?:mutations?|changes|edits|modifications)\b.{{0,40}}\b(?:would|could|needed "
        rf"to|that)\b.{{0,20}}"
        rf"\bmake\b.{{0,40}}\b{_MORE}",
    ),
    _harm(
        "it asks how an agent could be made more dangerous",
        rf"\b{_TURNS}\b.{{0,60}}\binto (?:an? )?(?:bio-?\w*weapons?|weapons?|killers?|"
        r"(?:something|one|an? \w+) (?:lethal|deadly|dangerous|that kills))",
        rf"{_ASKED}(?:chang|mak|giv|alter|modif|add|edit)\w*\b.{{0,60}}\b(?:so|ability|able)\b"
        r".{0,40}\b(?:pass|spread|travel|transmit|jump|catch)\w*\b.{0,25}"
        r"\b(?:air|cough\w*|sneez\w*|breath\w*|people|humans)\b",
        rf"(?:^|{_ASKED}){_MAKES}\b.{{0,60}}\b(?:only|selectively|just)\b.{{0,20}}"
        r"\b(?:harm|kill|infect|affect|target|hit)\w*\b.{0,40}"
        r"\b(?:ethnic\w*|rac(?:e|es|ial)|ancestry|nationalit\w+|religio\w+)",
    ),
    _harm(
        "it asks how defences against an agent could be defeated",
        rf"(?:^|{_ASKED}){_MAKES}\b.{{0,60}}\b(?:that|which|so)\b.{{0,15}}"
        r"\b(?:antivirals?|drugs?|vaccines?|treatments?|medicines?|antibod\w+)\b.{0,15}"
        r"\b(?:not|cannot|can't|don't|doesn't|no longer|never)\b",
        rf"{_ASKED}(?:bring|carry|sneak|smuggl|ship|mov|tak|get)\w*\b.{{0,60}}"
        r"\b(?:into|past|across|through|out of)\b.{0,30}"
        r"\b(?:countr(?:y|ies)|borders?|customs|labs?|laborator(?:y|ies)|airports?)\b.{0,30}"
        r"\b(?:without|unnoticed|undetected|secretly)\b",
    ),
    _harm(
        "it asks how defences against an agent could be defeated",
        rf"{_ASKED}(?:evad|escap|bypass|circumvent|overcom|defeat|dodg|avoid|get "
        rf"(?:a)?round|hide|resist)\w*"
        r"\b.{0,50}\b(?:vaccin\w+|immun\w+|antivirals?|drugs?|antibod\w+|diagnos\w+|detection|"
        r"screening|"
        r"biosecurity|quarantine|surveillance|export controls?|biosafety|permits?|inspection)",
        rf"{_ASKED}(?:order|buy|obtain|ship|smuggl)\w*\b.{{0,60}}\bwithout\b.{{0,30}}"
        r"\b(?:screen\w*|check\w*|licen[cs]e|permit|detected|notice\w*)",
    ),
    _harm(
        "it asks how a dangerous agent could be obtained or made",
        rf"{_ASKED}(?:synthesi[sz]\w*|reconstruct\w*|resurrect\w*|recreat\w*|build|assembl\w*|"
        rf"produc\w*|mass[- "
        rf"]produc\w*|manufactur\w*|brew\w*|grow\w*|cultur\w*|cultivat\w*|propagat\w*|"
        rf"rescu\w*|rebuil\w*|reviv\w*|creat\w*|make|making|steal\w*|smuggl\w*|"
        rf"acquir\w*|obtain\w*|buy|get hold "
        rf"of|isolat\w*)"
        rf"\s+(?:(?:large|big|small)\s+(?:amounts|quantities)\s+of\s+|live\s+|infectious\s+|"
        rf"more\s+|enough\s+)*{_AGENT}"
        r"(?!\s+(?:phylogen\w*|trees?|librar\w*|sequences?|genomes? (?:from|out "
        r"of)|runs?|reads?|tables?|"
        r"plots?|maps?|lists?|counts?|data|families|reports?))",
        rf"{_ASKED}.{{0,30}}\b(?:at home|in (?:my|a|the) (?:garage|kitchen|basement))\b",
    ),
    _harm(
        "it asks how an agent could be used to harm",
        rf"{_ASKED}(?:bio-?weapons?|biological "
        rf"(?:weapons?|warfare|attacks?)|bio-?terror\w*|bio-?attacks?)",
        rf"\b(?:build|make|making|creat\w+|design\w*|develop\w*|use|using|"
        rf"deploy\w*)\s+{_AGENT}?\s*(?:as\s+)?(?:a\s+)?"
        r"(?:bio-?weapons?|biological weapons?|weapons?)\b",
        r"\bweaponi[sz]e\b",
        rf"{_ASKED}(?:aerosoli[sz]\w*|dispers\w*|disseminat\w*|spray\w*|releas\w*|unleash\w*|"
        rf"deliver\w*|"
        rf"spread\w*|scatter\w*|infect\w*|poison\w*|contaminat\w*|kill\w*|harm\w*|"
        rf"sicken\w*)\b.{{0,60}}"
        r"\b(?:people|persons?|humans?|crowds?|cit(?:y|ies)|subways?|metros?|trains?|airports?|"
        r"buildings?|"
        r"populations?|schools?|someone|somebody|neighbou?rs?|enem(?:y|ies)|water "
        r"(?:supply|supplies)|"
        r"food (?:supply|supplies|chain)|livestock|crops?|herds?|farms?|public)\b",
        rf"{_ASKED}(?:start|caus|trigger|creat|launch|seed)\w*\b.{{0,30}}\b(?:outbreaks?|"
        rf"epidemics?|pandemics?)",
        rf"{_ASKED}(?:attack|target)\w*\b.{{0,50}}\bwith\b.{{0,30}}\b{_AGENT}",
        r"\bwhich (?:virus(?:es)?|pathogens?|agents?)\b.{0,40}"
        r"\b(?:best|ideal|easiest|suited|suitable|kill)\b.{0,40}"
        r"\b(?:weapons?|attack\w*|terror\w*|kill\w*|harm\w*)",
    ),
    _harm(
        "it asks how an agent could be used to harm",
        rf"{_ASKED}(?:infect|poison|sicken|harm|kill|hurt|murder)\w*\s+{_PERSON}\b",
        rf"{_ASKED}(?<!that )(?<!which )(?:wip\w+ out|ruin|destroy|starve|devastate|cripple)\b"
        rf".{{0,40}}\b{_PROPERTY}\b",
        r"\b(?:which|what|best|ideal|easiest|good|suggest\w*|recommend\w*)\b.{0,20}"
        r"\b(?:virus(?:es)?|pathogens?|agents?|diseases?)\b(?!.*\bcontrol\b).{0,60}"
        r"\b(?:if|to|for|when|should|could)\b.{0,12}\b(?:spray(?:ed|ing)?|releas(?:e|ed|ing)|"
        r"unleash\w*|wip\w+ out|murder|attacks?)\b",
    ),
    _harm(
        "it asks for a way to harm with an agent",
        r"(?:gefährlicher|ansteckender|tödlicher|übertragbarer)\s+(?:machen|wird)|biowaffen?\s+"
        r"(?:bauen|herstellen)",
        r"(?:plus|davantage)\s+(?:transmissible|contagieux|mortel|létal|virulent)\w*|arme "
        r"biologique",
        r"(?:más|mas)\s+(?:transmisible|contagioso|letal|mortal|virulento)|arma biológica",
        r"(?:более|сделать)\s+(?:заразн|смертельн|опасн|трансмиссивн)\w*|биологическое оружие",
        r"(?:更具|更强|更致命|更易|增强).{0,6}(?:传染|传播|致命|毒力)|生物武器",
    ),
)


def screen_question(text: str) -> None:
    """Return where ``text`` may be answered. Raises ``HarmfulQuestionError`` with the reason."""
    words = _plain(text)
    for harm in HARMS:
        if harm.pattern.search(words):
            raise HarmfulQuestionError(harm.why)


def _plain(text: str) -> str:
    """Return ``text`` in lower case and one spelling, so that no letter hides a word."""
    visible = _HIDDEN.sub("", unicodedata.normalize("NFKC", text))
    return " ".join(visible.casefold().split())
