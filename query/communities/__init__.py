"""stub"""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from query.answer import Association, Coverage, Point
from query.config import QueryConfig
from query.request import Request


@dataclass(frozen=True, slots=True)
class CommunityEvidence:
    """stub"""

    points: tuple[Point, ...] = ()
    evidence: tuple[Association, ...] = ()
    coverage: Coverage = Coverage(0, 0, 0, 0, 0, 0, 0, 0)


def communities_of(
    con: duckdb.DuckDBPyConnection,
    request: Request,
    *,
    text: str,
    config: QueryConfig,
    level: int | None = None,
) -> CommunityEvidence:
    """stub"""
    return CommunityEvidence()
