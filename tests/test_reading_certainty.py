"""How sure a reading is, by what it leaves over and how plain its measure is."""

from __future__ import annotations

import json

from query.evaluation.fit_certainty import FittedQuestion, digest_of_pairs, fitted, held_out
from query.reading.certainty import WEIGHTS, certainty, features_of
from query.reading.fit import digest_of_wordings
from query.reading.found_name import FoundName
from query.reading.items import Item
from query.reading.measures import WEIGHTS as MEASURES
from query.request import Carries, Count, Has, Hit, Request

EBV = Carries(Hit(virus=("EBV",)))
HUMAN = Has("host", ("human",))


def _name(text: str, kind: str, place: int = 0) -> Item:
    named = FoundName(place, place + 1, kind, text)
    return Item("name", place, place + 1, text, kind, name=named)


def test_a_name_left_over_makes_a_reading_less_sure() -> None:
    virus, host = _name("EBV", "virus"), _name("human", "host", 1)
    both = certainty([[virus, host]], [Request(Count(), EBV & HUMAN)], [0.9])
    dropped = certainty([[virus, host]], [Request(Count(), EBV)], [0.9])
    assert 0 < dropped < both < 1


def test_a_doubtful_measure_makes_a_reading_less_sure() -> None:
    items, request = [_name("EBV", "virus")], Request(Count(), EBV)
    assert certainty([items], [request], [0.3]) < certainty([items], [request], [0.95])


def test_a_part_without_a_request_is_seen() -> None:
    items, request = [_name("EBV", "virus")], Request(Count(), EBV)
    assert "a part without request" in features_of([items, items], [request], [0.9])
    assert "a part without request" not in features_of([items], [request], [0.9])


def test_weights_belong_to_the_pairs_that_are_packaged() -> None:
    fitted_to = json.loads(WEIGHTS.read_text(encoding="utf-8"))["fitted_to"]
    assert fitted_to == digest_of_pairs(), "refit: query.evaluation.fit_certainty"
    measures = json.loads(MEASURES.read_text(encoding="utf-8"))["fitted_to"]
    assert measures == digest_of_wordings(), "refit: query.reading.fit"


def test_fitting_learns_which_readings_are_right() -> None:
    good = [FittedQuestion({"bias": 1.0, "odds": 3.0}, True, author) for author in "ab" * 20]
    bad = [
        FittedQuestion({"bias": 1.0, "left names 1": 1.0}, False, author) for author in "ab" * 20
    ]
    weights = fitted(good + bad)
    assert weights["odds"] > 0 > weights["left names 1"]
    threshold, right, wrong, *_ = held_out(good + bad)[4].split("\t")
    assert (threshold, right, wrong) == ("0.5", "40", "0")
