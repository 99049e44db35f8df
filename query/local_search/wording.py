"""The best triples worded by a model: each sentence is checked, and what fails is dropped.

A model sees only triples whose runs lie in communities that the policy shows it.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import duckdb
from pydantic import BaseModel, ConfigDict, Field

from index.checking.numbers import has_number
from index.checking.statements import gather_statements
from index.checking.verification import verify
from index.errors import ModelError
from index.exposure import RiskPolicy
from index.models.protocol import Prompt, Turn
from query.answer import Usage
from query.local_search.triples import Triple
from query.metering import metered_model

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
class HeldSentences:
    """Sentences that hold; how many did not; why there is none; what it cost."""

    sentences: tuple[str, ...] = ()
    dropped: int = 0
    gated: int = 0
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


def word_triples(
    asking: Asking, con: duckdb.DuckDBPyConnection, question: str, triples: Sequence[Triple]
) -> HeldSentences:
    """Return what the model of ``asking`` makes of ``triples``, best first; nothing without one.

    ``con`` has the temporary tables of ``query.local_search.gathering.gather_triples``.
    """
    choice = asking.choice
    if choice is None or choice.model is None:
        return HeldSentences()
    policy = asking.config.policy
    visible = [one for one in triples if may_see(con, one, policy, local=choice.local)]
    shown = visible[:SHOWN]
    gated = sum(one not in shown for one in triples[:SHOWN])
    notes: tuple[str, ...] = ()
    if gated:
        notes = (f"{gated} statements kept from {choice.model.name} for biosafety",)
    if not shown:
        return HeldSentences(gated=gated, notes=notes)
    metered = metered_model(asking, choice.model)
    sentences = [one.sentence for one in shown]
    worded = asyncio.run(_word(question, sentences, metered.model))
    notes += worded.notes
    return replace(worded, gated=gated, notes=notes, usage=metered.usage())


def word_prompt(question: str, statements: Sequence[str]) -> Prompt:
    """Return the prompt that asks for an answer from numbered ``statements``."""
    lines = [f"Question: {question}"]
    for number, text in enumerate(statements, 1):
        lines.append(f"{number}. {text}")
    user = "\n".join(lines)
    system = _read("word_triples.md")
    return Prompt(system=system, user=user, turns=(_example(),))


def _example() -> Turn:
    shown = _read("word_triples.example.user.md")
    answered = _read("word_triples.example.answer.json")
    return Turn(shown, answered)


def may_see(
    con: duckdb.DuckDBPyConnection, triple: Triple, policy: RiskPolicy, *, local: bool
) -> bool:
    """Return whether a model may see ``triple``: no run with both its values is in a community of
    the finest level whose risk group is withheld.
    """
    asked = {"facet": triple.facet, "value": triple.value}
    ((found,),) = con.execute(_RISKS, asked).fetchall()
    groups = found or ["unknown"]
    return all(policy.may_see(group, local=local) for group in groups)


async def _word(question: str, statements: Sequence[str], model: ChatModel) -> HeldSentences:
    prompt = word_prompt(question, statements)
    try:
        answer = await model.complete(prompt, WordedTriples, max_tokens=_MAX_TOKENS)
    except ModelError as error:
        return HeldSentences(notes=(error.reason,))
    finally:
        await model.aclose()
    sentences = answer.parsed.sentences
    held = [one for one in sentences if holds(question, one, statements)]
    dropped = len(sentences) - len(held)
    if not held:
        return HeldSentences(dropped=dropped, notes=("no sentence of the model held",))
    texts = [one.text.strip() for one in held]
    distinct = dict.fromkeys(texts)
    return HeldSentences(tuple(distinct), dropped)


def holds(question: str, one: WordedSentence, statements: Sequence[str]) -> bool:
    """Return whether a sentence states a number and nothing beyond the statements it names."""
    by_number = dict(enumerate(statements, 1))
    named = dict.fromkeys(one.statements)
    named_statements = [by_number[number] for number in named if number in by_number]
    if not named_statements or not has_number(one.text):
        return False
    known = gather_statements(named_statements, known=[question])
    unproven = verify(one.text, known)
    return not unproven


@functools.cache
def _read(name: str) -> str:
    path = _PROMPTS / name
    text = path.read_text(encoding="utf-8")
    return text.strip()


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
