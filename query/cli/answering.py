"""What the commands that answer share: their options, printing an answer, and the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Final

import duckdb
import typer

from index.claims.phrases import counted
from index.exposure import RISK_POLICY, RiskPolicy, policy_named
from query.answer import Answer, ResultTable, answer_record
from query.cli.console import (
    AsJson,
    Database,
    index_opened,
    print_json,
    print_prose,
    print_table,
    reported,
    say,
)
from query.cli.listing import ListedColumn
from query.cli.usage import argument, file_option, known_policy, optional, takes
from query.config import (
    ALL_POINTS,
    QueryConfig,
    cache_path,
    database_path,
    model_choice,
    silence_limit,
    usual_policy,
)
from query.mode import Asking, Mode

if TYPE_CHECKING:
    from query.cli.watching import TerminalWatch

Words = Annotated[str, argument("The question, in words.")]
NoModel = Annotated[bool, typer.Option("--no-llm", help="Answer from facts only, without a model.")]
Full = Annotated[bool, typer.Option("--full", help="Show everything found, not only the best.")]
Budget = Annotated[int | None, optional("Maximum number of tokens to spend.", min=1)]
RiskPolicyName = Annotated[
    str | None,
    optional(
        "What a model may see: open (all), careful (RG3, RG4 and unknown on this machine "
        "only; the default) or strict (none of those anywhere).",
        "--risk-policy",
        envvar=RISK_POLICY,
        callback=known_policy,
    ),
]
Figure = Annotated[
    Path | None,
    file_option("Draw the chart of a ranking, a comparison or a share to this file, SVG or PNG."),
]
NoJournal = Annotated[
    bool,
    typer.Option("--no-journal", help="Do not record the answer for the next build."),
]


@dataclass(frozen=True)
class ModeOptions:
    """Options that all ways of asking have."""

    question: Words
    db: Database = None
    as_json: AsJson = False
    no_llm: NoModel = False
    full: Full = False
    budget: Budget = None
    risk_policy: RiskPolicyName = None
    no_journal: NoJournal = False


def command_of(mode: Mode) -> Callable[..., None]:
    """Return the command of ``mode``, with the options that all ways of asking have."""

    def command(options: ModeOptions) -> None:
        answer_command(options, mode.answer)

    command.__doc__ = mode.help_text()
    return takes(ModeOptions)(command)


def answer_command(
    options: ModeOptions,
    answer: Callable[[Asking], Answer],
    *,
    figure: Path | None = None,
    level: int | None = None,
) -> None:
    """Answer the question of ``options``: print it as it comes, keep it, draw its chart."""
    with reported(as_json=options.as_json), index_asked(options.db) as con:
        asking = replace(asking_for(con, options), level=level)
        watch = watch_of(asking, as_json=options.as_json)
        given = answer(replace(asking, watch=watch))
        give(
            given,
            options.db,
            as_json=options.as_json,
            full=options.full,
            keep=not options.no_journal,
            watch=watch,
        )
        draw_figure(given, figure)


@contextmanager
def index_asked(db: Path | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield the index opened for a question, and load the vectors that screen it meanwhile."""
    loading = Thread(target=_load_vectors, name="vectors")
    loading.start()
    try:
        with index_opened(db) as con:
            yield con
    finally:
        loading.join()  # modules cannot be imported while Python ends


def _load_vectors() -> None:
    from index.models.embeddings import load

    load()


def policy_of(risk_policy: str | None) -> RiskPolicy:
    """Return the policy that an option names, else the usual one."""
    return policy_named(risk_policy) if risk_policy else usual_policy()


def asking_for(con: duckdb.DuckDBPyConnection, options: ModeOptions) -> Asking:
    """Return the question of ``options`` with the model of the environment; a note says if none."""
    usual = QueryConfig(policy=policy_of(options.risk_policy), silence_s=silence_limit())
    config = replace(usual, max_points=ALL_POINTS) if options.full else usual
    choice = None if options.no_llm else model_choice()
    if choice is not None and choice.model is None:
        say(f"note: no model adds to this answer: {choice.reason}", err=True)
    path = database_path(options.db)
    cache = cache_path(path)
    return Asking(options.question, con, path, config, choice, options.budget, cache)


def watch_of(asking: Asking, *, as_json: bool) -> TerminalWatch | None:
    """Return what prints an answer as it comes; None without a model, and for JSON."""
    if as_json or asking.model is None:
        return None
    from query.cli.watching import TerminalWatch

    return TerminalWatch(asking.model.name)


def give(
    answer: Answer,
    db: Path | None,
    *,
    as_json: bool,
    full: bool = False,
    keep: bool = True,
    watch: TerminalWatch | None = None,
) -> None:
    """Print ``answer`` without what ``watch`` has printed, and add it to the journal of the index.

    A table of one row is already in the text. If the question asks for CSV, the rows alone are
    printed, with every column, and the text goes to the standard error.
    """
    from query.answer_text import answer_text

    if as_json:
        print_json(answer_record(answer))
    elif answer.form == "csv" and answer.table is not None:
        from query.sql_search.saving import table_csv

        say(answer_text(answer, full=full), err=True)
        typer.echo(table_csv(answer.table), nl=False)
    else:
        shown = answer if watch is None else watch.rest_of(answer)
        print_prose(answer_text(shown, full=full), paged=shown is answer)
        if answer.table is not None and len(answer.table.rows) > 1:
            print_some(answer.table, full=full)
    if keep:
        keep_answer(answer, database_path(db))


def draw_figure(answer: Answer, path: Path | None) -> None:
    """Draw the chart of ``answer`` to ``path`` if one is named; if there is none, say why."""
    if path is None:
        return
    if answer.chart is None:
        say(f"note: {path} not written: {_NO_CHART}", err=True)
        return
    from query.answers.charts import draw_chart

    draw_chart(answer.chart, path, title=answer.question)
    say(f"written: {path}", err=True)


_NO_CHART: Final = (
    "this answer has no single row of numbers to draw. A list by runs (which hosts …), two numbers "
    "compared (is X in more runs than Y) and a share (what share of …) have a chart"
)


def print_some(table: ResultTable, *, full: bool) -> None:
    """Print the first rows of an answer, and say how many more there are."""
    from query.answers.tables import printed

    shown = printed(table, full=full)
    print_result(shown)
    more = len(table.rows) - len(shown.rows)
    if more:
        rows = counted(more, "more row")
        say(f"note: {rows}: --full prints all rows and columns, --json has them too", err=True)


def print_result(table: ResultTable) -> None:
    """Print the rows of an answer."""
    print_table([ListedColumn(name, cut=True) for name in table.columns], table.rows)


def keep_answer(answer: Answer, db: Path) -> None:
    """Add ``answer`` to the journal of the index, or note that it could not be added."""
    from query.journal import journal_path, record_answer

    try:
        record_answer(answer, db)
    except OSError as error:
        say(f"note: not kept in {journal_path(db)}: {error.strerror or error}", err=True)
