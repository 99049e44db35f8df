"""Why the reading of a question would be no answer to a request for a table that is not understood.

A reading lists values of facets with their runs, or counts runs. It heeds no other number, no
column, no bound on rows and no order. So it is compiled only where the words of the request that
say what is in a table (``lexicon``, ``fields``) are those that the reading heeds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from query.reading.limits import RANK_BY_VALUES
from query.sql_search.facets import facets_to_list
from query.sql_search.layer.fields import FIELDS, RUNS, is_of_hits
from query.sql_search.layer.lexicon import TableToken, any_word, tokens_of
from query.sql_search.layer.naming import masked_text, restored
from query.sql_search.layer.preparing import prepared
from query.sql_search.years import asks_by_year

if TYPE_CHECKING:
    from query.reading.mentions import Mention
    from query.reading.question import Question

_FACETS_OF: Final = {
    "family": ("family",),
    "species": ("species",),
    "virus": ("species", "family"),
    "reported_name": ("species",),
    "sotu": ("sotu",),
    "risk_group": ("risk",),
    "source": ("detector", "source"),
    "library_source": ("source", "library_source"),
    "library_strategy": ("strategy", "library_strategy"),
    "organism": ("host", "organism"),
}
"""Field -> the facets of a reading that list its values, where these are called otherwise."""
_IN_PASSING: Final = frozenset({"virus", "detection"})
"""Fields that may say of what runs are, and not what is listed: hosts with a virus."""
_SIDES: Final = 2
_NEVER_HEEDED: Final = frozenset(
    ["agg", "each", "skip", "unknown", "coordinates", "split", "round", "one_column", "pairs",
     "both_ways", "rare", "up", "risk", "byname", "only"]
)  # fmt: skip
"""Kinds of tokens that no reading heeds."""
_MEASURED: Final = frozenset({"num", "cmp", "after", "between", "released", "percent_sign"})
"""Kinds of tokens that readings heed in conditions on hits and runs."""
_LISTED: Final = frozenset({"field", "runs", "count", "agg", "share", "rate"})
"""Kinds of tokens that open a column."""
_RULED_OUT: Final = (["lacking", "name"], ["not", "name"])
"""Kinds of tokens behind a field whose values are to be in no run with a name."""
_LAID_OUT: Final = re.compile(
    r"\b(?:tables?|tabulat\w+|cross-?tab\w*|matrix|rows?|columns?|breakdown|csv|tsv"
    r"|spreadsheet|whether|ratios?|vice[ -]versa|conversely|the other way (?:a?round|about))\b"
)
"""Words for how a table is laid out, and for columns that no list of words holds."""
_AS_TABLE: Final = re.compile(
    r",? (?:please )?(?:as|in) (?:a|one)(?: single)? table(?: please)?\W*$"
)
"""Says at the end in which form the answer is wanted, and nothing else."""
_SEVERAL_SOURCES: Final = re.compile(
    r"\b(?:(?<!for )both|either|only one|two)(?: of)?(?: the)? (?:detection )?sources?\b"
)


def not_counted(question: Question) -> str | None:
    """Return why the reading of ``question`` would be no answer to it, None where it may be one.

    The question asks for rows, columns, numbers, bounds or orders that no reading heeds.
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
    masked, meant = masked_text(question)
    said = _AS_TABLE.sub("", prepared(question, masked, meant))
    why = next(_Heeded.of(question, said, meant).unheeded(), None)
    if why is None and question.reading.kind != "associate":
        laid_out = _LAID_OUT.search(said)
        why = f"“{laid_out[0]}” was not understood with the rest" if laid_out else None
    return None if why is None else restored(why, [one.text for one in meant])


def joins_sources(question: Question) -> bool:
    """Return whether ``question`` asks what several sources of detections say of the same run,
    which no table here does; what each of them found is a table.
    """
    return _SEVERAL_SOURCES.search(question.text.lower()) is not None


@dataclass(frozen=True, slots=True)
class _Heeded:
    """Which of the ``tokens`` of a request its reading heeds.

    ``listed``      the facets whose values are listed
    ``measured``    whether hits or runs must meet a condition that is measured
    ``first``       how many values are asked for
    ``meant``       what each name means
    """

    question: Question
    tokens: Sequence[TableToken]
    listed: frozenset[str]
    measured: bool
    first: int | None
    meant: Sequence[Mention]

    @classmethod
    def of(cls, question: Question, said: str, meant: Sequence[Mention]) -> _Heeded:
        """Return what the reading of ``question`` heeds of its words ``said``."""
        words = {key: one.words for key, one in FIELDS.items()}
        tokens = tokens_of(said, words, RUNS, unknown=any_word)
        measured = any(one.is_condition for one in question.mentions)
        by_year = asks_by_year(question)
        listed = frozenset(["year"] if by_year else facets_to_list(question))
        if question.reading.kind == "compare" and len(question.reading.sides) == _SIDES:
            listed = frozenset(["family"])
        return cls(question, tokens, listed, measured, question.reading.limit, meant)

    def unheeded(self) -> Iterator[str]:
        """Yield for each word that the reading does not heed why that is, in their order."""
        for place, one in enumerate(self.tokens):
            if self._is_unheeded(place, one):
                said = " ".join(each.text.strip() for each in self.tokens[place : place + 2])
                column = one.kind in ("agg", "field")
                yield (
                    f"“{one.text}” is no count of runs"
                    if column
                    else f"“{said}” was not understood with the rest"
                )

    def _is_unheeded(self, place: int, one: TableToken) -> bool:
        if one.kind in _NEVER_HEEDED:
            return True
        if one.kind in _MEASURED:
            return not (self.measured or one.number in (1, self.first))
        checks = {
            "field": self._is_other_field,
            "runs": self._is_listed_run,
            "per": self._is_other_row,
            "count": self._is_other_count,
            "share": self._is_other_share,
            "rate": self._is_other_share,
            "colon": self._opens_columns,
            "stop": self._opens_sentence,
            "versus": self._is_no_comparison,
            "name": self._is_pooled,
        }
        check = checks.get(one.kind)
        return check is not None and check(place)

    def _kinds(self, tokens: Sequence[TableToken]) -> list[str]:
        return [one.kind for one in tokens]

    def _is_of_list(self, one: TableToken) -> bool:
        """Return whether the reading lists the values of a field."""
        if one.kind != "field" or one.value not in FIELDS:
            return False
        facets = _FACETS_OF.get(one.value, (FIELDS[one.value].sql, one.value))
        return not self.listed.isdisjoint(facets)

    def _is_other_field(self, place: int) -> bool:
        one = self.tokens[place]
        if one.value in FIELDS and FIELDS[one.value].numeric:
            return not self.measured
        ruled_out = self._kinds(self.tokens[place + 1 : place + 3]) in _RULED_OUT
        if ruled_out and not is_of_hits(one.value):
            return True
        return one.value not in _IN_PASSING and not self._is_of_list(one)

    def _is_listed_run(self, place: int) -> bool:
        """Return whether single runs are listed, or runs are counted twice: runs with the host."""
        before, behind = self.tokens[:place], self.tokens[place + 1 :]
        if self._kinds(before)[:1] == ["field"] and self._kinds(before).count("field") > 1:
            return True
        joined = [one.kind for one in behind if one.kind in ("and", "comma", "colon", "runs")]
        if "runs" in joined and joined[0] != "runs":
            return True
        opens = not set(self._kinds(before)) & {"field", "count", "which", "top", "share"}
        columns = any(one.kind in ("with", "and", "comma") and other.kind == "field"
                      and other.value != "virus" for one, other in pairwise(behind))  # fmt: skip
        return opens and columns and "per" not in self._kinds(behind)

    def _is_other_row(self, place: int) -> bool:
        """Return whether what is asked for each of is not listed, or not so."""
        behind = self.tokens[place + 1 : place + 2]
        if not behind or not self._is_of_list(behind[0]):
            return True
        if place and self.tokens[place - 1].text in ("run", "sample", "accession", "library"):
            return True
        return self.first is not None and len(self.listed) > 1

    def _is_other_count(self, place: int) -> bool:
        """Return whether a second number is asked for, or one of values for each of others."""
        if "count" in self._kinds(self.tokens[:place]):
            return True
        counted = [one.kind for one in self.tokens[place + 1 :] if one.kind in ("field", "runs")]
        return counted[:1] == ["field"] and "per" in self._kinds(self.tokens)

    def _is_other_share(self, place: int) -> bool:
        """Return whether shares are asked for each of several values."""
        _ = place
        if self.question.reading.kind not in ("share", "exists"):
            return True
        return "per" in self._kinds(self.tokens) or self._is_share_of_virus(place)

    def _is_share_of_virus(self, place: int) -> bool:
        """Return whether a share is asked of the runs with a virus, where the reading takes it of
        all that were searched: share of EBV runs with KSHV.
        """
        behind = self.tokens[place + 1 :]
        if self._kinds(behind)[:3] != ["in", "name", "runs"]:
            return False
        viral = [one.text for one in behind if one.kind == "name" and self._group(one) == "virus"]
        return behind[1].text in viral and len({*viral}) > 1

    def _group(self, one: TableToken) -> str:
        return self.meant[int(one.text.removeprefix("§"))].group

    def _is_pooled(self, place: int) -> bool:
        """Return whether a number is asked for each of several names that are listed from here, and
        the reading counts the runs of any of them: runs from China and Germany.
        """
        if self.question.reading.kind not in ("count", "share") and "year" not in self.listed:
            return False
        names, joints = [self.tokens[place]], set()
        for one in self.tokens[place + 1 :]:
            if one.kind == "name":
                names.append(one)
            elif one.kind in ("comma", "and", "or"):
                joints.add(one.kind)
            else:
                break
        alike = {self.question.key(self.meant[int(one.text.removeprefix("§"))]) for one in names}
        before = self.tokens[place - 1].kind if place else ""
        listed = len(names) > 1 and bool(joints) and "or" not in joints
        return listed and len(alike) < len(names) and before not in ("not", "skip", "lacking")

    def _opens_columns(self, place: int) -> bool:
        """Return whether columns are listed behind a colon or a dash."""
        behind = self._kinds(self.tokens[place + 1 :])
        columns = [one for one in behind if one in _LISTED]
        return bool({"comma", "and"} & {*behind}) and len(columns) > 1

    def _opens_sentence(self, place: int) -> bool:
        """Return whether a further sentence says more than names."""
        behind = set(self._kinds(self.tokens[place + 1 :]))
        before = set(self._kinds(self.tokens[:place]))
        return bool(behind & (_LISTED | {"sort", "only", "down", "top"})) and bool(before & _LISTED)

    def _is_no_comparison(self, place: int) -> bool:
        _ = place
        reading = self.question.reading
        return reading.kind != "compare" or len(reading.sides) != _SIDES
