"""A question for a table: its request, and the runs that the rest of its words name.

Every word is part of a phrase that is understood, of a name, or joins two of these; else the
question is none for a table here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from query.reading.limits import RANK_BY_VALUES
from query.reading.names.named_terms import name_words
from query.reading.names.spans import positions
from query.reading.question import Question, read_question
from query.reading.respelling.rules import respelled
from query.sql_search.grammar.asking import ordered_table
from query.sql_search.grammar.reading import read_ordered
from query.sql_search.grammar.stored import stored_table
from query.sql_search.tables.nouns import COLUMN, NOUN, NUMBER
from query.sql_search.tables.record_wording import read_records
from query.sql_search.tables.wording import read_wording

if TYPE_CHECKING:
    import duckdb

    from query.reading.mentions import Mention
    from query.sql_search.compiling import Compiled
    from query.sql_search.tables.request import TableRequest

_JOINING_TEXT: Final = """
runs run samples sample libraries library datasets hits hit detections with of in from for and or
the a an that which have has having are is were was where carry carries carrying contain contains
containing hold holds holding only among all on at by their its positive found seen detected any
some do does there these those both out index held
"""
_JOINING: Final = frozenset(_JOINING_TEXT.split())
"""Words between names that say no more than that the runs have them."""
_COUNTED_EACH: Final = re.compile(
    r"(?:how many|(?:the )?number of|count(?: of)?) (?P<noun>\w+) (?:are there )?(?:were \w+ )?"
    r"(?:per|(?:in|for|of|from) (?:each|every)) "
)
_OF_ROWS: Final = re.compile(
    r"\b(?:accessions? (?:of|for)|matrix|cross-?tab\w*|breakdown|pairs of|rank(?:ed)? \w+ by"
    r"|(?:together|along) with (?:their|its))\b"
    r"|\bsearched runs, |\bby how many\b"
    r"|(?:%|\bpercent\w*|\bshares?) of (?:all )?(?:the )?runs (?:having|with|that (?:have|state))\b"
    r"|\b(?:two|three|\d+) most (?:common|frequent) \w+ in each\b"
    r"|\bwith (?:and|or|versus|vs) without\b|\bcontinents?\b|\bcommunities (?:whose|where|with)\b"
    rf"|\b(?:share|fraction|percentage|proportion|ratio)s?\b.*"
    rf"\b(?:each|every|per|by|for the) (?:{NOUN})"
    rf"|\b(?:how many|number of) (?:{NOUN})\b.*\beach$"
    rf"|\b(?:how many|number of|most|fewest) (?:{NOUN})\b.*\b(?:each|every|per) (?:{NOUN})"
    rf"|\b(?:top|most common|commonest)\b.*\b(?:each|every|per) (?:{NOUN})"
    rf"|\b(?:at least|more than|fewer than|at most) (?:{NUMBER}) (?:{NOUN})\b"
    r"|\bnumber of\b.*\bnumber of\b"
    r"|\bsplit by\b|\bby (?:the )?number of (?!runs\b)\w+"
    r"|\b(?:in|with|of|for) (?:each|every)(?: of)? §|\bper §|;[^;]*;[^;]*;"
    r"|\bfor each [^,]*,.* and the\b"
    rf"|\bfor (?:each|every) (?:{NOUN})|\b(?:share|percent\w*|proportion|fraction) of each\b"
    r"|\b(?:ranked|sorted|ordered) by (?:the )?(?:proportion|share|percent\w*|rate)"
    rf"|^(?:{NOUN}) (?:by|x|×|vs\.?|against) (?:virus )?(?:{NOUN})\b"
    r"|\bhow many\b[^,]*, ?(?:and )?how many\b|§\d+ (?:vs\.?|versus) §\d+ (?:vs\.?|versus) §"
    r"|§\d+ vs\.? §\d+:|\bhow many of (?:them|these|those)\b|\beach for §"
    r"|\b(?:largest|biggest|smallest|top-level)\b.*\bcommunities:"
    r"|\bwith (?:the |their |its )?(?:titles?|total|shares?|numbers? \w+)\b"
    r"|[:;?.] [^:;?.]*(?:\b(?:runs?|shares?|percent\w*)\b[^:;?.]*,|,[^:;?.]*\b(?:runs?|shares?"
    r"|percent\w*)\b)[^:;?.]*$"
    rf"|\bwhether\b|\bby (?:{NOUN}) and (?:{NOUN})\b|^for (?:each|every) \w+"
    r"|\b(?:numbers?|counts?) of (?:\w+ )*tests\b"
    r"|\b(?:do|does|did|has|have|is|are|was|were) each \w+"
    r"|\bruns\b[^.?;]*(?:,|\band\b)[^.?;]*\bruns\b|\bin how many runs\b"
    r"|\btogether with how many\b"
    rf"|\bfor each of (?:the )?(?:two|three|them|these)|^(?:by|per) (?:{NOUN})[,:]"
    r"|\bhow many [^,.?]*\band how many (?!of|are|is|runs (?:of|in) (?:it|them))"
    rf"|^(?:the )?(?:{NOUN})\b[^?]*\b(?:and|\+|with|,|:) ?"
    r"(?:how many|(?:the )?(?:number|run count)s?(?: of)?) ?(?:runs|samples)?"
)
_TABLE: Final = re.compile(r"\b(?:tables?|tabulated?|cross table)\b")
_AS_TABLE: Final = re.compile(
    r",? (?:please )?(?:as|in) (?:a|one)(?: single)? table(?: please)?\W*$"
)
"""Says at the end in which form the answer is wanted, and nothing else."""
_BOTH_WAYS: Final = re.compile(r"\bwith (?:and|or|versus|vs) without\b")
"""Asks for two numbers of what is named: of runs that have it, and of those that have not."""
_NO_NAME: Final = re.compile(
    rf"(?:{NOUN})(?:['’]s?)?"
    r"|(?:(?:with|without) )?(?:an?|any|no|some|known|named)? ?virus(?:es)?"
)
"""Words of a table that are found as names."""
_EACH_BY_ITSELF: Final = re.compile(r"§\d+,? and (?:with|for|those with) §\d+")
"""Asks for a number of each name: runs with EBV and with CMV."""
_RANK: Final = (
    r"(?:(?<=plant)|(?<=animal)|(?<=insect))"
    r"(?: class(?:es)?| orders?| famil(?:y|ies)| genus| genera| species)\b"
)
"""Behind what is no name then: plant families are rows of a table."""
_OF_RANK: Final = re.compile(
    r"^§(?P<number>\d+) (?:host )?(?P<rank>species|orders|families|genera|classes)\b"
)
"""Opens a request with ranks of a named organism."""
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
_DENYING: Final = frozenset({"not", "no", "without", "except", "but", "excluding", "lacking"})
_BESIDE_A_NAME: Final = frozenset({
    "bioproject", "bioprojects", "project", "study", "tissue", "host", "country", "disease",
    "family", "virus", "species", "hosts", "tissues", "diseases",
})  # fmt: skip
"""Words that only say what the name right before or behind them is."""
_PLAIN: Final = frozenset({"describe", "list", "count", "identify", "associate"})
"""Kinds of readings of the rest that ask nothing of it but which runs there are."""
_BY_ROWS: Final = re.compile(rf"\b(?:per|by|(?:for|in) (?:each|every)) (?:{NOUN})\b")
_SEVERAL_SOURCES: Final = re.compile(
    r"\b(?:both|either|only one|two)(?: of)?(?: the)? (?:detection )?sources?\b"
)


@dataclass(frozen=True, slots=True)
class AskedTable:
    """A table that is asked for, and the question that names its runs."""

    request: TableRequest
    named: Question


def asked_table(con: duckdb.DuckDBPyConnection, question: Question) -> AskedTable | None:
    """Return the table that ``question`` asks for, None where not all of it is understood so."""
    names = _names(question)
    masked = _AS_TABLE.sub("", _masked(question.text.lower(), names))
    if _EACH_BY_ITSELF.search(masked):
        return None
    worded = read_records(masked) or read_wording(masked)
    if worded is None:
        return None
    rest = _restored(worded.left, names)
    if not _says_which(rest):
        return AskedTable(worded.request, _of_all(con))
    named = _named(con, rest)
    return None if named is None else AskedTable(worded.request, named)


def composed_table(
    con: duckdb.DuckDBPyConnection, question: Question, *, stored: bool
) -> tuple[Compiled, Question] | None:
    """Return the SQL of the table of groups and numbers that ``question`` asks for and the question
    of its runs, None where not all of it is understood so.

    ``stored``: one of stored rows, such as associations; else one of runs.
    """
    question = with_setting(con, question)
    names = _names(question)
    masked = _masked(question.text.lower(), names)

    def resolve(text: str) -> Question | None:
        restored = _restored(text, names)
        return _named(con, restored) if _says_which(restored) else _of_all(con)

    if stored:
        return stored_table(masked, resolve)
    meant = _meant(question, names)
    return ordered_table(_one_each(masked, meant), _kinds(meant), resolve)


def masked_text(question: Question) -> tuple[str, list[Mention]]:
    """Return the text of ``question`` with names as ``§0``, and what each of them means."""
    names = _names(question)
    meant = _meant(question, names)
    return _one_each(_masked(question.text.lower(), names), meant), meant


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


def _meant(question: Question, names: list[str]) -> list[Mention]:
    """Return what each of ``names`` means."""
    meant = {_as_written(one, question.text): one for one in _known(question)}
    return [meant[name] for name in names]


def _kinds(meant: list[Mention]) -> dict[str, str]:
    return {f"§{number}": one.group for number, one in enumerate(meant)}


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


def not_counted(question: Question) -> str | None:
    """Return why a list of values would be no answer to ``question``, None where it may be one.

    It counts what is neither a noun of tables nor a name (patients per country), or asks for rows
    of a table in words that only ``asked_table`` heeds.
    """
    both = {one.label for one in question.mentions}
    both &= {one.label for one in question.reading.without}
    if both:
        return f"{' and '.join(sorted(both))} is asked for and ruled out"
    limit = question.reading.of_tables
    if limit is not None and limit.topic == RANK_BY_VALUES:
        return "values are not ranked by how many others they have"
    if joins_sources(question):
        return "runs are not counted by how many sources found a virus in them"
    masked = _AS_TABLE.sub("", _masked(question.text.lower(), _names(question)))
    counted = _COUNTED_EACH.match(masked)
    if counted and not re.fullmatch(rf"(?:{NOUN})|(?:{COLUMN})|.*§.*", counted["noun"]):
        return f"“{counted['noun']}” is nothing that the index counts"
    unknown = question.reading.not_understood
    if unknown and _BY_ROWS.search(masked):
        return f"“{unknown[0]}” was not understood"
    rows = _OF_ROWS.search(masked)
    if rows is None and question.reading.kind != "associate":
        rows = _TABLE.search(masked)
    if rows is None:
        return None
    return f"“{_restored(rows[0].strip(), _names(question))}” was not understood with the rest"


def joins_sources(question: Question) -> bool:
    """Return whether ``question`` asks what several sources of detections say of the same run,
    which no table here does; what each of them found is a table.
    """
    return _SEVERAL_SOURCES.search(question.text.lower()) is not None


def is_worded_as_table(question: Question) -> bool:
    """Return whether the words outside of names ask for a table, whatever else they say."""
    names = _names(question)
    masked = _masked(question.text.lower(), names)
    if (read_records(masked) or read_wording(masked)) is not None:
        return True
    meant = _meant(question, names)
    return read_ordered(_one_each(masked, meant), _kinds(meant)) is not None


def _names(question: Question) -> list[str]:
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


def _masked(text: str, names: list[str]) -> str:
    """Return ``text`` with § and its number for each of ``names``; a § of its own is a blank."""
    text = text.replace("§", " ")
    for number, name in enumerate(names):
        spaced = r"\s+".join(_spellings(word) for word in name.split())
        text = re.sub(rf"(?<!\w){spaced}(?!\w)(?!{_RANK})", f"§{number}", text)
    return text


def _spellings(word: str) -> str:
    """Return the pattern of a word of a name in the singular and the plural."""
    for forms in _IRREGULAR:
        if word in forms:
            return f"(?:{'|'.join(forms)})"
    return rf"{re.escape(word.removesuffix('s'))}s?"


def _restored(text: str, names: list[str]) -> str:
    return re.sub(r"§(\d+)", lambda found: names[int(found[1])], text)


def _says_which(rest: str) -> bool:
    """Return whether ``rest`` says which runs: other words than those that join."""
    words = re.findall(r"[^\s,:;]+", rest)
    return any(word not in _JOINING for word in words)


def _of_all(con: duckdb.DuckDBPyConnection) -> Question:
    return read_question(con, "runs")


def _named(con: duckdb.DuckDBPyConnection, rest: str) -> Question | None:
    """Return the question of the runs that ``rest`` names, None where it says anything else."""
    if _BOTH_WAYS.search(rest):
        return None
    bare = re.sub(r"^[\s,:;]+|[\s,:;]+$", "", rest)
    bare = re.sub(r"\b(?:with|of|in|from|for|and|by|the|that)$", "", bare).strip()
    bare = re.sub(r"^(plant|animal|insect)$", r"\1s", bare)
    opened = bare if re.match(rf"(?:{NOUN})\b", bare) else f"runs {bare}"
    text = respelled(_with_accessions(opened))
    named = read_question(con, text)
    return named if _is_plain(named) and _is_all_read(named, text) else None


def _with_accessions(text: str) -> str:
    """Return ``text`` with accessions as they are written: letters in capitals before digits."""
    return re.sub(r"\b[a-z]{3,6}\d{5,}\b", lambda found: found[0].upper(), text)


def _is_plain(named: Question) -> bool:
    reading = named.reading
    asks_more = (
        reading.sides or reading.unexpected or reading.company or reading.setting or reading.limit
    )
    refused = reading.not_understood or reading.only_wording or reading.beyond
    return reading.kind in _PLAIN and not asks_more and not refused


def _is_all_read(named: Question, text: str) -> bool:
    """Return whether each word of ``text`` is of a name, or joins names."""
    words, _ = name_words(text)
    known = [*named.mentions, *named.absent, *named.reading.without]
    if any(one.group == "title" for one in known) or named.left_out:
        return False
    taken = positions(known)
    joining = _JOINING | _DENYING if named.reading.without else _JOINING
    for place, word in enumerate(words):
        beside = word.lower() in _BESIDE_A_NAME and {place - 1, place + 1} & {*taken}
        if place not in taken and word.lower() not in joining and not beside:
            return False
    return bool(known)
