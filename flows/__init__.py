"""Entry points: the stages of a build in order, as a command and as a Prefect flow."""

import os
import sys

from flows.cancelling import leave_at_once

os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")

_run = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
if _run[-2:] == ["-m", "flows.index"]:
    leave_at_once()
