"""An answer: its text, the points it rests on with their citations, associations, sources, coverage
and cost; and its forms.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Final

from index.reports.citations import find_spans, read_citations
from index.reports.phrases import counted, percent

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
    """The same effect over all projects that have the term: Hedges' g, its 95 % interval, and how
    far they agree.
    """

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
    """One MWAS test that bears on the answer; ``communities`` are the cited ones that hold its
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
    """The ledger of an answer: what was read and what was not, and the share of matching runs
    behind the points.
    """

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
    """Communities that a model was shown and used nothing of; their points are behind the
    others.
    """
    points_dropped: int = 0
    sentences_dropped: int = 0
    terms: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    not_joined: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Why parts of the answer are composed from facts rather than worded."""

    @property
    def share_covered(self) -> float:
        """Matching runs in the communities read / matching runs, 0-1."""
        return self.runs_covered / self.runs_matching if self.runs_matching else 0.0


@dataclass(frozen=True, slots=True)
class Usage:
    """What the answer cost; ``model`` is None where it was composed from facts."""

    model: str | None = None
    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """What a statement rests on besides communities: a record, a page, a call, a query.

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
class Answer:
    """The answer to ``question``; ``points`` and ``sources`` best first.

    ``steps`` says what was done, in order: the SQL that ran, the calls that were made.
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


def answer_record(answer: Answer) -> dict[str, object]:
    """Return ``answer`` as plain values, one entry for each of its fields."""
    record = asdict(answer)
    record["evidence"] = [
        {**asdict(item), "significant": item.significant} for item in answer.evidence
    ]
    record["coverage"]["share_covered"] = round(answer.coverage.share_covered, 4)
    return record


def answer_json(answer: Answer) -> str:
    """Return ``answer`` as indented JSON."""
    return json.dumps(answer_record(answer), indent=2, ensure_ascii=False)


def answer_text(answer: Answer) -> str:
    """Return ``answer`` for a reader: text, associations, sources, steps, coverage or cost."""
    parts = [answer.answer.strip()]
    parts += _titled("Associations (MWAS)", map(association_line, answer.evidence))
    parts += _titled("Sources", map(source_line, answer.sources))
    parts += _titled("Steps", answer.steps)
    if answer.coverage.communities:
        parts.append(coverage_text(answer.coverage, answer.usage))
    else:
        parts.append(f"[{cost_text(answer.usage)}]")
    return "\n\n".join(parts)


def _titled(title: str, lines: Iterable[str]) -> list[str]:
    """Return ``lines`` as a list under ``title``, nothing where there is none."""
    listed = bullet_list(lines)
    return [f"{title}\n{listed}"] if listed else []


def source_line(source: AnswerSource) -> str:
    """Return a source as a line: its name, and what it says.

    >>> source_line(Source("document", "notes.pdf, page 3", "Bats were sampled."))
    'notes.pdf, page 3: Bats were sampled.'
    """
    return ": ".join(part for part in (source.name, source.text) if part)


def association_line(item: Association) -> str:
    """Return one association as a line: project, family, value, group sizes, effect, q, flag."""
    effect = (
        "effect size not published"
        if item.fold_change is None
        else f"log2 fold change {item.fold_change:+.2f}"
    )
    if item.q_value is not None:
        chance = f"q = {item.q_value:.2g}"
    else:
        chance = "p unknown" if item.p_value is None else f"p = {item.p_value:.2g}, not corrected"
    caution = [] if item.significant else ["not significant"]
    caution += [part.strip() for part in item.flag.split(";")] if item.flag else []
    tail = f" [{'; '.join(caution)}]" if caution else ""
    groups = f"{item.num_true} vs {item.num_false} samples"
    whole = "" if item.combined is None else f"; {combined_text(item.combined)}"
    tested = f"{item.bioproject} {item.family}: {item.attribute} = {item.value} ({groups})"
    return f"{tested}, {effect}, {chance}{tail}{whole}"


def combined_text(item: Combined) -> str:
    """Return a combined effect in words: projects, effect with interval, q."""
    agreeing = (
        "all alike"
        if item.projects_agreeing == item.projects
        else f"{item.projects_agreeing} alike"
    )
    interval = f"{item.ci_low:+.2f} to {item.ci_high:+.2f}"
    caution = "" if item.significant else ", not significant"
    projects = f"over {item.projects} projects ({agreeing})"
    return f"{projects} Hedges' g {item.effect:+.2f} ({interval}), q = {item.q_value:.2g}{caution}"


def coverage_text(coverage: Coverage, usage: Usage) -> str:
    """Return the ledger in one or two sentences."""
    part = f"{coverage.runs_covered:,} of {coverage.runs_matching:,} matching runs"
    share = f"{part} ({percent(coverage.share_covered)})"
    whole = f"{'it holds' if coverage.read == 1 else 'they hold'} {share}"
    counts = [f"{counted(coverage.read, 'community', 'communities')} read"]
    counts += [f"{coverage.skipped:,} skipped"] if coverage.skipped else []
    counts += [f"{coverage.unreported:,} too small for a report"] if coverage.unreported else []
    counts += [f"{coverage.gated:,} kept from the model by biosafety"] if coverage.gated else []
    counts += (
        [f"{coverage.failed:,} answered from facts after a model failure"]
        if coverage.failed
        else []
    )
    passed_over = f"{coverage.passed_over:,} passed over by the model"
    counts += [passed_over] if coverage.passed_over else []
    dropped = coverage.points_dropped + coverage.sentences_dropped
    checks = f" {counted(dropped, 'unsupported statement')} dropped." if dropped else ""
    why = f" Composed from facts in part: {'; '.join(coverage.notes)}." if coverage.notes else ""
    return f"Coverage: {', '.join(counts)}; {whole}.{checks}{why} [{cost_text(usage)}]"


def cost_text(usage: Usage) -> str:
    """Return model, calls, tokens and seconds.

    >>> cost_text(Usage(seconds=0.2))
    'no model, 0.2 s'
    """
    seconds = f"{usage.seconds:.1f} s"
    if usage.model is None:
        return f"no model, {seconds}"
    tokens = usage.prompt_tokens + usage.completion_tokens
    return f"{usage.model}, {counted(usage.calls, 'call')}, {tokens:,} tokens, {seconds}"


def number_references(text: str) -> tuple[str, list[str]]:
    """Return ``text`` with each reference replaced by a number, and the references in order, for a
    terminal.

    >>> number_references("Seen in leaf [Filters: {{tissue: leaf}}].")
    ('Seen in leaf [1].', ['tissue: leaf'])
    """
    found: list[str] = []
    pieces: list[str] = []
    position = 0
    for start, end in find_spans(text):
        shown = _listed(text[start:end])
        if shown not in found:
            found.append(shown)
        pieces += [text[position:start].rstrip(), f" [{found.index(shown) + 1}]"]
        position = end
    return "".join([*pieces, text[position:]]), found


def _listed(reference: str) -> str:
    """Return what ``reference`` cites, without brackets and braces."""
    shown = [f"{key}: {value}" for key, value in read_citations(reference)]
    return ", ".join([*shown, *(["+more"] if "+more" in reference else [])])


def bullet_list(lines: Iterable[str]) -> str:
    """Return ``lines`` as a Markdown list."""
    return "\n".join(f"- {line}" for line in lines)
