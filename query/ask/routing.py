"""Choose the way of asking for a question from its reading; a refusal is an answer, too."""

from __future__ import annotations

from dataclasses import dataclass

from query.mode import Asking
from query.reading import Reading
from query.sql_search.checking import is_statement


@dataclass(frozen=True, slots=True)
class Route:
    """The way of asking that answers, and why, in words that follow "because"."""

    mode: str
    why: str


def route(asking: Asking) -> Route:
    """Return the way of asking that answers a question, without asking it."""
    if is_statement(asking.question):
        return Route("sql", "it is SQL")
    return route_of(asking.read())


def route_of(reading: Reading) -> Route:
    """Return the way of asking that suits a question as it was read."""
    if reading.elsewhere == "entrez":
        return Route("entrez", "it asks for genes, variants, genomes or sequences")
    if reading.elsewhere == "passages":
        return Route("search", "it asks for what texts say")
    if reading.form in ("table", "csv", "list"):
        return Route("sql", "it asks for rows")
    if "links" in reading.needs:
        return Route("local", "it asks what links two names")
    return Route("global", "it asks what the runs of the index carry")
