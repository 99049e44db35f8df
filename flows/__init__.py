"""Entry points: the stages of a build in their order, as a command and as a Prefect flow with its
deployment.
"""

import sys

from flows.cancelling import leave_at_once

_run = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
if _run[-2:] == ["-m", "flows.index"]:
    leave_at_once()
