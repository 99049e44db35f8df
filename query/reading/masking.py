"""A question with its names masked, and requests over the masks with the names put back.

A model that reads "V1 in H1 T1?" need not know any virus, host or tissue, and cannot invent one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from query.errors import QueryError
from query.reading.found_name import FoundName
from query.reading.tokens import SINGLE, Token
from query.request import Request, Share, from_json, intersect, parts_of, to_json

LETTERS: Final[Mapping[str, str]] = {
    "virus": "V", "reported": "V", "host": "H", "tissue": "T", "cell_line": "C", "disease": "D",
    "environment": "E", "biome": "E", "country": "P", "place": "P", "project": "A", "study": "A",
    "run": "A", "biosample": "A", "community": "A", "sotu": "A",
}  # fmt: skip
"""The letter of a mask by the kind of name; names of other kinds are not masked."""
MASK: Final = re.compile(r"\b[VHTCDEPA]\d\d?\b")
_APART: Final = re.compile(
    rf"(?<=[{SINGLE}])(?=[VHTCDEPA]\d)|(?<=[VHTCDEPA]\d)(?=[{SINGLE}])"
    rf"|(?<=[VHTCDEPA]\d\d)(?=[{SINGLE}])"
)
"""Separates a mask from a script without blanks: a blank makes the mask a word of its own."""


@dataclass(frozen=True, slots=True)
class MaskedQuestion:
    """A question whose names are masked, and the name behind each mask."""

    text: str
    names: Mapping[str, FoundName]


def masked(text: str, tokens: Sequence[Token], names: Sequence[FoundName]) -> MaskedQuestion:
    """Return ``text`` with its names masked: V1 for the first virus, H1 for the first host.

    ``tokens`` are those of ``text``, or the same with misspelt words mended.
    """
    counts: Counter[str] = Counter()
    masks: dict[tuple[str, str], str] = {}
    behind: dict[str, FoundName] = {}
    at: dict[int, str] = {}
    inside: set[int] = set()
    for name in names:
        letter = LETTERS.get(name.kind)
        if letter is None:
            continue
        key = (letter, name.curie or name.name.lower())
        if key not in masks:
            counts[letter] += 1
            masks[key] = f"{letter}{counts[letter]}"
            behind[masks[key]] = name
        at[name.first] = masks[key]
        inside.update(range(name.first + 1, name.last))
    pieces: list[str] = []
    end = 0
    for place, token in enumerate(tokens):
        if place not in inside:
            pieces += [text[end : token.start], at.get(place, token.text)]
        end = token.end
    whole = _APART.sub(" ", "".join([*pieces, text[end:]]))
    return MaskedQuestion(whole, behind)


def unmasked(request: Request, names: Mapping[str, FoundName]) -> Request | None:
    """Return ``request`` with names in place of masks; None if a mask has no name that fits."""
    try:
        return _sensible(from_json(_unmasked(to_json(request), names)))
    except (KeyError, QueryError):
        return None


def _sensible(request: Request) -> Request:
    """Return ``request`` without the condition whose share it asks for: all its runs meet it."""
    measure = request.measure
    if not isinstance(measure, Share):
        return request
    others = (part for part in parts_of(request.of) if part != measure.part)
    return Request(measure, intersect(*others))


def masked_request(request: Request, names: Mapping[str, FoundName]) -> Request | None:
    """Return ``request`` with masks instead of names; None if a mask is in none of its names.

    The inverse of ``unmasked``, to learn from what people asked and picked.
    """
    masks = {name.name.lower(): mask for mask, name in names.items()}
    record = _masked(to_json(request), masks)
    used = set(MASK.findall(json.dumps(record)))
    return from_json(record) if used == set(names) else None


def _masked(part: Any, masks: Mapping[str, str]) -> Any:
    if isinstance(part, dict):
        return {key: _masked(inner, masks) for key, inner in part.items()}
    if isinstance(part, list):
        return [_masked(inner, masks) for inner in part]
    return masks.get(part.lower(), part) if isinstance(part, str) else part


def _unmasked(part: Any, names: Mapping[str, FoundName]) -> Any:
    """Return a part of a request in JSON with its masks replaced; raises ``KeyError``."""
    if isinstance(part, dict):
        if part.get("type") == "has" and _is_mixed(part.get("values", ()), names):
            each = [part | {"values": [value]} for value in part["values"]]
            return {"type": "or", "of": [_unmasked(inner, names) for inner in each]}
        if part.get("type") == "has" and len(part.get("values", ())) == 1:
            part = _condition(part, names)
            if part["type"] == "or":
                return part
        viruses = part.get("virus") or ()
        for virus in [viruses] if isinstance(viruses, str) else viruses:
            if not _is_viral(virus, names):
                raise KeyError(virus)
        if part.get("type") == "describe" and part["id"] in names:
            part = part | {"kind": _DESCRIBED.get(names[part["id"]].kind, "term")}
        return {key: _unmasked(inner, names) for key, inner in part.items()}
    if isinstance(part, list):
        return [_unmasked(inner, names) for inner in part]
    if isinstance(part, str) and MASK.search(part):
        return MASK.sub(lambda mask: names[mask[0]].name, part)
    return part


def _is_mixed(values: Sequence[str], names: Mapping[str, FoundName]) -> bool:
    """Return whether values are of different kinds: marine is a biome, sea water is not."""
    kinds = {names[value].kind for value in values if value in names}
    return len(values) > 1 and len(kinds) > 1


def _is_viral(virus: str, names: Mapping[str, FoundName]) -> bool:
    """Return whether a name may be a virus: what is carried is not a host, and has a mask."""
    name = names.get(virus)
    return name is not None and (name.kind not in _FIELDS or "virus" in dict(name.also))


def _condition(part: dict[str, Any], names: Mapping[str, FoundName]) -> dict[str, Any]:
    """Return the condition ``part`` with the field and the values that its name has."""
    name = names.get(part["values"][0])
    if name is None and part["field"] in _NAMED:
        raise KeyError(part["values"])  # a word of the question that is not a name: unicorns
    if name is None:
        return part
    kinds = {name.kind: name.name, **dict(name.also)}
    field = part["field"]
    if field in _SURROUNDINGS and set(_SURROUNDINGS) <= kinds.keys():
        each = [
            part | {"field": field, "values": [kinds[field]]} for field in ("environment", "biome")
        ]
        return {"type": "or", "of": each}
    if field in kinds or field in _FREE or {field, name.kind} <= _CELLS:
        return part | {"values": [kinds.get(field, name.name)]}
    if name.kind == "virus":
        raise KeyError(field)
    return part | {"field": name.kind if name.kind in _FIELDS else field}


_DESCRIBED: Final = {
    "virus": "virus", "reported": "virus", "run": "run", "study": "study", "project": "project",
    "biosample": "biosample", "community": "community", "sotu": "virus",
}  # fmt: skip
"""The kind as which a name is described; other names are terms."""
_FREE: Final = frozenset({"organism", "label", "k_mers", "reported"})
"""Fields whose values may have the same name as something of another kind."""
_NAMED: Final = frozenset({"host", "tissue", "cell_line", "disease", "environment"})
"""Fields whose values are names of terms and are therefore masked."""
_SURROUNDINGS: Final = ("environment", "biome")
"""Fields that people do not distinguish: soil may be a library's label, or the place of sampling.
"""
_CELLS: Final = frozenset({"tissue", "cell_line"})
_FIELDS: Final = frozenset(
    {"host", "tissue", "cell_line", "disease", "environment", "biome", "country", "place",
     "project", "study", "run", "biosample", "community"}
)  # fmt: skip
