"""Work on the next item while the previous result is used, as many steps use only one core."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def side_by_side(work: Callable[[T], R], items: Iterable[T], *, workers: int = 2) -> Iterator[R]:
    """Yield ``work(item)`` in the order of ``items``; at most ``workers`` are made or waiting.

    An error of ``work`` is raised where its result would come.

    >>> list(side_by_side(str.upper, ["a", "b", "c"]))
    ['A', 'B', 'C']
    """
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[R]] = deque()
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) == workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
