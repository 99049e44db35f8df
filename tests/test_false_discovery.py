"""q-values: those of SciPy, missing p-values, what is no probability."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from index.false_discovery import benjamini_hochberg


def test_a_missing_p_value_stays_missing_and_is_not_counted_as_a_test() -> None:
    q_values = benjamini_hochberg(np.array([0.04, np.nan, 0.01, 0.5, 0.03]))
    assert np.isnan(q_values[1])
    assert np.delete(q_values, 1) == pytest.approx([0.16 / 3, 0.04, 0.5, 0.16 / 3])


@pytest.mark.parametrize("p_values", [[], [np.nan, np.nan]])
def test_without_a_test_there_is_no_q_value(p_values: list[float]) -> None:
    assert np.isnan(benjamini_hochberg(np.array(p_values, dtype=np.float64))).all()


@given(st.lists(st.floats(0, 1), min_size=1))
def test_q_values_are_those_of_scipy_to_the_last_bit(p_values: list[float]) -> None:
    expected = stats.false_discovery_control(p_values)
    assert benjamini_hochberg(np.array(p_values)).tolist() == expected.tolist()


def test_a_number_that_is_no_probability_is_refused() -> None:
    with pytest.raises(ValueError, match="p-values are between 0 and 1"):
        benjamini_hochberg(np.array([0.1, 1.1]))
