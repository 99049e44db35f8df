"""The best triples worded by a model: each sentence is checked, and what fails is dropped.

A model sees only triples whose runs lie in communities that the policy shows it.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import duckdb
from pydantic import BaseModel, ConfigDict, Field

from index.checking.numbers import has_number
from index.checking.statements import gather_statements
from index.checking.verification import verify
from index.errors import ModelError
from index.exposure import RiskPolicy
from index.models.metered import MeteredModel
from index.models.protocol import Prompt, Turn
from query.answer import Usage
from query.local_search.triples import Triple

if TYPE_CHECKING:
    from index.models.protocol import ChatModel
    from query.mode import Asking

_PROMPTS: Final = Path(__file__).parent / "prompts"
SHOWN: Final = 8
"""Statements that a model is shown, best first."""
_MAX_TOKENS: Final = 160


class WordedSentence(BaseModel):
    """A sentence and the numbers of the statements it uses."""

    model_config = ConfigDict(extra="forbid")

    statements: Annotated[list[int], Field(min_length=1, max_length=4)]
    text: Annotated[str, Field(max_length=300)]


class WordedTriples(BaseModel):
    """What a model makes of the best triples: at most two sentences."""

    model_config = ConfigDict(extra="forbid")

    sentences: Annotated[list[WordedSentence], Field(min_length=1, max_length=2)]


@dataclass(frozen=True, slots=True)
class Worded:
    """Sentences that hold; how many did not; why there is none; what it cost."""

    sentences: tuple[str, ...] = ()
    dropped: int = 0
    gated: int = 0
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


def word_triples(
    asking: Asking, con: duckdb.DuckDBPyConnection, question: str, triples: Sequence[Triple]
) -> Worded:
    """Return what the model of ``asking`` makes of ``triples``, best first; nothing without one.

    ``con`` has the temporary tables of ``query.local_search.triples.gather_triples``.
    """
    choice = asking.choice
    if choice is None or choice.model is None:
        return Worded()
    shown = [one for one in triples if may_see(con, one, asking.config.policy, local=choice.local)][
        :SHOWN
    ]
    gated = sum(one not in shown for one in triples[:SHOWN])
    notes = (f"{gated} statements kept from {choice.model.name} for biosafety",) if gated else ()
    if not shown:
        return Worded(gated=gated, notes=notes)
    metered = MeteredModel(choice.model, budget_tokens=asking.budget_tokens)
    model: ChatModel = metered
    if asking.cache is not None:
        from index.models.choose import CachedModel, open_cache

        model = CachedModel(metered, open_cache(asking.cache), spent=metered.spent)
    worded = asyncio.run(_word(question, [one.sentence for one in shown], model))
    spent = metered.spent
    usage = Usage(
        model.name, spent.calls, spent.cached, spent.prompt_tokens, spent.completion_tokens
    )
    return Worded(worded.sentences, worded.dropped, gated, (*notes, *worded.notes), usage)


def word_prompt(question: str, statements: Sequence[str]) -> Prompt:
    """Return the prompt that asks for an answer from numbered ``statements``."""
    lines = [f"{number}. {text}" for number, text in enumerate(statements, 1)]
    example = Turn(_read("word_triples.example.user.md"), _read("word_triples.example.answer.json"))
    user = "\n".join([f"Question: {question}", *lines])
    return Prompt(system=_read("word_triples.md"), user=user, turns=(example,))


def may_see(
    con: duckdb.DuckDBPyConnection, triple: Triple, policy: RiskPolicy, *, local: bool
) -> bool:
    """Return whether a model may see ``triple``: no run with both its values is in a community of
    the finest level whose risk group is withheld.
    """
    ((groups,),) = con.execute(_RISKS, {"facet": triple.facet, "value": triple.value}).fetchall()
    return all(policy.may_see(group, local=local) for group in groups or ["unknown"])


async def _word(question: str, statements: Sequence[str], model: ChatModel) -> Worded:
    prompt = word_prompt(question, statements)
    try:
        answer = await model.complete(prompt, WordedTriples, max_tokens=_MAX_TOKENS)
    except ModelError as error:
        return Worded(notes=(error.reason,))
    finally:
        await model.aclose()
    kept = [one.text.strip() for one in answer.parsed.sentences if holds(question, one, statements)]
    dropped = len(answer.parsed.sentences) - len(kept)
    notes = () if kept else ("no sentence of the model held",)
    return Worded(tuple(dict.fromkeys(kept)), dropped, notes=notes)


def holds(question: str, one: WordedSentence, statements: Sequence[str]) -> bool:
    """Return whether a sentence states a number and nothing beyond the statements it names."""
    numbers = [number for number in dict.fromkeys(one.statements) if 1 <= number <= len(statements)]
    told = [statements[number - 1] for number in numbers]
    if not told or not has_number(one.text):
        return False
    return not verify(one.text, gather_statements(told, known=[question]))


@functools.cache
def _read(name: str) -> str:
    return (_PROMPTS / name).read_text(encoding="utf-8").strip()


_RISKS: Final = """
WITH held AS (SELECT run FROM run_value WHERE facet = $facet AND value = $value),
finest AS (
    SELECT m.community, m.entity AS run
    FROM community_member m JOIN distinct_community c USING (community)
    WHERE c.last_level = (SELECT max(level) FROM community)
)
SELECT list(DISTINCT coalesce(k.risk_group, r.risk_group, 'unknown'))
FROM held JOIN finest f USING (run)
LEFT JOIN community_risk k USING (community) LEFT JOIN report r USING (community)
"""
