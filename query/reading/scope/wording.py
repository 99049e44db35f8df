"""The wording of a question: its words, with each name replaced by a usual name of its kind.

What a question asks does not depend on which virus it names, and a sentence model knows usual names
better than rare ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from query.reading.mentions import Mention

USUAL_NAMES: Final[Mapping[str, str]] = {
    "virus": "herpesvirus",
    "host": "bats",
    "tissue": "liver",
    "disease": "cancer",
    "place": "Brazil",
    "environment": "soil",
    "accession": "project PRJNA1",
}
"""What stands for a name in a wording; the keys are the slots of ``examples.tsv``."""
SLOT_OF_GROUP: Final[Mapping[str, str]] = {
    "virus": "virus",
    "organism": "host",
    "tissue": "tissue",
    "disease": "disease",
    "geography": "place",
    "environment": "environment",
    "biome": "environment",
    "run": "accession",
    "biosample": "accession",
    "bioproject": "accession",
}


def wording_of(words: Sequence[str], named: Sequence[Mention]) -> str:
    """Return ``words`` in lower case with a usual name for each of ``named``.

    A name of another group (sex, words of a title) stays as it is written, and a name behind the
    ``words``, of the setting of a question, is added.
    """
    starting = {one.start: one for one in named}
    said = []
    place = 0

    while place < len(words):
        one = starting.get(place)
        slot = SLOT_OF_GROUP.get(one.group) if one else None
        if one and slot:
            said.append(USUAL_NAMES[slot])
            place = one.end
        else:
            said.append(words[place])
            place += 1
    beside = [SLOT_OF_GROUP.get(one.group) for one in named if one.start >= len(words)]
    said += [f"in {USUAL_NAMES[slot]}" for slot in beside if slot]
    return " ".join(said).lower()


def filled(example: str) -> str:
    """Return a wording of ``examples.tsv`` with its slots filled.

    >>> filled("do {host} carry {virus}")
    'do bats carry herpesvirus'
    """
    return example.format_map(USUAL_NAMES).lower()
