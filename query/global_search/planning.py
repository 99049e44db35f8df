"""Estimate what an answer with a model would take, without calling the model."""

from __future__ import annotations

from dataclasses import dataclass

from index.exposure import count_groups
from index.models.pricing import price_of
from index.models.protocol import Prompt
from query.global_search.mapping import batch_prompt, rating_tokens, split_batches
from query.global_search.material import Material, Writer
from query.global_search.prompting import answer_prompt, choosing_prompt
from query.global_search.reducing import fitting_statements

_REPAIRS = 1
"""Calls that send sentences back."""


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """What an answer takes at most: calls, prompt tokens (``exact`` if the model's tokenizer
    counted them), longest output; ``withheld`` are communities withheld from the model,
    ``lines`` lines of the other communities, by risk group.
    """

    communities: int
    gated: int
    withheld: dict[str, int]
    lines: dict[str, int]
    map_calls: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    exact: bool


@dataclass(frozen=True, slots=True)
class PricedPlan:
    """What an answer would take; ``cost_usd`` is None if the price of the model is unknown."""

    model: str
    plan: AnswerPlan
    cost_usd: float | None


async def plan_prompts(material: Material, writer: Writer) -> AnswerPlan:
    """Return what answering would take at most, without asking the model anything."""
    batches = split_batches(material.shown, max_tokens=writer.batch_tokens) if writer.reads else []
    maps = [batch_prompt(material.question, batch) for batch in batches]
    reduces = _reduces(material, writer)
    counts = [await writer.model.count_tokens(prompt) for prompt in (*maps, *reduces)]
    repairs = _REPAIRS if writer.reads else 0
    repaired = [count.tokens + writer.answer_tokens for count in counts[len(maps) :]] * repairs
    completion = sum(rating_tokens(len(batch), writer) for batch in batches)
    completion += len(reduces) * (1 + repairs) * writer.answer_tokens
    return AnswerPlan(
        communities=len(material.shown) if writer.chooses else 0,
        gated=len(material.withheld),
        withheld=count_groups(material.withheld),
        lines=count_groups(material.lines.elements()),
        map_calls=len(maps),
        calls=len(maps) + len(reduces) * (1 + repairs),
        prompt_tokens=sum(count.tokens for count in counts) + sum(repaired),
        completion_tokens=completion,
        exact=all(count.exact for count in counts) and not repaired,
    )


def priced(plan: AnswerPlan, writer: Writer) -> PricedPlan:
    """Return ``plan`` with what its model would cost."""
    price = price_of(writer.model.name, local=writer.local)
    tokens = {"prompt_tokens": plan.prompt_tokens, "completion_tokens": plan.completion_tokens}
    return PricedPlan(writer.model.name, plan, None if price is None else price.cost_usd(**tokens))


def _reduces(material: Material, writer: Writer) -> list[Prompt]:
    """Return the prompt of reduce as far as it is known in advance; none if no model is asked."""
    if not writer.chooses or not material.shown:
        return []
    statements = [shown.titled(text) for shown in material.shown for text in shown.statements]
    best = fitting_statements(list(dict.fromkeys(statements)), tokens=writer.reduce_tokens)
    prompt = answer_prompt if writer.reads else choosing_prompt
    return [prompt(material.question, material.lead, best)]
