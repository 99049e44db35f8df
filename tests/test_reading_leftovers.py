"""What a reading leaves over: names, numbers, fields and words that no request has."""

from __future__ import annotations

import json

import pytest

from benchmarks.fit_reader import digest_of_wordings
from query.reading.found_name import FoundName
from query.reading.items import Item
from query.reading.leftovers import leftovers
from query.reading.measures import WEIGHTS
from query.request import Carries, Count, Has, Hit, Request, RunSet, Values

EBV = Carries(Hit(virus=("EBV",)))
HUMAN = Has("host", ("human",))


def _name(text: str, kind: str, place: int = 0) -> Item:
    named = FoundName(place, place + 1, kind, text)
    return Item("name", place, place + 1, text, kind, name=named)


def _number(text: str, number: float) -> Item:
    return Item("number", 0, 1, text, "", number)


def _word(text: str) -> Item:
    return Item("word", 0, 1, text, text.lower())


USED_NAMES = [
    (_name("EBV", "virus"), EBV, ()),
    (_name("human", "host"), HUMAN & EBV, ()),
    (_name("human", "host"), ~HUMAN, ()),
    (_name("human", "host"), EBV, ("human",)),
    (_number("90", 90), Carries(Hit(virus=("EBV",), identity={"at_least": 90})), ()),
    (_number("90", 90), EBV, ("90",)),
]


@pytest.mark.parametrize(("item", "of", "left"), USED_NAMES)
def test_names_and_numbers_that_no_request_has_are_left(
    item: Item, of: RunSet, left: tuple[str, ...]
) -> None:
    assert leftovers([item], [Request(Count(), of)]).names == left


def test_a_name_of_the_second_request_is_not_left() -> None:
    requests = [Request(Count(), EBV), Request(Count(), HUMAN)]
    assert leftovers([_name("human", "host")], requests).names == ()


def test_people_who_ask_are_ignored() -> None:
    left = leftovers([_name("people", "host")], [Request(Count(), EBV)])
    assert (left.names, left.ignored) == ((), ("people",))


def test_a_name_that_is_used_with_another_of_its_meanings_is_not_left() -> None:
    named = FoundName(0, 1, "disease", "hepatitis B", also=(("virus", "Hepatitis B virus"),))
    item = Item("name", 0, 1, "hepatitis b", "disease", name=named)
    request = Request(Count(), Carries(Hit(virus=("Hepatitis B virus",))))
    assert leftovers([item], [request]).names == ()


@pytest.mark.parametrize(("listed", "left"), [("tissue", ()), ("host", ("tissues",))])
def test_fields_that_no_request_has_are_left(listed: str, left: tuple[str, ...]) -> None:
    item = Item("field", 0, 1, "tissues", "tissue")
    assert leftovers([item], [Request(Values((listed,)), EBV)]).fields == left


def test_each_word_is_left_once_and_signs_never() -> None:
    items = [_word("Glorbovirus"), _word("Glorbovirus"), Item("sign", 2, 3, "?", "?")]
    left = leftovers(items, [Request(Count(), EBV)])
    assert left.unknown + left.ignored == ("Glorbovirus",)


SAID = [
    (Carries(Hit(virus=("EBV",))), "virus", True),
    (HUMAN, "virus", False),
    (EBV, "tissue", False),
    (EBV, "biosample", True),
    (Carries(Hit(virus=("EBV",), evidence="species")), "identity", True),
    (EBV, "identity", False),
    (Has("country", ("Peru",)), "place", True),
]


@pytest.mark.parametrize(("of", "field", "is_said"), SAID)
def test_a_field_is_used_where_a_request_says_it_by_any_word(
    of: RunSet, field: str, is_said: bool
) -> None:
    item = Item("field", 0, 1, field, field)
    assert (leftovers([item], [Request(Count(), of)]).fields == ()) == is_said


def test_words_of_known_questions_are_ignored_and_others_unknown() -> None:
    unknown = ["skewness", "entropy", "PR8", "reactivation", "insect-specific", "tick-borne"]
    known = ["interesting", "min/max", "level-0"]
    left = {word: leftovers([_word(word)], [Request(Count(), EBV)]) for word in unknown + known}
    assert [word for word, one in left.items() if one.unknown == (word,)] == unknown
    assert [word for word, one in left.items() if one.ignored == (word,)] == known


def test_weights_of_measures_belong_to_the_wordings() -> None:
    fitted_to = json.loads(WEIGHTS.read_text(encoding="utf-8"))["fitted_to"]
    assert fitted_to == digest_of_wordings(), "refit: benchmarks.fit_reader"
