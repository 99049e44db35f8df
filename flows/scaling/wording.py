"""Workers interpret reports, each with the model of its own machine; the build stores the answers.

A call waits for its model, not for a processor: this is for workers that have models of their own.
The answers go into the cache of the build, which finds them there as if it had asked; what no
worker answers it asks itself.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import polars as pl
from pydantic import BaseModel, RootModel

from flows.scaling.parts import Cluster, read_tables, write_tables
from index.errors import ModelError
from index.models.choose import ChatModel, ModelChoice, Prompt, Turn, choose_model
from index.models.metered import MeteredModel
from index.models.openai_answers import parse_answer
from index.models.openai_batch import Ask, CollectingModel, within_budget
from index.models.protocol import json_schema
from index.wording.interpret import interpret_reports
from index.wording.job import WordingJob

_ASKS: Final = "asks"
_ANSWERS: Final = "answers"
_RESULT: Final = "result"
_MODEL: Final = "model.json"
_COLUMNS: Final = {
    "key": pl.String(),
    "text": pl.String(),
    "prompt_tokens": pl.Int64(),
    "completion_tokens": pl.Int64(),
    "fault": pl.String(),
}
"""Of the answers; ``fault`` says why there is none."""
_TOKENS: Final = ("prompt_tokens", "completion_tokens")


@dataclass(frozen=True)
class AskedModel:
    """The model that workers call, and how many calls at a time."""

    model: str
    local: bool
    at_once: int


@dataclass
class Answered:
    """What the workers returned."""

    outcome: Counter[str]
    tokens: int = 0

    def text(self) -> str:
        """Return it in words."""
        counts = [f"{count:,} {why}" for why, count in self.outcome.most_common()]
        came = "; ".join(counts) or "none was needed"
        return f"calls on the cluster: {came}; {self.tokens:,} tokens"


def ask_on(cluster: Cluster, job: WordingJob, choice: ModelChoice) -> tuple[WordingJob, str]:
    """Return ``job`` with its remaining budget, the answers in its cache, and a summary of the
    workers.
    """
    assert choice.model is not None
    wanted = AskedModel(choice.model.name, choice.local, job.workers)
    answered = Answered(Counter())
    asks = asyncio.run(_open_asks(job, choice.model))
    if asks:
        _ask(cluster, "interpret reports", asks, wanted, job, answered)
    return _less(job, answered.tokens), answered.text()


def answer_batch(folder: str) -> None:
    """Answer the calls in ``folder`` with this machine's model, and write the answers there."""
    part = Path(folder)
    wanted = AskedModel(**json.loads((part.parent / _MODEL).read_text()))
    asks = read_tables(part)[_ASKS].to_dicts()
    answers = asyncio.run(_answers(asks, wanted))
    write_tables({_ANSWERS: pl.DataFrame(answers, schema=_COLUMNS)}, part / _RESULT)


async def _open_asks(job: WordingJob, model: ChatModel) -> list[Ask]:
    """Return the calls that are still unanswered and within the budget."""
    collecting = CollectingModel(model)
    await interpret_reports(job, collecting)
    return within_budget(list(collecting.asks.values()), job.config.budget_tokens)


def _ask(
    cluster: Cluster,
    name: str,
    asks: Sequence[Ask],
    wanted: AskedModel,
    job: WordingJob,
    answered: Answered,
) -> None:
    """Let ``cluster`` answer ``asks``; store the answers and count them in ``answered``."""
    by_key = {ask.key: ask for ask in asks}
    with cluster.room(name) as room:
        (room / _MODEL).write_text(json.dumps(asdict(wanted)))
        parts = []
        for start in range(0, len(asks), cluster.batch_calls):
            part = room / f"{start:012}"
            rows = [_row(ask) for ask in asks[start : start + cluster.batch_calls]]
            write_tables({_ASKS: pl.DataFrame(rows)}, part)
            parts.append(str(part))
        for done in cluster.compute(name, answer_batch, parts):
            for row in read_tables(Path(done) / _RESULT)[_ANSWERS].to_dicts():
                _keep(row, by_key[row["key"]], wanted, job, answered)


def _keep(
    row: Mapping[str, Any], ask: Ask, wanted: AskedModel, job: WordingJob, answered: Answered
) -> None:
    """Store a valid answer; count why an invalid one is not."""
    assert job.cache is not None
    if row["fault"] is not None:
        answered.outcome[row["fault"]] += 1
        return
    answered.tokens += row["prompt_tokens"] + row["completion_tokens"]
    try:
        parse_answer(row["text"], ask.schema, model=wanted.model)
    except ModelError as error:
        answered.outcome[error.reason] += 1
        return
    job.cache.keep_answer(
        ask.key,
        model=wanted.model,
        text=row["text"],
        prompt_tokens=row["prompt_tokens"],
        completion_tokens=row["completion_tokens"],
    )
    answered.outcome["answered"] += 1


def _less(job: WordingJob, tokens: int) -> WordingJob:
    """Return ``job`` with a budget reduced by ``tokens``."""
    budget = job.config.budget_tokens
    if budget is None:
        return job
    left = max(budget - tokens, 0)
    return replace(job, config=job.config.model_copy(update={"budget_tokens": left}))


def _row(ask: Ask) -> dict[str, object]:
    """Return a call as a row of a table."""
    return {
        "key": ask.key,
        "prompt": json.dumps(asdict(ask.prompt)),
        "schema_name": ask.schema.__name__,
        "schema": json.dumps(json_schema(ask.schema)),
        "max_tokens": ask.max_tokens,
    }


async def _answers(
    asks: Sequence[Mapping[str, Any]], wanted: AskedModel
) -> list[dict[str, object]]:
    """Return one row per call: this machine's answer, or why there is none."""
    try:
        choice = choose_model(os.environ)
    except ModelError as error:
        return [_fault(ask, error.reason) for ask in asks]
    model = choice.model
    if model is None or (model.name, choice.local) != (wanted.model, wanted.local):
        return [_fault(ask, f"a worker has another model: {choice.reason}") for ask in asks]
    metered = MeteredModel(model)
    waiting = asyncio.Semaphore(wanted.at_once)
    try:
        return list(await asyncio.gather(*(_answer(ask, metered, waiting) for ask in asks)))
    finally:
        await model.aclose()


async def _answer(
    ask: Mapping[str, Any], model: ChatModel, waiting: asyncio.Semaphore
) -> dict[str, object]:
    prompt = _prompt(ask["prompt"])
    schema = _schema(ask["schema_name"], json.loads(ask["schema"]))
    async with waiting:
        try:
            said = await model.complete(prompt, schema, max_tokens=ask["max_tokens"])
        except ModelError as error:
            return _fault(ask, error.reason)
    return {
        "key": ask["key"],
        "text": said.text,
        "prompt_tokens": said.prompt_tokens,
        "completion_tokens": said.completion_tokens,
        "fault": None,
    }


def _fault(ask: Mapping[str, Any], reason: str) -> dict[str, object]:
    return {"key": ask["key"], **dict.fromkeys(("text", *_TOKENS)), "fault": reason}


def _prompt(text: str) -> Prompt:
    said = json.loads(text)
    turns = tuple(Turn(**turn) for turn in said["turns"])
    return Prompt(said["system"], said["user"], turns)


def _schema(name: str, shape: dict[str, Any]) -> type[BaseModel]:
    """Return a model of any JSON object that asks for ``shape``; the build checks the answer."""

    def model_json_schema() -> dict[str, Any]:
        return shape

    members = {"model_json_schema": staticmethod(model_json_schema)}
    return type(name, (RootModel[dict[str, Any]],), members)
