"""A question for a table: its words and names read, and the SQL of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from query.reading.question import Question, read_question
from query.reading.reading import Reading
from query.sql_search.layer.fields import FACET_OF, FIELDS, RUNS
from query.sql_search.layer.lexicon import Token, UnknownWordError, tokens_of
from query.sql_search.layer.phrases import NotUnderstoodError, Phrases
from query.sql_search.layer.request import Table
from query.sql_search.layer.checking import check_all_used
from query.sql_search.layer.runs_sql import ImpossibleTableError, Runs
from query.sql_search.layer.slots import Slots
from query.sql_search.layer.stored_sql import Stored
from query.sql_search.layer.subjects import SUBJECTS, Subject

if TYPE_CHECKING:
    import duckdb

    from query.reading.mentions import Mention
    from query.sql_search.compiling import Compiled

_OF_SOURCE: Final = re.compile(
    r"(?:,? ?(?:only )?(?:using|by|from|in|of|for|with|according to) )?(?:the )?(?:source )?"
    r"(?:serratus(?:[_ ]nt)?|palm[_ ]virome)(?: (?:detections|hits|data|source|screening))?(?: only)?"
)

_EXAMPLES: Final = re.compile(r" ?\([^()]*(?:\([^()]*\)[^()]*)*(?:and so on|etc\.?|\.\.\.|…|e\.g\.)\)")
"""Examples of values in parentheses: (dsDNA, ssRNA(+) and so on)."""
_KINDS_OF_VIRUS: Final = ("family", "genus", "species", "virus", "order")
_KIND_BEFORE: Final = re.compile(
    r"(?P<lead>(?:\b(?:in|with|not|and|or|of|from|for|by)|[,(]) ?(?:the )?)(?P<kind>[a-z]+) "
    r"§(?P<number>\d+)"
)
_BELOW: Final = re.compile(r" ?\([^()]*(?:everything|all) below (?:it|them)\)")
"""Says of a name what every name means here."""
_RISK: Final = re.compile(r"§\d+ (?=risk[ -]groups?)")
_TITLE: Final = re.compile(
    r"(?:i need the |give me the |the )?(?:[\w§]+ ){1,2}(?:panel|overview|picture|survey)(?=:| \()"
)
_INTERVAL: Final = re.compile(
    r"(?<!lower )(?<!upper )(?<!and )\b(?:the )?(?:95 ?% )?(?:ci|confidence intervals?)\b(?!_)"
)
_BOTH_ENDS: Final = re.compile(r"\blower and upper (ci|bound|limit|end)s?")
_SAMPLES_TOO: Final = re.compile(r"\b(how many|number of|runs and|runs,) (?:distinct )?samples\b")
"""Counts samples beside runs: these are biosamples then."""
_NAME: Final = re.compile(r"§\d+")


def layer_table(
    con: duckdb.DuckDBPyConnection, question: Question, masked: str, meant: list[Mention]
) -> tuple[Compiled, Question, bool] | None:
    """Return the SQL of the table that ``question`` asks for, the question of what it names, and
    whether it only lists values with their runs; None where any word of it fits no slot.

    ``masked`` is its text with names as ``§0``, and ``meant`` what each of them means.
    """
    try:
        return read_table(con, question, masked, meant)
    except (UnknownWordError, NotUnderstoodError, ImpossibleTableError):
        return None


def read_table(
    con: duckdb.DuckDBPyConnection, question: Question, masked: str, meant: list[Mention]
) -> tuple[Compiled, Question, bool]:
    """Return the same as ``layer_table``.

    Raises ``UnknownWordError``, ``NotUnderstoodError``, ``ImpossibleTableError``: what of it fits
    no slot.
    """
    masked = prepared(question, _without_kinds(_without_nouns(masked, meant), meant))
    known = {f"§{place}": one for place, one in enumerate(meant)}
    subject = next((one for one in SUBJECTS if re.search(rf"\b(?:{one.asked})", masked)), None)
    reader = _Reader(con, known)
    compiled, table = reader.of_runs(masked) if subject is None else (
        reader.of_stored(subject, masked))  # fmt: skip
    return compiled, _named(con, question, table, known), table.is_plain


@dataclass(slots=True)
class _Reader:
    """Reads the words of a table; ``known`` says what its names mean, and grows with names that the
    question as a whole did not show.
    """

    con: duckdb.DuckDBPyConnection
    known: dict[str, Mention]

    def of_runs(self, masked: str) -> tuple[Compiled, Table]:
        """Return the SQL of a table of runs, and the table."""
        words = {key: one.words for key, one in FIELDS.items()}
        tokens = tokens_of(masked, words, RUNS, unknown=self._name)
        table = table_of(tokens, self._kinds(), numeric={k for k, f in FIELDS.items() if f.numeric})
        return Runs(table, self.known).compiled(), table

    def of_stored(self, subject: Subject, masked: str) -> tuple[Compiled, Table]:
        """Return the SQL of a table of stored rows, and the table."""
        every = {**subject.columns, **subject.numbers}
        words = {key: pattern for key, (pattern, _) in every.items()}
        tokens = tokens_of(masked, words, subject.unit, extra=subject.where,
                           idle=subject.idle, unknown=self._name)  # fmt: skip
        table = table_of(tokens, self._kinds(), numeric={*subject.numbers}, subject=subject.name)
        return Stored(subject, table, self.known).compiled(), table

    def _kinds(self) -> dict[str, str]:
        return {key: one.group for key, one in self.known.items()}

    def _name(self, text: str) -> tuple[Token, int] | None:
        return _read_name(self.con, text, self.known)


def _without_nouns(masked: str, meant: list[Mention]) -> str:
    """Return ``masked`` with names that are nouns of a table as they are written: seas."""
    patterns = [RUNS, *(one.words for one in FIELDS.values())]

    def written(found: re.Match[str]) -> str:
        text = meant[int(found[1])].text.lower()
        return text if any(re.fullmatch(one, text) for one in patterns) else found[0]

    return re.sub(r"§(\d+)", written, masked)


def prepared(question: Question, masked: str) -> str:
    """Return ``masked`` without the source that the question keeps to, without examples in
    parentheses, and without a title before names that are listed.
    """
    if question.reading.source:
        masked = _OF_SOURCE.sub("", masked)
    masked = _EXAMPLES.sub("", masked)
    masked = _BELOW.sub("", masked)
    masked = _INTERVAL.sub("lower ci, upper ci", masked)
    masked = _BOTH_ENDS.sub(r"lower \1, upper \1", masked)
    if re.search(r"\bruns?\b", masked):
        masked = _SAMPLES_TOO.sub(r"\1 biosamples", masked)
    masked = _RISK.sub("", masked)
    titled = _TITLE.match(masked)
    if titled is not None and len(_NAME.findall(masked[titled.end() :])) > 1:
        masked = masked[titled.end() :]
    return masked


def table_of(
    tokens: list[Token], kind_of: dict[str, str], *, numeric: set[str], subject: str = "runs"
) -> Table:
    """Return the table that ``tokens`` ask for; raises ``NotUnderstoodError``."""

    def is_number(key: str) -> bool:
        return key in numeric

    items = Phrases(tokens, kind_of, is_number).items()
    table = Slots(kind_of, is_number, stored=subject != "runs").table(items)
    if table is None:
        raise NotUnderstoodError(tokens[0].text if tokens else "")
    table = replace(table, subject=subject)
    check_all_used(tokens, table)
    return table


def _without_kinds(masked: str, meant: list[Mention]) -> str:
    """Return ``masked`` without nouns that say what the name behind them is: in the family §0."""

    def alone(found: re.Match[str]) -> str:
        group = meant[int(found["number"])].group
        field = next((key for key, one in FIELDS.items() if re.fullmatch(one.words, found["kind"])), "")
        viral = group == "virus" and found["kind"] in _KINDS_OF_VIRUS
        same = viral or field == group or field in FACET_OF.get(group, ())
        return f"{found['lead']}§{found['number']}" if same else found[0]

    return _KIND_BEFORE.sub(alone, masked)


def _read_name(
    con: duckdb.DuckDBPyConnection, text: str, known: dict[str, Mention]
) -> tuple[Token, int] | None:
    """Return a name that the question as a whole did not show: as few words as name one thing."""
    words = re.match(r"[\w'’./-]+(?: [\w'’./-]+){0,2}", text)
    if words is None:
        return None
    found = words[0].split(" ")
    for several in range(len(found), 0, -1):
        said = " ".join(found[:several])
        for key, one in known.items():
            if one.text.lower().removesuffix("viruses").removesuffix("virus").strip() == said:
                return Token("name", key), len(said)
    for several in range(len(found), 0, -1):
        said = " ".join(found[:several])
        mention = _one_name(con, said)
        if mention is not None:
            key = f"§{len(known)}"
            known[key] = mention
            return Token("name", key), len(said)
    return None


def _one_name(con: duckdb.DuckDBPyConnection, said: str) -> Mention | None:
    """Return what ``said`` names, where all of it is one name of something that runs have."""
    read = read_question(con, f"runs of {said}")
    if len(read.mentions) != 1 or read.absent or read.reading.without or read.keywords:
        return None
    (one,) = read.mentions
    whole = one.text.lower().removesuffix("s") == said.removesuffix("s")
    return one if whole and not one.is_condition and one.group != "title" else None


def _named(
    con: duckdb.DuckDBPyConnection, question: Question, table: Table, known: dict[str, Mention]
) -> Question:
    """Return the question of what the table names, for what is said beside its rows."""
    positive = [known[name] for one in table.where if one.kind == "named" and not one.negated
                for name in one.names]  # fmt: skip
    positive += [known[name] for name in table.names]
    plain = read_question(con, "runs")
    reading = replace(Reading(), source=question.reading.source)
    return replace(plain, text=question.text, mentions=tuple(dict.fromkeys(positive)),
                   reading=reading)  # fmt: skip
