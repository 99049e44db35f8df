"""Worlds that tests of answers write as text tables: runs, their hosts, what is found in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from query.request import Carries, Has, Hit
from tests.request_world import Row, World

VIRUSES: Final = {
    "one": ("NCBITaxon:3", "Alpha virus one", "Alphaviridae"),
    "two": ("NCBITaxon:4", "Alpha virus two", "Alphaviridae"),
    "beta": ("NCBITaxon:6", "Beta virus one", "Betaviridae"),
}
VALUES: Final = {
    "human": ("NCBITaxon:22", "Homo testus"),
    "bat": ("NCBITaxon:24", "Myotis testus"),
    "mosquito": ("NCBITaxon:25", "Aedes testus"),
    "cells": ("BTO:4", "Test-1 cell line"),
}
ONE, TWO, BETA = (species for _, species, _ in VIRUSES.values())
HUMAN, BAT, MOSQUITO = (Has("host", (VALUES[name][1],)) for name in ("human", "bat", "mosquito"))


def carries(virus: str) -> Carries:
    return Carries(Hit((virus,)))


def world_of(table: str, *, scope: str = "", study: str | None = "S1") -> World:
    """Return the runs of a text table, which has a line of headings.

    ``found`` has a virus, its identity and a closer relative: ``one@95/two``; any other name is a
    sOTU without a virus. ``scope`` says what the sources look for: ``nt:one nt:two``.
    """
    world = World()
    header, *lines = table.strip().splitlines()
    for line in lines:
        row = dict(zip(header.split(), line.split(), strict=True))
        run, sources = row["run"], list(_parts(row["searched"]))
        world.run.append({"run": run, "study": study})
        world.searched += [{"run": run, "source": name, "search": "first"} for name in sources]
        world.detection += [_hit(run, found, sources) for found in _parts(row["found"])]
        for facet in ("host", "tissue"):
            if (name := row.get(facet, "-")) != "-":
                world.annotation.append(_annotation(run, facet, *VALUES[name]))
    for source, virus in (pair.split(":") for pair in scope.split()):
        curie = VIRUSES[virus][0]
        world.source_scope.append(
            {"source": source, "search": "first", "virus": curie, "below": True}
        )
    return world


def _parts(cell: str) -> Iterator[str]:
    """Return the parts of a cell: none of ``-``."""
    return (part for part in cell.split(",") if part != "-")


def _hit(run: str, found: str, sources: list[str]) -> Row:
    name, _, stated = found.partition("@")
    identity, _, relative = stated.partition("/")
    curie, species, family = VIRUSES.get(name, (None, None, None))
    is_species = float(identity or 0) >= 90 and not relative
    return {
        "run": run, "sotu": name if curie is None else f"u-{name}",
        "source": "palm" if name == "beta" and "palm" in sources else "nt",
        "virus": curie, "taxon": curie, "family": family, "stated": species,
        "species": species if is_species else None,
        "identity": float(identity) if identity else None,
        "closest": VIRUSES[relative][0] if relative else None, "reads": 50,
    }  # fmt: skip


def _annotation(run: str, facet: str, curie: str, value: str) -> Row:
    return {"run": run, "facet": facet, "value": value, "curie": curie, "text": "",
            "attribute": facet, "method": "dictionary", "score": 1.0}  # fmt: skip
