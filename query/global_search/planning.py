"""What an answer with a model would take, before the model is asked."""

from __future__ import annotations

from dataclasses import dataclass

from index.exposure import count_groups
from index.models.protocol import Prompt
from query.global_search.mapping import split_batches
from query.global_search.material import Material, Writer
from query.global_search.prompting import interpretation_prompt, rating_prompt
from query.global_search.reducing import fitting

_REPAIRS = 1
"""Calls that send sentences back."""


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """What an answer takes at most: calls, prompt tokens (``exact`` where its tokenizer counted
    them), longest output; ``withheld`` are communities kept from the model, by risk group.
    """

    communities: int
    gated: int
    withheld: dict[str, int]
    map_calls: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    exact: bool


@dataclass(frozen=True, slots=True)
class PricedPlan:
    """What an answer would take; ``cost_usd`` is None where the price of the model is not known."""

    model: str
    plan: AnswerPlan
    cost_usd: float | None


async def plan_prompts(material: Material, writer: Writer) -> AnswerPlan:
    """Return what answering would take at most, without asking the model anything."""
    maps, reduces = _prompts(material, writer)
    counts = [await writer.model.count_tokens(prompt) for prompt in (*maps, *reduces)]
    repaired = [count.tokens + writer.answer_tokens for count in counts[len(maps) :]]
    completion = len(maps) * writer.config.point_tokens
    completion += len(reduces) * (1 + _REPAIRS) * writer.answer_tokens
    return AnswerPlan(
        communities=len(material.shown) if writer.reads else 0,
        gated=len(material.withheld),
        withheld=count_groups(material.withheld),
        map_calls=len(maps),
        calls=len(maps) + len(reduces) * (1 + _REPAIRS),
        prompt_tokens=sum(count.tokens for count in counts) + sum(repaired),
        completion_tokens=completion,
        exact=all(count.exact for count in counts) and not repaired,
    )


def priced(plan: AnswerPlan, writer: Writer) -> PricedPlan:
    """Return ``plan`` with what its model asks for it."""
    from index.models.pricing import price_of

    price = price_of(writer.model.name, local=writer.local)
    cost = None
    if price is not None:
        cost = price.cost_usd(
            prompt_tokens=plan.prompt_tokens, completion_tokens=plan.completion_tokens
        )
    return PricedPlan(writer.model.name, plan, cost)


def _prompts(material: Material, writer: Writer) -> tuple[list[Prompt], list[Prompt]]:
    """Return the prompts of map, and the prompt of reduce as far as it is known before."""
    if not writer.reads or not material.shown:
        return [], []
    batches = split_batches(material.shown, max_tokens=writer.batch_tokens)
    maps = [rating_prompt(material.question, [part.text for part in batch]) for batch in batches]
    texts = [material.lead] if material.lead else []
    texts += [shown.point.description for shown in material.shown]
    best = texts[: fitting(texts, tokens=writer.reduce_tokens)]
    return maps, [interpretation_prompt(material.question, best)]
