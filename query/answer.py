"""An answer: its text, points with citations, associations, sources, coverage and cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Final

MODE_GLOBAL: Final = "global"


@dataclass(frozen=True, slots=True)
class Citation:
    """A cited value; ``runs`` are the distinct runs of the point's community that have it."""

    key: str
    value: str
    runs: int
    verified: bool


@dataclass(frozen=True, slots=True)
class Point:
    """One partial answer, read from one community; ``score`` is 0-100."""

    community: str
    score: float
    description: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Combined:
    """The same effect over all projects with the term: Hedges' g, 95 % interval, agreement."""

    projects: int
    projects_agreeing: int
    effect: float
    ci_low: float
    ci_high: float
    i_squared: float
    q_value: float

    @property
    def significant(self) -> bool:
        """True where the combined effect holds after correction (q <= 0.05)."""
        return self.q_value <= 0.05


@dataclass(frozen=True, slots=True)
class Association:
    """One MWAS test that concerns the answer; ``communities`` are the cited ones that hold its
    project.

    ``combined`` is the effect of its family and ontology term over projects, where two projects or
    more have it.
    """

    bioproject: str
    family: str
    attribute: str
    value: str
    num_true: int
    num_false: int
    fold_change: float | None
    test: str
    p_value: float | None
    q_value: float | None
    flag: str | None
    source: str
    communities: tuple[str, ...] = ()
    combined: Combined | None = None

    @property
    def significant(self) -> bool:
        """True where the test holds after correction (q <= 0.05); a flag may still ask for care."""
        return self.q_value is not None and self.q_value <= 0.05


@dataclass(frozen=True, slots=True)
class Coverage:
    """The ledger of an answer: what was read or not, and the matching runs behind it."""

    runs_index: int
    runs_matching: int
    runs_covered: int
    communities: int
    relevant: int
    read: int
    skipped: int
    unreported: int
    failed: int = 0
    gated: int = 0
    passed_over: int = 0
    """Communities that a model was shown but did not use; their points come after the others.
    """
    sentences_dropped: int = 0
    """Sentences of a model left out because no statement of the index supports them."""
    terms: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Why a model added less than it could have."""

    @property
    def share_covered(self) -> float:
        """Matching runs in the communities read / matching runs, 0-1."""
        return self.runs_covered / self.runs_matching if self.runs_matching else 0.0


@dataclass(frozen=True, slots=True)
class Usage:
    """What the answer cost; ``model`` is None if none was used."""

    model: str | None = None
    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """What a statement rests on, other than communities: a record, a page, a call, a query.

    ``kind`` says which; ``name`` is what a reader looks up (accession, file and page, address);
    ``text`` is what it says; ``score`` is how well it fits, on the scale of its mode.
    """

    kind: str
    name: str
    text: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows that answer a question, in order."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its name, its length, and the number printed at its end."""

    name: str
    value: float
    said: str


@dataclass(frozen=True, slots=True)
class BarChart:
    """The numbers of an answer that can be compared; ``quantity`` is what the axis measures.

    ``of_whole`` says that the values are shares of a whole, 0-1.
    """

    quantity: str
    bars: tuple[Bar, ...]
    of_whole: bool = False


@dataclass(frozen=True, slots=True)
class StatementGroup:
    """Statements of the index under the heading that a model gave them."""

    heading: str
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to ``question``, rendered from facts; ``points`` and ``sources`` best first.

    ``groups`` are statements of the index that the model in ``usage`` chose, unchanged;
    ``interpretation`` is the model's own sentences, in which nothing was counted. ``lead`` is the
    sentence of ``answer`` that answers the question, if it begins with one. ``steps`` says what was
    done, in order: the SQL that ran, the calls that were made.
    """

    question: str
    mode: str
    answer: str
    points: tuple[Point, ...]
    evidence: tuple[Association, ...] = ()
    coverage: Coverage = field(default_factory=lambda: Coverage(0, 0, 0, 0, 0, 0, 0, 0))
    usage: Usage = field(default_factory=Usage)
    sources: tuple[AnswerSource, ...] = ()
    steps: tuple[str, ...] = ()
    table: ResultTable | None = None
    chart: BarChart | None = None
    groups: tuple[StatementGroup, ...] = ()
    interpretation: tuple[str, ...] = ()
    read_as: str = ""
    """The question as it was read, in canonical English."""
    unused: tuple[str, ...] = ()
    """Words of the question that are not everyday words and that ``read_as`` leaves out."""
    corrected: tuple[str, ...] = ()
    """Misspelled names, each with the name that it was taken for."""
    requests: tuple[dict[str, Any], ...] = ()
    """The reading as JSON, one request for each part of the question."""
    lead: str = ""
    form: str = "sentence"
    """How the question wants the answer: as a sentence, a table, CSV or a list."""


def answer_record(answer: Answer) -> dict[str, object]:
    """Return ``answer`` as plain values, one entry for each of its fields."""
    record = asdict(answer)
    record["evidence"] = [
        {**asdict(item), "significant": item.significant} for item in answer.evidence
    ]
    record["coverage"]["share_covered"] = round(answer.coverage.share_covered, 4)
    return record
