"""Garbage collection suspended while millions of lasting objects are made.

The collector would walk all of them again and again, which costs more than making them.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_suspended() -> Iterator[None]:
    """Suspend garbage collection for a block whose objects live on and are in no cycle."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
