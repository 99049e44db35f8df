"""Turn requests into SQL, and only here: resolve names, run statements, count wholes."""

from __future__ import annotations

from query.compiler.errors import AmbiguousNameError, UnknownNameError
from query.compiler.result import Omission, Result, ResultColumn, RunTally
from query.compiler.running import run, run_explained
