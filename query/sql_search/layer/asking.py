"""A question for a table: its words and names read, and the SQL of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from query.reading.question import Question, read_question
from query.reading.reading import Reading
from query.reading.refusal import check_answerable
from query.sql_search.layer.checking import check_all_used
from query.sql_search.layer.fields import FIELDS, RUNS, Field, attribute_field
from query.sql_search.layer.lexicon import TableToken, UnknownWordError, tokens_of
from query.sql_search.layer.naming import masked_text, with_setting
from query.sql_search.layer.phrases.phrases import Phrases
from query.sql_search.layer.preparing import prepared
from query.sql_search.layer.request import ImpossibleTableError, NotUnderstoodError, TableAsked
from query.sql_search.layer.slots.slots import Slots
from query.sql_search.layer.sql.runs import Runs
from query.sql_search.layer.sql.stored import StoredRows
from query.sql_search.layer.subjects import SUBJECTS, StoredSubject

if TYPE_CHECKING:
    import duckdb

    from query.reading.mentions import Mention
    from query.sql_search.compiling import Compiled

_DATED: Final = frozenset({"year", "month", "release_date"})
_COLLECTED: Final = re.compile(r"\b(?:collect\w*|sampled|sampling|taken|isolated)\b")
"""Says when samples were taken, which is not when their runs were released."""


@dataclass(frozen=True, slots=True)
class AskedTable:
    """The SQL of a table that is asked for, and the question of what it names.

    ``is_plain``: it only lists values with their runs, as readings of questions do as well.
    """

    compiled: Compiled
    named: Question
    is_plain: bool


def asked_table(con: duckdb.DuckDBPyConnection, question: Question) -> AskedTable | None:
    """Return the table that ``question`` asks for, None where any word of it fits no slot.

    Raises ``NoEvidenceError`` where no run carries what it names.
    """
    said = with_setting(con, question)
    try:
        asked = read_table(con, said)
    except (UnknownWordError, NotUnderstoodError, ImpossibleTableError):
        return None
    if asked.named.mentions:
        check_answerable(con, asked.named)
    return asked


def unknown_word(con: duckdb.DuckDBPyConnection, question: Question) -> str | None:
    """Return the word of ``question`` that no list of words of tables holds, None where each is
    held.
    """
    try:
        read_table(con, with_setting(con, question))
    except UnknownWordError as error:
        return str(error)
    except (NotUnderstoodError, ImpossibleTableError):
        return None
    return None


def read_table(con: duckdb.DuckDBPyConnection, question: Question) -> AskedTable:
    """Return the table that ``question`` asks for.

    Raises ``UnknownWordError``, ``NotUnderstoodError``, ``ImpossibleTableError``: what of it fits
    no slot.
    """
    masked, meant = masked_text(question)
    masked = prepared(question, masked, meant)
    reader = _Reader({f"§{place}": one for place, one in enumerate(meant)}, con)
    table = reader.table(masked)
    subject = next((one for one in SUBJECTS if one.name == table.subject), None)
    compiled = (
        Runs(table, reader.known, reader.fields).compiled()
        if subject is None
        else StoredRows(subject, table, reader.known).compiled()
    )
    return AskedTable(compiled, _named(con, question, table, reader.known), table.is_plain)


def is_worded_as_table(question: Question) -> bool:
    """Return whether the words and names of ``question`` ask for a table, and for more than values
    with their runs.
    """
    masked, meant = masked_text(question)
    reader = _Reader({f"§{place}": one for place, one in enumerate(meant)})
    try:
        return not reader.table(prepared(question, masked, meant)).is_plain
    except (UnknownWordError, NotUnderstoodError):
        return False


@dataclass(slots=True)
class _Reader:
    """Reads the words of a table; ``known`` says what its names mean, and grows with names that the
    question as a whole did not show; ``fields`` grows with attributes as submitted.
    """

    known: dict[str, Mention]
    con: duckdb.DuckDBPyConnection | None = None
    fields: dict[str, Field] = field(default_factory=lambda: dict(FIELDS))

    def table(self, masked: str) -> TableAsked:
        """Return the table that ``masked`` asks for."""
        for subject in SUBJECTS:
            if re.search(rf"\b(?:{subject.asked})", masked):
                return self._of_stored(subject, masked)
        words = {key: one.words for key, one in FIELDS.items()}
        tokens = tokens_of(masked, words, RUNS, unknown=self._unknown)
        dated = any(one.value in _DATED for one in tokens)
        collected = _COLLECTED.search(masked) if dated else None
        if collected is not None:
            raise NotUnderstoodError(collected[0])
        numeric = {key for key, one in FIELDS.items() if one.numeric}
        return table_of(tokens, self._kinds(), numeric=numeric)

    def _of_stored(self, subject: StoredSubject, masked: str) -> TableAsked:
        every = {**subject.columns, **subject.numbers}
        words = {key: pattern for key, (pattern, _) in every.items()}
        tokens = tokens_of(
            masked,
            words,
            subject.unit,
            extra=subject.where,
            idle=subject.idle,
            unknown=self._unknown,
        )
        return table_of(tokens, self._kinds(), numeric={*subject.numbers}, subject=subject.name)

    def _kinds(self) -> dict[str, str]:
        return {key: one.group for key, one in self.known.items()}

    def _unknown(self, text: str) -> tuple[TableToken, int] | None:
        """Return what a word means that no list holds: an attribute as submitted, or a name; as
        few words as name one thing.
        """
        words = re.match(r"[\w'’./-]+(?: [\w'’./-]+){0,2}", text)
        if words is None or self.con is None:
            return None
        found = words[0].split(" ")
        several = [" ".join(found[:count]) for count in range(len(found), 0, -1)]
        named = self._shortened(several)
        if named is not None:
            return named
        attribute = _attribute(self.con, several)
        if attribute is not None:
            said, made = attribute
            self.fields.setdefault(made.key, made)
            return TableToken("field", said, made.key), len(said)
        for said in several:
            mention = _one_name(self.con, said)
            if mention is not None:
                key = f"§{len(self.known)}"
                self.known[key] = mention
                return TableToken("name", key), len(said)
        return None

    def _shortened(self, several: list[str]) -> tuple[TableToken, int] | None:
        """Return a name whose last word is said once for several: dengue and Zika virus."""
        for said in several:
            for key, one in self.known.items():
                text = one.text.lower().removesuffix("viruses").removesuffix("virus").strip()
                if text == said:
                    return TableToken("name", key), len(said)
        return None


def table_of(
    tokens: list[TableToken], kind_of: dict[str, str], *, numeric: set[str], subject: str = "runs"
) -> TableAsked:
    """Return the table that ``tokens`` ask for; raises ``NotUnderstoodError``."""

    def is_number(key: str) -> bool:
        return key in numeric

    phrases = Phrases(tokens, kind_of, is_number)
    items = phrases.items()
    slots = Slots(kind_of, is_number, stored=subject != "runs", listed=phrases.listed)
    table = slots.table(items)
    if table is None:
        raise NotUnderstoodError(tokens[0].text if tokens else "")
    table = replace(table, subject=subject)
    check_all_used(tokens, table)
    return table


def _attribute(con: duckdb.DuckDBPyConnection, several: list[str]) -> tuple[str, Field] | None:
    """Return the attribute as submitted that the first of ``several`` words name, and the words."""
    for said in several:
        names = {said, said.removesuffix("s"), said.replace(" ", "_")}
        listed = ", ".join("?" for _ in names)
        query = f"SELECT 1 FROM stated_attribute WHERE lower(attribute) IN ({listed}) LIMIT 1"
        if len(said) > _SHORT and con.execute(query, [*names]).fetchall():
            return said, attribute_field(said, sorted(names))
    return None


_SHORT: Final = 2
"""Letters of a word that is too short to name an attribute."""


def _one_name(con: duckdb.DuckDBPyConnection, said: str) -> Mention | None:
    """Return what ``said`` names, where all of it is one name of something that runs have."""
    read = read_question(con, f"runs of {said}")
    if len(read.mentions) != 1 or read.absent or read.reading.without or read.keywords:
        return None
    (one,) = read.mentions
    whole = one.text.lower().removesuffix("s") == said.removesuffix("s")
    return one if whole and not one.is_condition and one.group != "title" else None


def _named(
    con: duckdb.DuckDBPyConnection, question: Question, table: TableAsked, known: dict[str, Mention]
) -> Question:
    """Return the question of what the table names, for what is said beside its rows."""
    positive = [known[name] for one in table.where if one.kind == "named" and not one.negated
                for name in one.names]  # fmt: skip
    positive += [known[name] for name in table.names]
    plain = read_question(con, "runs")
    reading = replace(Reading(), source=question.reading.source)
    return replace(plain, text=question.text, mentions=tuple(dict.fromkeys(positive)),
                   reading=reading)  # fmt: skip
