"""The flow ``index``: from an inputs manifest to a published index, one task per stage.

    python -m flows.index --inputs data/sample/inputs.toml          # in place, no server needed
    prefect deployment run index                                     # as the scheduled deployment (python -m flows)

Both ways run the same stages in the same order; the flow adds tasks and an artifact with the
counts.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from prefect import flow, get_run_logger, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE

from flows.order import plan_stages, run_stages
from flows.progress import Progress, silent
from index.config import ENGINES, read_config
from index.models.choose import ModelChoice, choose_model
from index.models.pricing import budget_tokens
from index.store.build import DEFAULT_DB
from index.wording.plan import Plan
from ontology_etl.errors import ViromeError

T = TypeVar("T")

DEFAULT_INPUTS = "data/sample/inputs.toml"
EPILOG = """examples:
  python -m flows.index --inputs data/sample/inputs.toml --db data/index/demo.duckdb
  python -m flows.index --inputs data/real/inputs.toml --no-llm
  OPENAI_BASE_URL=http://127.0.0.1:8135/v1 VIROME_MODEL=qwen2.5-1.5b \\
      python -m flows.index --inputs data/real/inputs.toml
  VIROME_MODEL=gpt-4.1-mini python -m flows.index --inputs data/real/inputs.toml --plan
  VIROME_MODEL=gpt-4.1-mini python -m flows.index --inputs data/real/inputs.toml --budget 2.50USD --batch

exit codes: 0 published, 2 wrong usage, 3 an input cannot be used, 4 a contract is broken, 6 the store, 7 the model
"""


@flow(name="index")
def index(
    inputs: str = DEFAULT_INPUTS,
    db: str = str(DEFAULT_DB),
    no_llm: bool = False,
    config: str | None = None,
    engine: str | None = None,
    budget: str | None = None,
    batch: bool = False,
) -> dict[str, object]:
    """Build the index of ``inputs`` and publish it at ``db``; return counts and times."""
    progress = Progress(say_line=get_run_logger().info, stage=as_task)
    model = pick_model(no_llm=no_llm)
    options = read_config(
        config, engine=engine, budget_tokens=tokens_of(budget, model), batch=batch
    )
    summary = run_stages(Path(inputs), Path(db), config=options, model=model, progress=progress)
    create_markdown_artifact(
        key="index-summary", markdown=summary.markdown(), description=f"Index of {inputs}"
    )
    return summary.as_dict()


def as_task(name: str, work: Callable[[], T]) -> T:
    """Return what ``work`` returns, run as a Prefect task; tables go from hand to hand and are not
    persisted.
    """

    @task(name=name, cache_policy=NO_CACHE, persist_result=False)
    def stage() -> T:
        return work()

    return stage()


def pick_model(*, no_llm: bool) -> ModelChoice:
    """Return the model the environment asks for, or none with ``no_llm``."""
    return ModelChoice(None, None, "--no-llm") if no_llm else choose_model(os.environ)


def tokens_of(budget: str | None, choice: ModelChoice) -> int | None:
    """Return the tokens that ``budget`` pays for with the chosen model; None: any number."""
    if budget is None or choice.model is None:
        return None
    return budget_tokens(budget, choice.model.name, local=choice.local)


def main(arguments: list[str] | None = None) -> int:
    """Build an index from the command line; return the exit code."""
    parser = _parser()
    args = parser.parse_args(arguments)
    progress = Progress(say_line=silent) if args.quiet else Progress()
    try:
        model = pick_model(no_llm=args.no_llm)
        try:
            budget = tokens_of(args.budget, model)
        except ValueError as error:
            parser.error(f"--budget: {error}")
        config = read_config(
            args.config, engine=args.engine, budget_tokens=budget, batch=args.batch
        )
        if args.plan:
            plan = plan_stages(
                Path(args.inputs), Path(args.db), config=config, model=model, progress=progress
            )
            return _show_plan(plan, model, as_json=args.json)
        summary = run_stages(
            Path(args.inputs), Path(args.db), config=config, model=model, progress=progress
        )
    except ViromeError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(summary.as_dict(), indent=2) if args.json else summary.text())
    return 0


def _show_plan(plan: Plan | None, model: ModelChoice, *, as_json: bool) -> int:
    """Print what wording would take; return the exit code."""
    if as_json:
        print(json.dumps(None if plan is None else asdict(plan), indent=2))
    else:
        print(
            f"no model: {model.reason}; every report stays on its template"
            if plan is None
            else plan.text()
        )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m flows.index",
        description="Build an index from an inputs manifest and publish it atomically.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--inputs", default=DEFAULT_INPUTS, help="inputs manifest, TOML (default: %(default)s)"
    )
    parser.add_argument(
        "--db", default=str(DEFAULT_DB), help="index to publish (default: %(default)s)"
    )
    parser.add_argument(
        "--config", help="parameters, TOML (default: the built-in ones; see index/config.py)"
    )
    parser.add_argument(
        "--engine", choices=ENGINES, help="clustering engine (default: that of the configuration)"
    )
    parser.add_argument("--no-llm", action="store_true", help="leave every report on its template")
    parser.add_argument(
        "--plan", action="store_true", help="say what wording would take per level; publish nothing"
    )
    parser.add_argument(
        "--budget", help="spend at most this on wording: tokens (500000) or dollars (2.50USD)"
    )
    parser.add_argument(
        "--batch",
        action="store_true",
        help="word by the provider's Batch API: cheaper, within a day",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return parser


if __name__ == "__main__":
    sys.exit(main())
