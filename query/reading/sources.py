"""The one source of detections that a question keeps to: what palm_virome found, runs that Serratus
searched.

Such a question is read as if the index held this source alone, so its words for the source are
taken out before anything else is read. Names of sources are those of the index.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import duckdb

from index.store.same_for_all import same_for_all


class OfSource(NamedTuple):
    """A question without its words for a source, and that source, empty where it names none or
    several.
    """

    text: str
    source: str = ""


@same_for_all
def all_sources(con: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """Return the sources that searched runs of the index or found viruses in them, in order."""
    return tuple(source for (source,) in con.execute(_SOURCES).fetchall())


def kept_to_source(con: duckdb.DuckDBPyConnection, text: str) -> OfSource:
    """Return ``text`` without the one source that it keeps to.

    One that names two sources asks which of them, both or neither.
    """
    spelled = {source: _spelled(source) for source in all_sources(con)}
    named = [one for one, words in spelled.items() if re.search(rf"(?i)\b{words}\b", text)]
    if not named:
        return OfSource(text)
    any_of_them = "|".join(spelled.values())
    if len(named) > 1:
        return OfSource(_of_several(text, any_of_them))
    return OfSource(without_source(text, any_of_them), named[0])


def without_source(text: str, name: str) -> str:
    """Return ``text`` without its words for the source that is written like the pattern ``name``.

    >>> without_source("rice viruses according to palm_virome", "palm_virome")
    'rice viruses'
    >>> without_source("What did palm_virome find in rice?", "palm_virome")
    'What did we find in rice?'
    >>> without_source("In how many of the runs Serratus searched is Zika virus?", "serratus")
    'In how many of the searched runs is Zika virus?'
    """
    one = rf"(?:the )?(?:{name})(?:['’]s)?(?: {_KIND})?"
    for pattern, instead in _RULES:
        text = re.sub(pattern.replace("<one>", one), instead, text, flags=re.IGNORECASE)
    return re.sub(r"\s+(?=[?!.,;:]|$)", "", re.sub(r"\s{2,}", " ", text)).strip(" ,;:–—-")


def _of_several(text: str, name: str) -> str:
    """Return ``text`` with the names of two sources as what is asked of them."""
    one = rf"(?:the )?(?:{name})"
    by = r"(?:(?:by|from|in|with|to) )?"
    joint = r"(?P<joint>,? (?:and|or|nor|vs\.?|versus)|,)(?: how many(?: come)?)?"
    lead = r"(?:(?P<lead>both|neither|either|not) )?"
    pair = rf"{lead}{by}{one}{joint} {by}{one}(?P<rest>,? or {by}both)?"
    found = re.search(pair, text, re.IGNORECASE)
    if found is None:
        return text
    before, between = (found["lead"] or "").lower(), found["joint"].strip(", ").lower()
    counted = _COUNTED_FROM.match(text[: found.start()])
    if counted:
        return f"{counted['what']} by detection source{text[found.end() :]}"
    asks = _COMES_FROM.match(text[: found.start()])
    if asks and (found["rest"] or between in ("or", "")):
        return f"{asks['what']} runs by detection source{text[found.end() :]}"
    asked = "from which detection source"
    if before == "neither" or between == "nor":
        asked = "neither source"
    elif before == "both" or (between == "and" and not found["rest"]):
        asked = "both sources"
    return f"{text[: found.start()]}{asked}{text[found.end() :]}"


def _spelled(source: str) -> str:
    """Return the pattern of how ``source`` is written: with a blank, and its first part alone
    where that is a name and no word (serratus, not palm).
    """
    first, *_ = source.split("_")
    parts = r"[_ -]?".join(re.escape(part) for part in source.split("_"))
    return parts if first in _PLAIN_WORDS else f"{parts}|{re.escape(first)}"


_PLAIN_WORDS: Final = frozenset({"palm"})
"""First parts of names of sources that mean something else by themselves."""
_COMES_FROM: Final = re.compile(
    r"(?:do|does|did|are|is|were|was|have|has) (?:all |most )?(?:of )?(?:the |our |these |those )?"
    r"(?P<what>[^,;:?]+?)(?: (?:hits|detections|finds|records|runs|calls|come|coming|stem|originate"
    r"|been|found|detected|reported|called|due|from))*\s*$",
    re.IGNORECASE,
)
"""Asks which source something comes from, before the sources are named."""
_COUNTED_FROM: Final = re.compile(
    r"(?P<what>[^,;:?]+?)[,;:]? how many(?: of them)?(?: come| are| were found)? *$", re.IGNORECASE
)
"""Asks how many come from each source, before the sources are named."""
_KIND: Final = r"(?:source|data(?:set)?|search|pipeline|method|screen|table|side)\b"
_SEARCHED: Final = r"(?:searched|screened|looked at|covered|examined|processed|scanned)"
_FINDS: Final = (
    r"(?:find|found|finds|detect(?:s|ed)?|report(?:s|ed)?|call(?:s|ed)?|see|saw|sees|list(?:s|ed)?"
    rf"|{_SEARCHED})"
)
_RULES: Final = (
    (rf",? (?:relative to|out of|among) what <one> (?:has |had )?{_SEARCHED}\b", ""),
    (rf"\b(runs|samples|libraries|ones|those)(?: that| which)? <one> (?:has |had )?{_SEARCHED}\b",
     r"searched \1"),
    (rf"\b({_SEARCHED}) (?:by|in|with) <one>(?!\w)", r"\1"),
    (r"\b(did|does|do|has|have|can) <one> (?=\w)", r"\1 we "),
    (rf"<one> (?={_FINDS}\b)", "we "),
    (r"\b(?:(?:if|when|as far as) )?(?:only |just )?"
     r"(?:by|from|in|within|with|of|for|according to|using|via|per|on) <one>"
     r"(?: alone| only| (?:is|are) concerned)?(?!\w)", ""),
    (r"<one>(?: alone| only)?(?!\w)", ""),
)  # fmt: skip
"""Wordings of a source, ``<one>``, and what stands in their place."""
_SOURCES: Final = """
SELECT source FROM searched UNION SELECT source FROM detection ORDER BY source
"""
