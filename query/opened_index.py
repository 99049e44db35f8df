"""The index from Python: questions, and tables as Polars data frames.

from query import Index
from query.request import Carries, Count, Has, Hit

with Index("data/index/virome.duckdb") as index:
    print(index.ask("Which viruses are found in bats?").answer)
    print(index.run(Count(), Carries(Hit("EBV")) & Has("host", "human")).tally)
    index.communities(level=0)
    index.sql("SELECT family, count(*) FROM detection GROUP BY family")
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import polars as pl

from index.store.read import open_index
from query.answer import Answer
from query.ask.ask import answer_by
from query.browsing.associations import associations_table
from query.browsing.communities import ReportCard, read_report
from query.browsing.lookup import find_community
from query.compiler import Result, run
from query.config import QueryConfig, cache_path, database_path, model_choice
from query.mode import Asking
from query.request import Everything, Measure, Request, RunSet, from_json


class Index:
    """An index opened for reading; close it, or use it in a ``with`` block.

    ``path`` is the file; without it the one that the command line reads.

    Raises:
        IndexMissingError: there is no file.
        IndexVersionError: the file is not an index, or is one of another contract.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = database_path(None if path is None else Path(path))
        self.connection = open_index(self.path)

    def ask(self, question: str, *, mode: str = "global", model: bool = False) -> Answer:
        """Return the answer to ``question``, which is not recorded in the journal.

        ``mode`` is a way of asking (``query --help``); with ``model`` the model that the
        environment configures adds to the answer.

        Raises ``QueryError``: the question is refused, or the index holds no answer.
        """
        choice = model_choice() if model else None
        asking = Asking(
            question,
            self.connection.cursor(),
            self.path,
            QueryConfig(),
            choice,
            cache=cache_path(self.path),
        )
        return answer_by(asking, mode)

    def run(
        self, asked: Request | Measure | Mapping[str, Any] | str, of: RunSet | None = None
    ) -> Result:
        """Return the result of a request: a ``Request``, a measure of the runs ``of``, or JSON.

        ``.number``, ``.verdict`` and ``.tally`` are the answer, ``.pl()`` its rows as Polars,
        ``.left_out`` what could not count.

        Raises ``RequestError`` for JSON that is not a request, ``UnknownNameError`` and
        ``AmbiguousNameError`` for names.
        """
        if isinstance(asked, Mapping | str):
            request = from_json(asked)
        elif isinstance(asked, Request):
            request = asked
        else:
            request = Request(asked, Everything() if of is None else of)
        return run(self.connection.cursor(), request)

    def communities(self, *, level: int | None = None) -> pl.DataFrame:
        """Return the communities that have a report, the columns of the view ``summaries``.

        Sorted by level, then the largest first.
        """
        return self.sql(
            "FROM summaries WHERE $level IS NULL OR level = $level "
            "ORDER BY level, runs DESC, community",
            level=level,
        )

    def report(self, community: str) -> ReportCard:
        """Return the report of ``community``: an identifier, its beginning, or words of its title.

        Raises ``UnknownCommunityError`` and ``AmbiguousCommunityError``.
        """
        found = find_community(self.connection.cursor(), community)
        return read_report(self.connection.cursor(), found.community)

    def facts(self, community: str) -> pl.DataFrame:
        """Return the facts about ``community``, named as in ``report``, by facet and rank."""
        card = self.report(community)
        return self.sql(
            "FROM fact WHERE community = $community ORDER BY facet, rank, value",
            community=card.community,
        )

    def associations(self, family: str, *, term: str | None = None) -> pl.DataFrame:
        """Return the associations of a virus family, of the attribute or value ``term`` if given.

        Raises ``UnknownFamilyError``.
        """
        return associations_table(self.connection.cursor(), family, term=term)

    def sql(self, query: str, **parameters: Any) -> pl.DataFrame:
        """Return the rows of a SELECT; ``$name`` in it is the parameter ``name``.

        Raises ``duckdb.Error``.
        """
        relation = self.connection.cursor().sql(query, params=parameters or None)
        rows: pl.DataFrame = relation.pl()
        return rows

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
