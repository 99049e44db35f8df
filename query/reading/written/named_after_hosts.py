"""Viruses that people call by their host and kind: barley endornavirus is Hordeum vulgare
alphaendornavirus, and no endornavirus of any name in barley.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from query.reading.mentions import Mention


def viruses_named_after_hosts(
    mentions: Sequence[Mention], pauses: Collection[int]
) -> list[Mention]:
    """Return ``mentions`` with the species that is named after a host in the place of the host and
    of the kind of virus right behind it, in the singular; a comma follows the words ``pauses``.
    """
    kept: list[Mention] = []
    for one in mentions:
        before = kept[-1] if kept else None
        beside = before is not None and before.end == one.start and one.start - 1 not in pauses
        named = _named_after(before, one) if before is not None and beside else None
        if named is None:
            kept.append(one)
        else:
            kept[-1] = named
    return kept


def _named_after(host: Mention, virus: Mention) -> Mention | None:
    """Return the species of the kind ``virus`` that have the name of ``host``, None where none
    has.
    """
    kind = virus.text.lower()
    if host.group != "organism" or virus.group != "virus" or not kind.endswith("virus"):
        return None
    opening = f"{host.label} ".lower()
    named = [
        sense
        for sense in virus.senses
        if sense.facet == "species"
        and sense.value
        and sense.value.lower().startswith(opening)
        and kind in sense.value.lower()
    ]
    if not named:
        return None
    text = f"{host.text} {virus.text}"
    label = " or ".join(dict.fromkeys(sense.value for sense in named if sense.value))
    senses = tuple(replace(sense, label=sense.value or label) for sense in named)
    return replace(virus, start=host.start, text=text, label=label, senses=senses, curies=())
