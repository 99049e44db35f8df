"""The one way out of every stage: checked against the contract, in the order of its key."""

from __future__ import annotations

import dataframely as dy
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology_etl.errors import ContractError
from ontology_etl.tables import conform


class Count(dy.Schema):
    """A table of two key columns, one of which is a number."""

    run = dy.String(primary_key=True, min_length=1)
    rank = dy.Int64(primary_key=True)
    reads = dy.Int64(nullable=True, min=0)


class Note(dy.Schema):
    """A table without a key."""

    text = dy.String()


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "ab"]),
        st.integers(8, 11),
        st.one_of(st.none(), st.integers(0, 2)),
    ),
    max_size=8,
)


def table(rows: list[tuple[str, int, int | None]]) -> pl.DataFrame:
    schema = {"run": pl.String, "rank": pl.Int64, "reads": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


@given(ROWS)
def test_a_repeated_key_is_counted_as_the_contract_counts_it(
    rows: list[tuple[str, int, int | None]],
) -> None:
    frame = table(rows)
    _, failures = Count.filter(frame)
    counted = failures.counts()
    if not counted:
        assert conform(frame, Count).rows() == sorted(rows, key=lambda row: row[:2])
        return
    with pytest.raises(ContractError, match=f"primary_key: {counted['primary_key']} row"):
        conform(frame, Count)


def test_keys_are_compared_as_the_contract_types_them() -> None:
    texts = table([("a", 9, 0), ("a", 10, 1)]).cast({"rank": pl.String})
    assert conform(texts, Count)["rank"].to_list() == [9, 10]

    one = pl.DataFrame({"run": ["a", "a", "a"], "rank": ["1", "10", "01"], "reads": [0, 0, 0]})
    with pytest.raises(ContractError, match="primary_key: 2 row"):
        conform(one, Count)


def test_other_rules_hold_as_well() -> None:
    with pytest.raises(ContractError, match=r"run\|min_length: 1 row"):
        conform(table([("", 1, 0)]), Count)
    with pytest.raises(ContractError, match=r"rank\|nullability: 1 row"):
        conform(table([("a", 1, 0)]).with_columns(rank=pl.lit(None, pl.Int64)), Count)
    with pytest.raises(ContractError, match=r"rank\|dtype: 1 row"):
        conform(table([("a", 1, 0)]).with_columns(rank=pl.lit("first")), Count)


def test_a_table_without_a_key_may_repeat_its_rows() -> None:
    twice = pl.DataFrame({"text": ["b", "a", "b"]})
    assert conform(twice, Note)["text"].to_list() == ["a", "b", "b"]
