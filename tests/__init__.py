"""Tests of the whole. Their workers share the cores and their tables are small: one thread each."""

import os

os.environ.setdefault("POLARS_MAX_THREADS", "1")
