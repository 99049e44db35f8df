"""``query ask``: any question, by the way of asking that it calls for."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from query.cli.answering import (
    Figure,
    ModeOptions,
    asking_of,
    config_of,
    draw_figure,
    give,
    index_asked,
    watch_of,
)
from query.cli.console import print_json, reported, say
from query.cli.options import takes

if TYPE_CHECKING:
    from query.ask.routing import Route


@dataclass(frozen=True)
class AskOptions(ModeOptions):
    """Options of ``query ask``: those of all ways of asking, and which way."""

    mode: Annotated[
        str | None,
        typer.Option(help="Ask in this way, whatever the question.", show_default=False),
    ] = None
    why: Annotated[
        bool, typer.Option("--why", help="Say which way would be taken and why, and stop.")
    ] = False
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
      query ask "Which tissues have most human herpesviruses?" --figure tissues.svg
      query ask "Which chromosome is rs7412 on?" --why
    """
    db, as_json = options.db, options.as_json
    with reported(as_json=as_json), index_asked(db) as con:
        from query.ask.ask import MODE_ASK, answer_by
        from query.ask.routing import route

        config = config_of(full=options.full, risk_policy=options.risk_policy)
        no_llm = options.no_llm or options.why
        asking = asking_of(con, options.question, db, config, no_llm=no_llm, budget=options.budget)
        if options.why:
            _print_route(route(asking), as_json=as_json)
            return
        watch = watch_of(asking, as_json=as_json)
        answer = answer_by(replace(asking, watch=watch), options.mode or MODE_ASK)
        give(
            answer,
            db,
            as_json=as_json,
            full=options.full,
            keep=not options.no_journal,
            watch=watch,
        )
        draw_figure(answer, options.figure)


def _print_route(chosen: Route, *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(chosen))
    else:
        say(f"{chosen.mode}, because {chosen.why}")
