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
from query.request.saying_runs import DATED, EVIDENCE, HAS, NAMED

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
    while _hit_part(text, parts):
        pass
    return Hit(**parts)


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
    if not text.starts("with runs that", "with all runs") and text.take("with"):
        parts["genome"] = text.names()
        text.expect("genome")
        return True
    return False


def set_of_runs(text: Text) -> RunSet:
    """Read a set of runs: "all runs", "runs that carry EBV"."""
    if text.take("all runs"):
        return Everything()
    text.expect("runs that")
    return clause(text)


def clause(text: Text) -> RunSet:
    """Read a condition on runs: "carry EBV and have human as host"."""
    parts = [_part(text)]
    joint = next((word for word in ("and", "or") if text.take(word)), "")
    if not joint:
        return parts[0]
    parts.append(_part(text))
    while text.take(joint):
        parts.append(_part(text))
    return And(tuple(parts)) if joint == "and" else Or(tuple(parts))


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
        return text.first_of(_in_index, lambda text: _has(text, "are"))
    return text.first_of(_most_common, lambda text: _has(text, "have"), _with_field, _has_as_field)


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


def _has(text: Text, verb: str) -> RunSet:
    """Read values of a field that has words of its own: "from the tissue lung"."""

    def of_field(field: str, before: str, after: str) -> Callable[[Text], RunSet]:
        def read(text: Text) -> RunSet:
            text.expect(before)
            found = _values_of(text, field)
            if after:
                text.expect(after)
            return found

        return read

    fields = [of_field(name, *rest) for name, (said, *rest) in HAS.items() if said == verb]
    return text.first_of(*fields)


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
    """Read "a latitude above 5", "a host containing mus"."""
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
