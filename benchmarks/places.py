"""Where benchmarks read the real inputs and write their figures.

Figures go to ``benchmarks/out``, which git ignores; ``--record`` writes them to
``benchmarks/results``, which the README quotes.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Final

BENCHMARKS: Final = Path(__file__).parent
RECORDED: Final = BENCHMARKS / "results"
SCRATCH: Final = BENCHMARKS / "out"
BESIDE_PROJECT: Final = BENCHMARKS.parents[1] / "shared" / "data"


def shared_data() -> Path:
    """Return the folder of the real inputs: ``VIROME_SHARED_DATA``, else beside the project."""
    return Path(os.environ.get("VIROME_SHARED_DATA") or BESIDE_PROJECT)


def add_record_option(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the option ``--record``."""
    parser.add_argument(
        "--record",
        action="store_true",
        help="write the figures to benchmarks/results, which git tracks (default: benchmarks/out)",
    )


def data_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of a folder of real inputs, ``data``, and ``--record``."""
    parser = argparse.ArgumentParser(
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "data",
        type=Path,
        nargs="?",
        default=shared_data(),
        help="folder with ontologies/ and virome/ (default: VIROME_SHARED_DATA, or %(default)s)",
    )
    add_record_option(parser)
    return parser


def results_folder(*, record: bool) -> Path:
    """Return the folder that figures are written to, which exists from here on."""
    folder = RECORDED if record else SCRATCH
    folder.mkdir(parents=True, exist_ok=True)
    return folder
