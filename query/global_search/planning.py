"""What an answer with a model would take, before the model is asked."""

from __future__ import annotations

from dataclasses import dataclass

from index.exposure import count_groups
from index.models.protocol import Prompt
from query.global_search.briefing import prompt_within
from query.global_search.from_facts import draft_point
from query.global_search.mapping import fitting, split_batches
from query.global_search.material import Material, Writer
from query.global_search.prompting import interpretation_prompt, map_prompt


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """What an answer would take: calls, prompt tokens (``exact`` where its tokenizer counted them),
    longest output.
    """

    communities: int
    gated: int
    withheld: dict[str, int]
    """Communities kept from the model, by risk group."""
    map_calls: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    exact: bool


async def plan_answer(material: Material, writer: Writer) -> AnswerPlan:
    """Return what answering would take at most, without asking the model anything."""
    maps, reduces = _planned_prompts(material, writer)
    counts = [await writer.model.count_tokens(prompt) for prompt in (*maps, *reduces)]
    completion = len(maps) * writer.config.point_tokens + len(reduces) * writer.answer_tokens
    return AnswerPlan(
        communities=len(material.seen),
        gated=len(material.withheld),
        withheld=count_groups(one.risk_group for one, _ in material.withheld),
        map_calls=len(maps),
        calls=len(counts),
        prompt_tokens=sum(count.tokens for count in counts),
        completion_tokens=completion,
        exact=all(count.exact for count in counts),
    )


def _planned_prompts(material: Material, writer: Writer) -> tuple[list[Prompt], list[Prompt]]:
    """Return the prompts of map, and the prompt of the answer as far as it is known before."""
    if not material.can_be_worded_by(writer):
        return [], []
    question = material.question
    if not writer.maps:
        chosen = prompt_within(question, material.facts)
        return [], [chosen]
    batches = split_batches(material.seen, max_tokens=writer.batch_tokens)
    maps = [map_prompt(question, batch) for batch in batches]
    points = [draft_point(*one).description for one in material.seen]
    fits = fitting(points, budget_tokens=writer.reduce_tokens)
    return maps, [interpretation_prompt(question, points[:fits])]
