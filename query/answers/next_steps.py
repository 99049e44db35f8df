"""What a virologist wants next: hosts, viruses, the study that dominates, what is unexpected."""

from __future__ import annotations

from typing import Final

from index.claims import Claim, Dominating, Ranking
from index.claims.phrases import in_quotes
from query.answers.drafting import Asked
from query.answers.hit_words import is_any
from query.answers.listing_words import places_of, ranking
from query.answers.unknowns import Subject, of_positive, standings
from query.request import And, Has, Hit, Records, Values, Where
from query.request.run_sets import EVERYTHING, RunSet

_LISTED: Final = 3
_LEAST_RUNS: Final = 2
_LONGEST_TITLE: Final = 70


def next_steps(
    asked: Asked, subject: Subject, hits: Hit | None, part: RunSet | None = None
) -> list[Claim]:
    """Return claims that follow the answer, the most useful first."""
    of = of_positive(asked.request.of, hits)
    if part is not None:
        of = part if of == EVERYTHING or of == part else And((of, part))
    number = asked.result.tally.runs if asked.result.tally else 0
    if hits is not None and asked.result.tally:
        number = asked.result.tally.positive
    if number < _LEAST_RUNS or of == EVERYTHING:
        return []
    claims: list[Claim] = []
    is_named = subject.hits and not all(is_any(hit) for hit in subject.hits)
    if part is not None or is_named:
        claims += _where_found(asked, of)
        claims += _unexpected(asked, subject)
    else:
        claims += _viruses(asked, of)
    claims += _studies(asked, of, number)
    return claims


def _where_found(asked: Asked, of: RunSet) -> list[Claim]:
    """Return the hosts that the runs are from, or their tissues where the host is given."""
    fields = _fields(of)
    for field, begin in (("host", "hosts:"), ("tissue", "tissues:"), ("country", "countries:")):
        if field not in fields:
            found = asked.look(Values((field,), limit=_LISTED), of)
            if found.rows:
                return [ranking(found, begin, shown=_LISTED)]
    return []


def _viruses(asked: Asked, of: RunSet) -> list[Claim]:
    found = asked.look(Values(("virus",), limit=_LISTED), of)
    if not found.rows:
        return []
    return [ranking(found, "viruses:", shown=_LISTED)]


def _studies(asked: Asked, of: RunSet, number: int) -> list[Claim]:
    """Return from how many studies the runs are, and which has most of them."""
    if {"study", "project", "biosample", "run"} & _fields(of):
        return []
    found = asked.look(Values(("study",), limit=1), of)
    if not found.rows or found.tally is None:
        return []
    study, runs = str(found.rows[0][0]), int(str(found.rows[0][1]))
    titles = asked.look(Records("studies", (Where("study", (study,)),), columns=("title",)),
                        EVERYTHING)  # fmt: skip
    title = titles.rows[0][0] if titles.rows else None
    about = in_quotes(_short(str(title))) if title else ""
    claim = Dominating(
        noun=("study", "studies"),
        groups=found.total,
        largest=study,
        number=runs,
        whole=number,
        about=about,
    )
    return [claim]


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1].rstrip()}…"


def _unexpected(asked: Asked, subject: Subject) -> list[Claim]:
    """Return the hosts in which a virus is not expected, where the question names none."""
    if len(subject.hits) != 1 or "host" in _fields(asked.request.of):
        return []
    species = [standing.species_name for standing in standings(asked, subject.hits)]
    named = tuple(name for name in species if name)
    if not named:
        return []
    where = (Where("virus", named), Where("plausibility", ("unexpected",)))
    found = asked.look(Records("pairs", where, columns=("host", "runs"), limit=_LISTED), EVERYTHING)
    if not found.rows:
        return []
    places = places_of(found, name=0, number=1)
    return [
        Ranking(
            begin="unexpected in",
            places=tuple(places),
            others=max(0, found.total - len(places)),
        ),
    ]


def _fields(of: RunSet) -> set[str]:
    """Return the fields of runs that a set has conditions on."""
    parts = list(of.of) if isinstance(of, And) else [of]
    return {part.field for part in parts if isinstance(part, Has)}
