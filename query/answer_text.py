"""An answer as text: its sentences, associations, sources, what it covers and what it cost."""

from __future__ import annotations

from collections.abc import Iterable

from index.checking.interpretation import interpretation_label
from index.claims.phrases import counted, percent
from index.reports.citations import find_spans, read_citations
from query.answer import Answer, AnswerSource, Association, Combined, Coverage, Usage


def answer_text(answer: Answer, *, full: bool = False) -> str:
    """Return ``answer`` for a reader: sentences, sources, reading, what a model did, and the cost.

    With ``full`` the communities, associations, steps and the coverage are there, too.
    """
    parts = [answer.answer.strip()]
    for group in answer.groups:
        parts += _titled(group.heading, group.statements)
    if full:
        read = [f"{point.community}: {point.description}" for point in answer.points]
        parts += _titled("Communities", read)
        parts += _titled("Associations (MWAS)", map(association_line, answer.evidence))
    parts += _titled("Sources", map(source_line, answer.sources))
    if full:
        parts += _titled("Steps", answer.steps)
    parts += interpretation_text(answer)
    if answer.read_as:
        corrected = f"\nSpelling: {', '.join(answer.corrected)}" if answer.corrected else ""
        unused = f"\nNot used: {', '.join(answer.unused)}" if answer.unused else ""
        parts.append(f"Read as: {answer.read_as}{corrected}{unused}")
    if full and answer.coverage.communities:
        parts.append(coverage_text(answer.coverage, answer.usage))
    else:
        said = [*_of_the_model(answer.coverage), f"[{cost_text(answer.usage)}]"]
        parts.append(" ".join(said))
    return "\n\n".join(part for part in parts if part)


def interpretation_text(answer: Answer) -> list[str]:
    """Return the model's interpretation of ``answer`` under its label; nothing if there is none."""
    if not answer.interpretation:
        return []
    label = interpretation_label(answer.usage.model or "a model")
    return [f"{label}\n{' '.join(answer.interpretation)}"]


def _titled(title: str, lines: Iterable[str]) -> list[str]:
    """Return ``lines`` as a list under ``title``; nothing if there are none."""
    listed = bullet_list(lines)
    return [f"{title}\n{listed}"] if listed else []


def source_line(source: AnswerSource) -> str:
    """Return a source as a line: its name, and what it says.

    >>> source_line(AnswerSource("document", "notes.pdf, page 3", "Bats were sampled."))
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
    if not coverage.runs_matching:
        whole = "no run matches"
    elif not coverage.runs_covered:
        whole = f"none of the {coverage.runs_matching:,} matching runs is in one that was read"
    counts = [f"{counted(coverage.read, 'community', 'communities')} read"]
    counts += [
        f"{number:,} {what}"
        for number, what in (
            (coverage.skipped, "skipped"),
            (coverage.unreported, "without a report of its own"),
            (coverage.gated, "kept from the model by biosafety"),
            (coverage.failed, "not read by the model, which failed"),
            (coverage.passed_over, "passed over by the model"),
        )
        if number
    ]
    said = [f"Coverage: {', '.join(counts)}; {whole}.", *_of_the_model(coverage)]
    return " ".join([*said, f"[{cost_text(usage)}]"])


def _of_the_model(coverage: Coverage) -> list[str]:
    """Return what was left out: sentences of the model, what was withheld from it, its failures."""
    said = []
    if coverage.sentences_dropped:
        dropped = counted(coverage.sentences_dropped, "sentence")
        them = "it" if coverage.sentences_dropped == 1 else "them"
        said.append(f"{dropped} of the model left out: no statement of the index supports {them}.")
    if coverage.notes:
        said.append(f"Of the model: {'; '.join(coverage.notes)}.")
    return said


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
