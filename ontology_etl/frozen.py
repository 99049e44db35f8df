"""Small values that are checked when they are made and never change."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A value whose fields cannot be set again, and that has no fields but those it declares."""

    model_config = ConfigDict(frozen=True, extra="forbid")
