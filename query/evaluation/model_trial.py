"""A trial of a model on tasks with recorded answers, which decides what it would be used for.

Reports, map and reduce show the lines that were shown when the answer was recorded; readings and
SQL are made for the index at hand, and compared with what the recorded answer gives there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import duckdb

from index.checking.evidence import ShownEvidence
from index.checking.interpretation import interpretation_of
from index.checking.interpreted import Interpreted
from index.checking.names import IndexNames
from index.errors import ModelError
from index.models.choose import ModelChoice
from index.models.gated import GatedModel, gate_names
from index.models.protocol import AnswerT, ChatModel, Prompt
from index.wording.prompting import prompt_about, shown_titles
from query.config import QueryConfig
from query.errors import QueryError
from query.evaluation.recorded_answers import RecordedAnswer, Task, numbered_lines
from query.evaluation.replaying import ReplayedModel
from query.global_search.prompting import AnsweredQuestion, RatedCommunities, prompt_of
from query.metering import run_closing
from query.mode import Asking
from query.reading.proposing import MOST_TOKENS, ProposedRequests, reading_prompt
from query.reading.reader import read
from query.request import from_json
from query.sql_search.catalogue import read_catalogue
from query.sql_search.running import DEFAULT_LIMITS
from query.sql_search.staging import write_in_stages

_HELPS: Final = 2
"""Relevance from which a community helps to answer."""
_MAP_TOKENS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a model: what is counted, and the smallest share that suffices."""

    name: str
    counted: str
    least: float


USES: Final = (
    Use("interpret", "sentences that can be printed at once", 0.7),
    Use("rate communities", "communities rated as helping or not, as recorded", 0.8),
    Use("choose statements", "statements chosen that were chosen before, or the reverse", 0.4),
    Use("read questions", "questions with the recorded request", 0.7),
    Use("write SQL", "questions with the rows of the recorded SQL", 0.6),
)
"""The least shares are set by hand: below them, a reader gets more wrong than the program alone."""


@dataclass(frozen=True, slots=True)
class TriedTask:
    """The outcome of one recorded task: for each use, how many were right, and of how many."""

    task: Task
    subject: str
    right: Mapping[str, tuple[int, int]]
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of one use, and whether the model would be used for it."""

    use: str
    right: int
    of: int
    counted: str
    least: float
    used: bool


def try_recorded(
    con: duckdb.DuckDBPyConnection,
    db: Path,
    choice: ModelChoice,
    recorded: Iterable[RecordedAnswer],
) -> Iterator[TriedTask]:
    """Yield how the model of ``choice`` does each of the ``recorded`` tasks, as it comes.

    What the policy keeps from the model is left out.
    """
    assert choice.model is not None
    policy = QueryConfig().policy
    model = GatedModel(choice.model, lambda: gate_names(con, policy, local=choice.local))
    trying = _Trying(con, db, choice, model, IndexNames(con))
    for answer in recorded:
        withheld = sum(model.refused.values())
        try:
            right = trying.scores(answer)
        except (ModelError, QueryError) as error:
            if sum(model.refused.values()) > withheld:
                continue
            nothing = dict.fromkeys(_USES_OF[answer.task], (0, 1))
            yield TriedTask(answer.task, answer.subject, nothing, failure=error.message)
            continue
        yield TriedTask(answer.task, answer.subject, right)


def scores_of(tried: Iterable[TriedTask]) -> tuple[Score, ...]:
    """Return the figures of each use over all that was ``tried``."""
    counted = {use.name: [0, 0] for use in USES}
    for task in tried:
        for name, (right, of) in task.right.items():
            counted[name][0] += right
            counted[name][1] += of
    scores = []
    for use in USES:
        right, of = counted[use.name]
        used = of > 0 and right >= use.least * of
        scores.append(Score(use.name, right, of, use.counted, use.least, used))
    return tuple(scores)


_USES_OF: Final[Mapping[Task, tuple[str, ...]]] = {
    "report": ("interpret",),
    "map": ("rate communities",),
    "reduce": ("choose statements", "interpret"),
    "reading": ("read questions",),
    "sql": ("write SQL",),
}


@dataclass(frozen=True)
class _Trying:
    con: duckdb.DuckDBPyConnection
    db: Path
    choice: ModelChoice
    model: ChatModel
    names: IndexNames

    def scores(self, recorded: RecordedAnswer) -> dict[str, tuple[int, int]]:
        """Return for each use how many are right, of how many."""
        ways: Mapping[Task, Callable[[RecordedAnswer], Any]] = {
            "report": self._report,
            "map": self._map,
            "reduce": self._reduce,
            "reading": self._reading,
            "sql": self._sql,
        }
        scores: dict[str, tuple[int, int]] = ways[recorded.task](recorded)
        return scores

    def _report(self, recorded: RecordedAnswer) -> dict[str, tuple[int, int]]:
        prompt = prompt_about(recorded.shown)
        answer = self._asked(prompt, Interpreted, max_tokens=self._answer_tokens)
        lines = list(numbered_lines(recorded.shown).values())
        evidence = ShownEvidence(lines, self.names, about=shown_titles(prompt))
        example = prompt.turns[0].assistant
        return {"interpret": _printed(answer.sentences, evidence, example)}

    def _map(self, recorded: RecordedAnswer) -> dict[str, tuple[int, int]]:
        prompt = prompt_of("rate_communities", [recorded.shown])
        answer = self._asked(prompt, RatedCommunities, max_tokens=_MAP_TOKENS)
        rated = {rating.community: rating.relevance for rating in answer.communities}
        before = {
            rating["community"]: rating["relevance"] for rating in recorded.answer["communities"]
        }
        alike = [
            (rated.get(number, 0) >= _HELPS) == (relevance >= _HELPS)
            for number, relevance in before.items()
        ]
        return {"rate communities": (sum(alike), len(alike))}

    def _reduce(self, recorded: RecordedAnswer) -> dict[str, tuple[int, int]]:
        prompt = prompt_of("answer_question", [recorded.shown])
        answer = self._asked(prompt, AnsweredQuestion, max_tokens=self._answer_tokens)
        chosen = {number for group in answer.groups for number in group.statements}
        before = {number for group in recorded.answer["groups"] for number in group["statements"]}
        lines = list(numbered_lines(recorded.shown).values())
        question_lines = [line for line in recorded.shown.split("\n") if not line.startswith("[")]
        evidence = ShownEvidence(lines, self.names, about=question_lines)
        example = prompt.turns[0].assistant
        return {
            "choose statements": (len(chosen & before), len(chosen | before)),
            "interpret": _printed(answer.sentences, evidence, example),
        }

    def _reading(self, recorded: RecordedAnswer) -> dict[str, tuple[int, int]]:
        names = read(self.con, recorded.subject).names
        prompt = reading_prompt(recorded.subject, names)
        answer = self._asked(prompt, ProposedRequests, max_tokens=MOST_TOKENS)
        proposed = [from_json(text) for text in answer.requests]
        before = [from_json(text) for text in recorded.answer["requests"]]
        return {"read questions": (int(proposed == before), 1)}

    def _sql(self, recorded: RecordedAnswer) -> dict[str, tuple[int, int]]:
        rows = self._rows(recorded.subject, self.model)
        before = self._rows(recorded.subject, ReplayedModel())
        return {"write SQL": (int(rows == before), 1)}

    def _rows(self, question: str, model: ChatModel) -> list[str]:
        """Return the rows of the SQL that ``model`` writes, in any order."""
        choice = replace(self.choice, model=model)
        asking = Asking(question, self.con, self.db, QueryConfig(), choice)
        written = write_in_stages(asking, read_catalogue(self.con), limits=DEFAULT_LIMITS)
        return sorted(json.dumps(row, default=str) for row in written.table.rows)

    def _asked(self, prompt: Prompt, schema: type[AnswerT], *, max_tokens: int) -> AnswerT:
        """Return the model's answer; raises ``ModelError``."""
        answer = self.model.complete(prompt, schema, max_tokens=max_tokens)
        return run_closing(self.model, answer).parsed

    @property
    def _answer_tokens(self) -> int:
        assert self.choice.profile is not None
        return self.choice.profile.report_tokens


def _printed(sentences: Iterable[str], evidence: ShownEvidence, example: str) -> tuple[int, int]:
    """Return how many sentences can be printed, of how many; no sentence counts as one missed."""
    given = interpretation_of(sentences, evidence, example=example)
    printed = len(given.sentences) + len(given.restated)
    return printed, max(1, printed + given.dropped)
