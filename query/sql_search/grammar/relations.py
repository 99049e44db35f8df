"""Stored rows that a table may be made of, beside runs: communities, associations, pairs of a virus
and a host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Relation:
    """One kind of stored rows.

    ``noun``     the words for it
    ``source``   its FROM
    ``columns``  name -> (the words for it, the expression); ``numbers`` the same of numbers
    ``shown``    columns that are always listed, ``beside`` them where no other is asked for
    ``where``    words -> the condition that they mean
    ``size``     the number that largest and smallest are about
    ``order``    how rows are listed where no order is asked for
    """

    name: str
    noun: str
    source: str
    columns: dict[str, tuple[str, str]]
    numbers: dict[str, tuple[str, str]]
    shown: tuple[str, ...]
    beside: tuple[str, ...]
    where: dict[str, str]
    size: str
    order: str


_MAIN: Final = r"(?:(?:strongest|main|top|dominant|leading|(?:most )?characteristic) )?"

COMMUNITIES: Final = Relation(
    name="communities",
    noun=r"(?:(?:stored|all|the) )*(?:communit(?:y|ies)|clusters?)(?: summaries| reports)?",
    source="""community c LEFT JOIN report r ON r.community = c.community
LEFT JOIN community_overview o ON o.community = c.community
LEFT JOIN community_risk k ON k.community = c.community""",
    columns={
        "community": (r"(?:community )?(?:ids?|identifiers?)|communit(?:y|ies)", "c.community"),
        "level": (r"levels?(?: of the hierarchy)?", "c.level"),
        "label": (r"(?:short )?(?:labels?|names?)", "r.label"),
        "title": (r"titles?(?: of (?:its|the|their) reports?)?", "coalesce(r.title, o.title)"),
        "summary": (r"summar(?:y|ies)", "r.summary"),
        "parent": (r"parents?(?: communit(?:y|ies))?", "c.parent"),
        "risk_group": (r"(?:biosafety )?risk[ -]groups?", "k.risk_group"),
        "family": (rf"{_MAIN}(?:virus )?famil(?:y|ies)", "o.family"),
        "species": (rf"{_MAIN}(?:virus )?(?:species|virus(?:es)?)", "o.species"),
        "host": (rf"{_MAIN}hosts?", "o.host"),
        "tissue": (rf"{_MAIN}tissues?", "o.tissue"),
        "disease": (rf"{_MAIN}diseases?", "o.disease"),
    },
    numbers={
        "runs": (
            r"(?:numbers? of )?(?:runs|samples)|(?:run )?counts?|sizes?(?: in runs)?",
            "c.runs",
        ),
        "entities": (r"(?:numbers? of )?(?:entities|nodes)", "c.entities"),
        "rating": (r"(?:report )?(?:ratings?|scores?)", "r.rating"),
    },
    shown=("community",),
    beside=("level", "runs", "label", "title"),
    where={
        r"top[- ]level|(?:at|of|on) the top(?: level)?|highest[- ]level": "c.level = 0",
        r"(?:at|of|on|in|from) level (?P<n>\d)|level[- ](?P<m>\d)": "c.level = {n}",
        r"reported|(?:that have|with) (?:a )?reports?": "r.community IS NOT NULL",
        r"(?:in |of |with )?(?:the )?(?:risk group |rg ?)3 or (?:rg ?|risk group )?4": (
            "k.risk_group IN ('RG3', 'RG4')"
        ),
        r"(?:in |of |with )?(?:the )?(?:risk group )?(?:risk group |rg ?)"
        r"(?P<n>[1-4])": "k.risk_group = 'RG{n}'",
        r"of unknown risk(?: group)?": "k.risk_group = 'unknown'",
    },
    size="runs",
    order="c.runs DESC, c.community",
)
ASSOCIATIONS: Final = Relation(
    name="associations",
    noun=r"(?:(?:the|all|stored|tested) )*(?:(?:mwas )?associations?(?: tests?| rows)?"
    r"|mwas (?:tests?|results?|rows|hits?))(?: (?:tested|found|with metadata))?",
    source="association",
    columns={
        "bioproject": (r"(?:bio-?)?projects?", "bioproject"),
        "family": (r"(?:virus |viral )?famil(?:y|ies)", "family"),
        "attribute": (r"(?:metadata )?(?:attributes?|fields?)(?: names?)?", "attribute"),
        "value": (r"(?:attribute |metadata )?values?", "value"),
        "direction": (
            r"directions?",
            "CASE WHEN fold_change > 0 THEN 'higher' WHEN fold_change < 0 THEN 'lower' END",
        ),
        "flag": (r"flags?", "flag"),
        "test": (r"(?:statistical )?tests?(?: used)?", "test"),
        "source": (r"sources?", "source"),
    },
    numbers={
        "fold_change": (r"(?:log ?2 ?)?(?:fold[ -]?changes?|effects?(?: sizes?)?)", "fold_change"),
        "absolute_fold_change": (
            r"absolute (?:log ?2 ?)?(?:fold[ -]?changes?|effects?)",
            "abs(fold_change)",
        ),
        "q_value": (r"q(?:[ -]?values?)?|fdr", "q_value"),
        "p_value": (r"p(?:[ -]?values?)?", "p_value"),
        "num_true": (
            r"(?:numbers? of )?samples (?:with(?: (?:it|the value))?|in the (?:true )?group)"
            r"|n(?:um)?[_ ]true",
            "num_true",
        ),
        "num_false": (
            r"(?:numbers? of )?samples (?:without(?: (?:it|the value))?|outside(?: the group)?)"
            r"|n(?:um)?[_ ]false",
            "num_false",
        ),
        "mean_rpm_true": (r"mean rpm with(?: it)?", "mean_rpm_true"),
        "mean_rpm_false": (r"mean rpm without(?: it)?", "mean_rpm_false"),
    },
    shown=("bioproject", "family", "attribute", "value"),
    beside=("num_true", "num_false", "fold_change", "direction", "p_value", "q_value", "flag"),
    where={
        r"(?:only )?(?:the )?(?:significant|holding)(?: ones?| only)?"
        r"|(?:that|which) (?:hold|are significant)(?: after correction)?": "q_value <= 0.05",
        r"non-?significant|(?:that|which) do not hold|not significant": "q_value > 0.05",
        r"(?:with|at|having|of|where|and)? ?(?:the |an? )?(?:q|fdr)(?:[ -]?values?)?(?: is)? ?"
        r"(?:below|under"
        r"|less than|at most|up to|at or (?:below|under)) (?P<n>0?\.\d+)": "q_value <= {n}",
        r"unflagged|not flagged|(?:with )?no (?:warning |caution )?flags?"
        r"|without (?:an? |any )?(?:warning |caution )?flags?": "flag IS NULL",
        r"(?:with )?at least (?P<n>\d+) (?:bio)?samples in (?:both|each|either)(?: groups?)?": (
            "num_true >= {n} AND num_false >= {n}"
        ),
        r"flagged|with (?:a )?(?:warning )?flags?": "flag IS NOT NULL",
        r"positive|with (?:a )?(?:positive|higher) (?:fold change|effect)": "fold_change > 0",
        r"negative|with (?:a )?(?:negative|lower) (?:fold change|effect)": "fold_change < 0",
    },
    size="fold_change",
    order="flag IS NOT NULL, q_value, abs(fold_change) DESC, bioproject, family, attribute, value",
)
PAIRS: Final = Relation(
    name="pairs",
    noun=r"(?:(?:the|all) )*(?:virus(?:es)?[- ](?:and )?hosts?|hosts?[- ](?:and )?virus(?:es)?) "
    r"(?:pairs?|combinations?|pairings?)"
    r"|(?:pairs?|combinations?|pairings?) of (?:a )?(?:virus(?:es)? and (?:a )?hosts?"
    r"|hosts? and (?:a )?virus(?:es)?)",
    source="""plausibility p JOIN term h ON h.curie = p.host
LEFT JOIN virus v ON v.virus = p.virus LEFT JOIN term t ON t.curie = p.virus""",
    columns={
        "virus": (r"virus(?:es)?", "coalesce(v.name, t.label)"),
        "host": (r"hosts?", "h.label"),
        "family": (r"(?:virus )?famil(?:y|ies)", "v.family"),
        "plausibility": (r"plausibilit(?:y|ies)|how (?:plausible|expected)", "p.plausibility"),
    },
    numbers={"runs": (r"(?:numbers? of )?(?:runs|samples)|(?:run )?counts?", "p.runs")},
    shown=("virus", "host"),
    beside=("plausibility", "runs"),
    where={
        r"(?:(?:flagged|marked|rated|judged) (?:as )?)?"
        r"(?:unexpected|implausible|unlikely|not expected|surprising)": (
            "p.plausibility = 'unexpected'"
        ),
        r"(?:recorded|known|expected|plausible)": "p.plausibility = 'recorded'",
        r"resident": "p.plausibility = 'resident'",
        r"new within (?:the )?class": "p.plausibility = 'new within class'",
    },
    size="runs",
    order="runs DESC, virus, host",
)
RELATIONS: Final = (ASSOCIATIONS, PAIRS, COMMUNITIES)
