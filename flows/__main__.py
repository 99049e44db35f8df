"""Serve the deployment ``index`` on this machine: ``python -m flows`` (needs a Prefect server; see
docs/operating.md).

No work pool is needed. Once it runs, ``prefect deployment run index`` starts a build at once; the
schedule does so every night.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from flows.console import make_app, run_app
from flows.index import AcceptShrink, Inputs, NoModel, Parameters, Target
from flows.options import check_inputs, choose_target
from index.config import read_config
from query.cli.console import reported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prefect.schedules import Schedule

NAME = "python -m flows"
app = make_app()


@app.command()
def serve(
    inputs: Inputs = None,
    db: Target = None,
    config: Parameters = None,
    no_llm: NoModel = False,
    accept_shrink: AcceptShrink = False,
    cron: Annotated[str, typer.Option(help="When to build, in UTC.")] = "0 2 * * *",
) -> None:
    """Serve the deployment `index` until interrupted: builds on a schedule, or at once on demand.

    \b
    Examples:
      prefect server start &                             # once per machine
      python -m flows                                    # the bundled sample, every night
      python -m flows --inputs data/real/inputs.toml --cron "0 3 * * 1"
      prefect deployment run index                       # now; index/index works everywhere
      prefect deployment run index --param accept_shrink=true

    \b
    Exit codes: 2 wrong usage, 3 an input, 10 no Prefect server.
    """
    with reported(as_json=False):
        target = choose_target(inputs, db)
        read_config(config)
        check_inputs(target.inputs)
        from flows.server import find_server

        find_server()
    schedule = _schedule(cron)
    from prefect.types.entrypoint import EntrypointType

    from flows.index_flow import index

    index.serve(
        name="index",
        schedule=schedule,
        global_limit=1,
        parameters={
            "inputs": str(target.inputs),
            "db": str(target.db),
            "config": None if config is None else str(config),
            "wording": {"no_llm": no_llm},
            "accept_shrink": accept_shrink,
        },
        description="Build the index from the inputs manifest and publish it atomically.",
        entrypoint_type=EntrypointType.MODULE_PATH,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted; return the exit code."""
    return run_app(app, arguments, name=NAME)


def _schedule(cron: str) -> Schedule:
    """Return ``cron`` as a schedule in UTC; an invalid one is a usage error."""
    from prefect.client.schemas.schedules import CronSchedule
    from prefect.schedules import Cron

    try:
        CronSchedule(cron=cron)
    except ValueError as error:
        raise typer.BadParameter(
            f"{cron!r} is not a cron expression", param_hint="--cron"
        ) from error
    return Cron(cron, timezone="UTC")


if __name__ == "__main__":
    sys.exit(main())
