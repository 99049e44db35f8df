"""Requests become SQL here, and only here: names resolved, statements run, wholes beside rows."""

from __future__ import annotations

from query.compiler.errors import AmbiguousNameError, UnknownNameError
from query.compiler.result import LeftOut, Result, ResultColumn, Tally
from query.compiler.running import run, run_explained, run_json

__all__ = [
    "AmbiguousNameError",
    "LeftOut",
    "Result",
    "ResultColumn",
    "Tally",
    "UnknownNameError",
    "run",
    "run_explained",
    "run_json",
]
