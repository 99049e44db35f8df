"""Prompts for wording a report, read from ``prompts/``: short typed facts in, JSON out.

The JSON has to fit a schema. A solved example goes first; small models need it, large models do not
mind. The answer has a named field per fact, so that each sentence can be checked against what it
should say, and be replaced by it; in a plain list small models lose count and run facts together.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from string import Template
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, create_model

from index.models.profiles import ModelProfile
from index.models.protocol import Prompt, Turn
from index.reports.phrases import counted
from index.wording.briefs import Brief, BriefStatement

_PROMPTS: Final = Path(__file__).parent / "prompts"
_FACT: Final = "fact_"
CHARACTERS: Final = 2.6
"""Characters a token, at the fewest: measured on prompts of real reports."""
_TOKENS_A_TURN: Final = 8
_CAREFUL: Final = "; the third says what to be careful about"


class Draft(BaseModel):
    """What a model makes of a brief: a summary, and a field per fact, ``fact_1``, ``fact_2``, …"""

    model_config = ConfigDict(extra="forbid")

    summary: list[str]

    @property
    def findings(self) -> list[str]:
        """The sentence of each fact, in the order of the facts."""
        names = [name for name in type(self).model_fields if name.startswith(_FACT)]
        return [getattr(self, name) for name in names]


class Corrections(BaseModel):
    """The failing sentences of a draft, written again in the same order."""

    model_config = ConfigDict(extra="forbid")

    sentences: list[str]


def draft_schema(brief: Brief, model: ModelProfile) -> type[Draft]:
    """Return the shape of the draft of ``brief``.

    Lengths are bound, so that a small model cannot ramble on. A lead is asked for whole; where
    nothing enforces that, what there is of it is judged.
    """
    sentence = Annotated[str, Field(max_length=model.sentence_characters)]
    most = _most_sentences(brief, model)
    fewest = 1 if model.findings else most
    asked_for: dict[str, Any] = {"minItems": fewest}
    any_sentences = Field(min_length=1, max_length=most, json_schema_extra=asked_for)
    summary = Annotated[list[sentence], any_sentences]
    fields: dict[str, Any] = {}
    for number, _ in enumerate(brief.facts, start=1):
        fields[f"{_FACT}{number}"] = (sentence, ...)
    return create_model(
        "Draft",
        __base__=Draft,
        summary=(summary, ...),
        **fields,
    )


def corrections_schema(failures: int, model: ModelProfile) -> type[Corrections]:
    """Return the shape of an answer with ``failures`` sentences written again."""
    sentence = Annotated[str, Field(max_length=model.sentence_characters)]
    as_many = Field(min_length=failures, max_length=failures)
    sentences = Annotated[list[sentence], as_many]
    return create_model(
        "Corrections",
        __base__=Corrections,
        sentences=(sentences, ...),
    )


def report_prompt(brief: Brief, model: ModelProfile) -> Prompt:
    """Return the prompt that asks ``model`` to word ``brief``."""
    if not model.findings:
        return _fitting(brief, model)
    kind = "large" if model.tier in ("medium", "large") else "small"
    system = _system(
        f"word_report.{kind}.md",
        summary=_sentences(model),
        last=f"{_FACT}{len(brief.facts)}",
    )
    return with_example(system, show_brief(brief), "word_report")


def _fitting(brief: Brief, model: ModelProfile) -> Prompt:
    """Return the prompt for the lead of ``brief``, without the facts that do not fit."""
    several = _most_sentences(brief, model)
    system = _system(
        "write_lead.md",
        summary=counted(several, "sentence"),
        last=_CAREFUL if brief.caution else "",
    )
    for shown in range(len(brief.context), -1, -1):
        shorter = replace(brief, context=brief.context[:shown])
        prompt = with_example(system, show_lead(shorter), "write_lead")
        if longest_tokens(prompt) <= model.prompt_tokens:
            break
    return prompt


def longest_tokens(prompt: Prompt) -> int:
    """Return how many tokens ``prompt`` has at most, for any tokenizer of a small model.

    Names and numbers take more tokens than prose: ``CHARACTERS`` a token, and a few for each turn.
    """
    messages = prompt.messages()
    characters = sum(len(message["content"]) for message in messages)
    return ceil(characters / CHARACTERS) + _TOKENS_A_TURN * len(messages)


def _most_sentences(brief: Brief, model: ModelProfile) -> int:
    """Return how many sentences a summary has at most; a lead has one of caution or none."""
    if model.findings or brief.caution:
        return model.summary
    return model.summary - 1


def _sentences(model: ModelProfile) -> str:
    return "1 sentence" if model.summary == 1 else f"1 to {model.summary} sentences"


def _system(name: str, **values: str) -> str:
    return Template(read_prompt(name)).substitute(values)


def with_example(system: str, user: str, name: str) -> Prompt:
    """Return the prompt of ``system`` and ``user`` with the solved example called ``name``."""
    asked = read_prompt(f"{name}.example.user.md")
    answered = read_prompt(f"{name}.example.answer.json")
    return Prompt(system=system, user=user, turns=(Turn(asked, answered),))


def repair_prompt(asked: Prompt, answer: str, failures: Sequence[tuple[str, str]]) -> Prompt:
    """Return the prompt that goes on after ``answer`` and asks for the failing sentences again.

    ``failures`` are their (sentence, reasons).
    """
    lines = []
    for number, (sentence, reasons) in enumerate(failures, start=1):
        lines.append(f'{number}. "{sentence}" - {reasons}')
    template = Template(read_prompt("repair_report.md"))
    text = template.substitute(
        failures="\n".join(lines),
        count=counted(len(failures), "sentence"),
    )
    return asked.follow_up(answer, text)


def show_brief(brief: Brief) -> str:
    """Return the facts of ``brief`` as a model reads them, one a line.

    The title is left out: small models take it for what the facts count.
    """
    lines = [_line("Size", brief.size)]
    for number, fact in enumerate(brief.facts, start=1):
        name = f"{_FACT}{number} ({fact.kind})"
        lines.append(_line(name, fact))
    for statement in brief.context:
        name = f"Also ({statement.kind})"
        lines.append(_line(name, statement))
    return "\n".join(lines)


def show_lead(brief: Brief) -> str:
    """Return the facts of ``brief`` as a model reads them that writes the lead, the title first."""
    lines = [f"Title: {brief.title}", _line("Size", brief.size)]
    lines += [_line(f"Fact ({statement.kind})", statement) for statement in brief.context]
    if brief.caution is not None:
        lines.append(_line("Caution", brief.caution))
    return "\n".join(lines)


def _line(name: str, statement: BriefStatement) -> str:
    text = statement.text
    detail = statement.detail
    return f"{name}: {text} {detail}".rstrip()


@functools.cache
def read_prompt(name: str) -> str:
    """Return the file ``name`` of the prompts."""
    path = _PROMPTS / name
    text = path.read_text(encoding="utf-8")
    return text.strip()
