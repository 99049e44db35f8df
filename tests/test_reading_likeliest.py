"""The likeliest texts of a model that is a table of tokens, and what a question asks of them."""

from __future__ import annotations

import math
from itertools import product

import duckdb
import pytest

from query.reading.canonical import read_canonical
from query.reading.choosing import candidates_of
from query.reading.items import items_of
from query.reading.likeliest import END, LikelyToken, likeliest_texts, likelihood, text_of
from query.reading.names import find_names
from query.reading.tokens import tokens_of
from query.reading.tuned import BETWEEN, TunedReading
from query.request import Request, say

NEXT = {
    "": {"a": 0.5, "b": 0.3, "c": 0.2},
    "a": {"x": 0.6, "y": 0.4},
    "b": {"x": 0.9, END: 0.1},
    "c": {END: 1.0},
}
"""The tokens that follow a text with their probabilities; behind two tokens is the end."""


def _next(text: str) -> dict[str, float]:
    return NEXT.get(text, {END: 1.0})


def _complete(begun: str) -> list[LikelyToken]:
    tokens: list[LikelyToken] = []
    while not tokens or tokens[-1].text != END:
        text = begun + "".join(token.text for token in tokens)
        ranked = sorted(_next(text).items(), key=lambda choice: -choice[1])
        (best, share), *others = [(token, math.log(share)) for token, share in ranked]
        tokens.append(LikelyToken(best, share, tuple(others)))
    return tokens


def _all_texts() -> dict[str, float]:
    texts = {first: share * _next(first).get(END, 0.0) for first, share in NEXT[""].items()}
    for first, second in product(NEXT[""], "xy"):
        texts[first + second] = NEXT[""][first] * _next(first).get(second, 0.0)
    return {text: share for text, share in texts.items() if share}


def test_all_texts_are_found_in_the_order_of_their_probabilities() -> None:
    found = likeliest_texts(_complete, tries=20, least=0.0, certain=1.0)
    shares = [(text_of(tokens), round(likelihood(tokens), 6)) for tokens in found]
    wanted = sorted(_all_texts().items(), key=lambda pair: -pair[1])
    assert shares == [(text, round(share, 6)) for text, share in wanted]


@pytest.mark.parametrize(
    ("tries", "least", "certain", "texts"),
    [(1, 0.0, 1.0, ["ax"]), (9, 0.25, 1.0, ["ax", "bx"]), (9, 0.0, 0.3, ["ax"])],
)
def test_the_search_ends(tries: int, least: float, certain: float, texts: list[str]) -> None:
    found = likeliest_texts(_complete, tries=tries, least=least, certain=certain)
    assert [text_of(tokens) for tokens in found] == texts


def _requests(text: str) -> tuple[Request, ...]:
    requests = [read_canonical(sentence) for sentence in text.split(BETWEEN)]
    return tuple(request for request in requests if request is not None)


CHOSEN = """
which hosts and countries have EBV
  0.5 List hosts of runs that carry EBV.
  0.3 List hosts of runs that carry EBV. + List countries of runs that carry EBV.
  = List hosts of runs that carry EBV. + List countries of runs that carry EBV.

how many EBV runs are from bats
  0.4 How many runs carry EBV?
  0.2 How many runs carry EBV and are from the host bats?
  0.2 How many runs from the host bats carry EBV?
  = How many runs carry EBV and are from the host bats?

which bats carry EBV
  0.5 List hosts of runs that carry EBV; other than bats.
  0.2 List hosts of runs that carry EBV; only bats.
  = List hosts of runs that carry EBV; only bats.

hosts of EBV other than bats
  0.5 List hosts of runs that carry EBV; other than bats.
  0.2 List hosts of runs that carry EBV; only bats.
  = List hosts of runs that carry EBV; other than bats.

hosts of EBV, and its countries
  0.4 List hosts of runs that carry EBV.
  0.3 List countries of runs that carry EBV. + List hosts of runs that carry EBV.
  = List countries of runs that carry EBV. + List hosts of runs that carry EBV.

is EBV real
  0.5 Are there any runs that carry EBV?
  0.3 What is the evidence for EBV?
  = What is the evidence for EBV?

is EBV real or confusion with Zika virus
  0.8 What is the evidence for EBV or Zika virus?
  = What is the evidence for EBV?

are EBV and Zika virus real
  0.8 What is the evidence for EBV or Zika virus?
  = What is the evidence for EBV or Zika virus?

which host of EBV is first
  0.4 Name the most frequent host of runs that carry EBV.
  0.5 Are there any runs that carry EBV?
  0.3 List hosts of runs that carry EBV.
  = Name the most frequent host of runs that carry EBV.

studies of an unknown design
  0.9 List studies of runs that have unknown as study design.
  = List studies of runs that do not have a recorded study design.
"""


@pytest.mark.parametrize("case", CHOSEN.strip().split("\n\n"))
def test_a_reading_that_leaves_nothing_out_is_likelier(
    sample_db: duckdb.DuckDBPyConnection, case: str
) -> None:
    question, *lines = [line.strip() for line in case.splitlines()]
    tokens = tokens_of(question)
    items = items_of(tokens, find_names(sample_db, tokens))
    readings = [
        TunedReading(_requests(said), float(share))
        for share, said in (line.split(" ", 1) for line in lines[:-1])
    ]
    candidates, declined = candidates_of(readings, items)
    assert BETWEEN.join(map(say, candidates[0].requests)) == lines[-1].removeprefix("= ")
    assert all(0 <= candidate.share + declined <= 1 + 1e-9 for candidate in candidates)
