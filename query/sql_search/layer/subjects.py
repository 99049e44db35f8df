"""Stored rows that a table may be of, beside runs: tests of association, effects combined over
projects, pairs of a virus and a host, communities, recorded hosts, organisms by k-mers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class StoredSubject:
    """One kind of stored rows.

    ``asked``    the words that say that a table is of it, ``unit`` those for one row
    ``source``   its FROM
    ``columns``  key -> (the words for it, the expression); ``numbers`` the same of numbers
    ``shown``    columns that are listed where no other is asked for
    ``where``    words -> the condition that they mean
    ``named``    group of a name -> the column of terms that it is one of
    ``order``    how rows are listed where no order is asked for
    """

    name: str
    asked: str
    unit: str
    source: str
    columns: Mapping[str, tuple[str, str]]
    numbers: Mapping[str, tuple[str, str]]
    shown: tuple[str, ...]
    order: str
    where: Mapping[str, str] = field(default_factory=dict)
    named: Mapping[str, str] = field(default_factory=dict)
    risk: str = ""
    always: tuple[str, ...] = ()
    size: str = ""
    idle: str = ""


_FAMILY: Final = r"(?:virus |viral )?famil(?:y|ies)(?: names?)?"
_HEDGED: Final = r"(?:(?:that|which) (?:are|were) |(?:are|were|is|was|be) )?"
_Q: Final = r"(?:fdr|q)(?:[ -]?values?)?"
_P: Final = r"p(?:[ -]?values?)?"
ASSOCIATIONS: Final = StoredSubject(
    name="associations",
    asked=r"associations?|mwas|association tests?|metadata-wide",
    unit=r"(?:(?:stored|tested|metadata) )*(?:mwas )?(?:associations?|association tests?)"
    r"(?: (?:tests?|rows?|results?))?|mwas(?: (?:tests?|results?|rows?|hits?))?|tests?|results?",
    source="association",
    columns={
        "bioproject": (r"(?:bio-?)?projects?(?: accessions?)?", "bioproject"),
        "family": (_FAMILY, "family"),
        "attribute": (r"(?:metadata )?(?:attributes?|fields?)(?: names?)?", "attribute"),
        "value": (r"(?:attribute |metadata )?values?", "value"),
        "direction": (
            r"directions?(?: of (?:the )?effects?)?",
            "CASE WHEN fold_change > 0 THEN 'higher' WHEN fold_change < 0 THEN 'lower' END",
        ),
        "flag": (r"(?:warning |caution )?flags?", "flag"),
        "test": (r"statistical tests?|tests? used|kinds? of tests?|test types?", "test"),
        "source": (r"sources?", "source"),
    },
    numbers={
        "fold_change": (
            r"(?:log ?2[ -]?)?(?:fold[ -]?changes?|fc)|log2fc|effects?(?: sizes?)?", "fold_change",
        ),
        "absolute_fold_change": (
            r"absolute (?:log ?2[ -]?)?(?:fold[ -]?changes?|effects?(?: sizes?)?)",
            "abs(fold_change)",
        ),
        "q_value": (_Q, "q_value"),
        "p_value": (_P, "p_value"),
        "num_true": (
            r"(?:bio)?samples (?:with(?: (?:it|the value))?|in the (?:true )?group)"
            r"|n(?:um)?[_ ]true"
            r"|group sizes?", "num_true",
        ),
        "num_false": (
            r"(?:bio)?samples (?:without(?: (?:it|the value))?|outside(?: the group)?)"
            r"|n(?:um)?[_ ]false", "num_false",
        ),
        "num_found": (r"(?:bio)?samples (?:found|that have (?:the family|it))", "num_found"),
        "mean_rpm_true": (
            r"(?:mean )?rpm (?:with(?: it)?|in the (?:true )?group)|mean_rpm_true", "mean_rpm_true",
        ),
        "mean_rpm_false": (r"(?:mean )?rpm without(?: it)?|mean_rpm_false", "mean_rpm_false"),
        "test_statistic": (r"(?:test )?statistics?", "test_statistic"),
        "ci_low": (r"(?:lower (?:ci|bound|limit|end)|ci[_ ]low)", "ci_low"),
        "ci_high": (r"(?:upper (?:ci|bound|limit|end)|ci[_ ]high)", "ci_high"),
    },
    shown=("bioproject", "family", "attribute", "value", "num_true", "num_false", "fold_change",
           "direction", "p_value", "q_value", "flag"),
    always=("bioproject", "family", "attribute", "value"),
    size="absolute_fold_change",
    idle=r"(?:(?:are|were|was|is) )?tested|found with|with metadata",
    order="flag IS NOT NULL, q_value, abs(fold_change) DESC, bioproject, family, attribute, value",
    where={
        rf"{_HEDGED}(?:significant|holding)(?: ones?| (?:after|at) correction)?"
        r"|that hold(?: after correction)?": "q_value <= 0.05",
        rf"{_HEDGED}(?:non-?significant|not significant)|that do not hold": "q_value > 0.05",
        r"unflagged|not flagged|(?:with )?no (?:warning |caution )?flags?"
        r"|without (?:an? |any )?(?:warning |caution )?flags?": "flag IS NULL",
        r"flagged|with (?:a |any )?(?:warning |caution )?flags?": "flag IS NOT NULL",
        r"positive(?: (?:fold changes?|effects?))?|higher|enriched|with (?:a )?(?:positive|higher) "
        r"(?:fold change|effect)": "fold_change > 0",
        r"negative(?: (?:fold changes?|effects?))?|lower|depleted|with (?:a )?(?:negative|lower) "
        r"(?:fold change|effect)": "fold_change < 0",
        r"by permutation|permutation(?: tests?)?": "test = 'permutation'",
        r"by welch|welch(?:'s)?(?: t)?(?: tests?)?": "test = 'welch'",
    },
    named={"virus": "family", "bioproject": "bioproject", "tissue": "value", "disease": "value",
           "organism": "value", "geography": "value", "sex": "value", "environment": "value"},
)  # fmt: skip
META: Final = StoredSubject(
    name="effects",
    asked=r"meta-?analys[ie]s|meta[- ]associations?|combined (?:effects?|associations?)"
    r"|effects? (?:combined )?(?:over|across) (?:several )?projects|hedges",
    unit=r"(?:meta-?analys[ie]s )?(?:combined )?(?:effects?|associations?|results?"
         r"|meta-?analys[ie]s)"
    r"(?: (?:combined )?(?:over|across) (?:several )?projects)?|meta[- ]associations?",
    source="meta_association",
    columns={
        "family": (_FAMILY, "family"),
        "attribute": (r"(?:metadata )?(?:attributes?|fields?)", "attribute"),
        "value": (r"values?|terms?|tissues?|hosts?|diseases?", "value"),
    },
    numbers={
        "projects": (r"(?:bio-?)?projects?(?: combined)?", "projects"),
        "projects_agreeing": (
            r"(?:(?:bio-?)?projects? (?:agreeing|that agree)|agreeing projects?)",
            "projects_agreeing",
        ),
        "effect": (r"(?:combined )?(?:effects?(?: sizes?)?|hedges['’]? g|g)", "effect"),
        "ci_low": (r"lower (?:ci|bound|limit|end)|ci[_ ]low", "ci_low"),
        "ci_high": (r"upper (?:ci|bound|limit|end)|ci[_ ]high|upper", "ci_high"),
        "i_squared": (r"i2|i²|i[_ -]squared|heterogeneity", "i_squared"),
        "p_value": (_P, "p_value"),
        "q_value": (_Q, "q_value"),
        "num_true": (r"(?:bio)?samples with(?: it| the term)?", "num_true"),
        "num_false": (r"(?:bio)?samples without(?: it| the term)?", "num_false"),
    },
    always=("family", "value"),
    size="effect",
    shown=("family", "attribute", "value", "projects", "effect", "ci_low", "ci_high", "q_value"),
    order="q_value, abs(effect) DESC, family, attribute, value",
    where={
        rf"{_HEDGED}significant(?: ones?)?": "q_value <= 0.05",
        r"of tissues?|for tissues?|tissue effects?": "starts_with(attribute, 'tissue')",
        r"positive|higher": "effect > 0", r"negative|lower": "effect < 0",
    },
    named={"virus": "family", "tissue": "curie", "disease": "curie"},
)  # fmt: skip
_MAIN: Final = r"(?:(?:strongest|main|top|dominant|leading|largest|(?:most )?characteristic) )?"
COMMUNITIES: Final = StoredSubject(
    name="communities",
    asked=r"communit(?:y|ies)|clusters?|ratings?\b",
    unit=r"(?:(?:stored|the) )*(?:communit(?:y|ies)|clusters?)(?: summaries| reports)?|reports?",
    source="""community c LEFT JOIN report r ON r.community = c.community
LEFT JOIN community_overview o ON o.community = c.community
LEFT JOIN community_risk k ON k.community = c.community""",
    columns={
        "community": (r"(?:community )?(?:ids?|identifiers?)", "c.community"),
        "label": (r"(?:short )?(?:labels?|names?)", "r.label"),
        "title": (
            r"(?:report )?titles?(?: of (?:its|the|their) reports?)?"
            r"(?: \(or of the report it shares with its parent\))?", "coalesce(r.title, o.title)",
        ),
        "summary": (r"summar(?:y|ies)", "r.summary"),
        "parent": (r"parents?(?: communit(?:y|ies))?", "c.parent"),
        "risk_group": (r"(?:human |biosafety )?risk[ -]groups?", "k.risk_group"),
        "family": (rf"{_MAIN}(?:virus )?famil(?:y|ies)", "o.family"),
        "species": (rf"{_MAIN}(?:virus )?(?:species|virus(?:es)?)", "o.species"),
        "host": (rf"{_MAIN}hosts?", "o.host"),
        "tissue": (rf"{_MAIN}tissues?", "o.tissue"),
        "disease": (rf"{_MAIN}diseases?", "o.disease"),
        "method": (r"methods?", "r.method"),
    },
    numbers={
        "level": (r"levels?(?: of the hierarchy)?", "c.level"),
        "runs": (r"runs|samples|(?:run )?counts?|sizes?(?: in runs)?", "c.runs"),
        "entities": (r"entities|nodes", "c.entities"),
        "rating": (r"(?:report )?ratings?", "r.rating"),
    },
    shown=("community", "level", "runs", "label", "title"),
    always=("community",),
    size="runs",
    order="c.runs DESC, c.community",
    where={
        r"top[- ]level|at the top(?: level)?|highest[- ]level": "c.level = 0",
        r"reported|(?:that have|with) (?:a )?reports?": "r.community IS NOT NULL",
        r"without (?:a )?reports?|unreported": "r.community IS NULL",
        r"of unknown risk(?: group)?": "k.risk_group = 'unknown'",
    },
    risk="k.risk_group",
)  # fmt: skip
PAIRS: Final = StoredSubject(
    name="pairs",
    asked=r"(?:virus(?:es)?[- ](?:and )?hosts?|hosts?[- ](?:and )?virus(?:es)?) "
    r"(?:pairs?|combinations?|pairings?)|(?:pairs?|combinations?|pairings?) of (?:a "
    r")?(?:virus(?:es)?"
    r" and (?:a )?hosts?|hosts? and (?:a )?virus(?:es)?)|plausib\w+",
    unit=r"(?:virus(?:es)?[- ](?:and )?hosts?|hosts?[- ](?:and )?virus(?:es)?) "
    r"(?:pairs?|combinations?|pairings?)|(?:pairs?|combinations?|pairings?)(?: of (?:a "
    r")?(?:virus(?:es"
    r")? and (?:a )?hosts?|hosts? and (?:a )?virus(?:es)?))?",
    source="""plausibility p JOIN term h ON h.curie = p.host
LEFT JOIN virus v ON v.virus = p.virus LEFT JOIN term t ON t.curie = p.virus""",
    columns={
        "virus": (r"virus(?:es)?(?: names?)?", "coalesce(v.name, t.label)"),
        "host": (r"hosts?(?: names?)?", "h.label"),
        "family": (_FAMILY, "v.family"),
        "genus": (r"(?:virus )?gen(?:us|era)", "v.genus"),
        "plausibility": (
            r"(?:plausibilit(?:y|ies)|how (?:plausible|expected)|judge?ments?)"
            r"(?: (?:class(?:es)?|categor(?:y|ies)|values?))?", "p.plausibility",
        ),
    },
    numbers={"runs": (r"runs|samples|(?:run )?counts?", "p.runs")},
    shown=("virus", "host", "plausibility", "runs"),
    always=("virus", "host"),
    size="runs",
    idle=r"(?:that |which )?(?:(?:occur|are found|were found|are seen|appear) )?together"
    r"|(?:with )?(?:both|the|their) names|with names(?! of)",
    order="p.runs DESC, 1, 2",
    where={
        rf"{_HEDGED}(?:(?:flagged|marked|rated|judged|recorded as|stated as) (?:as )?)?"
        r"(?:unexpected|implausible|unlikely|not expected|surprising)": (
            "p.plausibility = 'unexpected'"
        ),
        rf"{_HEDGED}(?:recorded|expected|plausible)": "p.plausibility = 'recorded'",
        r"resident": "p.plausibility = 'resident'",
        r"new within (?:the |their )?class(?: of hosts)?": "p.plausibility = 'new within class'",
        r"of unknown plausibility": "p.plausibility = 'unknown'",
    },
    named={"virus": "p.virus", "organism": "p.host"},
)  # fmt: skip
KNOWN_HOSTS: Final = StoredSubject(
    name="known hosts",
    asked=r"(?:recorded|known|documented) (?:virus )?hosts?(?: ranges?)?|host ranges? on record"
    r"|hosts? (?:that are |are )?(?:on record|recorded|documented)|known_host",
    unit=r"(?:recorded|known|documented) (?:virus )?host (?:pairs?|records?)|host records?",
    source="""known_host n JOIN virus v ON v.virus = n.virus
LEFT JOIN term h ON h.curie = n.host""",
    columns={
        "virus": (r"virus(?:es)?(?: names?)?", "v.name"),
        "host": (
            r"(?:(?:recorded|known|documented) )?hosts?(?: ranges?)?(?: (?:species|taxa))?"
            r"(?: (?:that are |are )?(?:on record|recorded|documented))?",
            "coalesce(h.label, n.host)",
        ),
        "family": (_FAMILY, "v.family"),
        "genus": (r"(?:virus )?gen(?:us|era)", "v.genus"),
        "source": (r"(?:record )?sources?", "n.source"),
    },
    numbers={},
    shown=("virus", "host", "source"),
    order="1, 2",
    named={"virus": "n.virus", "organism": "n.host"},
)  # fmt: skip
SUBJECTS: Final = (META, ASSOCIATIONS, PAIRS, KNOWN_HOSTS, COMMUNITIES)
"""Every kind of stored rows; the first whose words are said is what a table is of."""
