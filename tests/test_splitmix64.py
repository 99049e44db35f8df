"""SplitMix64 gives the numbers of its reference implementation."""

from __future__ import annotations

import numpy as np

from index.splitmix64 import next_output, output_at

REFERENCE = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
"""The first outputs of the C implementation of S. Vigna for seed 0."""


def test_outputs_are_those_of_the_reference_implementation() -> None:
    positions = np.arange(1, 4, dtype=np.uint64)
    assert output_at(positions).tolist() == REFERENCE


def test_the_next_output_of_a_state_is_its_output_at_the_next_position() -> None:
    step = 0x9E3779B97F4A7C15
    states = np.array([0, step, 2 * step % 2**64], dtype=np.uint64)
    assert next_output(states).tolist() == REFERENCE
