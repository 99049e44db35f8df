"""``query ask``, ``query global`` and ``query entrez``: one question, one answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from index.exposure import DEFAULT_POLICY, group_counts
from query.answer import Answer
from query.cli.answering import (
    Figure,
    ModeOptions,
    NoJournal,
    NoModel,
    Words,
    answer_command,
    asking_for,
    give,
    index_asked,
)
from query.cli.console import AsJson, Database, print_json, reported, say
from query.cli.usage import MOST, optional, takes
from query.config import NcbiSettings, database_path, model_choice, ncbi_settings
from query.entrez_search.mode import chain_of
from query.mode import Asking
from query.modes import mode_named

if TYPE_CHECKING:
    from query.global_search.planning import PricedPlan


@dataclass(frozen=True)
class AskOptions(ModeOptions):
    """Options of ``query ask``: those of all ways of asking, and which way."""

    mode: Annotated[str | None, optional("Use this way of asking, whatever the question.")] = None
    why: Annotated[bool, optional("Print the way of asking and why, and stop.", "--why")] = False
    figure: Figure = None


@takes(AskOptions)
def ask(options: AskOptions) -> None:
    """Answer any question: its reading decides which way of asking is used.

    Questions about genes, variants, genomes or sequences are sent to NCBI (query entrez --help). If
    a question can be read in several ways, you get up to three to choose from.

    \b
    Examples:
      query ask "Which viruses turn up in bat gut samples?"
      query ask "Which studies mention honey bees?"
      query ask "List bat runs with their country."
      query ask "viruses of pigs" --mode global --json
      query ask "Which tissues have the most human herpesviruses?" --figure tissues.svg
      query ask "Which chromosome is rs7412 on?" --why
    """
    if options.why:
        _print_route(options)
        return

    def answer(asking: Asking) -> Answer:
        from query.ask.ask import MODE_ASK, answer_by

        return answer_by(asking, options.mode or MODE_ASK)

    answer_command(options, answer, figure=options.figure)


def _print_route(options: AskOptions) -> None:
    with reported(as_json=options.as_json), index_asked(options.db) as con:
        from query.ask.routing import route

        chosen = route(asking_for(con, replace(options, no_llm=True)))
    if options.as_json:
        print_json(asdict(chosen))
    else:
        say(f"{chosen.mode}, because {chosen.why}")


@dataclass(frozen=True)
class GlobalOptions(ModeOptions):
    """Options of ``query global``: those of all ways of asking, and what to read and show."""

    level: Annotated[int | None, optional("Read communities of this level only.", max=MOST)] = None
    plan: Annotated[bool, optional("Print what the answer would cost, and stop.", "--plan")] = False
    full: Annotated[bool, optional("Show all communities, not just three.", "--full")] = False
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
        reading = asking.without_model().readable()
        say(f"read as: {reading.read_as}", err=options.as_json)
        _print_plan(plan_answer(asking), as_json=options.as_json)


def _print_plan(priced: PricedPlan | None, *, as_json: bool) -> None:
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
    return f": {group_counts(withheld)} (docs/biosafety.md)" if withheld else ""


def answer_from_ncbi(
    question: Words,
    db: Database = None,
    as_json: AsJson = False,
    no_llm: NoModel = False,
    replay: Annotated[Path | None, optional("Answer from recorded calls; nothing is sent.")] = None,
    no_journal: NoJournal = False,
) -> None:
    """Ask NCBI about genes and their functions, variants, genes of diseases, the origin of a
    sequence, genomes of a virus, or the project of a run.

    The names and sequences of the question are sent to NCBI (eutils and blast.ncbi.nlm.nih.gov),
    at most 3 requests a second, 10 with NCBI_API_KEY; set NCBI_EMAIL. Answers are cached next to
    the index for a week. For other kinds of questions a configured model chooses at most ten calls.
    --replay or VIROME_ENTREZ_REPLAY answers from a file of recorded calls.

    \b
    Examples:
      query entrez "What is the official gene symbol of p53?"
      query entrez "Which chromosome is rs7412 on?" --json
      query entrez "Which genes are linked with phenylketonuria?"
      query entrez "How many genomes of Zika virus does GenBank have?"
      query entrez "What does the gene of rs7412 do?" --no-llm
    """
    with reported(as_json=as_json):
        from query.entrez_search.ask import answer_entrez
        from query.entrez_search.client import choose_service

        usual = ncbi_settings()
        settings = NcbiSettings(replay or usual.replay, usual.email, usual.api_key)
        if settings.replay is None and not settings.email:
            say("note: NCBI asks for an address to write to: set NCBI_EMAIL", err=True)
        path = database_path(db)
        chain = None if no_llm else chain_of(model_choice(), question, DEFAULT_POLICY)
        answer = answer_entrez(question, choose_service(path, settings), chain=chain)
        keep = not no_journal and path.parent.is_dir()
        give(answer, db, as_json=as_json, keep=keep)
