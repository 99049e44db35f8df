"""``query global``: one question to the whole index."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from query.cli.console import AsJson, Database, index_opened, print_json, print_prose, reported, say
from query.cli.read import print_reading
from query.cli.usage import known_groups
from query.config import ALL_POINTS, cache_path, database_path

if TYPE_CHECKING:
    from pathlib import Path

    from query.answer import Answer
    from query.global_search.ask import PricedPlan


def answer_globally(
    question: Annotated[str, typer.Argument(help="The question, in words.", show_default=False)],
    db: Database = None,
    as_json: AsJson = False,
    no_llm: Annotated[
        bool, typer.Option("--no-llm", help="Compose the answer from facts; no model is used.")
    ] = False,
    level: Annotated[
        int | None, typer.Option(help="Read communities of this level only.", show_default=False)
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Say what the answer would cost, and stop.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Show every community, not the first three.")
    ] = False,
    budget: Annotated[
        int | None, typer.Option(help="Tokens to spend at most.", min=1, show_default=False)
    ] = None,
    allow_risk: Annotated[
        list[str] | None,
        typer.Option(
            help="Show communities of this risk group (unknown, RG3, RG4) to the model too; may be "
            "repeated.",
            show_default=False,
            callback=known_groups,
        ),
    ] = None,
    no_journal: Annotated[
        bool,
        typer.Option(
            "--no-journal", help="Do not keep the answer for the table `answer` of the next build."
        ),
    ] = False,
) -> None:
    """Answer a question from the whole index, with citations, associations and a coverage ledger.

    Without --no-llm the configured model words the answer (OPENAI_BASE_URL, OPENAI_API_KEY,
    VIROME_MODEL), else the small one on this machine; every sentence it writes is checked, and what
    fails is composed from facts.

    \b
    Examples:
      query global "Which viruses turn up in bat gut samples, and what goes with them?"
      query global "Where are flaviviruses found?" --no-llm
      query global "viruses of the human lung" --no-llm --json | jq .points
      query global "Which viruses infect rice?" --plan
      query global "top 5 virus families" --no-llm --full
    """
    with reported(as_json=as_json), index_opened(db) as con:
        from query.answer import answer_json, answer_text
        from query.config import QueryConfig, model_choice
        from query.global_search.ask import ask_from_facts, ask_model, plan_model

        usual = QueryConfig()
        policy = usual.policy.allowing(allow_risk or ())
        config = QueryConfig(policy=policy, max_points=ALL_POINTS if full else usual.max_points)
        if plan:
            print_reading(con, question, as_json=False, err=as_json)
            _print_plan(
                plan_model(con, question, model_choice(), config=config, level=level),
                as_json=as_json,
            )
            return
        if no_llm:
            answer = ask_from_facts(con, question, config=config, level=level)
        else:
            choice = model_choice()
            if choice.model is None:
                typer.echo(f"note: no model words this answer: {choice.reason}", err=True)
            answer = ask_model(
                con, question, choice, config=config, level=level, budget_tokens=budget,
                cache=cache_path(database_path(db)),
            )  # fmt: skip
        if as_json:
            say(answer_json(answer))
        else:
            print_prose(answer_text(answer))
        if not no_journal:
            _keep(answer, database_path(db))


def _keep(answer: Answer, db: Path) -> None:
    """Add ``answer`` to the journal of the index; it has been given whether or not it can be kept."""
    from query.journal import journal_path, record_answer

    try:
        record_answer(answer, db)
    except OSError as error:
        say(f"note: not kept in {journal_path(db)}: {error.strerror}", err=True)


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
        f"{priced.model}: {plan.calls} calls ({plan.map_calls} map) for {plan.communities} communities, "
        f"{about}{plan.prompt_tokens:,} prompt tokens, at most {plan.completion_tokens:,} completion tokens, {cost}; "
        f"{plan.gated} communities kept from the model by biosafety{_groups(plan.withheld)}"
    )


def _groups(withheld: dict[str, int]) -> str:
    from index.exposure import allow_options, group_counts

    return f": {group_counts(withheld)} ({allow_options(withheld)} shows them)" if withheld else ""
