"""The service that a question is asked of: NCBI with its answers kept, or a recording of it."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from query.config import NcbiSettings
from query.entrez_search.client import CachedService, Caller, NcbiClient, NcbiService
from query.entrez_search.recording import Recording

KEPT_DAYS: Final = 7
"""Days that an answer is kept before NCBI is asked again."""


def choose_service(db: Path, settings: NcbiSettings) -> NcbiService:
    """Return what answers calls.

    Answers of NCBI are kept beside the index at ``db`` if its folder can be written to.
    """
    if settings.replay is not None:
        return Recording(settings.replay)
    client = NcbiClient(Caller(settings.email, settings.api_key))
    if not os.access(db.parent, os.W_OK):
        return client
    since = datetime.now(UTC) - timedelta(days=KEPT_DAYS)
    return CachedService(client, calls_beside(db), since=since)


def calls_beside(db: Path) -> Path:
    """Return where the answers of NCBI to questions about the index at ``db`` are kept."""
    return db.with_name(f"{db.name}.entrez.jsonl")
