"""A request: a measure of a set of runs, as a value and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from query.request.errors import RequestError
from query.request.measures import STORED, Measure
from query.request.names import STRICT
from query.request.run_sets import EVERYTHING, Everything, RunSet

MOST_LEVELS: Final = 24
"""Levels of braces in the JSON of a request; deeper ones are refused before they are read."""
LONGEST: Final = 100_000

Json = dict[str, Any]


@dataclass(frozen=True, config=STRICT)
class Request:
    """What is asked of an index: a measure of a set of runs."""

    measure: Measure = Field(description="what is asked")
    of: RunSet = Field(default=EVERYTHING, description="the runs it is asked of; all if not said")

    def __post_init__(self) -> None:
        if isinstance(self.measure, STORED) and not isinstance(self.of, Everything):
            raise ValueError(f"{self.measure.type} is about what is stored, not a set of runs")


@cache
def _adapter() -> TypeAdapter[Request]:
    return TypeAdapter(Request)


def to_json(request: Request) -> Json:
    """Return ``request`` as JSON, without anything that has its default."""
    written: Json = _written(request)
    return written


def from_json(given: str | bytes | Mapping[str, Any]) -> Request:
    """Return the request in ``given``, a JSON text or parsed JSON.

    A measure alone is a request about all runs. Raises ``RequestError`` with every mistake.
    """
    record = _loaded(given) if isinstance(given, str | bytes) else given
    if not isinstance(record, Mapping):
        raise RequestError(['a request is a JSON object: {"measure": {"type": "count"}}'])
    if "measure" not in record and "type" in record:
        record = {"measure": record}
    _check_depth(record)
    try:
        return _adapter().validate_python(record)
    except ValidationError as error:
        raise RequestError([_said(problem) for problem in error.errors()]) from error


def all_from_json(given: str | bytes) -> tuple[Request, ...]:
    """Return the requests in a JSON text, one or a list; raises as ``from_json``."""
    read = _loaded(given)
    return tuple(map(from_json, read)) if isinstance(read, list) else (from_json(read),)


def json_schema() -> Json:
    """Return the JSON Schema of a request, with a description for every part."""
    schema = _adapter().json_schema()
    for part in schema["$defs"].values():
        _require_type(part)
    _untitled(schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _loaded(given: str | bytes) -> Any:
    if len(given) > LONGEST:
        raise RequestError([f"more than {LONGEST:,} characters"])
    try:
        return json.loads(given)
    except (ValueError, RecursionError) as error:
        raise RequestError([f"not JSON: {error}"]) from error


def _check_depth(record: object, levels: int = 2 * MOST_LEVELS) -> None:
    """Raise ``RequestError`` where ``record`` is nested too deeply."""
    if not levels:
        raise RequestError([f"nested more than {MOST_LEVELS} levels deep"])
    parts = [*record.values()] if isinstance(record, Mapping) else record
    for part in parts if isinstance(parts, list | tuple) else ():
        _check_depth(part, levels - 1)


def _written(value: Any) -> Any:
    if declared := getattr(value, "__pydantic_fields__", None):
        record: Json = {"type": value.type} if "type" in declared else {}
        for name, field in declared.items():
            part = getattr(value, name)
            if name != "type" and part != field.default:
                record[name] = _written(part)
        return record
    if isinstance(value, tuple):
        return [_written(part) for part in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _said(problem: Any) -> str:
    """Return the words for a mistake: "where: what"."""
    where = ".".join(str(step) for step in problem["loc"])
    what = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "union_tag_invalid":
        tags = problem["ctx"]["expected_tags"].replace("'", "")
        what = f"type {problem['ctx']['tag']!r} is none of {tags}"
    if problem["type"] == "union_tag_not_found":
        what = "its type is not said"
    return f"{where}: {what}" if where else str(what)


def _require_type(part: Json) -> None:
    """Require ``type``, which distinguishes sets and measures, in ``part``, without a default."""
    kind = part.get("properties", {}).get("type", {})
    if "const" in kind:
        kind.pop("default", None)
        part["required"] = ["type", *part.get("required", [])]


def _untitled(schema: Any) -> None:
    """Leave out the titles that repeat the names of properties."""
    if isinstance(schema, list):
        for part in schema:
            _untitled(part)
    if isinstance(schema, dict):
        if isinstance(schema.get("title"), str):
            del schema["title"]
        for part in schema.values():
            _untitled(part)
