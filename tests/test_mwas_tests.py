"""The statistics agree with scipy, keep their error rates, and survive bad numbers."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy import sparse, stats

from index.false_discovery import benjamini_hochberg
from index.mwas.exact_null import subset_tails
from index.mwas.permutation import Comparison, permutation_p_values
from index.mwas.statistics import (
    group_moments,
    rank_columns,
    rank_p_values,
    top_samples,
    welch,
)

Floats = NDArray[np.float64]


def mean_difference(one: Floats, other: Floats, axis: int) -> Floats:
    return np.asarray(one.mean(axis=axis) - other.mean(axis=axis))


def zero_inflated(n: int, families: int, *, seed: int, share: float = 0.5) -> Floats:
    """Return RPM as they are: many zeros, a long tail."""
    rng = np.random.default_rng(seed)
    return rng.lognormal(2, 2, (n, families)) * (rng.random((n, families)) < share)


def random_splits(n: int, sizes: list[int], *, seed: int) -> sparse.csr_array:
    rng = np.random.default_rng(seed)
    dense = np.zeros((len(sizes), n))
    for row, k in enumerate(sizes):
        dense[row, rng.permutation(n)[:k]] = 1
    return sparse.csr_array(dense)


def permuted(
    rpm: Floats,
    members: sparse.csr_array,
    *,
    resamples: int = 9_999,
    most: int | None = None,
    seed: int = 1,
) -> Floats:
    asked = np.ones((members.shape[0], rpm.shape[1]), dtype=bool)
    tests = [Comparison(rpm, members, asked)]
    return permutation_p_values(
        tests, resamples=resamples, max_resamples=most or resamples, seed=seed
    )[0]


@pytest.mark.parametrize(("n", "sizes"), [(9, [4, 5]), (12, [4, 6, 8]), (20, [4, 16])])
def test_enumerated_p_values_equal_scipys(n: int, sizes: list[int]) -> None:
    rpm, members = zero_inflated(n, 3, seed=n), random_splits(n, sizes, seed=n)
    ours = permuted(rpm, members)
    for row, mask in enumerate(members.toarray().astype(bool)):
        theirs = stats.permutation_test(
            (rpm[mask], rpm[~mask]), mean_difference, n_resamples=np.inf, axis=0
        )
        assert ours[row] == pytest.approx(theirs.pvalue, abs=1e-12)


@pytest.mark.parametrize(("n", "sizes"), [(44, [6, 38]), (60, [4, 20, 30]), (30, [15] * 14)])
def test_sampled_p_values_agree_with_scipys_within_monte_carlo_error(
    n: int, sizes: list[int]
) -> None:
    rpm, members = zero_inflated(n, 2, seed=n), random_splits(n, sizes, seed=n)
    ours = permuted(rpm, members)
    for row, mask in enumerate(members.toarray().astype(bool)):
        theirs = stats.permutation_test(
            (rpm[mask], rpm[~mask]), mean_difference, n_resamples=9_999, axis=0, rng=row
        )
        tail = np.clip(theirs.pvalue / 2, 1e-4, 0.5)
        error = 2 * np.sqrt(2 * tail * (1 - tail) / 9_999)
        assert np.all(np.abs(ours[row] - theirs.pvalue) <= 5 * error)


@settings(max_examples=60)
@given(
    hnp.arrays(np.float64, (9, 1), elements=st.integers(0, 4).map(float)),
    st.integers(1, 8),
    st.integers(1, 9),
)
def test_tails_by_subsets_are_those_of_all_groups(values: Floats, k: int, width: int) -> None:
    m = max(width, np.count_nonzero(values > values.min()))
    groups = np.array([sum(chosen) for chosen in combinations(values[:, 0], k)])
    observed = np.unique(groups)
    asked = np.ones((len(observed), 1), dtype=bool)
    size, margin = np.full(len(observed), k), np.array([1e-9])
    tails = subset_tails(values, size, observed[:, None], asked, m=m, margin=margin)
    assert tails[0][:, 0] == pytest.approx([(groups >= one).mean() for one in observed])
    assert tails[1][:, 0] == pytest.approx([(groups <= one).mean() for one in observed])


def test_a_family_in_few_samples_of_many_has_an_exact_p_value_below_the_floor_of_resampling() -> (
    None
):
    rpm = np.r_[np.arange(1.0, 9.0), np.zeros(992)][:, None]
    members = sparse.csr_array(np.r_[np.ones(8), np.zeros(992)][None, :])
    assert permuted(rpm, members, resamples=999).item() == pytest.approx(2 / comb(1000, 8))


def test_pairs_that_are_not_asked_for_do_not_change_those_that_are() -> None:
    rpm, members = (
        zero_inflated(40, 4, seed=5, share=0.9),
        random_splits(40, [10, 12, 14, 16], seed=5),
    )
    asked = np.eye(4, dtype=bool)
    [some] = permutation_p_values(
        [Comparison(rpm, members, asked)], resamples=999, max_resamples=9_999, seed=1
    )
    assert np.array_equal(some[asked], permuted(rpm, members, resamples=999, most=9_999)[asked])


def test_unresolved_p_values_are_drawn_for_longer_and_others_left_alone() -> None:
    rpm = np.c_[np.r_[np.full(20, 1000.0), np.zeros(20)], zero_inflated(40, 1, seed=3, share=1)]
    members = sparse.csr_array(
        np.array([np.r_[np.ones(20), np.zeros(20)], np.tile([1.0, 0.0], 20)])
    )
    short, long = (
        permuted(rpm, members, resamples=999),
        permuted(rpm, members, resamples=999, most=9_999),
    )
    assert (short[0, 0], long[0, 0]) == (2 / 1000, 2 / 10_000)
    assert np.array_equal(short[1], long[1])
    assert short[0, 1] == long[0, 1]


def test_two_stages_keep_the_level() -> None:
    rpm = zero_inflated(50, 4, seed=21, share=1)
    p_values = permuted(
        rpm, random_splits(50, [8, 15, 25] * 400, seed=22), resamples=300, most=3_000
    ).ravel()
    for level in (0.002, 0.01, 0.05):
        assert np.mean(p_values <= level) < level + 4 * np.sqrt(level * (1 - level) / len(p_values))


def test_chunks_of_resamples_do_not_change_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    rpm, members = zero_inflated(50, 2, seed=1), random_splits(50, [10, 20, 25], seed=1)
    whole = permuted(rpm, members)
    monkeypatch.setattr("index.mwas.shuffles.CHUNK_CELLS", 5_000)
    assert np.array_equal(permuted(rpm, members), whole)


def test_both_ways_of_counting_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rpm, members = zero_inflated(40, 3, seed=2), random_splits(40, [12] * 20, seed=2)
    by_sorting = permuted(rpm, members)
    monkeypatch.setattr("index.mwas.permutation.SORT_FROM", 1_000)
    assert np.array_equal(permuted(rpm, members), by_sorting)


@pytest.mark.parametrize("n", [4, 9, 40])
def test_welch_and_interval_equal_scipys(n: int) -> None:
    rpm, members = zero_inflated(n, 3, seed=n, share=1), random_splits(n, [2, n // 2], seed=n)
    moments = group_moments(rpm, members)
    t, p_value, low, high = welch(*moments, np.diff(members.indptr)[:, None], n)
    for row, mask in enumerate(members.toarray().astype(bool)):
        theirs = stats.ttest_ind(rpm[mask], rpm[~mask], equal_var=False)
        interval = theirs.confidence_interval(0.95)
        assert t[row] == pytest.approx(theirs.statistic)
        assert p_value[row] == pytest.approx(theirs.pvalue)
        assert low[row] == pytest.approx(interval.low)
        assert high[row] == pytest.approx(interval.high)


@pytest.mark.parametrize("n", [6, 17, 80])
def test_rank_test_equals_scipys(n: int) -> None:
    rpm, members = zero_inflated(n, 3, seed=n), random_splits(n, [2, n // 2], seed=n)
    ours = rank_p_values(rank_columns(rpm), members)
    for row, mask in enumerate(members.toarray().astype(bool)):
        theirs = stats.mannwhitneyu(rpm[mask], rpm[~mask], method="asymptotic")
        assert ours[row] == pytest.approx(theirs.pvalue)


@given(hnp.arrays(np.float64, (9, 3), elements=st.integers(0, 4).map(float)))
def test_ranks_and_ties_equal_scipys(values: Floats) -> None:
    ranks, tied = rank_columns(values)
    lowest, highest = (stats.rankdata(values, method, axis=0) for method in ("min", "max"))
    assert np.array_equal(ranks, stats.rankdata(values, axis=0))
    assert np.array_equal(np.sort(tied, axis=0), np.sort(highest - lowest + 1, axis=0))


@settings(max_examples=60)
@given(hnp.arrays(np.float64, (11, 2), elements=st.integers(0, 50).map(float)), st.integers(1, 10))
def test_moments_and_tops_equal_numpys(rpm: Floats, k: int) -> None:
    members = random_splits(11, [k], seed=k)
    mask = members.toarray()[0].astype(bool)
    mean_t, mean_f, sd_t, sd_f = group_moments(rpm, members)
    top_t, top_f = top_samples(rpm, members)
    for side, mean, sd, top in ((mask, mean_t, sd_t, top_t), (~mask, mean_f, sd_f, top_f)):
        assert mean[0] == pytest.approx(rpm[side].mean(axis=0), abs=1e-9)
        assert top[0].tolist() == rpm[side].max(axis=0).tolist()
        if side.sum() > 1:
            assert sd[0] == pytest.approx(rpm[side].std(axis=0, ddof=1), abs=1e-6)


def test_groups_without_spread_have_no_welch_p_value() -> None:
    rpm = np.array([[5.0, 5.0], [5.0, 5.0], [0.0, 5.0], [0.0, 5.0]])
    members = sparse.csr_array(np.array([[1.0, 1.0, 0.0, 0.0]]))
    t, p_value, low, high = welch(*group_moments(rpm, members), np.array([[2]]), 4)
    assert np.isnan([t, p_value, low, high]).all()


def test_ties_of_rounding_count_as_ties() -> None:
    rpm = np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 0.6, 0.6, 0.0, 0.0])[:, None]
    scaled = rpm * 1e7 / 3
    members = random_splits(10, [5], seed=3)
    assert permuted(rpm, members) == pytest.approx(permuted(scaled, members))


def test_false_discoveries_stay_below_the_level_and_planted_effects_are_found() -> None:
    """Planted cohorts: 20 projects x 10 values, 1 in 10 shifted eightfold; FDR over 12 repeats, and
    power.
    """
    false_shares, found_shares = [], []
    for repeat in range(12):
        p_values, planted = [], []
        for project in range(20):
            rng = np.random.default_rng([repeat, project])
            members = random_splits(40, [10] * 10, seed=repeat * 100 + project)
            rpm = rng.lognormal(2, 1, (40, 10))
            rpm[members.toarray()[0].astype(bool), 0] *= 8
            p_matrix = permuted(rpm, members, resamples=999, seed=project)
            p_values.append(
                np.diag(p_matrix)
            )  # one value against one family: tests are independent
            planted.append(np.arange(10) == 0)
        q_values = benjamini_hochberg(np.concatenate(p_values))
        truth, called = np.concatenate(planted), q_values <= 0.05
        false_shares.append((called & ~truth).sum() / max(1, called.sum()))
        found_shares.append((called & truth).sum() / truth.sum())
    assert np.mean(false_shares) <= 0.05 + 2 * np.std(false_shares) / np.sqrt(12)
    assert np.mean(found_shares) > 0.8
