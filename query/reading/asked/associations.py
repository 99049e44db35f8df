"""What a question asks of the tests of association: of which families, projects, attributes and
values, in which direction, one by one or combined over projects.

It is asked of tests where it says so (significant, enriched, fold change, over-represented), and
where a virus and a value, or an attribute, are said to be linked. That a virus is found somewhere
is no association.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from index.facets import FACET
from index.reports.phrases import SIGNIFICANT_Q
from query.reading.asked.flags import FlagAsked
from query.reading.intent import is_stop_word, singular
from query.reading.kinds import NAME, NUMBERS, Kind
from query.reading.mentions import Mention
from query.reading.words_read import words_read


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


Direction = Literal["more", "less", "either"]
Listed = Literal["", "family", "bioproject", "attribute", "value"]

# "Effects" alone may be those of a virus on its host.
_TESTED: Final = (
    r"associations?|correlations?|covar(?:y|ies)|over-?represent\w*"
    r"|under-?represent\w*|enrich\w*|deplet\w*"
    r"|significan(?:t|tly|ce)(?! (?:share|part|number|portion|fraction|amount))"
    r"|statistical(?:ly)?|mwas|metadata-wide|meta-?analy\w+|fold[ -]changes?|log2?[ -]?fold"
    r"|(?:more|less|equally|differentially) abundant|(?:higher|lower|differential) abundances?"
    r"|(?:associat\w+|correlat\w+|linked|tied|related) (?:with|to) (?:the )?(?:\w+ )?abundances?"
    r"|effect sizes?|hedges|[pq][ -]?values?"
    r"|(?:combined|pooled) (?:evidence|effects?|estimates?|analys[ei]s)"
    r"|(?:strongest|largest|biggest|greatest|smallest|weakest) effects?"
    r"|effects?\b.*\b(?:combined|pooled|hold)|(?:combined|pooled) (?:over|across)"
    r"|(?:projects|studies) (?:are |were )?(?:combined|pooled)"
    r"|(?:q|p|fdr|padj)(?:[ -]values?)? (?:(?:of|at|most|below|under|less|than|up|to) )*(?:0\.05|5)"
    r"|(?:q|fdr|padj)(?:[ -]values?)? (?:(?:of|at|most|below|under|less|than|up|to) )*"
    r"(?:0?\.\d+|\de-\d+)"
)
"""Words that only tests are asked for with."""
_LINKED: Final = (
    r"associat(?:es?|ed|ing)|correlat(?:es?|ed|ing)|abundan(?:t|ce)"
    r"|(?:link(?:s|ed)?|ties?|tied|connect(?:ed|ions?)|relat(?:ed|ions?|ionships?)|goes|go)"
    r" (?:between|to|with)|(?:goes|go) along with (?:more|less)|(?:that|this|the|a) link"
)
"""Words that ask for a test where a virus and a value are named."""
_FOLLOWED: Final = (
    r"(?:tracks?|follows?|depends?|scales?|chang(?:es?|ing)|var(?:y|ies|ied)|rises?|falls?"
    r"|increas(?:es?|ed|ing)|decreas(?:es?|ed|ing)|matters?|explains?|shapes?|affects?"
    r"|influences?|ma(?:k|d)es? (?:an?|any) (?:significant )?difference)(?: (?:with|on|for|to))?"
)
"""What abundance does with an attribute that is named."""
_DIFFERS: Final = (
    r"(?:differ(?:s|ent|ences?)?|var(?:y|ies)|chang(?:es?|ing))(?: \w+)?"
    r" (?:significantly )?(?:between|by|across|among|with|in)"
)
"""Words before an attribute whose values are compared."""
_DIFFERENCES: Final = re.compile(r"\bdifferences?\b.*\b(?:abundance|virus\w*|viral|famil\w+)\b")
"""Differences between the values of an attribute: sex differences in abundance."""
_TESTS_NAMED: Final = r"\btest(?:s|ed)?\b(?! (?:positive|negative))"
_TESTS_THAT: Final = re.compile(
    r"\btests?\b.*\b(?:hold|holds|held|survive|pass|remain|significan\w+|flag\w*|warnings?)\b"
    r"|\b(?:significant|flagged|unflagged|corrected|association) tests?\b"
)
"""Tests that can be none but those of association."""
_OF_VIRUSES: Final = re.compile(r"\b(?:virus|viruses|viral|family|families|abundance)\b")
_STUDIES: Final = re.compile(r"\b(?:associat\w+|correlation) (?:studies|study)\b")
_COMBINED: Final = re.compile(
    r"\b(?:combined|combine[sd]?|pool(?:ed|ing)?|meta-?analy\w+)\b"
    r"|\b(?:across|over) (?:all )?(?:the )?(?:studies|projects|several (?:studies|projects))\b"
    r"|\ball (?:the )?(?:studies|projects) (?:taken )?together\b"
)
_RUNS: Final = re.compile(r"\b(?:runs?|samples?|often|common|frequent|than \d)\b")
"""Says that runs are counted, and not how much there is in them."""
_MORE: Final = re.compile(
    r"\b(?:over-?represent\w*|enrich\w*|higher|more|increas\w*|positive(?:ly)?|rises?)\b"
)
_LESS: Final = re.compile(
    r"\b(?:under-?represent\w*|deplet\w*|lower|less|decreas\w*|negative(?:ly)?|reduced|falls?)\b"
)
_CUTOFF: Final = re.compile(
    r"\b(?:q|fdr|padj)(?:[ -]values?)? (?:(?:of|at|most|below|under|less|than|up|to) )*"
    r"(?P<most>0?\.\d+|\de-\d+)(?!\w)"
)
_HOW_MANY: Final = re.compile(r"\b(?:how many|number of|count of|tally of)\b")
_YES_OR_NO: Final = re.compile(
    r"^(?:and |so |then )?(?:is|are|was|were|do|does|did|has|have|can|any|anything)\b"
    r"|\b(?:is|are) there\b|\bwhether\b"
    r"|^(?:in|for|within|of) (?!.*\b(?:which|what|how)\b).* (?:is|are|does|do)"
    r" (?:(?:the|an?|any) )?(?:_|\w+ (?:significantly )?(?:associat|link|correlat|tied))"
)
_WORDS: Final = _words(
    """
    abundance across all analysis any anything anywhere attribute between combined compared
    covariate data effect estimate evidence every factor family feature field follow group hold
    individual level measured metadata meta-analysis observed overall over p-value pooled project
    q-value regardless result separately show significance size statistically statistical
    statistic strongest study survive test tested testing top track value variable virus weakest
    whatever together flag flagged unflagged warning caveat against correction stay
    remain still animal
    """
)
"""Words that say how tests are asked for, and name nothing."""
_PLACELESS: Final = _words("where who infect infected condition material specimen")
"""Asking words that name no attribute."""
_NO_ATTRIBUTE: Final = _words("family species bioproject virus label")
_ATTRIBUTE_WORDS: Final = _words(
    "attribute metadata field variable factor covariate characteristic property condition"
)
_SHORT_FOR: Final = {"temperature": "temp", "sampling": "sample"}
_VAGUE: Final = _words(
    "name id type number sample date host run of and the in from time family project study virus"
    " viral value data level source group first last test species"
)
"""Words of attributes that alone name none."""


@dataclass(frozen=True, slots=True)
class AssociationsAsked:
    """Which tests a question asks for; what is empty is not asked about.

    ``viruses``     viruses that it names, of any rank
    ``families``    families that these are, are of, or consist of
    ``projects``    accessions of projects, which runs of the index may not have
    ``facets``      facets whose values are compared: tissue, host, sex
    ``attributes``  attributes as the tests name them
    ``values``      names that values of attributes may be
    ``written``     values of attributes as tests name them, in lower case, that are no names
    ``direction``   whether more or less of the virus goes with the value
    ``combined``    whether effects combined over projects are asked for
    ``listed``      what is counted and listed
    ``yes_or_no``   whether it asks if there is any
    ``counted``     whether it asks how many there are
    ``flag``        which flag tests have to have, or to lack; None: any
    ``p_values``    whether it asks for p values
    ``most_q``      up to which q value an association holds
    ``telling``     whether it has a word that only tests are asked for with
    ``words``       words of the question that this explains
    """

    viruses: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    values: tuple[Mention, ...] = ()
    written: tuple[str, ...] = ()
    direction: Direction = "either"
    combined: bool = False
    listed: Listed = ""
    yes_or_no: bool = False
    counted: bool = False
    flag: FlagAsked | None = None
    p_values: bool = False
    most_q: float = SIGNIFICANT_Q
    telling: bool = False
    words: frozenset[str] = frozenset()


def only_adds(asked: AssociationsAsked) -> bool:
    """Return whether the values that are listed are those found in runs, and tests only add to
    them: "which viruses are associated with lung" may ask for no test.
    """
    split = asked.attributes or (asked.facets and asked.listed != "value")
    linked = asked.listed == "bioproject" and bool(asked.values) and bool(asked.families)
    return not (asked.telling or asked.projects or split or linked)


def may_ask_of_tests(frame: str) -> bool:
    """Return whether ``frame`` has a word that tests are asked for with."""
    words = "|".join((_TESTED, _LINKED, _DIFFERS, _FOLLOWED, "differences?"))
    return re.search(rf"\b(?:{words})\b|{_TESTS_NAMED}", frame) is not None


def asks_of_tests(
    frame: str, named: Collection[str], *, facet: bool, attribute: bool, compared: bool
) -> bool:
    """Return whether ``frame`` asks of tests of association.

    ``named`` is what it names: a virus, a value, a project; ``facet``, ``attribute``: whether it
    names one; ``compared``: whether it compares two names, which counts of runs do.

    >>> asks_of_tests("is _ linked to _", {"virus"}, facet=False, attribute=False, compared=False)
    False
    >>> asks_of_tests("_ enriched in _", {"value"}, facet=False, attribute=False, compared=False)
    True
    """
    plain = _STUDIES.sub(" ", frame)
    virus, project = "virus" in named, "project" in named
    viral = virus or _OF_VIRUSES.search(plain) is not None
    of_project = project and viral and compares_amounts(plain)
    if not plain or (compared and not of_project):
        return False
    if of_project or is_telling(frame):
        return True
    split = facet or attribute
    if re.search(rf"\b(?:{_LINKED})\b", plain):
        valued = "value" in named or split
        of_any = split or ("value" in named and re.search(r"\b(?:associat|correlat)", plain))
        return (valued and (virus or project)) or bool(of_any and viral)
    if split and _DIFFERENCES.search(plain):
        return True
    if split and re.search(rf"\b(?:{_DIFFERS})\b", plain):
        return viral or project
    if project and "value" in named and viral and re.search(r"\bdiffer", plain):
        return True
    if split and virus and "tested against" in plain:
        return True
    if attribute and re.search(rf"\b{_FOLLOWED}\b", plain):
        return virus or _OF_VIRUSES.search(plain) is not None
    return project and re.search(_TESTS_NAMED, plain) is not None


def is_telling(frame: str) -> bool:
    """Return whether ``frame`` has a word that only tests are asked for with: enriched, q value; to
    be associated with something may be said of what is found in it.
    """
    plain = _STUDIES.sub(" ", frame)
    tested = re.search(rf"\b(?:{_TESTED})\b", plain)
    return tested is not None or _TESTS_THAT.search(plain) is not None


def names_tests(frame: str) -> bool:
    """Return whether ``frame`` speaks of tests that can be none but those of association.

    >>> names_tests("what part of the tests of _ holds"), names_tests("tests of _")
    (True, False)
    """
    return _TESTS_THAT.search(_STUDIES.sub(" ", frame)) is not None


def direction_of(frame: str) -> Direction:
    """Return whether more or less of a virus is asked for.

    >>> direction_of("families depleted in _"), direction_of("enriched or depleted in _")
    ('less', 'either')
    """
    more = _MORE.search(frame) is not None
    less = _LESS.search(frame) is not None
    if more == less:
        return "either"
    return "more" if more else "less"


def compares_amounts(frame: str) -> bool:
    """Return whether ``frame`` asks where there is more or less of a virus, and not in more runs.

    >>> compares_amounts("in _ are _ higher in _ or _"), compares_amounts("more _ runs than _")
    (True, False)
    """
    amounts = direction_of(frame) != "either" or "abundance" in frame
    return amounts and _RUNS.search(frame) is None


def asks_how_many(frame: str) -> bool:
    """Return whether ``frame`` asks how many associations there are."""
    return _HOW_MANY.search(frame) is not None


def cutoff_of(frame: str) -> float:
    """Return up to which q value an association holds: 0.05 where ``frame`` does not say.

    >>> cutoff_of("associations with q below 0.001"), cutoff_of("associations of _")
    (0.001, 0.05)
    """
    found = _CUTOFF.search(frame)
    return float(found["most"]) if found else SIGNIFICANT_Q


def is_combined(frame: str) -> bool:
    """Return whether effects combined over projects are asked for."""
    return _COMBINED.search(frame) is not None


def asks_yes_or_no(frame: str) -> bool:
    """Return whether ``frame`` asks if there is any association."""
    return _YES_OR_NO.search(frame) is not None


def facets_named(words: Iterable[str]) -> tuple[str, ...]:
    """Return the facets whose values ``words`` name, in the order of the registry.

    >>> facets_named(["Which", "tissues", "where"])
    ('tissue',)
    """
    folded = {singular(word) for word in words} - _PLACELESS
    found = [name for name, one in FACET.items() if one.asked_by & folded]
    return tuple(name for name in found if name not in _NO_ATTRIBUTE)


def listed_of(words: Sequence[str]) -> Listed:
    """Return what is asked to be listed: the noun behind which, what or how many; else one of the
    first three words.

    >>> listed_of("which virus families are tied to _".split())
    'family'
    >>> listed_of("in which projects is _ tied to tissue".split())
    'bioproject'
    """
    folded = [singular(word) for word in words]
    for place, word in enumerate(folded):
        if word not in ("which", "what", "many"):
            continue
        for noun in folded[place + 1 : place + 4]:
            kind = _kind_of_noun(noun)
            if kind:
                return kind
    if not folded or folded[0] in ("is", "are", "do", "does", "any"):
        return ""
    kinds = [_kind_of_noun(noun) for noun in folded[:3]]
    return next((kind for kind in kinds if kind), "")


def _kind_of_noun(noun: str) -> Listed:
    if noun in _ATTRIBUTE_WORDS:
        return "attribute"
    if noun in FACET["bioproject"].asked_by:
        return "bioproject"
    if noun in ("family", "virus"):
        return "family"
    named = facets_named([noun])
    return "value" if named else ""


def attributes_named(words: Sequence[str], attributes: Iterable[str]) -> dict[str, set[str]]:
    """Return each of ``attributes`` that ``words`` name, with the words that name it.

    Of those that share a word, the ones that share most words count. A word that any field may have
    (name, date) names none by itself.

    >>> named = attributes_named(["water", "temperature"], ["temp", "water_temp", "lat_lon"])
    >>> {attribute: sorted(words) for attribute, words in named.items()}
    {'water_temp': ['temperature', 'water']}
    """
    written = {}
    for word in words:
        folded = singular(word)
        if folded not in _ATTRIBUTE_WORDS:
            written[_SHORT_FOR.get(folded, folded)] = word
    found: dict[str, set[str]] = {}
    telling: dict[str, int] = {}
    for attribute in attributes:
        parts = {singular(part) for part in re.findall(r"[a-z]+", attribute.lower())}
        parts |= {_SHORT_FOR.get(part, part) for part in parts}
        shared = {written[part] for part in parts if part in written}
        named = [part for part in parts if part in written and _is_telling_part(part)]
        if named:
            found[attribute] = shared
            telling[attribute] = len({written[part] for part in named})
    most = max(telling.values(), default=0)
    return {name: shared for name, shared in found.items() if telling[name] == most}


def _is_telling_part(part: str) -> bool:
    """Return whether a word of an attribute may name it by itself."""
    long_enough = len(part) > 2 or part == "ph"
    return part not in _VAGUE and long_enough and not is_stop_word(part)


def is_of_tests(word: str) -> bool:
    """Return whether ``word`` only says how tests are asked for."""
    folded = singular(word)
    return folded in _WORDS or folded.isdigit() or folded in NUMBERS


def rule_words_of_tests(frame: str) -> frozenset[str]:
    """Return the words of ``frame`` that ask for tests."""
    words: set[str] = set()
    patterns = (_TESTED, _LINKED, _FOLLOWED, _DIFFERS, _MORE.pattern, _LESS.pattern)
    for pattern in patterns:
        words.update(words_read(rf"\b(?:{pattern})\b", frame))
    words |= {word for word in frame.split() if word != NAME and is_of_tests(word)}
    return frozenset(words)


LEFT_TO_RUNS: Final[tuple[Kind, ...]] = ("share",)
"""Kinds of questions that counts of runs answer whatever else they say."""
