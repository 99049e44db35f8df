"""The names of a question in its words: written as ``§0``, with what each of them means."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from query.reading.question import Question, read_question
from query.sql_search.layer.fields import NOUN

if TYPE_CHECKING:
    import duckdb

    from query.reading.mentions import Mention

_NO_NAME: Final = re.compile(
    rf"(?:(?:different|distinct|unique|separate|individual|known|named) )*(?:{NOUN})(?:['’]s?)?"
    r"|(?:(?:with|without) )?(?:an?|any|no|some|known|named)? ?virus(?:es)?"
)
"""Words of a table that are found as names."""
_RANK: Final = (
    r"(?:(?<=plant)|(?<=animal)|(?<=insect))"
    r"(?: class(?:es)?| orders?| famil(?:y|ies)| genus| genera| species)\b"
)
"""Behind what is no name then: plant families are rows of a table."""
_OF_RANK: Final = re.compile(
    r"(?:^|(?<=\bper )|(?<=\beach )|(?<=\bby )|(?<=[ ]x ))§(?P<number>\d+) (?:host )?"
    r"(?P<rank>species|orders?|families|family|genera|genus|class(?:es)?)\b"
)
"""Ranks of a named organism, where a request opens or names its rows."""
_ONE_MORE: Final = re.compile(r"§(?P<number>\d+) (?P<and>and|or|&|/) (?P<last>\d+)\b")
"""A further name that is said by its number alone: alphaendornavirus 1 and 2."""
_OF_LIBRARIES: Final = frozenset({"library", "source"})
"""Groups of conditions that are written as names are: RNA-Seq runs."""
_IN_PARENTHESES: Final = re.compile(r"§(?P<number>\d+)(?P<noun>(?: \w+)?) ?\((?P<said>[^()§]+)\)")
"""What stands in parentheses behind a name."""
_SAID_AGAIN: Final = re.compile(
    r"(§(?P<number>\d+)[^()§]*?) ?\((?:virus )?(?:family |genus |species |host |tissue )?"
    r"§(?P=number)\)"
)
"""A name, and in parentheses behind it the same once more."""
_IRREGULAR: Final = (
    ("humans", "human", "people"), ("mouse", "mice"), ("goose", "geese"), ("louse", "lice"),
)  # fmt: skip
"""Forms of one noun: a name is written in either, or as it is respelled."""


def masked_text(question: Question) -> tuple[str, list[Mention]]:
    """Return the text of ``question`` with names as ``§0``, and what each of them means."""
    names = names_of(question)
    meant = _meant(question, names)
    said = _numbered(masked(question.text.lower(), names), names)
    return _one_each(said, meant), meant


def with_setting(con: duckdb.DuckDBPyConnection, question: Question) -> Question:
    """Return ``question`` with the names of the sentences before its last one too: a table is
    ordered in several.
    """
    if not question.reading.setting:
        return question
    said = {one.text.lower() for one in _known(question)}
    before = read_question(con, question.reading.setting)
    others = tuple(one for one in before.mentions if one.text.lower() not in said)
    return replace(question, mentions=(*question.mentions, *others))


def names_of(question: Question) -> list[str]:
    """Return the names of ``question`` as they are written, longest first."""
    texts = {_as_written(one, question.text) for one in _known(question)}
    kept = [one for one in texts if one and not _NO_NAME.fullmatch(one)]
    return sorted(kept, key=lambda text: (-len(text), text))


def _known(question: Question) -> list[Mention]:
    """Return the names that ``question`` says, in titles too."""
    return [*question.mentions, *question.absent, *question.reading.without]


def _as_written(one: Mention, text: str) -> str:
    """Return how a name is written in ``text``, in lower case; a library strategy or source by its
    own word; empty for a title and any other condition, which is no name.
    """
    if one.group in _OF_LIBRARIES:
        values = [re.escape(sense.value) for sense in one.senses if sense.value]
        found = re.search(rf"\b(?:{'|'.join(values)})\b", text, re.IGNORECASE)
        return found[0].lower() if found else ""
    if one.group == "title" or one.is_condition:
        return ""
    return one.text.lower()


def masked(text: str, names: list[str]) -> str:
    """Return ``text`` with § and its number for each of ``names``; a § of its own is a blank."""
    text = text.replace("§", " ")
    for number, name in enumerate(names):
        spaced = r"\s+".join(_spellings(word) for word in name.split())
        text = re.sub(rf"(?<!\w){spaced}(?!\w)(?!{_RANK})", f"§{number}", text)
    return text


def _numbered(masked: str, names: list[str]) -> str:
    """Return ``masked`` with names that only their number says as §, too."""

    def named(found: re.Match[str]) -> str:
        first = names[int(found["number"])]
        other = re.sub(r"\d+$", found["last"], first)
        if other not in names or other == first:
            return found[0]
        return f"§{found['number']} {found['and']} §{names.index(other)}"

    return _ONE_MORE.sub(named, masked)


def _spellings(word: str) -> str:
    """Return the pattern of a word of a name in the singular and the plural."""
    for forms in _IRREGULAR:
        if word in forms:
            return f"(?:{'|'.join(forms)})"
    return rf"{re.escape(word.removesuffix('s'))}s?"


def _meant(question: Question, names: list[str]) -> list[Mention]:
    """Return what each of ``names`` means."""
    meant = {_as_written(one, question.text): one for one in _known(question)}
    return [meant[name] for name in names]


def _one_each(masked: str, meant: list[Mention]) -> str:
    """Return ``masked`` with one number for all words of the same meaning: herpesviruses and
    Orthoherpesviridae; in parentheses behind the name they are left out.
    """

    def without_label(found: re.Match[str]) -> str:
        senses = meant[int(found["number"])].senses
        said_again = found["said"] in {sense.label.lower() for sense in senses}
        return f"§{found['number']}{found['noun']}" if said_again else found[0]

    masked = _IN_PARENTHESES.sub(without_label, masked)
    first: dict[tuple[str, tuple[str, ...]], int] = {}
    masked = _species_of_hosts(_without_virus(masked, meant), meant)
    same = {
        number: first.setdefault((one.group, tuple(str(sense) for sense in one.senses)), number)
        for number, one in enumerate(meant)
    }
    alike = re.sub(r"§(\d+)", lambda found: f"§{same[int(found[1])]}", masked)
    return _SAID_AGAIN.sub(r"\1", alike)


def _without_virus(masked: str, meant: list[Mention]) -> str:
    """Return ``masked`` without the word virus behind the name of one: a Flaviviridae virus."""

    def alone(found: re.Match[str]) -> str:
        is_virus = meant[int(found["number"])].group == "virus"
        return f"§{found['number']}" if is_virus else found[0]

    return re.sub(r"§(?P<number>\d+) virus(?:es)?\b", alone, masked)


def _species_of_hosts(masked: str, meant: list[Mention]) -> str:
    """Return ``masked`` with species and orders of an organism as those of hosts: mosquito species,
    mammalian host orders.
    """

    def as_hosts(found: re.Match[str]) -> str:
        of_hosts = meant[int(found["number"])].group == "organism"
        return f"host {found['rank']} of §{found['number']}" if of_hosts else found[0]

    return _OF_RANK.sub(as_hosts, masked)


def restored(text: str, names: list[str]) -> str:
    """Return ``text`` with its names as they are written."""
    return re.sub(r"§(\d+)", lambda found: names[int(found[1])], text)
