"""Errors of asking: a question that the index cannot answer, a name it does not have. The root is
in ``ontology_etl``.

QueryError                       8   the question cannot be answered
├── EmptyQuestionError
├── QuestionTooLongError
├── BeyondCountsError                the index does not hold what it asks for
├── UnclearQuestionError             several readings are likely, or a word is not understood
├── HarmfulQuestionError             it asks how to harm; no mode answers it
├── NoEvidenceError                  nothing in the index supports an answer
├── UnknownCommunityError
├── UnreportedCommunityError         its studies are rows of the community above it
├── AmbiguousCommunityError          the words mean several communities of one level
├── UnknownBuildError
├── UngatedExportError               it has no communities, by which the gate decides
├── UnknownCitationKeyError
├── UnknownTableError
├── GraphTooLargeError               the graph is larger than programs that read it can show
├── FolderError                      a folder or file to write to cannot be written
├── (of SQL)                         query/sql_search/errors.py
│   ├── UnsafeSqlError               it is not one SELECT over tables of the index
│   ├── SqlFailedError               DuckDB cannot plan or run it
│   ├── SqlLimitError                it takes more time or memory than a query may
│   ├── NoWriterError                a model is to write SQL, and none is configured
│   └── SqlUnwrittenError            a model wrote no SQL that runs in any of its tries
├── (of requests)                    query/request/errors.py, query/compiler/errors.py
│   ├── RequestError                 it is no request: says what is wrong, and where
│   ├── UnknownNameError             nothing has the name; ``nearest`` may be meant
│   └── AmbiguousNameError           the name means several things
├── UnknownLevelError
├── UnknownPolicyError               VIROME_RISK_POLICY names no risk policy
├── UnknownFamilyError
├── UnknownModeError                 no way of asking has that name
├── UnknownPassageError              nothing that can be searched has that identifier
├── NotRecordedError                 a replayed question needs a call that was not recorded
├── ServiceError                     NCBI cannot be reached, refuses, or sends something unusable
└── TooManyCallsError                a question needs more calls than one question may make

InputError                       3   ontology_etl/errors.py
└── DocumentError                    a document of the user's own cannot be used

GateError                        11  a figure of an evaluation is below its minimum
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ontology_etl.errors import InputError, ViromeError

_WHAT_IT_HOLDS: Final = "list its communities: query communities"


class GateError(ViromeError):
    """An evaluation falls below its minimum."""

    exit_code = 11

    def __init__(self, failures: Sequence[str]) -> None:
        super().__init__(
            f"below the minimum: {'; '.join(failures)}",
            remedy="see the wrong answers: query evaluate --out scorecard, then "
            "scorecard/scorecard.md",
        )


class QueryError(ViromeError):
    """The question cannot be answered."""

    exit_code = 8


class EmptyQuestionError(QueryError):
    """The question has no words."""

    def __init__(self) -> None:
        super().__init__(
            "the question is empty",
            remedy='ask in words: query global "Which viruses infect bats?"',
        )


class QuestionTooLongError(QueryError):
    """The question is longer than any question."""

    def __init__(self, characters: int, *, most: int) -> None:
        super().__init__(
            f"the question has {characters:,} characters; at most {most:,} are read",
            remedy="ask one thing at a time",
        )


class BeyondCountsError(QueryError):
    """Counts of runs cannot answer the question; ``near`` is a question that they can answer."""

    def __init__(self, question: str, why: str, *, near: str = "") -> None:
        remedy = f'it can answer, for example: query global "{near}"' if near else _WHAT_IT_HOLDS
        super().__init__(f"{question!r} cannot be answered: {why}", remedy=remedy)


class UnclearQuestionError(QueryError):
    """Several readings are likely, or words are not understood; ``choices`` are what may be meant.

    ``choices`` are canonical questions, the likeliest first, each of which can be asked.
    """

    def __init__(
        self,
        question: str,
        *,
        unknown: Sequence[str],
        choices: Sequence[str],
        language: str | None = None,
        names: Sequence[str] = (),
    ) -> None:
        words = ", ".join(f"“{word}”" for word in unknown)
        why = f"{words} not understood" if unknown else "it can be read in several ways"
        if language is not None:
            found = ", ".join(names) or "none"
            why = f"the question is in {language}, which is not read reliably; names: {found}"
        numbered = [f"\n  {number}. {choice}" for number, choice in enumerate(choices, 1)]
        remedy = f"did you mean:{''.join(numbered)}" if choices else "say it in other words"
        super().__init__(f"{question!r}: {why}", remedy=remedy)
        self.choices = tuple(choices)


class HarmfulQuestionError(QueryError):
    """The question asks how an agent could be used to harm."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"this question is not answered: {why}",
            remedy='ask what was found: query global "Where is SARS-CoV-2 found, and in which '
            'hosts?" '
            "(which questions are refused: docs/biosafety.md)",
        )


class NoEvidenceError(QueryError):
    """Nothing in the index supports an answer; ``nearest`` is what it has instead."""

    def __init__(self, question: str, reason: str, *, nearest: Sequence[str] = ()) -> None:
        held = f"the index has: {', '.join(nearest)}" if nearest else _WHAT_IT_HOLDS
        super().__init__(f"no evidence for {question!r}: {reason}", remedy=held)


class UnknownCommunityError(QueryError):
    """No community has this identifier."""

    def __init__(self, community: str, *, nearest: Sequence[str]) -> None:
        remedy = f"did you mean {', '.join(nearest)}? All of them: query communities"
        super().__init__(
            f"{community}: no such community",
            remedy=remedy if nearest else "list them: query communities",
        )


class UnreportedCommunityError(QueryError):
    """The community has no report of its own: its studies are rows of the one above it, if any."""

    def __init__(self, community: str, *, above: str | None) -> None:
        rows = (
            f"; its studies are rows of {above} (study_row)" if above else ": too little is known"
        )
        super().__init__(
            f"{community}: no report of its own{rows}",
            remedy=f"read the report of {above}: query report {above}"
            if above
            else "its facts: SELECT * FROM fact WHERE community = ...",
        )


class AmbiguousCommunityError(QueryError):
    """The words mean several communities of one level."""

    def __init__(self, text: str, *, candidates: Sequence[str], total: int, level: int) -> None:
        more = ", …" if total > len(candidates) else ""
        super().__init__(
            f"{text}: {total:,} communities of level {level} match",
            remedy=f"name one: {', '.join(candidates)}{more}",
        )


class UnknownLevelError(QueryError):
    """The hierarchy has no such level."""

    def __init__(self, level: int, *, levels: Sequence[int]) -> None:
        known = ", ".join(str(known) for known in levels) or "none"
        super().__init__(f"level {level}: no such level", remedy=f"levels of this index: {known}")


class UnknownBuildError(QueryError):
    """No build, or several, are named by the text."""

    def __init__(self, text: str, *, found: Sequence[str], known: Sequence[str]) -> None:
        many = f"{len(found)} builds have this name: {', '.join(found)}"
        super().__init__(
            f"{text}: {many if found else 'no such build'}",
            remedy=f"name one by its time or its content, or 'current': {', '.join(known)}",
        )


class UnknownPolicyError(QueryError):
    """VIROME_RISK_POLICY names no risk policy."""

    def __init__(self, said: str) -> None:
        super().__init__(f"VIROME_RISK_POLICY: {said}", remedy="set it again, or unset it")


class UnknownCitationKeyError(QueryError):
    """No citation has such a key."""

    def __init__(self, key: str, *, known: Sequence[str]) -> None:
        super().__init__(f"{key}: citations have no such key", remedy=f"keys: {', '.join(known)}")


class UnknownTableError(QueryError):
    """The index has no such table or view."""

    def __init__(self, name: str, *, known: Sequence[str]) -> None:
        super().__init__(f"{name}: no such table or view", remedy=f"there are: {', '.join(known)}")


class GraphTooLargeError(QueryError):
    """The graph is larger than the programs that read its file can show."""


class UngatedExportError(QueryError):
    """A model may not have an export without communities: the gate decides by community."""

    def __init__(self, what: str, *, gated: Sequence[str]) -> None:
        super().__init__(
            f"{what} cannot be exported for a model: the biosafety gate decides by community",
            remedy=f"export notes, or one of these tables: {', '.join(gated)}; or --readers people",
        )


class FolderError(QueryError):
    """A folder cannot be made or written to."""

    def __init__(self, folder: object, *, reason: str) -> None:
        super().__init__(f"{folder}: {reason}", remedy="name a folder that can be written to")


class UnknownFamilyError(QueryError):
    """No association is about this virus family."""

    def __init__(self, family: str, *, nearest: Sequence[str]) -> None:
        held = (
            f"families with associations: {', '.join(nearest)}"
            if nearest
            else "this index has no associations"
        )
        super().__init__(f"{family}: no associations of this virus family", remedy=held)


class UnknownModeError(QueryError):
    """No way of asking has the name."""

    def __init__(self, name: str, *, known: Sequence[str]) -> None:
        super().__init__(f"{name}: no such way of asking", remedy=f"one of {', '.join(known)}")


class DocumentError(InputError):
    """A document of the user's own cannot be used."""


class UnknownPassageError(QueryError):
    """Nothing that can be searched has the identifier."""

    def __init__(self, identifier: str) -> None:
        super().__init__(
            f"{identifier}: no such community, finding, study, term, virus or document",
            remedy="identifiers are in the results: query search WORDS",
        )


class NotRecordedError(QueryError):
    """A replayed question needs a call that was not recorded."""

    def __init__(self, call: str, path: Path) -> None:
        super().__init__(
            f"{path}: not recorded: {call}",
            remedy="ask NCBI itself: unset VIROME_ENTREZ_REPLAY, or leave --replay out",
        )


class ServiceError(QueryError):
    """NCBI cannot be reached, refuses, or sends an unusable answer; ``reason`` says which."""

    def __init__(self, call: str, reason: str) -> None:
        super().__init__(
            f"NCBI, {call}: {reason}",
            remedy="try again later; --replay FILE answers from recorded calls without a network",
        )
        self.reason = reason


class TooManyCallsError(QueryError):
    """A question needs more calls than one question may make."""

    def __init__(self, calls: int) -> None:
        super().__init__(
            f"no answer after {calls} calls to NCBI",
            remedy="ask one step at a time, or name the record that is meant",
        )
