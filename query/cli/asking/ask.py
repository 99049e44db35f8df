"""``query ask``: the way of asking that suits a question, found by the program."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from query.cli.answering import (
    ModeOptions,
    asking_of,
    config_of,
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


@takes(AskOptions)
def ask(options: AskOptions) -> None:
    """Ask anything: the way of asking that suits the question answers it, and says why.

    Ways that refuse are followed by the next; a question that asks several things is answered part
    by part. A question about genes, variants or genomes is sent to NCBI (query entrez --help).

    \b
    Examples:
      query ask "Which viruses turn up in bat gut samples?"
      query ask "Which studies mention honey bees?"
      query ask "Where is Zika virus found, and how many genomes of it does GenBank have?"
      query ask "viruses of pigs" --mode global --json
      query ask "Which chromosome is rs7412 on?" --why
    """
    db, as_json = options.db, options.as_json
    with reported(as_json=as_json), index_asked(db) as con:
        from query.ask.ask import answer_any, explain
        from query.modes import all_modes, mode_named

        name = options.mode
        modes = all_modes() if name is None else {name: mode_named(name)}
        config = config_of(full=options.full, risk_policy=options.risk_policy)
        no_llm = options.no_llm or options.why
        asking = asking_of(con, options.question, db, config, no_llm=no_llm, budget=options.budget)
        if options.why:
            _print_routes(explain(asking, modes), as_json=as_json)
            return
        watch = watch_of(asking, as_json=as_json)
        asking = replace(asking, watch=watch)
        answer = answer_any(asking, modes) if name is None else modes[name].answer(asking)
        give(answer, db, as_json=as_json, keep=not options.no_journal, watch=watch)


def _print_routes(parts: list[tuple[str, list[Route]]], *, as_json: bool) -> None:
    """Print the ways of asking that suit each part of a question, the best first."""
    if as_json:
        print_json(
            [
                {"question": text, "modes": [_record(one) for one in routes]}
                for text, routes in parts
            ]
        )
        return
    for text, routes in parts:
        say(text)
        for route in routes:
            say(f"  {route.mode.name} ({route.fit.score:.1f}): {route.fit.why}")


def _record(route: Route) -> dict[str, object]:
    return {"mode": route.mode.name, "fit": route.fit.score, "why": route.fit.why}
