"""The scorecard of an evaluation, as a record, Markdown and one self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from query.evaluation.aims import AIMS, Aim, failures
from query.evaluation.evaluate import Evaluation, QuestionSet
from query.evaluation.figures import Figures, by_theme, faults_of, figures_record
from query.evaluation.other_ways.asked import asked_record
from query.evaluation.other_ways.counted import baseline_record
from query.evaluation.other_ways.rows import (
    ASKED_HEAD,
    ASKED_NOTE,
    BASELINE_HEAD,
    BASELINE_NOTE,
    asked_cells,
    baseline_cells,
)
from query.evaluation.scoring import Scored

_PAGE: Final = "scorecard.html.j2"
_SHOWN: Final = 5
"""Wrong answers shown of each fault."""
_LONGEST: Final = 260
"""Characters shown of a wrong headline."""
_PRECISIONS: Final = ("P@1", "P@5", "RR@10")


def scorecard_record(evaluation: Evaluation, *, index: str) -> dict[str, Any]:
    """Return the scorecard as plain values: figures, aims, themes, faults and baselines."""
    measured = [part.figures for part in evaluation.parts if part.figures]
    return {
        "index": index,
        "parts": [_part_record(part) for part in evaluation.parts],
        "baselines": [baseline_record(one) for one in evaluation.baselines],
        "asked_baselines": [asked_record(one) for one in evaluation.asked],
        "gate": list(failures(measured)),
    }


def scorecard_markdown(record: dict[str, Any]) -> str:
    """Return the scorecard of ``record`` as Markdown."""
    blocks = [f"# Scorecard of {record['index']}"]
    for part in record["parts"]:
        blocks.append(f"## {part['name']}")
        if part["skipped"]:
            blocks.append(f"Not asked: {part['skipped']}.")
        else:
            blocks += _part_blocks(part)
    baselines = [baseline_cells(one) for one in record["baselines"]]
    failed = [f"- {line}" for line in record["gate"]]
    blocks += [
        "## Other ways of answering, same questions and reports",
        _table(BASELINE_HEAD, baselines),
        BASELINE_NOTE,
    ]
    if record["asked_baselines"]:
        cells = [asked_cells(one) for one in record["asked_baselines"]]
        blocks += [_table(ASKED_HEAD, cells), ASKED_NOTE]
    blocks += [
        "## Gate",
        "\n".join(failed) or "passed",
    ]
    return "\n\n".join(blocks) + "\n"


def scorecard_html(record: dict[str, Any]) -> str:
    """Return the scorecard of ``record`` as one HTML page without links to anything outside it."""
    from jinja2 import Environment, FileSystemLoader

    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True)
    page = environment.get_template(_PAGE)
    return page.render(
        card=record,
        baseline_head=BASELINE_HEAD,
        baselines=[baseline_cells(one) for one in record["baselines"]],
        note=BASELINE_NOTE,
        asked_head=ASKED_HEAD,
        asked=[asked_cells(one) for one in record["asked_baselines"]],
        asked_note=ASKED_NOTE,
    )


def scorecard_text(record: dict[str, Any]) -> str:
    """Return the figures of ``record`` in a few lines, for a terminal."""
    lines = []
    for part in record["parts"]:
        asked = part["skipped"] or f"{part['questions']} questions"
        lines.append(f"{part['name']}: {asked}")
        lines += [_text_line(row) for row in part["rows"]]
    lines += [_asked_line(one) for one in record["asked_baselines"]]
    return "\n".join(lines)


def _text_line(row: dict[str, Any]) -> str:
    return f"  {row['name']:<30} {row['value']:<28} {row['aim']}"


def _asked_line(one: dict[str, Any]) -> str:
    """Return what a way of answering wrote with a model, in a line for a terminal."""
    cells = asked_cells(one)
    named = zip(ASKED_HEAD[1:], cells[1:], strict=True)
    figures = ", ".join(f"{name} {value}" for name, value in named)
    return f"{cells[0]}: {figures}"


def write_scorecard(record: dict[str, Any], folder: Path) -> None:
    """Write the scorecard of ``record`` into ``folder`` as Markdown, HTML and JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    plain = json.dumps(record, indent=2, ensure_ascii=False)
    texts = {
        "scorecard.md": scorecard_markdown(record),
        "scorecard.html": scorecard_html(record),
        "scorecard.json": f"{plain}\n",
    }
    for name, text in texts.items():
        path = folder / name
        path.write_text(text, encoding="utf-8")


def _part_record(part: QuestionSet) -> dict[str, Any]:
    if part.figures is None:
        return {"name": part.name, "skipped": part.skipped, "rows": []}
    themes = by_theme(part.scored)
    faults = faults_of(part.scored)
    return {
        "name": part.name,
        "skipped": None,
        "questions": part.figures.questions,
        "figures": figures_record(part.figures),
        "rows": [*_aim_rows(part.figures), *_other_rows(part.figures)],
        "themes": [[theme, str(share)] for theme, share in themes.items()],
        "faults": [_fault_record(fault, wrong) for fault, wrong in faults.items()],
    }


def _aim_rows(figures: Figures) -> list[dict[str, Any]]:
    rows = []
    for aim in AIMS:
        row = {
            "name": aim.name,
            "value": _shown(aim, figures),
            "aim": _aim_words(aim),
            "reached": aim.reached(figures),
        }
        rows.append(row)
    return rows


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
    shown = f"{aim.aim:g}"
    if is_share:
        shown = f"{100 * aim.aim:g} %"
    bound = "at most" if aim.most else "at least"
    return f"aim: {bound} {shown}"


def _other_rows(figures: Figures) -> list[dict[str, Any]]:
    """Return the figures that have no aim of their own."""
    triage = figures.triage
    middle, slow = figures.seconds
    precisions = [f"{triage[name]:.3f}" for name in _PRECISIONS if name in triage]
    values = {
        "kind right": str(figures.kind),
        "names of the gold in the answer": str(figures.entities),
        "dropped a name without a word": str(figures.lost),
        "words not understood, a question": f"{figures.unused:g}",
        "triage P@1, P@5, RR@10": ", ".join(precisions),
        "seconds, median and 95th percentile": f"{middle:g} and {slow:g}",
    }
    rows = []
    for name, value in values.items():
        rows.append({"name": name, "value": value, "aim": "", "reached": None})
    return rows


def _fault_record(fault: str, wrong: Sequence[Scored]) -> dict[str, Any]:
    answers = []
    for one in wrong:
        headline = " ".join(one.seen.headline.split())
        answer = {
            "question": one.question.text,
            "theme": one.question.theme,
            "said": headline[:_LONGEST],
            "refused": one.seen.refused,
            "gold": _gold_words(one),
        }
        answers.append(answer)
    return {"fault": fault, "count": len(wrong), "answers": answers}


def _gold_words(one: Scored) -> str:
    """Return the right answer in a few words."""
    gold = one.gold
    first = []
    for values in gold.values.values():
        first += [f"{value} ({runs:,})" for value, runs in values[:3]]
    if first:
        return ", ".join(first)
    if gold.contrast:
        sides = gold.contrast
        left = f"{sides.left:,} of {sides.left_whole:,}"
        right = f"{sides.right:,} of {sides.right_whole:,}"
        return f"{sides.name or ''} {left} against {right}".strip()
    if gold.names:
        return ", ".join(gold.names[:3])
    if gold.truth or gold.runs:
        return f"{gold.truth or ''} {gold.runs:,} of {gold.whole:,}".strip()
    return one.question.asked.asks


def _part_blocks(part: dict[str, Any]) -> list[str]:
    """Return what Markdown shows of one set of questions."""
    figures = [[row["name"], row["value"], row["aim"]] for row in part["rows"]]
    blocks = [
        _table(("figure", "value", "aim"), figures),
        _table(("theme", "right"), part["themes"]),
    ]
    for fault in part["faults"]:
        shown = fault["answers"][:_SHOWN]
        lines = [_answer_line(one) for one in shown]
        blocks.append(f"### {fault['fault']}: {fault['count']}")
        blocks.append("\n".join(lines))
    return blocks


def _answer_line(one: dict[str, Any]) -> str:
    said = one["said"]
    if one["refused"]:
        said = f"refused ({one['refused']}): {said}"
    question, gold = one["question"], one["gold"]
    return f"- {question}\n  - gold: {gold}\n  - said: {said}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    rule = ["---"] * len(head)
    every = [head, rule, *rows]
    lines = [_table_line(cells) for cells in every]
    return "\n".join(lines)


def _table_line(cells: Sequence[str]) -> str:
    plain = [cell.replace("|", "/") for cell in cells]
    joined = " | ".join(plain)
    return f"| {joined} |"
