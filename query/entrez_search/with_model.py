"""A model that chooses the calls: the utilities as tools, at most ten, the answer checked.

Source: GeneGPT (Jin et al. 2024), whose prompt has documentation and four demonstrations. It is
asked only where a question sets none of the tasks that have a plan. What it answers is kept where
every name and number in it was in the question or in what NCBI answered.
"""

from __future__ import annotations

import asyncio
import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from index.errors import ModelError
from index.models.protocol import ChatModel, Completion, Prompt, Turn
from query.answer import Usage
from query.entrez_search import calls
from query.entrez_search.blast_text import Alignment
from query.entrez_search.calls import DATABASES
from query.entrez_search.session import MOST_CALLS, Session
from query.errors import NoEvidenceError, QueryError

STEP_TOKENS: Final = 200
SHOWN_CHARACTERS: Final = 1500
"""Of each answer of NCBI that the model reads."""
_PROMPTS: Final = Path(__file__).parent / "prompts"
_NAME: Final = re.compile(r"\b(?=\w*[A-Z\d])[A-Za-z]*[A-Z\d][\w.:-]*\w|\b\d+\b")
_TAG: Final = re.compile(r"<[^>]{1,200}>|\s+")


class Step(BaseModel):
    """The next call, or the answer."""

    model_config = ConfigDict(extra="forbid")

    tool: Literal["esearch", "esummary", "efetch", "elink", "blast", "answer"]
    db: Annotated[str, Field(max_length=20)] = ""
    term: Annotated[str, Field(max_length=200)] = ""
    ids: Annotated[list[str], Field(max_length=20)] = []
    answer: Annotated[str, Field(max_length=500)] = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """What a model answered after its calls."""

    text: str
    steps: tuple[str, ...]
    usage: Usage


def chain_calls(session: Session, question: str, *, model: ChatModel) -> Chain:
    """Return what ``model`` answers to ``question`` from the calls it chose.

    Raises ``NoEvidenceError`` where it gives no answer that the records support.
    """
    chain = _chain(session, question, model)
    return asyncio.run(chain)


async def _chain(session: Session, question: str, model: ChatModel) -> Chain:
    prompt = Prompt(_documentation(), question, _demonstrations())
    seen: list[str] = [question]
    spent: list[Completion[Step]] = []
    steps: list[str] = []
    try:
        for _ in range(MOST_CALLS + 1):
            said = await model.complete(prompt, Step, max_tokens=STEP_TOKENS)
            spent.append(said)
            step = said.parsed
            if step.tool == "answer":
                text = _supported(question, step.answer, seen)
                usage = _usage(model, spent)
                return Chain(text, tuple(steps), usage)
            shown = _carry_out(session, step)
            made = f"{step.tool} {step.db} {step.term}"
            steps.append(made.strip())
            seen.append(shown)
            prompt = prompt.follow_up(said.text, shown)
    except ModelError as error:
        reason = f"the model failed: {error.message}"
        raise NoEvidenceError(question, reason, nearest=()) from error
    finally:
        await model.aclose()
    raise NoEvidenceError(question, f"no answer after {MOST_CALLS} calls", nearest=())


def _carry_out(session: Session, step: Step) -> str:
    """Return what NCBI answers to ``step``, short; what went wrong, where it did."""
    try:
        return _shortened(_asked(session, step))
    except (QueryError, ValueError) as error:
        return f"error: {error}"


def _asked(session: Session, step: Step) -> str:
    if step.tool == "blast":
        hits = session.blast(step.term.upper(), calls.NUCLEOTIDES)
        shown = [_columns(hit) for hit in hits[:5]]
        return json.dumps(shown)
    if step.db not in DATABASES:
        known = ", ".join(DATABASES)
        raise ValueError(f"no database {step.db!r}; there are {known}")
    if step.tool == "esearch":
        ids, count = session.search(step.db, step.term, most=10)
        found = {"count": count, "ids": ids}
        return json.dumps(found)
    if step.tool == "elink":
        target = step.term or "gene"
        linked = session.linked(step.db, target, step.ids)
        return json.dumps(linked)
    if step.tool == "efetch":
        call = calls.fetch(step.db, step.ids, retmode="text")
        return session.text(call)
    documents = session.documents(step.db, step.ids)
    summaries = list(documents.values())
    return json.dumps(summaries)


def _columns(hit: Alignment) -> list[str | int]:
    return [
        hit.accession,
        hit.title,
        hit.start,
        hit.end,
    ]


def _shortened(text: str) -> str:
    plain = _TAG.sub(" ", text)
    return plain[:SHOWN_CHARACTERS]


def _supported(question: str, answer: str, seen: list[str]) -> str:
    """Return ``answer`` where every name and number of it was seen."""
    known = " ".join(seen).casefold()
    named = _NAME.findall(answer)
    unknown = [name for name in named if not _is_known(name, known)]
    given = answer.strip()
    if given and not unknown:
        return given
    listed = ", ".join(unknown)
    why = f"not in the records: {listed}" if unknown else "it is empty"
    reason = f"the model's answer does not hold ({why})"
    raise NoEvidenceError(question, reason, nearest=())


def _is_known(name: str, known: str) -> bool:
    folded = name.casefold()
    bare = folded.rstrip(".,:")
    return bare in known


def _usage(model: ChatModel, spent: list[Completion[Step]]) -> Usage:
    return Usage(
        model=model.name,
        calls=len(spent),
        cached=sum(one.cached for one in spent),
        prompt_tokens=sum(one.prompt_tokens for one in spent),
        completion_tokens=sum(one.completion_tokens for one in spent),
    )


@functools.cache
def _documentation() -> str:
    path = _PROMPTS / "tools.md"
    text = path.read_text(encoding="utf-8")
    return text.strip()


@functools.cache
def _demonstrations() -> tuple[Turn, ...]:
    """Return the solved examples: each line is what was said and what was answered to it."""
    path = _PROMPTS / "demonstrations.jsonl"
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    return tuple(_turn(line) for line in lines if line)


def _turn(line: str) -> Turn:
    pair = json.loads(line)
    step = json.dumps(pair["step"])
    return Turn(pair["user"], step)
