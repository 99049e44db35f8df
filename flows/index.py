"""Build an index from the command line, in place: ``python -m flows.index``.

No Prefect server is needed and Prefect is not loaded. The scheduled way is ``flows/index_flow.py``;
both run the stages of ``flows/order.py``. The stages are loaded only when the arguments are known
to be valid, so errors appear at once.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cancelling import interruptible, terminable
from flows.console import make_app, run_app
from flows.observing.event_log import to_stderr_as_json
from flows.observing.spans import traced
from flows.options import (
    ALL,
    STAGES,
    RunOptions,
    check_inputs,
    choose_target,
    pick_model,
    tokens_of,
)
from flows.progress import EventLog, Progress, both, silent
from index.config import ENGINES, read_config
from query.cli.answering import RiskPolicyName
from query.cli.console import AsJson, reported
from query.cli.usage import takes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.summary import BuildSummary
    from index.config import IndexConfig
    from index.models.choose import ModelChoice
    from index.wording.plan import Plan

NAME = "python -m flows.index"
app = make_app()

Inputs = Annotated[
    Path | None,
    typer.Option(help="Inputs manifest, TOML; default: the bundled sample.", show_default=False),
]
Target = Annotated[
    Path | None,
    typer.Option(
        help="Index to publish; default: data/index/virome.duckdb, for the sample "
        "data/index/demo.duckdb.",
        show_default=False,
    ),
]
NoModel = Annotated[bool, typer.Option("--no-llm", help="Ask no model to interpret reports.")]
AcceptShrink = Annotated[
    bool,
    typer.Option(
        "--accept-shrink",
        help="Publish even if more than a tenth of the runs or reports of the published index "
        "are lost.",
    ),
]
Parameters = Annotated[
    Path | None,
    typer.Option(help="Parameters, TOML; default: index/config.py.", show_default=False),
]


def known_engine(engine: str | None) -> str | None:
    """Return ``engine``; an unknown one is a usage error."""
    if engine is not None and engine not in ENGINES:
        raise typer.BadParameter(f"{engine!r} is not one of {', '.join(ENGINES)}")
    return engine


def known_stage(stage: str | None) -> str | None:
    """Return ``stage``; an unknown one is a usage error."""
    if stage is not None and stage not in STAGES:
        raise typer.BadParameter(f"{stage!r} is not one of {', '.join(STAGES)}")
    return stage


@dataclass(frozen=True)
class BuildOptions:
    """The command-line options of a build."""

    inputs: Inputs = None
    db: Target = None
    config: Parameters = None
    engine: Annotated[
        str | None,
        typer.Option(
            help=f"Clustering engine: {', '.join(ENGINES)}; default: that of --config.",
            callback=known_engine,
            show_default=False,
        ),
    ] = None
    no_llm: NoModel = False
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Estimate the cost of the model per level; publish nothing."),
    ] = False
    budget: Annotated[
        str | None,
        typer.Option(
            help="Spend at most this on the model: tokens (500000) or dollars (2.50USD).",
            show_default=False,
        ),
    ] = None
    batch: Annotated[
        bool,
        typer.Option("--batch", help="Use the Batch API of the provider: cheaper, within a day."),
    ] = False
    risk_policy: RiskPolicyName = None
    accept_shrink: AcceptShrink = False
    force: Annotated[
        bool, typer.Option("--force", help="Run every stage, also unchanged ones.")
    ] = False
    from_stage: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Run this stage and all after it, e.g. 'compute facts'.",
            callback=known_stage,
            show_default=False,
        ),
    ] = None
    as_json: AsJson = False
    log_json: Annotated[bool, typer.Option("--log-json", help="Print progress as JSON lines.")] = (
        False
    )
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no progress.")] = False


@app.command()
@takes(BuildOptions)
def build(options: BuildOptions) -> None:
    """Build an index from an inputs manifest and publish it atomically.

    Stages whose inputs, parameters and code have not changed are not run again.

    \b
    Examples:
      python -m flows.index
      python -m flows.index --inputs data/real/inputs.toml --no-llm
      python -m flows.index --inputs my/inputs.toml --db data/index/mine.duckdb
      python -m flows.index --inputs my/inputs.toml --accept-shrink
      python -m flows.index --inputs my/inputs.toml --from "compute facts"
      python -m flows.index --inputs my/inputs.toml --log-json 2>> builds.jsonl
      OPENAI_BASE_URL=http://127.0.0.1:8135/v1 VIROME_MODEL=qwen2.5-1.5b \\
          python -m flows.index --inputs data/real/inputs.toml
      VIROME_MODEL=gpt-4.1-mini python -m flows.index --inputs data/real/inputs.toml --plan
      VIROME_MODEL=gpt-4.1-mini python -m flows.index --inputs data/real/inputs.toml \\
          --budget 2.50USD --batch
      VIROME_MODEL=gpt-4.1-mini python -m flows.index --risk-policy strict --plan

    \b
    Exit codes: 0 published, 2 wrong usage, 3 an input, 4 a contract, 5 a download, 6 the store,
    7 the model, 9 too much would be lost, 13 a stage took too long; 130 or 143 cancelled.
    """
    with (
        interruptible(),
        terminable(),
        reported(as_json=options.as_json),
        traced(os.environ) as spans,
    ):
        target = choose_target(options.inputs, options.db)
        read_config(options.config)
        check_inputs(target.inputs)
        model = pick_model(no_llm=options.no_llm)
        parameters = _parameters(options, model)
        progress = _progress(options, spans)
        if options.plan:
            from flows.order import plan_stages

            foreseen = plan_stages(*target, config=parameters, model=model, progress=progress)
            _show_plan(foreseen, model, as_json=options.as_json)
            return
        from flows.order import run_stages
        from flows.scaling.on_dask import cluster_of

        progress.cluster = cluster_of(target.db, os.environ)
        summary = run_stages(
            *target,
            config=parameters,
            model=model,
            progress=progress,
            options=RunOptions(options.accept_shrink, _again(options)),
        )
    _show_summary(summary, as_json=options.as_json)


def _progress(options: BuildOptions, spans: EventLog) -> Progress:
    """Return the progress printer or logger, which also feeds ``spans``."""
    if options.log_json:
        return Progress(say_line=silent, log=both(to_stderr_as_json, spans))
    return Progress(say_line=silent, log=spans) if options.quiet else Progress(log=spans)


def _again(options: BuildOptions) -> str | None:
    """Return the stage from which all stages run again."""
    return ALL if options.force else options.from_stage


def main(arguments: Sequence[str] | None = None) -> int:
    """Build an index from the command line; return the exit code."""
    return run_app(app, arguments, name=NAME)


def _parameters(options: BuildOptions, model: ModelChoice) -> IndexConfig:
    """Return the configuration of the file, overridden by the command line."""
    return read_config(
        options.config,
        engine=options.engine,
        budget_tokens=_budget(options.budget, model),
        batch=options.batch,
        risk_policy=options.risk_policy,
    )


def _budget(budget: str | None, model: ModelChoice) -> int | None:
    """Return the tokens that ``budget`` pays for; an invalid budget is a usage error."""
    try:
        return tokens_of(budget, model)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--budget") from error


def _show_plan(plan: Plan | None, model: ModelChoice, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(None if plan is None else asdict(plan), indent=2))
    elif plan is None:
        typer.echo(f"no model: {model.reason}; every report stays on its template")
    else:
        typer.echo(plan.text())


def _show_summary(summary: BuildSummary, *, as_json: bool) -> None:
    typer.echo(json.dumps(summary.as_dict(), indent=2) if as_json else summary.text())


if __name__ == "__main__":
    sys.exit(main())
