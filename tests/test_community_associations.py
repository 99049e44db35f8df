"""Which associations are findings of a community: those of its own samples, and of no design."""

from __future__ import annotations

import pytest

from index.reports.associations import community_associations
from tests.tiny_index import tiny_index

RUNS = 10


def found(*, own: int, tested: str, flag: str = "", carried: bool = True) -> list[str]:
    """Return the communities whose finding an association of a project of ``RUNS`` samples is.

    ``own`` of its runs are in C0-own, the others in C0-other; ``tested`` are the sizes of its two
    groups.
    """
    runs = range(1, RUNS + 1)
    members = [f"C0-{'own' if n <= own else 'other'} | R{n}" for n in runs]
    con = tiny_index(
        run="run | biosample | bioproject\n" + "\n".join(f"R{n} | S{n} | P1" for n in runs),
        community=f"community | runs\nC0-own | {own}\nC0-other | {RUNS - own}",
        community_member="community | entity\n" + "\n".join(members),
        detection="run | sotu | family\n"
        + "\n".join(f"R{n} | u1 | {'A' if carried else 'B'}viridae" for n in runs),
        association=f"""
            bioproject | family | attribute | value | q_value | flag | num_true | num_false
            P1 | Aviridae | tissue | gut | 0.01 | {flag} | {tested}
        """,
    )
    rows = con.sql(f"SELECT community FROM ({community_associations('community')}) ORDER BY 1")
    return [community for (community,) in rows.fetchall()]


@pytest.mark.parametrize(
    ("own", "tested", "expected"),
    [
        (10, "5 | 5", ["C0-own"]),
        (6, "5 | 5", ["C0-own"]),
        (5, "5 | 5", []),
        (1, "5 | 5", ["C0-other"]),
        (10, "132 | 3257", []),
        (6, "3 | 3", []),  # four samples were not tested: they may be four of the six
        (8, "3 | 3", ["C0-own"]),
    ],
)
def test_a_test_is_a_finding_where_most_of_its_samples_are(
    own: int, tested: str, expected: list[str]
) -> None:
    assert found(own=own, tested=tested) == expected


def test_a_test_is_no_finding_where_no_run_carries_the_family() -> None:
    assert found(own=10, tested="5 | 5", carried=False) == []


@pytest.mark.parametrize("flag", ["batch-like field", "tiny group; design of the study"])
def test_what_an_experiment_sets_itself_is_no_finding(flag: str) -> None:
    assert found(own=10, tested="5 | 5", flag=flag) == []
