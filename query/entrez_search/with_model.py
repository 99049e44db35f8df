"""A model that chooses the calls: the utilities as tools, at most ten. What it says is not shown.

Source: GeneGPT (Jin et al. 2024), whose prompt has documentation and four demonstrations. The model
is called only if no plan fits the question. The answer quotes what NCBI gave to the last call; no
word of it is the model's.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from index.claims.phrases import counted
from index.errors import ModelError
from index.models.protocol import ChatModel, Prompt, Turn
from query.answer import Usage
from query.answer_text import bullet_list
from query.entrez_search import calls
from query.entrez_search.calls import DATABASES
from query.entrez_search.session import MOST_CALLS, Session
from query.errors import NoEvidenceError, QueryError
from query.metering import Metered, metered_model, run_closing

STEP_TOKENS: Final = 200
SHOWN_CHARACTERS: Final = 1500
"""Of each answer of NCBI that the model reads."""
FIELD_CHARACTERS: Final = 120
MOST_FIELDS: Final = 8
"""Of a summary that an answer quotes."""
_PROMPTS: Final = Path(__file__).parent / "prompts"
_TAG: Final = re.compile(r"<[^>]{1,200}>|\s+")


class Step(BaseModel):
    """The next call, or that the last one gave the answer."""

    model_config = ConfigDict(extra="forbid")

    tool: Literal["esearch", "esummary", "efetch", "elink", "blast", "done"]
    db: Annotated[str, Field(max_length=20)] = ""
    term: Annotated[str, Field(max_length=200)] = ""
    ids: Annotated[list[str], Field(max_length=20)] = []


@dataclass(frozen=True, slots=True)
class NcbiReply:
    """What NCBI gave to a call: as the model reads it, and as an answer quotes it."""

    shown: str
    quoted: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """What NCBI gave to the last of the calls that a model chose, quoted."""

    text: str
    steps: tuple[str, ...]
    usage: Usage


def chain_calls(session: Session, question: str, *, model: ChatModel) -> Chain:
    """Return what NCBI gives to the calls that ``model`` chooses for ``question``.

    Raises ``NoEvidenceError`` where the calls found nothing.
    """
    return run_closing(model, _chain(session, question, metered_model(model)))


async def _chain(session: Session, question: str, metered: Metered) -> Chain:
    prompt = Prompt(_documentation(), question, _demonstrations())
    quoted = ""
    steps: list[str] = []
    try:
        for _ in range(MOST_CALLS + 1):
            said = await metered.model.complete(prompt, Step, max_tokens=STEP_TOKENS)
            step = said.parsed
            if step.tool == "done":
                if quoted:
                    return Chain(quoted, tuple(steps), metered.usage())
                reason = "the calls that the model chose gave no answer"
                raise NoEvidenceError(question, reason)
            found = _carry_out(session, step)
            quoted = found.quoted or quoted
            made = f"{step.tool} {step.db} {step.term}"
            steps.append(made.strip())
            prompt = prompt.follow_up(said.text, found.shown)
    except ModelError as error:
        reason = f"the model failed: {error.message}"
        raise NoEvidenceError(question, reason) from error
    raise NoEvidenceError(question, f"no answer after {MOST_CALLS} calls")


def _carry_out(session: Session, step: Step) -> NcbiReply:
    """Return what NCBI gives to ``step``, or what went wrong."""
    try:
        return _asked(session, step)
    except (QueryError, ValueError) as error:
        return NcbiReply(f"error: {error}")


def _asked(session: Session, step: Step) -> NcbiReply:
    if step.tool == "blast":
        hits = session.blast(step.term.upper(), calls.NUCLEOTIDES)[:5]
        rows = [[hit.accession, hit.title, hit.start, hit.end] for hit in hits]
        return _found(rows, [f"{hit.accession}: {hit.title}" for hit in hits])
    if step.db not in DATABASES:
        known = ", ".join(DATABASES)
        raise ValueError(f"no database {step.db!r}; there are {known}")
    if step.tool == "esearch":
        ids, count = session.search(step.db, step.term, most=10)
        shown = {"count": count, "ids": ids}
        found = f"{counted(count, 'record')} of {step.db} for “{step.term}”: {', '.join(ids)}"
        return _found(shown, [found] if ids else [])
    if step.tool == "elink":
        target = step.term or "gene"
        linked = session.linked(step.db, target, step.ids)
        found = f"linked from {step.db} {', '.join(step.ids)} to {target}: {', '.join(linked)}"
        return _found(linked, [found] if linked else [])
    if step.tool == "efetch":
        text = session.text(calls.fetch(step.db, step.ids, retmode="text"))
        return NcbiReply(_shortened(text), f"“{_shortened(text)}”" if text.strip() else "")
    documents = session.documents(step.db, step.ids)
    quoted = [f"{step.db} {uid}: {_fields(document)}" for uid, document in documents.items()]
    return _found(list(documents.values()), quoted)


def _found(shown: object, lines: list[str]) -> NcbiReply:
    return NcbiReply(_shortened(json.dumps(shown)), bullet_list(lines))


def _fields(document: Mapping[str, object]) -> str:
    """Return the short fields of a summary, as NCBI has them.

    >>> _fields({"uid": "7157", "name": "TP53", "chromosome": "17", "summary": ""})
    'name “TP53”, chromosome “17”'
    """
    short = {
        key: value
        for key, value in document.items()
        if key != "uid" and isinstance(value, str) and 0 < len(value) <= FIELD_CHARACTERS
    }
    return ", ".join(f"{key} “{value}”" for key, value in list(short.items())[:MOST_FIELDS])


def _shortened(text: str) -> str:
    return _TAG.sub(" ", text)[:SHOWN_CHARACTERS]


@functools.cache
def _documentation() -> str:
    return (_PROMPTS / "tools.md").read_text(encoding="utf-8").strip()


@functools.cache
def _demonstrations() -> tuple[Turn, ...]:
    """Return the solved examples: each line is what was said and what was answered to it."""
    lines = (_PROMPTS / "demonstrations.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines if line]
    return tuple(Turn(pair["user"], json.dumps(pair["step"])) for pair in pairs)
