"""Groups of viruses by the hosts that ICTV records for their species: arboviruses, mycoviruses,
plant viruses in mammals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index.reports.phrases import listed
from query.reading.mentions import Mention
from query.reading.senses import RECORDED_RUNS, Sense, is_recorded_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

_BOTH: Final = "invertebrates; vertebrates"
_GROUPS: Final = {
    **dict.fromkeys(("arbovirus", "arboviruses"), _BOTH),
    **dict.fromkeys(("mycovirus", "mycoviruses"), "fungi"),
    "plantviruses": "plants",
}
"""Word for a group of viruses, as ``respelled`` writes it -> the hosts in which ICTV records each
of them.
"""
_CALLED: Final = {"plantviruses": "plant viruses"}
"""What an answer calls a group whose word only ``respelled`` writes."""
_KINGDOMS: Final = {"NCBITaxon:33090": "plants", "NCBITaxon:4751": "fungi"}
"""Hosts whose viruses ICTV records as such; it records no host more narrowly."""


def groups_by_host(con: duckdb.DuckDBPyConnection, words: Sequence[str]) -> list[Mention]:
    """Return mentions of the words that name a group of viruses by its hosts."""
    places = [(place, word) for place, word in enumerate(words) if word in _GROUPS]
    return [
        _mention(con, _CALLED.get(word, word), (place, place + 1), _GROUPS[word])
        for place, word in places
    ]


def of_kingdom(con: duckdb.DuckDBPyConnection, host: Mention) -> Mention | None:
    """Return the viruses that are recorded in ``host``, before the word viruses; None where no
    virus is recorded in such.
    """
    hosts = next((_KINGDOMS[curie] for curie in host.curies if curie in _KINGDOMS), None)
    if hosts is None:
        return None
    return _mention(con, f"{host.text} viruses", (host.start, host.end + 1), hosts)


def _mention(
    con: duckdb.DuckDBPyConnection, text: str, span: tuple[int, int], hosts: str
) -> Mention:
    label = f"viruses that ICTV records in {listed(hosts.split('; '))}"
    query = f"SELECT count(DISTINCT run) FROM ({RECORDED_RUNS}) WHERE {is_recorded_in(hosts)}"
    ((runs,),) = con.execute(query).fetchall()
    sense = Sense("recorded", label, int(runs), value=hosts)
    return Mention(text.lower(), *span, label, "virus", (sense,))
