"""What a question asks of the communities of runs, and of the graph that they are found in.

A community is meant where it is what the question asks for: which community, how many communities,
the largest ones, the parts of one. Viral or microbial communities are what lives somewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from query.reading.kinds import NAME, NUMBERS, Kind
from query.reading.words_read import words_read


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


Topic = Literal[
    "about", "holding", "size", "rating", "risk", "count", "unreported", "parts", "parent",
    "quality", "stability", "changes", "graph",
]  # fmt: skip
Level = int | Literal["finest"] | None

_LIVING: Final = (
    r"(?:viral|virus|viruses|phage|microbial|microbiome|bacterial|fungal|prokaryotic|eukaryotic"
    r"|plant|animal|plankton|ecological|local|rural|synthetic|human|scientific)"
)
_ALIVE: Final = re.compile(rf"\b{_LIVING} communit(?:y|ies)\b")
_COMMUNITY: Final = re.compile(
    r"\b(?:sub-?)?communit(?:y|ies)\b|\b(?:clusters?|groups?) of (?:runs|samples)\b"
    r"|\b(?:which|what|largest|biggest|smallest|how many|number of) (?:\w+ )?clusters?\b"
    r"|\bclusters? (?:reports?|summar(?:y|ies))\b"
    r"|\b(?:top[- ]level|coarsest|finest|level[- ]\d)[- ](?:\w+ )?(?:reports?|clusters?|themes?)\b"
    r"|\bclusters? (?:whose|at|on|of level)\b|\bthemes? (?:on|about)\b"
    r"|\bclustering\b|\bmodularity\b|\bleiden\b"
)
_GRAPH: Final = re.compile(
    r"\b(?:edges?|nodes?|vertices)\b|\b(?:size|kinds?|types?|how (?:large|big)|how many)\b"
    r".*\b(?:graph|network)\b|\b(?:how many|number of|kinds? of|types? of) "
    r"(?:relationships?|entities|links)\b"
)
_TOPICS: Final[tuple[tuple[Topic, str], ...]] = (
    ("stability", r"stab(?:le|ility)|reproducib\w+|robust\w*|reliable"),
    ("quality", r"modularity|modular|conductance|quality|how (?:good|well)"),
    ("changes", r"split|merge[ds]?|changed?|new|since|previous|stay(?:ed)? the same"),
    ("unreported", r"(?:without|no|lack\w*) (?:an? )?(?:report|summary|description)"
                   r"|too small|unreported|singletons?|single-?run"
                   r"|(?:cover\w*|share|part) .*\breports?|reports? .*\bcover\w*"),
    ("risk", r"risk[ -]groups?|rg ?[1-4]|risk|biosafety|bsl-?[1-4]"),
    ("rating", r"rated|ratings?|score[ds]?|best|worst"),
    ("parent", r"parents?|(?:part|child|inside|within) of _?|belongs? to .*above"),
    ("parts", r"sub-?communit(?:y|ies)|sub-?clusters?|parts|children|child|below|split into"
              r"|divided?|made up of"),
)  # fmt: skip
_SIZED: Final = (
    r"largest|biggest|greatest|huge|smallest|tiniest|size|sizes|most runs|fewest runs|large|big"
    r"|small|top(?![ -]level)"
)
_COUNTS: Final = r"how many|number of|count|per level"
_SMALLEST: Final = re.compile(r"\b(?:smallest|tiniest|fewest|worst|lowest(?! level))\b")
_TOP: Final = re.compile(
    r"\b(?:top|coarsest|highest|first|uppermost)[ -]levels?\b|\blevel (?:0|zero|one at the top)\b"
    r"|\bcoarsest\b|\btop-level\b"
)
_BOTTOM: Final = re.compile(
    r"\b(?:finest|lowest|bottom|deepest|last|smallest)[ -]levels?\b|\bfinest\b"
)
_LEVEL: Final = re.compile(r"\blevels?[- ](\d)\b")
_MOSTLY: Final = re.compile(r"\b(?:mostly|mainly|chiefly|largely|dominated|consist\w*)\b")
_GROUP: Final = re.compile(r"\b(?:risk[ -]groups?|rg|bsl-?|biosafety level) ?([1-4])\b")
_UNKNOWN_RISK: Final = re.compile(r"\bunknown\b")
_WORDS: Final = _words(
    """
    about above agent agents assigned belong belongs best biggest big biosafety build built
    center centre chiefly dominated fall falls largely children child clustered cluster clusters
    clustering coarsest come
    communities community concern concerns cover covers deal deals dealing deepest describe
    described devoted divided edge edges entities entity exist finest first focus focuses graph
    group groups grouped hierarchy highest hold holding holds include includes index inside
    carry carries evidence kind kinds large largest last level levels lie lies link links lives low
    lowest made main
    mainly member members merge merged modular modularity mostly network node nodes overall
    parent parents part parts per quality rated rating ratings relationship relationships report
    reports reported represent result risk robust run runs same score scored sit sits size sizes
    small smallest split stable stability stay stayed subcommunities subcommunity summary
    theme themes tiny top top-level topic topics total type types unknown unreported up vertices
    virus viruses well worst within without best-rated highest-rated
    """
)
"""Words of such questions that name nothing."""


@dataclass(frozen=True, slots=True)
class CommunitiesAsked:
    """What is asked of communities.

    ``topic``     what of them: what they are about, hold, how large, how rated they are, …
    ``level``     level of the hierarchy, ``finest`` for the last one, None where any
    ``smallest``  whether the last of an order are asked for, and not the first
    ``groups``    risk groups that are asked for
    ``counted``   whether it asks how many there are
    ``mostly``    whether at least half of their runs must be of what is named
    ``words``     words of the question that this explains
    """

    topic: Topic
    level: Level = None
    smallest: bool = False
    groups: tuple[str, ...] = ()
    counted: bool = False
    mostly: bool = False
    words: frozenset[str] = frozenset()


def read_communities(
    frame: str, *, kind: Kind, named: bool, accession: bool, community: bool
) -> CommunitiesAsked | None:
    """Return what ``frame`` asks of communities or of the graph, None where it asks of neither.

    ``named``: it names something that runs carry; ``accession``: a run, sample, project or study;
    ``community``: a community.

    >>> read_communities(
    ...     "which community is about _", kind="list", named=True, accession=False, community=False
    ... ).topic
    'about'
    >>> read_communities(
    ...     "viral communities of _", kind="list", named=True, accession=False, community=False
    ... ) is None
    True
    """
    asks_graph = _GRAPH.search(frame) is not None and not named
    meant = _COMMUNITY.search(_ALIVE.sub(" ", frame)) is not None
    if not (meant or asks_graph or (community and _asks_of_one(frame))):
        return None
    if asks_graph and not meant:
        topic: Topic | None = "graph"
    else:
        topic = _topic(frame, named=named, accession=accession, community=community)
    if topic is None:
        return None
    return CommunitiesAsked(
        topic=topic,
        level=_level(frame),
        smallest=_SMALLEST.search(frame) is not None,
        groups=_risk_groups(frame),
        counted=kind == "count" or re.search(rf"\b(?:{_COUNTS})\b", frame) is not None,
        mostly=_MOSTLY.search(frame) is not None,
        words=_explained(frame),
    )


def _asks_of_one(frame: str) -> bool:
    """Return whether the parts or the parent of a community are asked for."""
    patterns = [pattern for topic, pattern in _TOPICS if topic in ("parent", "parts", "risk")]
    patterns.append("rating|rated")
    return any(re.search(rf"\b(?:{pattern})\b", frame) for pattern in patterns)


def _topic(frame: str, *, named: bool, accession: bool, community: bool) -> Topic | None:
    """Return what of communities is asked, None where what they hold is counted as runs."""
    if len(set(_LEVEL.findall(frame))) > 1:
        return "count"
    for topic, pattern in _TOPICS:
        if topic in ("parent", "parts") and not community:
            continue
        if re.search(rf"\b(?:{pattern})\b", frame):
            return topic
    if community:
        return None
    if accession:
        return "holding"
    if named:
        return "about"
    if re.search(rf"\b(?:{_SIZED})\b", frame):
        return "size"
    return "count" if re.search(rf"\b(?:{_COUNTS})\b", frame) else "size"


def _level(frame: str) -> Level:
    """Return the level that is asked for.

    >>> _level("largest top-level communities"), _level("communities at the finest level")
    (0, 'finest')
    """
    written = _LEVEL.search(frame)
    if written:
        return int(written[1])
    if _BOTTOM.search(frame):
        return "finest"
    return 0 if _TOP.search(frame) else None


def _risk_groups(frame: str) -> tuple[str, ...]:
    found = [f"RG{number}" for number in _GROUP.findall(frame)]
    if _UNKNOWN_RISK.search(frame):
        found.append("unknown")
    return tuple(dict.fromkeys(found))


def is_of_communities(word: str) -> bool:
    """Return whether ``word`` only says what is asked of communities."""
    lower = word.lower()
    number = re.fullmatch(r"\d{1,3}|rg[1-4]", lower) is not None
    parts = lower.split("-")
    if len(parts) > 1:
        return all(is_of_communities(part) for part in parts if part)
    return lower in _WORDS or number or lower in NUMBERS


def _explained(frame: str) -> frozenset[str]:
    """Return the words of ``frame`` that say what is asked of communities."""
    words = [word for word in frame.split() if word != NAME and is_of_communities(word)]
    for _, pattern in _TOPICS:
        words += words_read(rf"\b(?:{pattern})\b", frame)
    return frozenset(words)
