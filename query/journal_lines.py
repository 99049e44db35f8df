"""The form of a line of the journal: what it must contain to become rows of the index.

Anyone who may write to the folder of the index may write lines, and older versions wrote other
forms, so every line is validated separately.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from index.facets import CITATION_KEYS

_LARGEST: Final = 2**63 - 1
Count = Annotated[int, Field(ge=0, le=_LARGEST)]
Number = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Word = Annotated[str, Field(min_length=1)]


class _Kept(BaseModel):
    """Fields that newer versions add to a line are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class KeptCitation(_Kept):
    """A citation of a point."""

    key: Annotated[str, Field(pattern=f"^({'|'.join(CITATION_KEYS)})$")]
    value: Word
    runs: Count
    verified: bool


class KeptPoint(_Kept):
    """A partial answer."""

    community: Word
    description: str
    score: Annotated[float, Field(ge=0, le=100)]
    citations: tuple[KeptCitation, ...]


class KeptUsage(_Kept):
    """What the answer cost."""

    seconds: Number
    model: str | None
    prompt_tokens: Count
    completion_tokens: Count


class KeptCoverage(_Kept):
    """What was read for the answer."""

    runs_matching: Count
    runs_covered: Count
    read: Count


class KeptAnswer(_Kept):
    """A line of the journal."""

    answer_id: Word
    question: str
    mode: str
    answer: str
    asked_at: str
    points: tuple[KeptPoint, ...]
    usage: KeptUsage
    coverage: KeptCoverage

    def row(self) -> tuple[object, ...]:
        """Return the line as a row of the table ``answer``."""
        usage, coverage = self.usage, self.coverage
        cost = (usage.seconds, usage.model, usage.prompt_tokens, usage.completion_tokens)
        read = (coverage.runs_matching, coverage.runs_covered, coverage.read)
        said = (self.answer_id, self.question, self.mode, self.answer, self.asked_at)
        return (*said, *cost, *read)


def read_line(line: bytes) -> KeptAnswer | str:
    """Return the answer that ``line`` holds, or why it holds none."""
    try:
        return KeptAnswer.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        where = f" at {place}" if place else ""
        return f"not a whole answer{where}: {first['msg']}"[:200]
