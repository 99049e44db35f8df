"""The scorecard of an evaluation, as a record, Markdown and one self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from query.evaluation.aims import AIMS, Aim, failures
from query.evaluation.baselines import baseline_record
from query.evaluation.evaluate import Evaluation, QuestionSet
from query.evaluation.figures import Figures, by_theme, faults_of, figures_record
from query.evaluation.scoring import Scored

_PAGE: Final = "scorecard.html.j2"
_SHOWN: Final = 5
"""Wrong answers shown of each fault."""
_LONGEST: Final = 260
"""Characters shown of a wrong headline."""


def scorecard_record(evaluation: Evaluation, *, index: str) -> dict[str, Any]:
    """Return the scorecard as plain values: figures, aims, themes, faults and baselines."""
    measured = [part.figures for part in evaluation.parts if part.figures]
    return {
        "index": index,
        "parts": [_part_record(part) for part in evaluation.parts],
        "baselines": [baseline_record(one) for one in evaluation.baselines],
        "gate": list(failures(measured)),
    }


def scorecard_markdown(record: dict[str, Any]) -> str:
    """Return the scorecard of ``record`` as Markdown."""
    blocks = [f"# Scorecard of {record['index']}"]
    for part in record["parts"]:
        blocks.append(f"## {part['name']}")
        blocks += [f"Not asked: {part['skipped']}."] if part["skipped"] else _part_blocks(part)
    blocks.append("## Other ways of answering, same questions and reports")
    blocks.append(_table(_BASELINE_HEAD, map(_baseline_cells, record["baselines"])))
    blocks.append(_BASELINE_NOTE)
    blocks.append("## Gate")
    blocks.append("\n".join(f"- {line}" for line in record["gate"]) or "passed")
    return "\n\n".join(blocks) + "\n"


def scorecard_html(record: dict[str, Any]) -> str:
    """Return the scorecard of ``record`` as one HTML page without links to anything outside it."""
    from jinja2 import Environment, FileSystemLoader

    loader = FileSystemLoader(Path(__file__).parent)
    page = Environment(loader=loader, autoescape=True).get_template(_PAGE)
    cells = [_baseline_cells(one) for one in record["baselines"]]
    return page.render(
        card=record, baseline_head=_BASELINE_HEAD, baselines=cells, note=_BASELINE_NOTE
    )


def scorecard_text(record: dict[str, Any]) -> str:
    """Return the figures of ``record`` in a few lines, for a terminal."""
    lines = []
    for part in record["parts"]:
        lines.append(f"{part['name']}: {part['skipped'] or str(part['questions']) + ' questions'}")
        lines += [f"  {row['name']:<30} {row['value']:<28} {row['aim']}" for row in part["rows"]]
    return "\n".join(lines)


def write_scorecard(record: dict[str, Any], folder: Path) -> None:
    """Write the scorecard of ``record`` into ``folder`` as Markdown, HTML and JSON."""
    from query.evaluation.scorecard import scorecard_html, scorecard_markdown

    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "scorecard.md": scorecard_markdown(record),
        "scorecard.html": scorecard_html(record),
        "scorecard.json": json.dumps(record, indent=2, ensure_ascii=False) + "\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def _part_record(part: QuestionSet) -> dict[str, Any]:
    if part.figures is None:
        return {"name": part.name, "skipped": part.skipped, "rows": []}
    faults = faults_of(part.scored)
    return {
        "name": part.name,
        "skipped": None,
        "questions": part.figures.questions,
        "figures": figures_record(part.figures),
        "rows": [*_aim_rows(part.figures), *_other_rows(part.figures)],
        "themes": [[theme, str(share)] for theme, share in by_theme(part.scored).items()],
        "faults": [_fault_record(fault, wrong) for fault, wrong in faults.items()],
    }


def _aim_rows(figures: Figures) -> list[dict[str, Any]]:
    return [
        {
            "name": aim.name,
            "value": _shown(aim, figures),
            "aim": _aim_words(aim),
            "reached": reached,
        }
        for aim in AIMS
        for reached in [aim.reached(figures)]
    ]


def _shown(aim: Aim, figures: Figures) -> str:
    shares = {
        "headline right": figures.headline,
        "refused what cannot be known": figures.refused,
        "refused wrongly": figures.refused_wrongly,
        "citations valid": figures.citations,
        "numbers exact": figures.numbers,
        "deterministic": figures.deterministic,
    }
    if aim.name in shares:
        return str(shares[aim.name])
    value = aim.read(figures)
    among = f"{figures.triage.get('questions', 0):.0f} questions"
    return "not measured" if value is None else f"{value:.3f} over {among}"


def _aim_words(aim: Aim) -> str:
    """Return the aim as the figure is shown: a share in percent, a measure of triage as it is."""
    is_share = not aim.name.startswith("triage")
    shown = f"{100 * aim.aim:g} %" if is_share else f"{aim.aim:g}"
    bound = "at most" if aim.most else "at least"
    return f"aim: {bound} {shown}"


def _other_rows(figures: Figures) -> list[dict[str, Any]]:
    """Return the figures that have no aim of their own."""
    triage = figures.triage
    middle, slow = figures.seconds
    values = {
        "kind right": str(figures.kind),
        "names of the gold in the answer": str(figures.entities),
        "dropped a name without a word": str(figures.lost),
        "words not understood, a question": f"{figures.unused:g}",
        "triage P@1, P@5, RR@10": ", ".join(
            f"{triage[name]:.3f}" for name in ("P@1", "P@5", "RR@10") if name in triage
        ),
        "seconds, median and 95th percentile": f"{middle:g} and {slow:g}",
    }
    return [
        {"name": name, "value": value, "aim": "", "reached": None} for name, value in values.items()
    ]


def _fault_record(fault: str, wrong: Sequence[Scored]) -> dict[str, Any]:
    shown = [
        {
            "question": one.question.text,
            "theme": one.question.theme,
            "said": " ".join(one.seen.headline.split())[:_LONGEST],
            "refused": one.seen.refused,
            "gold": _gold_words(one),
        }
        for one in wrong
    ]
    return {"fault": fault, "count": len(wrong), "answers": shown}


def _gold_words(one: Scored) -> str:
    """Return the right answer in a few words."""
    gold = one.gold
    first = [f"{value} ({runs:,})" for values in gold.values.values() for value, runs in values[:3]]
    if first:
        return ", ".join(first)
    if gold.contrast:
        sides = gold.contrast
        counts = (
            f"{sides.left:,} of {sides.left_whole:,} against {sides.right:,} of "
            f"{sides.right_whole:,}"
        )
        return f"{sides.name or ''} {counts}".strip()
    if gold.names:
        return ", ".join(gold.names[:3])
    if gold.truth or gold.runs:
        return f"{gold.truth or ''} {gold.runs:,} of {gold.whole:,}".strip()
    return one.question.asked.asks


def _part_blocks(part: dict[str, Any]) -> list[str]:
    """Return what Markdown shows of one set of questions."""
    figures = ([row["name"], row["value"], row["aim"]] for row in part["rows"])
    blocks = [
        _table(("figure", "value", "aim"), figures),
        _table(("theme", "right"), part["themes"]),
    ]
    for fault in part["faults"]:
        blocks.append(f"### {fault['fault']}: {fault['count']}")
        blocks.append("\n".join(_answer_line(one) for one in fault["answers"][:_SHOWN]))
    return blocks


def _answer_line(one: dict[str, Any]) -> str:
    refused = f"refused ({one['refused']}): " if one["refused"] else ""
    return f"- {one['question']}\n  - gold: {one['gold']}\n  - said: {refused}{one['said']}"


_BASELINE_HEAD: Final = (
    "way of answering", "model calls", "tokens a question", "names of the gold read",
    "exact number read",
)  # fmt: skip
_BASELINE_NOTE: Final = (
    "Tokens are estimated at four characters each. Of the baselines it is counted what the step "
    "that words the answer would read: what is not there cannot be in the answer, so their figures "
    "are upper bounds."
)


def _baseline_cells(one: dict[str, Any]) -> list[str]:
    recall, exact = one["entity_recall"], one["exact_numbers"]
    return [
        str(one["name"]),
        f"{one['calls']:,g}",
        f"{one['tokens']:,}",
        "not measured" if recall is None else f"{100 * recall:.1f} %",
        "not measured" if exact is None else f"{100 * exact:.1f} %",
    ]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    rule = ["---"] * len(head)
    lines = [_table_line(cells) for cells in (head, rule, *rows)]
    return "\n".join(lines)


def _table_line(cells: Sequence[str]) -> str:
    plain = [cell.replace("|", "/") for cell in cells]
    joined = " | ".join(plain)
    return f"| {joined} |"
