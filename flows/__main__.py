"""Serve the deployment ``index`` on this machine: ``python -m flows`` (needs a Prefect server; see
docs/operating.md).

No work pool is needed. Once it runs, ``prefect deployment run index`` starts a build at once; the
schedule does so every night.
"""

from __future__ import annotations

import argparse

from flows.index import index

EPILOG = """examples:
  prefect server start &                                  # once per machine
  python -m flows                                         # the bundled sample, every night at 02:00 UTC
  python -m flows --inputs data/real/inputs.toml --db data/index/virome.duckdb --cron "0 3 * * 1"
  prefect deployment run index                            # now; index/index works everywhere
"""


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(
        prog="python -m flows",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--inputs", default="data/sample/inputs.toml", help="inputs manifest (default: %(default)s)"
    )
    parser.add_argument(
        "--db", default="data/index/virome.duckdb", help="index to publish (default: %(default)s)"
    )
    parser.add_argument("--no-llm", action="store_true", help="leave every report on its template")
    parser.add_argument("--cron", default="0 2 * * *", help="when to build (default: %(default)s)")
    args = parser.parse_args()
    index.serve(
        name="index",
        cron=args.cron,
        global_limit=1,
        parameters={"inputs": args.inputs, "db": args.db, "no_llm": args.no_llm},
        description="Build the index from the inputs manifest and publish it atomically.",
    )


if __name__ == "__main__":
    main()
