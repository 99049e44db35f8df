"""Claims: every number that a sentence holds is one of its claim's."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.claims import (
    AssociationClaim,
    AssociationsHeld,
    Claim,
    Compared,
    Counted,
    Dominating,
    Effect,
    Fisher,
    FoundIn,
    HitsOnly,
    Holding,
    InBothLists,
    Inferred,
    Listed,
    NamedNumber,
    NeverSearched,
    NotFound,
    NotKnown,
    NotStated,
    OfOtherViruses,
    OfStudy,
    OtherOrganism,
    Outweighed,
    OutweighedViruses,
    Ranking,
    ShareOf,
    Summarised,
    Supported,
    Unassigned,
    Unnamed,
    YesOrNo,
)
from index.claims.verdicts import Expected, MostlyOfLaboratory, OfLaboratory
from tests.numbers_said import unclaimed_numbers

COUNT = st.integers(0, 20_000_000)
SOME = st.integers(1, 20_000_000)
NAME = st.sampled_from(["EBV", "HHV-6B", "human gammaherpesvirus 4", "SARS-CoV-2", "coronaviruses"])
WHERE = st.sampled_from(["", "from bats", "of study SRP012345", "released after 2018"])
MEASURED = st.floats(0, 1e6, allow_nan=False)
SHARE = st.tuples(SOME, SOME).map(sorted)
BOTH = SHARE.map(tuple)


def of_pair(kind: Any, part: str, whole: str, **fields: Any) -> st.SearchStrategy[Claim]:
    """Return a strategy for claims of a ``part`` of a ``whole``."""
    return st.tuples(SHARE, st.fixed_dictionaries(fields)).map(
        lambda drawn: kind(**{part: drawn[0][0], whole: drawn[0][1]}, **drawn[1])
    )


def some(*parts: Any, most: int) -> Any:
    """Return a strategy for up to ``most`` tuples of ``parts``."""
    return st.lists(st.tuples(*parts), min_size=1, max_size=most).map(tuple)


PLACE = st.builds(NamedNumber, name=NAME, number=SOME) | st.tuples(NAME, SHARE).map(
    lambda drawn: NamedNumber(
        name=drawn[0], number=drawn[1][0] / drawn[1][1], part=drawn[1][0], whole=drawn[1][1]
    )
)
NUMBERED = st.lists(st.builds(NamedNumber, name=NAME, number=SOME), max_size=9).map(tuple)
FOUND = st.builds(
    FoundIn, subject=NAME, number=SOME, where=WHERE, searched=st.none() | COUNT,
    supported=st.booleans(), hits=st.none() | SOME,
    confirmed=st.none() | of_pair(Supported, "number", "whole", others=st.just(("below 90 %",))),
)  # fmt: skip
CLAIMS: dict[str, st.SearchStrategy[Claim]] = {
    "found": FOUND,
    "answered": st.builds(YesOrNo, verdict=st.sampled_from(["Yes", "No"]), because=FOUND),
    "counted": st.builds(Counted, number=COUNT, before=st.just("there are"), where=WHERE),
    "supported": of_pair(Supported, "number", "whole", together=st.booleans()),
    "not found": st.builds(NotFound, subject=NAME, searched=SOME, where=WHERE),
    "never searched": st.builds(NeverSearched, subject=NAME, where=WHERE),
    "of a laboratory": SHARE.map(
        lambda pair: OfLaboratory(
            number=pair[0], whole=pair[1], kinds=((pair[0], "from cell cultures"),)
        )
    ),
    "unknown": st.builds(NotKnown, number=SOME, what=st.just("without a recorded host")),
    "share": of_pair(ShareOf, "part", "whole", runs=st.just("runs"), does=st.just("carry EBV")),
    "holding": st.tuples(SOME, SOME, SOME).map(sorted).map(
        lambda three: Holding(runs=three[2], searched=three[1], positive=three[0])
    ),
    "ranking": st.builds(
        Ranking, begin=st.sampled_from(["mostly in", "of study SRP012345 are {total}"]),
        thing=st.just(("host", "hosts")),
        places=st.lists(PLACE, min_size=1, max_size=4).map(tuple), others=COUNT,
        named=st.none() | st.integers(1, 4), unstated=COUNT, whole=COUNT, sure=COUNT,
    ),
    "not stated": st.builds(
        NotStated, fields=st.sampled_from([("tissue",), ("tissue", "sex")]), rows=SOME
    ),
    "unnamed": st.builds(
        Unnamed, sotu=st.just("u502879"), runs=SOME, nearest=st.sampled_from(["", "Zika virus"]),
        identity=st.none() | st.floats(1, 89),
    ),
    "mostly of a laboratory": st.builds(
        MostlyOfLaboratory,
        viruses=some(NAME, BOTH, most=9).map(lambda all: tuple((a, *pair) for a, pair in all)),
    ),
    "two lists": st.builds(
        InBothLists, sides=st.just(("runs from bats", "runs from pigs")),
        shared=some(NAME, SOME, SOME, most=9) | st.just(()), only=st.tuples(NUMBERED, NUMBERED),
        thing=st.just(("virus", "viruses")),
    ),
    "outweighed": st.builds(
        OutweighedViruses, left_out=st.booleans(),
        viruses=some(NAME, NAME, BOTH, most=9).map(
            lambda all: tuple((a, b, *pair) for a, b, pair in all)
        ),
    ),
    "dominating": of_pair(
        Dominating, "number", "whole", study=st.just("ERP001942"), is_partly=st.booleans()
    ),
    "listed": st.builds(Listed, of=FOUND, total=SOME, shown=st.just(100)),
    "compared": st.builds(
        Compared, begin=NAME, than=NAME, sides=st.tuples(PLACE, PLACE), known=st.just("searched")
    ),
    "tested": st.builds(Fisher, p_value=st.floats(0, 1)),
    "summarised": st.lists(MEASURED, min_size=4, max_size=4).map(sorted).map(
        lambda n: Summarised(
            field="identity", of="of EBV", unit="%", n=4, low=n[0], median=n[1], mean=n[2],
            high=n[3],
        )
    ),
    "association": st.builds(
        AssociationClaim, family=st.just("Flaviviridae"), attribute=st.just("age"),
        value=st.just("85"), project=st.just("PRJNA1"), with_value=SOME, without=SOME,
        fold_change=st.none() | st.floats(-20, 20), q_value=st.none() | st.floats(0, 1),
    ),
    "effect": st.builds(
        Effect, family=st.just("Flaviviridae"), attribute=st.just("tissue"), value=st.just("root"),
        projects=SOME, agreeing=COUNT, effect=st.floats(-9, 9), low=st.floats(-9, 9),
        high=st.floats(-9, 9), q_value=st.floats(0, 1),
    ),
    "held": of_pair(AssociationsHeld, "holding", "total"),
    "expected": st.builds(
        Expected, kinds=some(st.sampled_from(["recorded", "library"]), SOME, most=3), unknown=COUNT
    ),
    "relative": st.builds(
        Outweighed, virus=NAME, congener=NAME, which=st.just("3 of them"), explains=st.booleans(),
        others=SOME, times=st.none() | st.floats(1, 1e5),
    ),
    "inferred": st.tuples(SHARE, SHARE).map(
        lambda pairs: Inferred(
            virus="Dengue virus", deposited="Aroa virus", runs=pairs[1][0], everywhere=pairs[1][1],
            agreeing=pairs[0][0], evident=pairs[0][1], with_hits=max(1, pairs[0][0] // 2),
        )
    ),
    "other organism": st.builds(
        OtherOrganism, number=SOME, whole=SOME, further=st.booleans(), by_kmers=st.booleans(),
        pairs=some(st.sampled_from(["a worm", "a louse"]), st.sampled_from(["mice", "salmon"]),
                   SOME, most=4),
    ),
    "of a study": of_pair(
        OfStudy, "number", "whole", study=st.sampled_from(["", "SRP012345"]), first=st.just("SRR1"),
        last=st.just("SRR9"), studies=COUNT,
    ),
    "of other viruses": of_pair(OfOtherViruses, "known", "whole", virus=NAME, studies=SOME),
    "unassigned": of_pair(
        Unassigned, "number", "whole", taxon=st.just("species"), is_rest=st.booleans()
    ),
    "hits only": st.builds(HitsOnly, where=WHERE),
}  # fmt: skip


@pytest.mark.parametrize("kind", CLAIMS)
def test_a_sentence_is_whole_and_holds_no_number_but_those_of_its_claim(kind: str) -> None:
    @settings(max_examples=60)
    @given(claim=CLAIMS[kind])
    def check(claim: Claim) -> None:
        text = claim.sentence()
        assert unclaimed_numbers(text, [claim]) == []
        assert not text[0].islower()
        assert text.endswith(".")
        assert "  " not in text
        assert ".." not in text

    check()


@pytest.mark.parametrize(
    ("numbers", "others", "said"),
    [
        ([5], 0, "It is in one host: A (5 runs)."),
        ([5, 3], 0, "It is in two hosts: A (5 runs) and B (3)."),
        ([9, 8, 7, 6], 0, "It is in four hosts: A (9 runs), B (8), C (7) and D (6)."),
        ([9, 8, 7, 6, 5, 4, 3, 2, 1], 0, "It is in nine hosts: A (9 runs), B (8), C (7) and 6 ot"),
        ([9, 8, 7, 6], 90, "It is in 94 hosts: A (9 runs), B (8), C (7) and 91 others."),
        ([9, 8, 7, 7, 6], 90, "It is in 95 hosts: A (9 runs), B (8), C (7), D (7) and 91"),
        ([9, 8, *[7] * 10], 90, "It is in 102 hosts: A (9 runs), B (8) and 100 others."),
        ([1] * 12, 90, "It is in 102 hosts: A, B and C (1 run each) and 99 others."),
    ],
)
def test_a_few_values_are_all_named_and_no_tie_is_broken(
    numbers: list[int], others: int, said: str
) -> None:
    places = tuple(
        NamedNumber(name=name, number=number)
        for name, number in zip("ABCDEFGHIJKL", numbers, strict=False)
    )
    claim = Ranking(begin="it is in {total}", thing=("host", "hosts"), places=places, others=others)
    assert claim.sentence().startswith(said)


@pytest.mark.parametrize(
    ("sure", "said"),
    [
        (1, "and 94 others; only X (1 run) is confirmed (at least 90% identity)."),
        (9, "others; only 9 of the others are confirmed (at least 90% identity), such as X (1"),
    ],
)
def test_the_confirmed_are_named_where_none_of_the_first_is(sure: int, said: str) -> None:
    places = tuple(NamedNumber(name=name, number=9, note="none confirmed") for name in "ABCDEF")
    confirmed = (NamedNumber(name="X", number=1),)
    claim = Ranking(
        begin="{total} are found", places=places, others=91, sure=sure, sure_of=confirmed
    )
    assert said in claim.sentence()
    assert "of them confirmed" not in claim.sentence()


@pytest.mark.parametrize(
    ("notes", "said"),
    [
        (("all confirmed", "9 confirmed"), "A (20 runs; all confirmed) and B (10; 9 confirmed)."),
        (("none confirmed",) * 2, "A (20 runs) and B (10); none of these is confirmed."),
        (("all that it lists",) * 2, "A (20 runs; all that it lists) and B (10; all that it"),
    ],
)
def test_a_note_that_is_true_of_all_is_said_once(notes: tuple[str, ...], said: str) -> None:
    places = tuple(
        NamedNumber(name=name, number=number, note=note)
        for name, number, note in zip("AB", (20, 10), notes, strict=True)
    )
    claim = Ranking(begin="it is in {total}", thing=("host", "hosts"), places=places)
    assert said in claim.sentence()


def test_a_side_without_any_is_none_of_its_whole() -> None:
    bats = NamedNumber(name="bats", number=2, part=2, whole=6)
    pigs = NamedNumber(name="pigs", number=0, part=0, whole=5)
    claim = Compared(begin="more in bats", than="than in pigs", sides=(bats, pigs))
    assert claim.sentence() == "More in bats than in pigs: 2 of 6 (33%) against none of 5."
