"""What one number of a row is: the words between two commas of a table that is asked for."""

from __future__ import annotations

import re
from typing import Final

from query.reading.measured.amounts import amount_of, compared_of
from query.sql_search.grammar.ordered import Cell, Given, GivenKind, Whole
from query.sql_search.grammar.words import (
    ANY_AGGREGATE,
    ANY_COLUMN,
    ANY_NOUN,
    COMPARED,
    MANY,
    aggregate_meant,
    column_meant,
    noun_meant,
)
from query.sql_search.tables.nouns import RUN

_LEADING: Final = re.compile(
    r"^(?:(?:and|with|plus|also|then|the|their|its|his|show|give(?: me| us)?|giving|showing"
    r"|including|columns?"
    r"|each with|together with|along with|as well as|for each|per row|in (?:the )?columns?|both"
    r"|overall|in total|respectively|list|what|which|is|are|(?:a )?table (?:with|of"
    r"|showing))\b[ :,]*)+"
)
_TAIL: Final = re.compile(
    r"(?: (?:there(?: are| is)?|each|overall|in total|respectively|in (?:each|all|columns?)|too"
    r"|as (?:a )?columns?|in it|(?:they|that)(?: \w+)? (?:come|came) from|behind (?:it|them)"
    r"|(?:does|do|did)(?: (?:it|they))?(?: (?:have|contain|carry|show|occur|appear))?"
    r"|(?:could|can) be named(?: in (?:it|them))?|is (?:that|this|it)|are (?:reported|found|seen)"
    r"|(?:it|they) (?:is|are) based on|are there|for (?:each|it|them)|at all|involved|represented"
    r"|covered))+$"
)
_RUNS: Final = r"(?:(?:sequencing )?runs?|samples?|librar(?:y|ies)|data ?sets?|accessions?)"
_THEM: Final = rf"(?:(?:of|among|in) (?:these|them|those|which|the {_RUNS})|thereof)"
_LOOKED: Final = (
    r"(?:searched|looked at|screened|examined|analy[sz]ed|tested|scanned)(?: (?:for|at)"
    r"(?: any)? virus(?:es)?)?"
)
_BE: Final = r"(?:(?:that |which |have |has )?(?:were|was|are|is|been|be|got|turned out|tested) )"
_CARRY: Final = (
    r"(?:with|having|have|has|had|carrying|carries|carry|contain(?:ing|s)?|showing|show"
    r"|positive for|yielding|harbou?r(?:ing)?|(?:in which|where)(?: there (?:is|was))?"
    r"|(?:that|which) (?:have|has|carry|carries|contain|contains|show|shows|are positive for)"
    r"|found with|infected with)"
)
_ANY: Final = r"(?:a|any|at least one|some|one or more) (?:known |named )?"
_FOUND: Final = (
    r"(?: (?:was|were|is|are|has been|have been|could be|being)? ?(?:found|detected|seen|present"
    r"|reported|identified)?(?: in (?:it|them))?)?"
)
_A_VIRUS: Final = rf"(?:(?:{_ANY})?virus(?:es)?|{_ANY}(?:detections?|hits?)){_FOUND}"
_WITH_ANY: Final = re.compile(rf"(?:(?:those|runs|number) )?{_CARRY} {_A_VIRUS}")
_SEARCHED: Final = re.compile(
    rf"(?:{MANY} )?(?:{_THEM} )?(?:{_RUNS} )?{_BE}?{_LOOKED}(?: {_RUNS})?"
)
_POSITIVE: Final = re.compile(
    rf"(?:{MANY} )?(?:{_THEM} )?(?:{_RUNS} )?"
    rf"(?:{_CARRY} {_A_VIRUS}|{_BE}?positives?(?: ones)?(?: for (?:any(?:thing| virus)|a virus))?"
    rf"(?: {_RUNS})?)"
)
_NEGATIVE: Final = re.compile(
    rf"(?:{MANY} )?(?:{_THEM} )?(?:{_RUNS} )?(?:{_CARRY} no|without|lacking)"
    rf"(?: {_ANY}| )?virus(?:es)?{_FOUND}|{MANY} (?:did|do|have|had|were|are)(?: not|n['’]t)"
    rf"(?: {_A_VIRUS})?|(?:{MANY} )?(?:{_RUNS} )?{_BE}?negatives?(?: {_RUNS})?"
)
_FIRST: Final = re.compile(
    r"(?:most (?:common|frequent|abundant|prevalent|often (?:found|seen))|commonest|top|dominant"
    rf"|leading|main|number one|no\.? ?1) (?:single )?(?P<noun>{ANY_NOUN})"
    r"(?: (?:found|seen|detected|there|in (?:it|them)))*"
)
_OF_FIRST: Final = re.compile(
    rf"(?:{MANY} (?:of )?{_RUNS}|{_RUNS}|share|percent(?:age)?|fraction|proportion)"
    rf"(?: of (?:the |these |all |that |its |their )?(?:[\w' ]+ )?{_RUNS})?"
    r" (?:(?:that )?(?:it|this|that) (?:is|was|occurs|makes up)(?: found)?(?: in)?"
    r"|(?:with|of|for) (?:it|that virus|this virus))"
)
_MADE: Final = re.compile(
    rf"(?P<hows>(?:{ANY_AGGREGATE})(?:~(?:{ANY_AGGREGATE}))*) "
    r"(?:of )?(?:the |their )?(?:numbers? of )?(?:best )?"
    rf"(?P<columns>(?:{ANY_COLUMN})(?:(?: and |, )(?:(?:{ANY_AGGREGATE}) )?(?:{ANY_COLUMN}))*)"
    r"(?P<rest>(?: (?:of|per|in|for|over|from|across|to) .*)?)"
)
_MADE_PER_RUN: Final = re.compile(
    rf"(?P<how>{ANY_AGGREGATE}) (?:of )?(?:the )?{MANY} (?P<noun>{ANY_NOUN}) (?:per|in a|of a"
    rf"|each) "
    rf"{_RUNS}"
)
_READS_PER_RUN: Final = re.compile(
    rf"(?P<how>{ANY_AGGREGATE}) (?:numbers? of )?(?:\w+ )?reads?(?: counts?)? per {_RUNS}"
)
_BOTH_WAYS: Final = re.compile(
    rf"(?:{MANY} )?(?:{_RUNS} ?)?(?P<names>(?:§\d+ )*)(?:{_RUNS} )?"
    r"with~without (?P<what>§\d+|(?:an? |any )?virus(?:es)?)"
)
_OF_HITS: Final = re.compile(
    r"(?: (?:of|per|in|for|from|over|to) (?:(?:the|all|its|their|a|each|best) )*"
    rf"(?:(?P<name>§\d+)(?: (?:hits?|detections?|{_RUNS}))?"
    rf"|(?:hits?|detections?|{_RUNS}|alignments?|references?(?: sequences?)?)))?"
)
_PERCENT: Final = re.compile(
    r"(?P<name>§\d+ )?(?:(?:detection|positivity|hit|positive|infection|virus detection) rates?"
    r"|prevalence"
    r"|positivity|(?:what )?(?:percent(?:ages?)?|shares?|fractions?|proportions?|ratios?|rates?))"
    r"(?P<rest>.*)"
)
_RATE: Final = re.compile(
    r"(?:detection|positivity|hit|positive|infection) rates?|prevalence|posit"
)
_OF_WHOLE: Final = re.compile(
    rf"(?: (?:of|among|in|out of|over|to|relative to))? ?(?:(?:all|the|these|those|its|their|total"
    rf"|row'?s?|of) )*(?P<looked>{_LOOKED} )?(?P<names>(?:§\d+(?: (?:and|or) )?)*) ?"
    rf"(?:{_RUNS}|them|these|those|total|whole|ones|all)?(?P<behind> {_BE}?{_LOOKED})?"
)
_COLUMN_IS: Final = re.compile(
    rf"(?:{MANY} )?(?:{_THEM} )?(?:(?:of )?{_RUNS} )?(?:(?:with|have|having|has|a|of|show) )*"
    rf"(?:(?P<column>{ANY_COLUMN}) )?(?:of )?(?P<exceed>exceed(?:ing|s)? |reach(?:ing|es)? )?"
    rf"{COMPARED}(?: percent)?(?: (?P<behind>{ANY_COLUMN}))?"
)
_RUNS_OF: Final = re.compile(
    rf"(?:{MANY} )?(?:{_THEM} )?(?P<noun>{ANY_NOUN})? ?"
    rf"(?P<how>{_CARRY}|from|of|in|for|where|that|which|released|{_BE}) (?P<what>.+)"
)
_NAMED_RUNS: Final = re.compile(
    rf"(?:{MANY} )?(?P<what>(?:[\w'-]+ ){{0,3}}?§\d+(?: (?:and|or) §\d+)*)(?: "
    rf"(?P<noun>{ANY_NOUN}))?"
)
_COUNTED: Final = re.compile(
    rf"(?:{MANY} )?(?:of )?(?:the )?(?P<noun>{ANY_NOUN})"
    rf"(?: (?:{_BE}?(?:found|seen|detected|known)|in them))?"
)
_RUNS_ALONE: Final = re.compile(
    rf"(?:total|all) (?:{_RUNS})|(?:run|sample) (?:counts?|numbers?)|total|{MANY} (?:them|these)"
)
_DATED: Final = re.compile(
    r"(?P<how>(?:(?:first|earliest|oldest|last|latest|newest|most recent)(?:~| )?)+)"
    r"(?:release )?years?"
    r"(?: of release)?(?: of (?:the |its |their )?runs)?"
)


def cells_of(text: str) -> list[Cell] | None:
    """Return the numbers that ``text`` asks for, None where it is none that is understood; none
    where it says no more than which runs a number before is of.

    >>> cells_of("number of virus families")
    [Cell(how='count', of='family', given=Given(kind='', text='', column='', sign='', \
number=0), whole='', per_run=False)]
    """
    said = text.strip(" ,;:.")
    if _WITH_ANY.fullmatch(said):
        return [Cell(given=Given("virus"))]
    bare = _TAIL.sub("", _LEADING.sub("", said)).strip()
    for read in (_of_first, _first, _dated, _made, _percent, _counted_so, _compared, _of_named):
        cells = read(bare)
        if cells is not None:
            return cells
    return None


def _first(text: str) -> list[Cell] | None:
    found = _FIRST.fullmatch(text)
    return [Cell("first", noun_meant(found["noun"]))] if found else None


def _of_first(text: str) -> list[Cell] | None:
    """Return nothing for the runs of the most frequent value, which are listed anyway."""
    return [] if _OF_FIRST.fullmatch(text) else None


def _dated(text: str) -> list[Cell] | None:
    found = _DATED.fullmatch(text)
    if found is None:
        return None
    early = [Cell("min", "year")] if re.search("first|earliest|oldest", found["how"]) else []
    late = [Cell("max", "year")] if re.search("last|latest|newest|recent", found["how"]) else []
    return early + late


def _made(text: str) -> list[Cell] | None:
    """Return means, medians and the like of columns."""
    reads = _READS_PER_RUN.fullmatch(text)
    if reads is not None:
        return [Cell(aggregate_meant(reads["how"]), "reads", per_run=True)]  # type: ignore[arg-type]
    per_run = _MADE_PER_RUN.fullmatch(text)
    if per_run is not None:
        how = aggregate_meant(per_run["how"])
        return [Cell(how, noun_meant(per_run["noun"]), per_run=True)]  # type: ignore[arg-type]
    found = _MADE.fullmatch(text)
    of = _OF_HITS.fullmatch(found["rest"]) if found else None
    if found is None or of is None:
        return None
    given = Given("of", of["name"]) if of["name"] else Given()
    hows = [aggregate_meant(one) for one in re.findall(rf"\b(?:{ANY_AGGREGATE})\b", found["hows"])]
    columns = re.split(r" and |, ", found["columns"])
    bare = [re.sub(rf"^(?:{ANY_AGGREGATE}) ", "", one) for one in columns]
    return [Cell(how, column_meant(one), given) for one in bare for how in hows]  # type: ignore[arg-type]


def _percent(text: str) -> list[Cell] | None:
    """Return a percentage, and of what it is one."""
    found = _PERCENT.fullmatch(text)
    if found is None:
        return None
    rest = found["rest"].strip()
    whole: Whole = "searched" if _RATE.search(text) else ""
    of_virus = re.fullmatch(r"of (?:the )?(?P<name>§\d+)", rest) if whole else None
    if of_virus is not None:
        return [Cell("percent", given=Given("named", of_virus["name"]), whole=whole)]
    if found["name"]:
        given = Given("named", found["name"].strip())
        return None if rest else [Cell("percent", given=given, whole=whole)]
    if not rest:
        return [Cell("percent", whole=whole)]
    positive = re.fullmatch(rf"(?P<of>.*?)(?: of)? ?(?:{_BE}?positives?|{_CARRY} {_A_VIRUS})", rest)
    if positive is not None and _of_whole(positive["of"], whole) is not None:
        return [Cell("percent", given=Given("virus"), whole=_whole_of(positive["of"], whole))]
    carrying = re.fullmatch(rf"(?P<of>.*?) ?(?:{_CARRY}|positive for|for|from) (?P<what>.+)", rest)
    if carrying is not None and _of_whole(carrying["of"], whole) is not None:
        given = Given("named", carrying["what"])
        return [Cell("percent", given=given, whole=_whole_of(carrying["of"], whole))]
    of = _of_whole(rest, whole)
    if of is None:
        return None
    named, of_all = of
    if not named:
        return [Cell("percent", whole=of_all)]
    return [Cell("percent", given=Given("of", named), whole=of_all or "all")]


def _of_whole(text: str, whole: Whole) -> tuple[str, Whole] | None:
    """Return the names of which runs a share is of, and what they are compared with."""
    found = _OF_WHOLE.fullmatch(f" {text}" if text else "")
    if found is None:
        return None
    if found["looked"] or found["behind"]:
        whole = "searched"
    elif found["names"].strip():
        whole = "all"
    elif not whole and re.search(r"\b(?:all|total|the|these|its|their)\b|of them", text):
        whole = "runs"
    return found["names"].strip(), whole


def _whole_of(text: str, whole: Whole) -> Whole:
    of = _of_whole(text, whole)
    return of[1] if of else whole


def _counted_so(text: str) -> list[Cell] | None:
    """Return a count of distinct values, or of runs searched, with a virus, or without one."""
    if _SEARCHED.fullmatch(text):
        return [Cell(given=Given("searched"))]
    if _POSITIVE.fullmatch(text):
        return [Cell(given=Given("virus"))]
    if _NEGATIVE.fullmatch(text):
        return [Cell(given=Given("no virus"))]
    if re.fullmatch(MANY, text) or _RUNS_ALONE.fullmatch(text):
        return [Cell()]
    found = _COUNTED.fullmatch(text)
    return [Cell(of=noun_meant(found["noun"]))] if found else None


def _compared(text: str) -> list[Cell] | None:
    """Return a count of runs whose hits compare so with a number."""
    found = _COLUMN_IS.fullmatch(text)
    if found is None or not (found["sign"] or found["after"] or found["exceed"]):
        return None
    column = found["column"] or found["behind"]
    sign = ">" if found["exceed"] else compared_of(found["sign"] or found["after"])
    key = column_meant(column) if column else ""
    return [Cell(given=Given("column", "", key, sign, amount_of(found["number"])))]


def _of_named(text: str) -> list[Cell] | None:
    """Return a count of what carries names: runs with EBV, EBV runs, runs with and without it."""
    both = _BOTH_WAYS.fullmatch(text)
    if both is not None and not both["what"].startswith("§"):
        return [Cell(given=Given("virus")), Cell(given=Given("no virus"))]
    if both is not None:
        kinds: tuple[GivenKind, GivenKind] = ("named", "without")
        cells = [Cell(given=Given(kind, both["what"])) for kind in kinds]
        about = both["names"].strip()
        return [Cell(given=Given("of", about)), *cells] if about else cells
    for pattern in (_NAMED_RUNS, _RUNS_OF):
        found = pattern.fullmatch(text)
        if found is None or (found["noun"] is None and not re.match(rf"{MANY} ", text)):
            continue
        noun = noun_meant(found["noun"]) if found["noun"] else RUN
        said = found.groupdict().get("how") or ""
        what = f"{said} {found['what']}" if said in ("released",) else found["what"]
        bare = re.sub(r"^(?:with )?(?:an? (?=§))?|(?<=\d) (?:hits?|detections?)$", "", what.strip())
        return [Cell(of=noun, given=Given("named", bare))]
    return None
