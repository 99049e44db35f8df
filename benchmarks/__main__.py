"""Every benchmark beside its peer, one after another, and one table with ratios of all:
``python -m benchmarks`` (``make bench``).

Each can be run alone; ``--help`` of each says what it compares.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from typing import Final

from benchmarks.places import add_record_option, results_folder

BENCHMARKS: Final = {
    "ontologies": ["ontologies"],
    "grounding": ["grounding"],
    "leiden": ["leiden"],
    "mwas": ["mwas", "compare"],
    "retrieval": ["retrieval"],
}
TABLE: Final = "side_by_side"
"""What makes one table of the figures of all."""
EPILOG: Final = """examples:
  python -m benchmarks                     # all, in this order
  python -m benchmarks leiden mwas         # some
  python -m benchmarks --record            # all, and keep their figures in benchmarks/results
  python -m benchmarks.leiden --help       # one, with its own options
"""


def main() -> int:
    """Run the benchmarks asked for; return how many failed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of: {', '.join(BENCHMARKS)}")
    add_record_option(parser)
    options = parser.parse_args()
    names = options.names or list(BENCHMARKS)
    unknown = sorted(set(names) - set(BENCHMARKS))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    names = [*names, TABLE]
    failed = [name for name in names if _run(name, record=options.record) != 0]
    if failed:
        print(f"failed: {', '.join(failed)}")
    else:
        print(f"all done: see {results_folder(record=options.record)}")
    return len(failed)


def _run(name: str, *, record: bool) -> int:
    module, *arguments = BENCHMARKS.get(name, [name])
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    if record:
        command.append("--record")
    print(f"== {name}", flush=True)
    started = time.perf_counter()
    done = subprocess.run(command, check=False)
    print(f"== {name}: {time.perf_counter() - started:.0f} s\n", flush=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
