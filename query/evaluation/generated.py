"""Questions made from templates over any index.

``templates.tsv`` says what each template asks for, ``wordings.tsv`` five ways of asking it, written
by hand. A slot ``{host_name}`` is filled from the index (``query.evaluation.slots``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import duckdb

from query.evaluation.questions import GoldQuestion, asked_of, read_cells
from query.evaluation.slots import Pools, fill_slots, read_pools

_FOLDER: Final = Path(__file__).parent


def make_questions(
    con: duckdb.DuckDBPyConnection, *, fills: int, seed: int
) -> tuple[GoldQuestion, ...]:
    """Return the questions of every template in every wording, ``fills`` times each.

    A text comes once. Equal ``seed`` and index give equal questions.
    """
    pools = read_pools(con)
    templates = {}
    for row in read_cells(_FOLDER / "templates.tsv"):
        templates[row["template"]] = row
    made: dict[str, GoldQuestion] = {}
    for number, row in enumerate(read_cells(_FOLDER / "wordings.tsv")):
        template, wording = templates[row["template"]], row["wording"]
        for question in _filled(template, wording, pools, fills, f"{seed}-{number}"):
            made.setdefault(question.text, question)
    return tuple(made.values())


def _filled(
    template: Mapping[str, str], wording: str, pools: Pools, fills: int, seed: str
) -> Iterator[GoldQuestion]:
    """Yield ``wording`` with its slots filled, as far as the index has names for them."""
    kinds = tuple(template["kind"].split("|"))
    for fill in range(fills):
        slots = fill_slots(pools, seed=f"{seed}-{fill}")
        if slots is None:
            return
        cells = {name: cell.format_map(slots) for name, cell in template.items()}
        yield GoldQuestion(
            id=f"g{seed}-{fill}",
            theme=template["template"],
            text=wording.format_map(slots),
            kinds=kinds,
            asked=asked_of(cells),
        )
