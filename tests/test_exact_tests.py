"""Fisher's exact test: the p-values of SciPy, at the edges too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from index.claims.exact_tests import fisher_p

RUNS = st.integers(0, 2_000)


@given(with_it=RUNS, without=RUNS, others_with_it=RUNS, others_without=RUNS)
def test_fishers_p_value_is_that_of_scipy(
    with_it: int, without: int, others_with_it: int, others_without: int
) -> None:
    table = [[with_it, without], [others_with_it, others_without]]
    p_value = fisher_p(
        with_it=with_it,
        of=with_it + without,
        others_with_it=others_with_it,
        of_others=others_with_it + others_without,
    )
    expected = float(stats.fisher_exact(table).pvalue)
    assert p_value == pytest.approx(expected, rel=1e-9, abs=1e-250)


def test_a_group_of_hundreds_of_thousands_is_tested_exactly() -> None:
    p_value = fisher_p(with_it=90_000, of=250_000, others_with_it=80_000, of_others=240_000)
    assert p_value == pytest.approx(1.351e-85, rel=1e-3)
