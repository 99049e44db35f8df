"""The form in which a model writes an interpretation, in a module of its own because Pydantic loads
slowly.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from index.checking.interpretation import MAX_CHARACTERS, MAX_SENTENCES


class Interpreted(BaseModel):
    """What a model is asked for: sentences of interpretation."""

    model_config = ConfigDict(extra="forbid")

    sentences: Annotated[
        list[Annotated[str, Field(max_length=MAX_CHARACTERS)]],
        Field(max_length=MAX_SENTENCES),
    ]
