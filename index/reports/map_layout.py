"""The layout of a map: sizes of its discs with their labels, and places where none covers another.

Lengths are inches of a canvas of ``WIDTH`` times ``HEIGHT``, whose lowest ``FOOT`` is the legend's.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

LAYOUT_SEED: Final = 42

WIDTH: Final = 12.0
HEIGHT: Final = 8.0
_MARGIN: Final = 0.25
FOOT: Final = 0.75
"""Inches at the bottom for the legend."""
_LETTER: Final = 0.073
_LINE_HEIGHT: Final = 0.17
_LARGEST_DISC: Final = 0.34
_SMALLEST_DISC: Final = 0.07
_DISCS: Final = 4.0
"""Square inches that the squares around all discs take at most, so that there is room for their
labels.
"""
_ROUNDS: Final = 600
_ACROSS_EVERY: Final = 10
_STEP: Final = 0.5
_TOUCHING: Final = 1e-6
_CLEARANCE: Final = 0.005


def disc_radii(runs: NDArray[np.int64]) -> Points:
    """Return the radius of each disc in inches: its area grows with its runs."""
    most = max(1, int(runs.max(initial=1)))
    parts = runs / most
    together = max(1.0, parts.sum())
    fitting = np.sqrt(_DISCS / (4.0 * together))
    largest = min(_LARGEST_DISC, fitting)
    radii = largest * np.sqrt(parts)

    return np.asarray(np.maximum(_SMALLEST_DISC, radii))


def box_sizes(labels: list[str], radii: Points) -> Points:
    """Return width and height in inches of each disc with its label below, shape (n, 2)."""
    texts = [_LETTER * len(label) + 0.08 for label in labels]
    discs = 2 * radii
    width = np.maximum(np.array(texts), discs)
    height = discs + _LINE_HEIGHT + 0.08
    return np.column_stack([width, height])


def spread_apart(centres: Points, boxes: Points) -> Points:
    """Return ``centres`` moved until no two boxes overlap, all within the canvas.

    Two boxes that overlap are pushed apart along the axis on which they overlap less; now and then
    along the other one, which frees boxes stuck at the edge. Where boxes take most of the canvas,
    some may still overlap at the end.
    """
    at = centres.copy()
    canvas = np.array([WIDTH, HEIGHT - FOOT])
    low = boxes / 2 + _MARGIN
    high = canvas - boxes / 2 - _MARGIN
    reach = (boxes[:, None] + boxes[None]) / 2

    for number in range(1, _ROUNDS + 1):
        at = np.clip(at, low, high)
        push = _push(at, reach, across=number % _ACROSS_EVERY == 0)
        if not push.any():
            break
        at = at + push
    return np.clip(at, low, high)


def _push(at: Points, reach: Points, *, across: bool) -> Points:
    """Return how far each box gives way to all that overlap it; ``across``: along the axis of more
    overlap.
    """
    number = np.arange(len(at))
    apart = at[:, None] - at[None]
    overlap = reach - np.abs(apart)
    overlap[number, number] = 0.0
    touching = overlap > _TOUCHING
    hit = np.asarray(touching.all(axis=2))

    order = number[:, None] - number[None]
    before = np.sign(order)[:, :, None]
    side = np.where(apart == 0, before, np.sign(apart))

    part = overlap / reach
    least = part == part.min(axis=2, keepdims=True)
    along = least != across
    moving = hit[:, :, None] & along
    way = side * (overlap / 2 + _CLEARANCE)
    moved = np.where(moving, way, 0.0)
    return np.asarray(_STEP * moved.sum(axis=1))


def lay_out(nodes: pl.DataFrame, links: pl.DataFrame) -> Points:
    """Return a place in inches for each node, force-directed, then evened out over the canvas."""
    import igraph

    order = {community: number for number, community in enumerate(nodes["community"])}
    ends = links.select("source", "target").iter_rows()
    edges = [(order[source], order[target]) for source, target in ends]
    graph = igraph.Graph(n=len(nodes), edges=edges)
    weights = links["weight"].log1p().to_list() or None
    igraph.set_random_number_generator(random.Random(LAYOUT_SEED))
    try:
        layout = graph.layout_fruchterman_reingold(weights=weights, niter=1000)
    finally:
        igraph.set_random_number_generator(random)
    places = np.array(layout.coords, dtype=np.float64)
    return _evened(places.reshape(-1, 2))


def _evened(places: Points) -> Points:
    """Return ``places`` over the whole canvas: each coordinate half by its rank, so that no outlier
    takes the room.
    """
    if not len(places):
        return places
    order = places.argsort(axis=0).argsort(axis=0)
    last = max(1, len(places) - 1)
    ranks = order / last
    span = np.ptp(places, axis=0)
    lowest = places.min(axis=0)
    scaled = (places - lowest) / np.where(span > 0, span, 1.0)
    canvas = np.array([WIDTH, HEIGHT - FOOT])
    room = canvas - 2 * _MARGIN

    return np.asarray(_MARGIN + (0.7 * ranks + 0.3 * scaled) * room)
