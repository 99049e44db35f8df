"""``query sql``: a question answered by a table and the SQL that made it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import duckdb
import typer

from query.answer import answer_record
from query.cli.answering import (
    Budget,
    ModeOptions,
    NoJournal,
    NoModel,
    asking_for,
    give,
    index_asked,
    keep_answer,
)
from query.cli.console import AsJson, Database, print_json, print_table, reported, say, writing
from query.cli.listing import columns_of
from query.cli.usage import MOST, file_option, optional, takes
from query.config import database_path
from query.errors import EmptyQuestionError
from query.sql_search.catalogue import read_catalogue
from query.sql_search.saving import FORMATS, save_table, table_csv

if TYPE_CHECKING:
    from query.sql_search.answer import SqlAnswer


SCHEMA: Final = columns_of("table, column, type, meaning", cut="meaning")


@dataclass(frozen=True)
class SqlOptions:
    """Options of ``query sql``."""

    question: Annotated[str, typer.Argument(help="The question, in words.")] = ""
    db: Database = None
    as_json: AsJson = False
    no_llm: NoModel = False
    then: Annotated[
        list[str] | None,
        optional(
            'A follow-up that changes the request ("only in bats"); may be repeated.', "--then"
        ),
    ] = None
    by_model: Annotated[bool, optional("Let the model write the SQL in stages.", "--staged")] = (
        False
    )
    run: Annotated[
        str | None, optional("Run this SELECT as it is, instead of a question.", "--run")
    ] = None
    schema: Annotated[bool, optional("Show the tables that SQL may read.", "--schema")] = False
    output: Annotated[
        Path | None,
        file_option(
            "Write the rows to this file too: .csv, .json or .parquet.",
            endings=[f".{ending}" for ending in FORMATS],
        ),
    ] = None
    as_csv: Annotated[bool, optional("Print only the rows, as CSV.", "--csv")] = False
    timeout: Annotated[float, typer.Option(help="Seconds the SQL may take.", min=0.1, max=600)] = (
        20.0
    )
    rows: Annotated[int, typer.Option(help="Maximum number of rows.", min=1, max=MOST)] = 10_000
    budget: Budget = None
    no_journal: NoJournal = False


@takes(SqlOptions)
def answer_by_sql(options: SqlOptions) -> None:
    """Answer a question with a table and the SQL that made it.

    The question is read as a request and compiled to SQL. If it cannot be read, a configured model
    writes one SELECT in stages (tables, joins, columns, SQL), which runs read-only within limits of
    time, memory and rows. No row is shown to a model.

    \b
    Examples:
      query sql "How many runs per host carry coronaviruses?" --no-llm
      query sql "Which virus families are found in bats?" --then "and in pigs?"
      query sql "top 10 tissues of human runs" --output tissues.csv
      query sql --run "SELECT title, runs FROM summaries ORDER BY runs DESC LIMIT 5"
      query sql --schema
    """
    from query.sql_search.running import SqlLimits
    from query.sql_search.search import answer_in_sql, answer_of, run_own_sql

    with reported(as_json=options.as_json), index_asked(options.db) as con:
        if options.schema:
            _print_schema(con, as_json=options.as_json)
            return
        if not options.question.strip() and options.run is None:
            raise EmptyQuestionError
        limits = SqlLimits(max_rows=options.rows, timeout_s=options.timeout)
        question = options.question or "SQL as typed"
        no_llm = options.no_llm or options.run is not None
        usual = ModeOptions(question, options.db, no_llm=no_llm, budget=options.budget)
        asking = asking_for(con, usual)
        if options.run is not None:
            result = run_own_sql(asking, options.run, limits=limits)
        else:
            result = answer_in_sql(
                asking, then=options.then or (), by_model=options.by_model, limits=limits
            )
        _save(result, options.output)
        keep = not options.no_journal and options.run is None
        if options.as_csv:
            _print_csv(result)
        elif options.as_json:
            _print_record(result)
        else:
            give(answer_of(result), options.db, as_json=False, keep=False)
        if keep:
            keep_answer(answer_of(result), database_path(options.db))


def _save(result: SqlAnswer, output: Path | None) -> None:
    """Write the rows to ``output`` where it is given; raises ``FolderError``."""
    if output is None:
        return

    with writing(output):
        save_table(result.table, output)
    say(f"{len(result.table.rows):,} rows written to {output}", err=True)


def _print_csv(result: SqlAnswer) -> None:
    if result.lead:
        say(result.lead, err=True)
    typer.echo(table_csv(result.table), nl=False)


def _print_record(result: SqlAnswer) -> None:
    """Print the answer as JSON, with the SQL and whether its rows are complete."""
    from query.sql_search.search import answer_of

    record = answer_record(answer_of(result))
    print_json({**record, "sql": result.sql, "complete": result.complete})


def _print_schema(con: duckdb.DuckDBPyConnection, *, as_json: bool) -> None:
    """Print every table with its columns and what the contract says of them."""
    tables = read_catalogue(con).tables.values()
    if as_json:
        print_json([asdict(table) for table in tables])
        return
    rows = [
        (table.name, column.name, column.type, column.comment)
        for table in tables
        for column in table.columns
    ]
    print_table(SCHEMA, rows)
