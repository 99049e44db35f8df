"""What Prefect tries again."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from prefect.states import exception_to_failed_state

from flows.scheduling.tasks import is_passing
from index.errors import BudgetError, ModelTimeoutError
from ontology_etl.errors import DownloadError, MissingFileError

GONE = DownloadError("https://example.org/bto.obo", "no answer", remedy="wait")


@pytest.mark.parametrize(
    ("stage", "error", "tried_again"),
    [
        ("fetch ontologies", GONE, True),
        ("fetch inputs", GONE, True),
        ("fetch ontologies", MissingFileError("bto.obo"), False),
        ("load ontologies", GONE, False),
        ("interpret reports", ModelTimeoutError("m", "no answer"), True),
        ("interpret reports", BudgetError("m", "spent"), False),
    ],
)
def test_only_what_may_pass_is_tried_again(stage: str, error: Exception, tried_again: bool) -> None:
    failed = asyncio.run(exception_to_failed_state(error))
    assert is_passing(SimpleNamespace(name=stage), None, failed) is tried_again
