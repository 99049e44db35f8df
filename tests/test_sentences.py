"""Where sentences end."""

from __future__ import annotations

from index.checking.sentences import split_sentences

SENTENCES = {
    "One. Two.": 2,
    "Seen in leaf. [Filters: {{tissue: leaf}}] Next one.": 2,
    "Seen in Culex sp. One more run of E. coli. End": 2,
    "Cites [Filters: {{tissue: leaf (cv. Big. Leaf)}}]. End.": 2,
    "It is 3.5 times. “Quoted.” Next.": 3,
    "": 0,
}


def test_sentences_end_where_they_end() -> None:
    assert {text: len(split_sentences(text)) for text in SENTENCES} == SENTENCES
