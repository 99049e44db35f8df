"""Every benchmark beside its peer, one after another: ``python -m benchmarks`` (``make bench``).

Each writes its figures to benchmarks/results and can be run alone; ``--help`` of each says what it
compares.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

SHARED: Final = os.environ.get("VIROME_SHARED_DATA") or str(
    Path(__file__).parents[2] / "shared" / "data"
)
BENCHMARKS: Final = {
    "ontologies": ["ontologies", f"{SHARED}/ontologies"],
    "grounding": ["grounding", SHARED],
    "leiden": ["leiden"],
    "mwas": ["mwas", "compare"],
}
EPILOG: Final = """examples:
  python -m benchmarks                     # all, in this order
  python -m benchmarks leiden mwas         # some
  python -m benchmarks.leiden --help       # one, with its own options
"""


def main() -> int:
    """Run the benchmarks asked for; return how many failed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of: {', '.join(BENCHMARKS)}")
    names = parser.parse_args().names or list(BENCHMARKS)
    if unknown := sorted(set(names) - set(BENCHMARKS)):
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    failed = [name for name in names if _run(name) != 0]
    print(f"failed: {', '.join(failed)}" if failed else "all done: see benchmarks/results")
    return len(failed)


def _run(name: str) -> int:
    module, *arguments = BENCHMARKS[name]
    print(f"== {name}", flush=True)
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", f"benchmarks.{module}", *arguments], check=False)
    print(f"== {name}: {time.perf_counter() - started:.0f} s\n", flush=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
