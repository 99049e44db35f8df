"""``query global``: one question to the whole index."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from query.cli.answering import Figure, ModeOptions, answer_command, asking_for, index_asked
from query.cli.console import print_json, reported, say
from query.cli.options import takes
from query.cli.usage import MOST, optional
from query.modes import mode_named

if TYPE_CHECKING:
    from query.global_search.planning import PricedPlan


@dataclass(frozen=True)
class GlobalOptions(ModeOptions):
    """Options of ``query global``: those of all ways of asking, and what to read and show."""

    level: Annotated[
        int | None,
        optional("Read communities of this level only.", max=MOST),
    ] = None
    plan: Annotated[
        bool, typer.Option("--plan", help="Say what the answer would cost, and stop.")
    ] = False
    full: Annotated[
        bool, typer.Option("--full", help="Show all communities, not only the first three.")
    ] = False
    figure: Figure = None


@takes(GlobalOptions)
def answer_globally(options: GlobalOptions) -> None:
    """Answer a question from the whole index: one counted sentence, how certain it is, what goes
    with it. --full adds all communities, associations and the coverage.

    A model never changes a count. Without --no-llm the configured model (OPENAI_BASE_URL,
    OPENAI_API_KEY, VIROME_MODEL) ranks the communities and adds an interpretation under its own
    label; a sentence that no statement supports is dropped. A model below 4 billion
    parameters only chooses statements. Ctrl-C keeps the answer so far.

    \b
    Examples:
      query global "Which viruses turn up in bat gut samples?"
      query global "Where are flaviviruses found?" --no-llm
      query global "viruses of the human lung" --no-llm --json | jq .points
      query global "Which viruses infect rice?" --plan
      query global "top 5 virus families of bats" --no-llm --full
    """
    if options.plan:
        _plan(options)
        return
    answer = mode_named("global").answer
    answer_command(options, answer, figure=options.figure, level=options.level)


def _plan(options: GlobalOptions) -> None:
    """Print how the question is read, and what its answer would take at most."""
    with reported(as_json=options.as_json), index_asked(options.db) as con:
        from query.global_search.answering import plan_answer

        asking = replace(asking_for(con, options), level=options.level)
        say(f"read as: {asking.without_model().readable().read_as}", err=options.as_json)
        _print_plan(plan_answer(asking), as_json=options.as_json)


def _print_plan(priced: PricedPlan | None, *, as_json: bool) -> None:
    """Print what an answer would take at most."""
    if as_json:
        print_json(None if priced is None else asdict(priced))
        return
    if priced is None:
        say("no model is configured: the answer is composed from facts, at no cost")
        return
    plan = priced.plan
    about = "" if plan.exact else "about "
    cost = "price not known" if priced.cost_usd is None else f"at most {priced.cost_usd:.4f} USD"
    say(
        f"{priced.model}: {plan.calls} calls ({plan.map_calls} map) for {plan.communities} "
        f"communities, "
        f"{about}{plan.prompt_tokens:,} prompt tokens, at most {plan.completion_tokens:,} "
        f"completion tokens, {cost}; "
        f"{plan.gated} communities kept from the model by biosafety{_groups(plan.withheld)}"
        f"{f', and lines of others{_groups(plan.lines)}' if plan.lines else ''}"
    )


def _groups(withheld: dict[str, int]) -> str:
    from index.exposure import group_counts

    return f": {group_counts(withheld)} (docs/biosafety.md)" if withheld else ""
