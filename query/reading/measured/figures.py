"""A figure of single hits instead of a count of runs: their mean identity, their most reads.

Such a question is read as if it asked for the runs of what it names, so its words for the figure
are taken out before anything else is read.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

Measure = Literal["identity", "reads", "coverage", "score"]
Statistic = Literal["mean", "median", "highest", "lowest", "range"]


class HitFigure(NamedTuple):
    """Which ``statistic`` of which column of ``detection``, over the hits of the matching runs."""

    measure: Measure
    statistic: Statistic

    @property
    def text(self) -> str:
        """The figure in words: mean identity, most reads."""
        if self.measure == "reads" and self.statistic in _OF_NUMBERS:
            return f"{_OF_NUMBERS[self.statistic]} reads"
        return f"{self.statistic} {self.measure}"


class OfFigure(NamedTuple):
    """A question without its words for a figure of hits, and the figure; None where it asks for
    none.
    """

    text: str
    figure: HitFigure | None = None


def figure_of_hits(text: str) -> OfFigure:
    """Return ``text`` without the figure of hits that it asks for.

    >>> figure_of_hits("What is the mean identity of rotavirus A hits in pigs?")
    OfFigure(text='runs of rotavirus A hits in pigs?', figure=HitFigure(measure='identity', \
statistic='mean'))
    >>> figure_of_hits("How close are the Zika hits to the reference, on average?").text
    'runs of the Zika hits?'
    >>> figure_of_hits("hits with at least 90 % identity").figure is None
    True
    """
    for pattern in _ASKED:
        found = pattern.search(text)
        if found is None:
            continue
        asked = {name: said or "" for name, said in found.groupdict().items()}
        figure = HitFigure(_measure_of(asked["measure"]), _statistic_of(asked["statistic"]))
        follows = text[found.end() :]
        linked = asked["of"] + asked.get("linked", "") or (" of" if follows.strip(" ?.!") else "")
        rest = f"{text[: found.start()]}runs{linked}{follows}"
        return OfFigure(_IDLE.sub("", rest).strip(), figure)
    return OfFigure(text)


def _measure_of(said: str) -> Measure:
    """Return the column that ``said`` means: how alike hits are, where it is none of the others."""
    for measure, pattern in _MEASURES:
        if re.search(pattern, said, re.IGNORECASE):
            return measure
    return "identity"


def _statistic_of(said: str) -> Statistic:
    """Return the statistic that ``said`` names; the mean where it names none."""
    for statistic, pattern in _STATISTICS:
        if re.search(pattern, said, re.IGNORECASE):
            return statistic
    return "mean"


_OF_NUMBERS: Final = {"highest": "most", "lowest": "fewest"}
_STATISTICS: Final[tuple[tuple[Statistic, str], ...]] = (
    ("median", r"median"),
    ("highest", r"high|max|best|top|clos|most|great|larg"),
    ("lowest", r"low|min|worst|least|few|small|weak|poor"),
    ("range", r"range|spread|distribut|how|which|what"),
)
_MEASURES: Final[tuple[tuple[Measure, str], ...]] = (
    ("coverage", r"coverage|depth"),
    ("reads", r"reads?\b"),
    ("score", r"score"),
)
_STATISTIC: Final = (
    r"(?:(?:overall|typical) )?(?P<statistic>average|mean|median|typical|highest|maxim(?:um|al)"
    r"|max\.?|best|lowest|minim(?:um|al)|min\.?|worst|poorest|weakest|greatest|largest|smallest"
    r"|most(?= reads)|fewest(?= reads)|(?:range|spread|distribution) of(?: the)?)"
)
_MEASURE: Final = (
    r"(?P<measure>(?:(?:percent(?:age)?|%|sequence|amino[- ]acid|aa|nucleotide|protein|alignment"
    r"|reference) )*(?:identit(?:y|ies)|similarit(?:y|ies))"
    r"|(?:number of )?(?:(?:aligned|mapped|viral|virus|supporting|matching|hit) )*"
    r"read(?:s| counts?| numbers?)(?: aligned| mapped)?"
    r"|(?:(?:contig|sequencing|fold|read) )?(?:coverage|depth)(?: depth)?"
    r"|(?:(?:alignment|serratus) )*scores?)"
)
_HITS: Final = r"(?: (?:hits?|detections?|matches|match|alignments?))?"
_A_RUN: Final = (
    r"(?:what|which) (?:single )?(?:run|sample|library|hit|detection)(?P<of> (?:of|for|in|with)"
    r" [^,;?]+?)?(?: hit)? (?:has|had|have|shows?|is|with) (?:the )?"
)
_ASKS: Final = (
    r"(?:(?:what(?:['’]s| is| are| was| were)|give(?: me)?|show(?: me)?|tell me|report|calculate"
    r"|compute|i (?:need|want)) )?(?:(?:the|an?|their|its) )*"
)
_SEEN: Final = r"(?:(?: (?:ever|we|do|does|did|you|have|has|been|seen|see|found|reported))+)?"
_OF: Final = (
    r"(?:(?P<of> (?:of|for|to|among|across|over|in|with|from))(?= )"
    r"(?: (?:all|any|every|each|single)(?: of)?(?= ))?)?"
)
_ASKED: Final = (
    re.compile(rf"(?i)\b{_A_RUN}{_STATISTIC} {_MEASURE}\b(?:(?P<linked> (?:of|for|to))(?= ))?"),
    re.compile(
        rf"(?i)\b{_ASKS}{_STATISTIC} (?:value of (?:the )?)?{_MEASURE}(?: values?)?\b{_HITS}{_SEEN}"
        rf"{_OF}"
    ),
    re.compile(
        r"(?i)^(?:on average,? )?how (?P<measure>similar|close|divergent|distant|identical"
        r"|well[- ]matched)(?P<statistic> on average)? (?:is|are|was|were)(?P<of>)"
        r"(?= .*(?:\bhits?\b|\bdetections?\b|\bmatch|\breferences?\b|\baverage\b))"
    ),
    re.compile(
        rf"(?i)^how many {_MEASURE} (?P<statistic>on average)(?: (?:do|does|did|are|is|have|has"
        r"|support|there))*(?P<of> (?:of|for|in))?(?= )"
    ),
)
"""Wordings of a figure of hits, in the order in which they are tried."""
_IDLE: Final = re.compile(
    r"(?i),? on average\b|,? overall(?=\W*$)| contigs?\b"
    r"| (?:to|with|from) (?:(?:the|their|its|a) )*(?:(?:closest|nearest|best|known|named) )*"
    r"(?:references?(?: (?:sequences?|genomes?|virus(?:es)?))?|relatives?)\b"
)
"""What says nothing more beside a figure: identities are to a reference."""
