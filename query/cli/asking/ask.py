"""``query ask``: any question, by the way of asking that it calls for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from query.cli.answering import Figure, ModeOptions, answer_command, asking_for, index_asked
from query.cli.console import print_json, reported, say
from query.cli.options import takes
from query.cli.usage import optional

if TYPE_CHECKING:
    from query.answer import Answer
    from query.mode import Asking


@dataclass(frozen=True)
class AskOptions(ModeOptions):
    """Options of ``query ask``: those of all ways of asking, and which way."""

    mode: Annotated[
        str | None,
        optional("Use this way of asking, whatever the question."),
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
    if options.why:
        _print_route(options)
        return

    def answer(asking: Asking) -> Answer:
        from query.ask.ask import MODE_ASK, answer_by

        return answer_by(asking, options.mode or MODE_ASK)

    answer_command(options, answer, figure=options.figure)


def _print_route(options: AskOptions) -> None:
    """Print which way would be taken."""
    with reported(as_json=options.as_json), index_asked(options.db) as con:
        from query.ask.routing import route

        chosen = route(asking_for(con, options, no_llm=True))
    if options.as_json:
        print_json(asdict(chosen))
    else:
        say(f"{chosen.mode}, because {chosen.why}")
