"""Acts that would cause harm: what somebody does to an agent, not words that merely sound
dangerous.

Viruses spread, kill and evade, and laboratories grow and engineer them: questions about that are
routine. So an act is only a sign, which weighs more if the question names an agent and wants a
method. ``intent`` decides what the question means.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_HIDDEN: Final = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_DASHES: Final = re.compile(r"[\u2010-\u2015\u2212]")


def plain(text: str) -> str:
    """Return ``text`` in lower case and one spelling, so that no letter hides a word.

    >>> plain("How TO\\u00a0make")
    'how to make'
    """
    visible = _HIDDEN.sub("", unicodedata.normalize("NFKC", text)).replace("’", "'")
    return " ".join(_DASHES.sub("-", visible).casefold().split())


def _any_of(words: str) -> re.Pattern[str]:
    """Return the pattern of any of ``words``: ``*`` is any ending, ``_`` a blank.

    >>> bool(_any_of("spray* put_in").search("what is put in the water"))
    True
    """
    escaped = [re.escape(word).replace(r"\*", r"[\w-]*") for word in words.split()]
    each = [word if word[0] > "\u3000" else rf"\b{word}\b" for word in escaped]
    return re.compile("|".join(each).replace("_", " "))


STRENGTHENED: Final = "it seems to ask how to make an agent more dangerous"
DEFEATED: Final = "it seems to ask how to defeat defences against an agent"
USED: Final = "it seems to ask how to use an agent to harm"
OBTAINED: Final = "it seems to ask how to obtain or make a dangerous agent"

ACTS: Final = {
    STRENGTHENED: _any_of(
        "enhanc* increas* boost* improv* maximi* strengthen* broaden* widen* adapt* alter* modif* "
        "mutat* edit edits editing engineer* optimi* evolve evolving passag* combin* recombin* "
        "cross crossed crossing chimer* transform* convert* turn turning swap swapped chang* "
        "restor* remov* knock_out resist* drug_resistance deadl* lethal letal* mortal airborne "
        "wors* contag* transmiss* infectious_again infectivity virulen* host_range "
        "gain-of-function augment* heighten* escalat* amplif* intensif* upgrad* tweak* tailor* "
        "tune tuned train reprogram* splic* insert* delet* jump stronger faster hardier nastier "
        "more_dangerous more_infectious more_harmful more_severe more_easily ignore* ansteckend* "
        "заразн* 传染"
    ),
    DEFEATED: _any_of(
        "evad* escap* bypass* circumvent* overcom* defeat* dodg* avoid* hid hide hiding slip* "
        "fool* trick* mask* conceal* outsmart* elud* get_round get_around way_round past "
        "loophole* sidestep* thwart* undermin* beat outwit* disguis* spoof* unseen stealth* "
        "unnoticed undetect* untrac* traced suspicion caught notice noticing useless stop_working "
        "never_* no_questions without_a_permit without_leaving without_a_licence without_proper "
        "without_any* nobody_* smuggl* sneak*"
    ),
    USED: _any_of(
        "*weapon* *waffe* warfare *terror* sabotag* murder* assassin* genocide casualties victims "
        "deaths attack* ataque atac* freisetz* arma_biol* arme_biol* оружи* 武器 releas* "
        "unleash* loose set_free "
        "let_out lets_out lab_accident aerosol* spray* powder dispers* disseminat* scatter* "
        "spread* infect infecting poison* contaminate taint* lac* dump* drop kill* harm* hurt* "
        "sick* fall_ill target* starve* devastat* destroy* ruin* wreck* decimat* crippl* damage "
        "trigger launch wip*_out bankrupt* outbreak epidemic pandemic plague deliver* dose dosing "
        "dry drying milling put introduce* ship ships panic chaos havoc revenge malware covert "
        "secretly on_purpose die give_her give_him tuer töten matar"
    ),
    OBTAINED: _any_of(
        "synthesi* synthetic reconstruct* resurrect* recreat* reboot* rebuil* build* built reviv* "
        "rescu* brew* manufactur* grow* culture cultures cultivat* propagat* produc* creat* "
        "assembl* package design* invent* craft* cook* ferment* stitch* acquir* obtain* procur* "
        "buy* purchas* order ordered suppl* sells seller* vendor* dealer* black_market send_me "
        "post_me mail_me mak make making made get_hold hold_of come_by isolate amplify clone "
        "reverse_genetics bring*_back brought_back stockpil* stash* recover* steal* stole* "
        "at_home garage kitchen basement züchte* herstell* mach* fabriqu* fabric* criar "
        "hacer вырастить "
        "сделать 制造 培养"
    ),
}
"""Why a question is refused -> the words of the acts, those that say most first."""

AGENT: Final = _any_of(
    "*virus* *viren *vírus* вирус* 病毒 病原 *viral* virion* pathogen* microbe* germs agent agents "
    "strain strains toxin* variant* ebola* marburg* nipah* hendra* lassa* smallpox variola* "
    "*influenza flu sars* mers* covid* *coronavir* anthrax plague* rabies measles zika dengue "
    "polio* mpox *pox hiv hepatitis *_fever encephalitis foot-and-mouth* rinderpest chikungunya "
    "diseases disease haemagglutinin hemagglutinin spike epidemic pandemic outbreak *weapon* "
    "*waffe* *terror* warfare оружи* 武器 biological_attack synthesis_screening synthesis_firm "
    "biosafety biosecurity live_culture* mosquitoes h1n1 h5n1 h7n9 ataque transmission veev cchfv"
)
"""An agent of disease or a weapon, by name or kind, or what guards against one."""

_PERSON: Final = (
    r"(?:i|we|you|u|one|someone|somebody|anyone|anybody|they|he|she|it|(?:an?|the|some|any|my|our) "
    r"(?:\w+ )?\w+)"
)
ASKS_A_WAY: Final = re.compile(
    rf"\bhow (?:to|2|much|(?:do|does|did|can|could|would|might|should|may|is|was) {_PERSON})\b"
    r"|\b(?!do (?:you|we) have\b)"
    rf"(?:can|could|would|should|might|may|must|shall|do) {_PERSON}\b"
    r"|\bhow (?:can|could) (?:an?|the) .{,40}\bbe\b|\bis (?:it|there) (?:possible|feasible"
    r"|any way|an?)\b"
    r"|^(?:\w+,? )??(?:please|kindly|now|help|teach|explain|describe|suggest|plan|write"
    r"|design|make|"
    r"build|rebuild|create|construct|ignore|outline|propose|let|give|tell|show|say|provide|detail|"
    r"enumerate|name|select|ship|turn|convert|combine|invent|draft|pretend|imagine|assume"
    r"|devise|act|"
    r"engineer|synthesi[sz]e|optimi[sz]e|improve|increase|sabotage|recommend|use|obtain|get"
    r"|find me)\b"
    r"|\b(?:i|we|us)(?:'d| would| will|'m| am)? (?:need|want|like|wish|plan|intend|try|going|to)\b"
    r"|\b(?:ways?|steps?|protocol|recipe|procedure|method|instructions|guidance|plan|trick"
    r"|tricks|tips)"
    r" (?:to|for|of|by|in|get)\b|\b(?:best|easiest|worst|ideal|cheapest|simplest|would|could"
    r"|should)\b"
    r"|\b(?:where (?:can|could|do|to)|need(?:ed)?|takes? to)\b|\?.*\?|: (?:which|options)\b"
    r"|^¿?(?:wie|comment|cómo|como|как|如何|qual|quel|welche[sr]?|qué)\b|如何"
)
"""Asks for a way, a choice or help, or supposes something."""
ASKS_HOW: Final = re.compile(r"\bhow\b|^¿?(?:wie|comment|cómo|como|как|如何)|如何")
"""Asks how, in the languages of the question."""
RECORDED: Final = _any_of(
    "run runs study studies bioproject* project projects sample samples biosample* titles "
    "register communit* detected found seen according_to occur* metadata librar* papers abstracts "
    "text texts passages accessions reported sequenced hop hops edges table submitted path paths "
    "chain relations step_by_step step_away fasta accounts write-up narratives spreadsheet "
    "ranking hits reads median coverage starting_at starting_out predict*"
)
"""Is about what runs and studies record."""
PROTECTS: Final = _any_of(
    "prevent* protect* cure control* stop* disinfect* diagnos* detect detecting earlier eradicat* "
    "mitigat* carry against_the"
)
"""Asks how to guard against an agent."""


def act_of(words: str) -> str | None:
    """Return why an act in ``words``, as ``plain`` has them, would harm; None without an act.

    >>> act_of("how could one make influenza virus more transmissible?") == STRENGTHENED
    True
    >>> act_of("which viruses are found in bats?") is None
    True
    """
    return next((why for why, acts in ACTS.items() if acts.search(words)), None)
