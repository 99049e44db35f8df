"""Garbage collection held back while millions of lasting objects are made: walking them again and
again costs more.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_suspended() -> Iterator[None]:
    """Suspend garbage collection for a block that makes objects which live on and are in no cycle."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
