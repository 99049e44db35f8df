"""Read back hits and sets of runs of canonical English."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from query.reading.canonical_words import Text, UnreadError
from query.request import (
    And,
    Between,
    Carries,
    Everything,
    Has,
    Hit,
    Mentions,
    Not,
    Or,
    RunSet,
    Searched,
    Top,
)
from query.request.saying_runs import DATED, EVIDENCE, NAMED, PHRASES

_FROM = "from "
_RANGES = ("identity", "reads", "score", "coverage")
_LISTS = {
    "other than": "other_than",
    "detected by": "source",
    "of sOTU": "sotu",
    "reported as": "reported",
    "of risk group": "risk",
    "recorded in": "infects",
    "judged": "plausibility",
}


def hit(text: Text) -> Hit:
    """Read a hit: "EBV at 90 percent identity or more"."""
    parts: dict[str, Any] = {}
    if not text.take("any virus"):
        parts["virus"] = text.names()
    return Hit(**parts, **hit_parts(text))


def hit_parts(text: Text) -> dict[str, Any]:
    """Read the conditions of a hit: "at 90 percent identity or more with score above 5"."""
    parts: dict[str, Any] = {}
    while _hit_part(text, parts):
        pass
    return parts


def _hit_part(text: Text, parts: dict[str, Any]) -> bool:
    """Read the next condition of a hit into ``parts``; return whether there was one."""
    for value, words in (*EVIDENCE.items(), *NAMED.items()):
        if words and text.take(words):
            parts["evidence" if isinstance(value, str) else "named"] = value
            return True
    for words, key in _LISTS.items():
        if text.take(words):
            parts[key] = text.names()
            return True
    for key in _RANGES:
        if text.take(f"with {key}"):
            parts[key] = text.range()
            return True
    if not text.starts("with runs", "with all runs", "with the") and text.take("with"):
        parts["genome"] = text.names()
        text.expect("genome")
        return True
    return False


def set_of_runs(text: Text) -> RunSet:
    """Read a set of runs: "all runs", "runs that carry EBV"."""
    if text.take("all runs"):
        return Everything()
    text.expect("runs")
    phrases = _phrases(text)
    if text.take("that"):
        return _with_clause(phrases, text)
    if not phrases:
        raise UnreadError
    return _all_of(phrases, "and")


def phrases_and_clause(text: Text) -> RunSet:
    """Read what follows "How many runs": "from the host human carry EBV"."""
    return _with_clause(_phrases(text), text)


def _with_clause(phrases: list[RunSet], text: Text) -> RunSet:
    parts, joint = _clauses(text)
    if phrases and joint == "or":
        raise UnreadError
    return _all_of([*phrases, *parts], joint)


def _phrases(text: Text) -> list[RunSet]:
    """Read "from the host human and the tissue liver with the disease flu", up to another word."""
    found: list[RunSet] = []
    while text.starts(*PHRASES.values()) or (found and text.starts("and the")):
        found.append(_continued(text) if text.take("and") else _phrase(text))
    return found


def _phrase(text: Text) -> RunSet:
    """Read values of a field that has words of its own: "from the tissue lung"."""
    field = text.one_of(PHRASES.values())
    return _values_of(text, next(name for name, said in PHRASES.items() if said == field))


def _continued(text: Text) -> RunSet:
    """Read "the tissue lung" after "from the host human and"."""
    fields = {said.removeprefix(_FROM): name for name, said in PHRASES.items()
              if said.startswith(_FROM)}  # fmt: skip
    return _values_of(text, fields[text.one_of(fields)])


def _all_of(parts: list[RunSet], joint: str) -> RunSet:
    if len(parts) == 1:
        return parts[0]
    return Or(tuple(parts)) if joint == "or" else And(tuple(parts))


def clause(text: Text) -> RunSet:
    """Read a condition on runs: "carry EBV and are from the host human"."""
    return _all_of(*_clauses(text))


def _clauses(text: Text) -> tuple[list[RunSet], str]:
    """Read conditions on runs, and the word that joins them."""
    parts = [_part(text)]
    joint = next((word for word in ("and", "or") if text.starts(f"{word} ")), "and")
    while text.take(joint):
        parts.append(_continued(text) if joint == "and" and text.starts("the ") else _part(text))
    return parts, joint


def _part(text: Text) -> RunSet:
    """Read one clause, or several in brackets."""
    if text.take("("):
        return _closed(text, clause)
    if text.take("are not among those that ("):
        return Not(_closed(text, clause))
    if text.take("do not"):
        return Not(_leaf(text, text.one_of(("carry", "have", "state", "mention"))))
    verb = text.one_of(("carry", "have", "state", "mention", "are", "were"))
    if verb in ("are", "were") and text.take("not"):
        return Not(_leaf(text, verb))
    return _leaf(text, verb)


def _closed(text: Text, reader: Callable[[Text], RunSet]) -> RunSet:
    """Read what is in brackets, and the bracket that closes them."""
    with text.deeper():
        inner = reader(text)
    text.expect(")")
    return inner


def _leaf(text: Text, verb: str) -> RunSet:
    """Read what follows the verb of a simple clause."""
    if verb == "carry":
        return Carries(hit(text))
    if verb == "state":
        return Has(_field_with_article(text))
    if verb == "mention":
        return _mentions(text)
    if verb == "were":
        return text.first_of(_searched, _dated)
    if verb == "are":
        return text.first_of(_in_index, _phrase)
    return text.first_of(_most_common, _disease, _with_field, _has_as_field)


def _disease(text: Text) -> RunSet:
    text.expect("the disease")
    return _values_of(text, "disease")


def _in_index(text: Text) -> RunSet:
    text.expect("in the index")
    return Everything()


def _mentions(text: Text) -> RunSet:
    words = text.names(joint="and")
    return Mentions(words, "title" if text.take("in a title") else "text")


def _searched(text: Text) -> RunSet:
    text.expect("searched")
    source = text.names() if text.take("by") else ()
    return Searched(source, text.names() if text.take("for") else ())


def _dated(text: Text) -> RunSet:
    participle = text.one_of(DATED.values())
    field = next(field for field, said in DATED.items() if said == participle)
    return Between(field, text.range())


def _values_of(text: Text, field: str) -> Has:
    is_exact = text.take("exactly")
    return Has(field, text.names(), below=not is_exact)


def _has_as_field(text: Text) -> RunSet:
    """Read values of any other field: "RNA-Seq as library strategy"."""
    is_exact = text.take("exactly")
    values = text.names()
    text.expect("as")
    field = text.field()
    share = None
    if text.take("with a share"):
        share = text.range()
        text.expect("percent")
    return Has(field, values, below=not is_exact, share=share)


def _with_field(text: Text) -> RunSet:
    """Read "a latitude above 5", "a host containing mus", "a recorded country"."""
    if text.take("a recorded"):
        return Has(text.field())
    field = _field_with_article(text)
    if text.take("containing"):
        return Has(field, contains=text.name())
    return Between(field, text.range())


def _field_with_article(text: Text) -> str:
    if not text.take("an") and not text.take("a"):
        raise UnreadError
    return text.field()


def _most_common(text: Text) -> RunSet:
    number = 1
    if text.take("one of the"):
        number = text.whole_number()
        text.expect("most common")
        field = text.field(plural=True)
    else:
        text.expect("the most common")
        field = text.field()
    text.expect("among (")
    return Top(field, _closed(text, set_of_runs), number)
