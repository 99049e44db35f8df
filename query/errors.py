"""Errors of asking: a question that the index cannot answer, a name it does not hold. The root is
in ``ontology_etl``.

QueryError                       8   the question cannot be answered
├── EmptyQuestionError
├── NoEvidenceError                  nothing in the index supports an answer; ``nearest`` is what it does hold
├── UnknownCommunityError
├── AmbiguousCommunityError          the words mean several communities of one level
├── UnknownLevelError
└── UnknownFamilyError
"""

from __future__ import annotations

from collections.abc import Sequence

from ontology_etl.errors import ViromeError


class QueryError(ViromeError):
    """The question cannot be answered."""

    exit_code = 8


class EmptyQuestionError(QueryError):
    """The question holds no word."""

    def __init__(self) -> None:
        super().__init__(
            "the question is empty",
            remedy='ask in words: query global "Which viruses infect bats?"',
        )


class NoEvidenceError(QueryError):
    """Nothing in the index supports an answer; ``nearest`` names what the index does hold."""

    def __init__(self, question: str, reason: str, *, nearest: Sequence[str]) -> None:
        held = (
            f"the index does hold: {', '.join(nearest)}"
            if nearest
            else "see what it holds: query communities"
        )
        super().__init__(f"no evidence for {question!r}: {reason}", remedy=held)
        self.question = question
        self.reason = reason
        self.nearest = tuple(nearest)


class UnknownCommunityError(QueryError):
    """No community has the identifier asked for."""

    def __init__(self, community: str, *, nearest: Sequence[str]) -> None:
        remedy = f"did you mean {', '.join(nearest)}? All of them: query communities"
        super().__init__(
            f"{community}: no such community",
            remedy=remedy if nearest else "list them: query communities",
        )
        self.community = community


class AmbiguousCommunityError(QueryError):
    """The words mean several communities of one level."""

    def __init__(self, text: str, *, candidates: Sequence[str], total: int, level: int) -> None:
        more = ", …" if total > len(candidates) else ""
        super().__init__(
            f"{text}: {total:,} communities of level {level} match",
            remedy=f"name one: {', '.join(candidates)}{more}",
        )
        self.text = text
        self.candidates = tuple(candidates)


class UnknownLevelError(QueryError):
    """The hierarchy has no such level."""

    def __init__(self, level: int, *, levels: Sequence[int]) -> None:
        known = ", ".join(str(known) for known in levels) or "none"
        super().__init__(f"level {level}: no such level", remedy=f"levels of this index: {known}")
        self.level = level


class UnknownFamilyError(QueryError):
    """No association names the virus family asked for."""

    def __init__(self, family: str, *, nearest: Sequence[str]) -> None:
        held = (
            f"families with associations: {', '.join(nearest)}"
            if nearest
            else "this index holds no associations"
        )
        super().__init__(f"{family}: no associations of this virus family", remedy=held)
        self.family = family
