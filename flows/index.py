"""The flow ``index``: from an inputs manifest to a published index, one task per stage.

    python -m flows.index --inputs data/sample/inputs.toml          # in place, no server needed
    prefect deployment run index                                     # as the scheduled deployment (python -m flows)

Both ways run the same stages in the same order; the flow adds tasks and an artifact with the counts.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from prefect import flow, get_run_logger, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE

from flows.order import run_stages
from flows.progress import Progress, silent
from index.config import ENGINES, read_config
from index.llm import ModelChoice, choose_model
from index.store import DEFAULT_DB
from ontology_etl.errors import ViromeError

T = TypeVar("T")

DEFAULT_INPUTS = "data/sample/inputs.toml"
EPILOG = """examples:
  python -m flows.index --inputs data/sample/inputs.toml --db data/index/demo.duckdb
  python -m flows.index --inputs data/real/inputs.toml --no-llm
  OPENAI_BASE_URL=http://127.0.0.1:8135/v1 VIROME_MODEL=qwen2.5-1.5b \\
      python -m flows.index --inputs data/real/inputs.toml

exit codes: 0 published, 2 wrong usage, 3 an input cannot be used, 4 a contract is broken, 6 the store, 7 the model
"""


@flow(name="index")
def index(
    inputs: str = DEFAULT_INPUTS,
    db: str = str(DEFAULT_DB),
    no_llm: bool = False,
    config: str | None = None,
    engine: str | None = None,
) -> dict[str, object]:
    """Build the index of ``inputs`` and publish it at ``db``; return counts and times."""
    progress = Progress(say_line=get_run_logger().info, stage=as_task)
    summary = run_stages(
        Path(inputs),
        Path(db),
        config=read_config(config, engine=engine),
        model=pick_model(no_llm=no_llm),
        progress=progress,
    )
    create_markdown_artifact(key="index-summary", markdown=summary.markdown(), description=f"Index of {inputs}")
    return summary.as_dict()


def as_task(name: str, work: Callable[[], T]) -> T:
    """Return what ``work`` returns, run as a Prefect task; tables go from hand to hand and are not persisted."""

    @task(name=name, cache_policy=NO_CACHE, persist_result=False)
    def stage() -> T:
        return work()

    return stage()


def pick_model(*, no_llm: bool) -> ModelChoice:
    """Return the model the environment asks for, or none with ``no_llm``."""
    return ModelChoice(None, None, "--no-llm") if no_llm else choose_model(os.environ)


def main(arguments: list[str] | None = None) -> int:
    """Build an index from the command line; return the exit code."""
    args = _parser().parse_args(arguments)
    progress = Progress(say_line=silent) if args.quiet else Progress()
    try:
        summary = run_stages(
            Path(args.inputs),
            Path(args.db),
            config=read_config(args.config, engine=args.engine),
            model=pick_model(no_llm=args.no_llm),
            progress=progress,
        )
    except ViromeError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(summary.as_dict(), indent=2) if args.json else summary.text())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m flows.index",
        description="Build an index from an inputs manifest and publish it atomically.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--inputs", default=DEFAULT_INPUTS, help="inputs manifest, TOML (default: %(default)s)")
    parser.add_argument("--db", default=str(DEFAULT_DB), help="index to publish (default: %(default)s)")
    parser.add_argument("--config", help="parameters, TOML (default: the built-in ones; see index/config.py)")
    parser.add_argument("--engine", choices=ENGINES, help="clustering engine (default: that of the configuration)")
    parser.add_argument("--no-llm", action="store_true", help="leave every report on its template")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return parser


if __name__ == "__main__":
    sys.exit(main())
