"""Requests become SQL here, and only here: names are resolved, statements run, wholes counted."""

from __future__ import annotations

from query.compiler.errors import AmbiguousNameError, UnknownNameError
from query.compiler.result import Omission, Result, ResultColumn, RunTally
from query.compiler.running import run, run_explained
