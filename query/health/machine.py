"""A check, and those of the programs and models at hand."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Final, Literal

from index.errors import ModelError
from index.models.choose import choose_model

SHOWN: Final = ("virome-graphrag", "duckdb", "polars", "igraph", "leidenalg", "prefect", "openai")
State = Literal["ok", "note", "missing"]


@dataclass(frozen=True, slots=True)
class Check:
    """The state of one thing that the product needs or can use.

    ``ok`` works; ``note`` works, but there is something to know; ``missing`` does not work, and
    ``next_command`` says what to do.
    """

    name: str
    state: State
    found: str
    next_command: str = ""


def check_versions() -> Check:
    """Return the versions of Python and of the packages that matter."""
    found = [f"Python {platform.python_version()}"]
    missing = []
    for name in SHOWN:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return Check("versions", "missing", f"not installed: {', '.join(missing)}", "make setup")
    return Check("versions", "ok", ", ".join(found))


def check_model(environment: Mapping[str, str]) -> Check:
    """Return which model the ``environment`` asks for, and whether it is available."""
    try:
        choice = choose_model(environment)
    except ModelError as error:
        return Check("model", "missing", error.message, error.remedy)
    if choice.model is None:
        found = f"none ({choice.reason}): reports and answers are made from facts"
        return Check("model", "note", found)
    where = "on this machine" if choice.local else "elsewhere: what is asked leaves this machine"
    return Check("model", "ok", f"{choice.reason}, {where}")
