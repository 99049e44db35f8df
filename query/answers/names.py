"""The names in an answer for the things of a request: the user's own, and the formal name once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from index.claims.phrases import is_group
from ontology_etl.curies import normalise
from query.compiler.resolving import Resolved

if TYPE_CHECKING:
    from query.reading.reading import NameInQuestion

_UNCHANGED: Final = (
    "sheep", "fish", "deer", "cattle", "swine", "poultry", "livestock", "salmon", "shrimp",
    "yeast",
)  # fmt: skip
"""Common names without a plural."""
_IRREGULAR: Final = {
    "mouse": "mice",
    "goose": "geese",
    "louse": "lice",
    "calf": "calves",
    "person": "people",
    "man": "men",
    "woman": "women",
    "child": "children",
    "ox": "oxen",
}


@dataclass
class CalledNames:
    """Names of a request: what they mean in the index, and how the user wrote them.

    ``usual``      identifiers that no user wrote, and what they are usually called
    ``spellings``  names of viruses as they were written, and as virologists write them
    ``introduced_before``  names whose formal name an answer has said already
    ``own``        identifiers of taxa below a species, and their names
    ``plants``     identifiers of hosts that are plants
    """

    resolved: tuple[Resolved, ...] = ()
    written: Sequence[NameInQuestion] = ()
    usual: Mapping[str, str] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)
    introduced_before: set[str] = field(default_factory=set)
    own: Mapping[str, str] = field(default_factory=dict)
    plants: frozenset[str] = frozenset()

    def hosts(self, name: str) -> str:
        """Return what a host is called, animals in the plural: from mice, from garlic."""
        called = self.called(name, "host")
        return called if self.curie(name, "host") in self.plants else plural(called)

    def called(self, name: str, kind: str) -> str:
        """Return the user's word for ``name``: as written, with exceptions.

        Exceptions are misspellings, CURIEs, Latin names (aedes aegypti), a missing "virus"
        (Powassan), and the singular of a family (coronavirus).
        """
        called = self._called(name, kind)
        formal = self.formal(name, kind) or ""
        if kind == "host" and _is_latin(called, formal):
            return formal
        if kind == "virus" and formal.lower() == f"{called} virus".lower():
            return formal
        is_of_group = called.endswith("virus") and is_group(formal)
        return f"{called}es" if kind == "virus" and is_of_group else called

    def _called(self, name: str, kind: str) -> str:
        if name in self.usual:
            return self.usual[name]
        for word in self.written:
            is_of_world = word.kind == "place" and ":" not in name  # european
            if word.name == name and not word.corrected and not is_of_world:
                if kind == "virus":
                    text = word.text.removesuffix(" positive")
                    return self.spellings.get(text, text)
                return _spelled_like(word.text, (name, self.formal(name, kind) or name))
        if normalise(name) is not None:
            return self.formal(name, kind) or name
        return self.spellings.get(name, name)

    def introduced(self, name: str, kind: str) -> str:
        """Return ``called``, followed by the formal name the first time that it differs."""
        called = self.called(name, kind)
        formal = self.own.get(self.curie(name, kind) or "", self.formal(name, kind))
        is_known = name in self.introduced_before or name in self.usual
        if is_known or formal is None or _same(called, formal):
            return called
        self.introduced_before.add(name)
        return f"{called} ({formal})"

    def as_asked(self, formal: str, kind: str) -> str:
        """Return the user's word for the thing with a formal name; else the name itself."""
        for known in self.resolved:
            if known.label == formal and known.kind == kind:
                return self.called(known.text, kind)
        return formal

    def curie(self, name: str, kind: str) -> str | None:
        """Return the identifier that a name was resolved to."""
        known = self._resolved(name, kind)
        return known.curie if known else None

    def formal(self, name: str, kind: str) -> str | None:
        """Return the name that the index has for ``name``."""
        known = self._resolved(name, kind)
        return known.label if known else None

    def _resolved(self, name: str, kind: str) -> Resolved | None:
        named = [known for known in self.resolved if (known.text, known.kind) == (name, kind)]
        return named[0] if named else None


def _spelled_like(text: str, names: Sequence[str]) -> str:
    """Return ``text`` spelled like the one of ``names`` that it nearly equals or abbreviates.

    >>> _spelled_like("ades aegypti", ["Aedes aegypti"])
    'Aedes aegypti'
    >>> _spelled_like("lcl", ["lymphoblastoid cell line"]), _spelled_like("bats", ["Chiroptera"])
    ('LCL', 'bats')
    """
    for name in names:
        initials = "".join(word[0] for word in name.lower().split())
        if len(initials) > 1 and text == initials:
            return text.upper()
        is_longer = abs(len(name) - len(text)) <= 1 and len(text) >= _LEAST_LETTERS
        likeness = SequenceMatcher(None, text.lower(), name.lower()).ratio() if is_longer else 0
        if likeness > _ALIKE:
            return name
    return text


_LEAST_LETTERS: Final = 8
_ALIKE: Final = 0.9
"""Share of equal letters from which a name (of at least so many letters) is the same, misspelt."""


def _is_latin(called: str, formal: str) -> bool:
    """Return whether a host is called by its scientific name, or by the last part of it.

    >>> _is_latin("ae. aegypti", "Aedes aegypti"), _is_latin("bats", "Chiroptera")
    (True, False)
    """
    return bool(called) and called.lower().split()[-1] == formal.lower().split(" ")[-1]


def _same(called: str, formal: str) -> bool:
    """Return whether two names differ only in ways that do not matter to a reader.

    The formal name may have one word more.

    >>> _same("zika viruses", "Zika virus"), _same("coronaviruses", "Coronaviridae")
    (True, True)
    >>> _same("measles", "Measles morbillivirus"), _same("Ebola", "Zaire ebolavirus")
    (True, False)
    """
    words, more = (set(name.lower().split()) - {"virus", "viruses"} for name in (called, formal))
    return _bare(called) == _bare(formal) or (words < more and len(more - words) == 1)


def _bare(text: str) -> str:
    plain = text.lower().replace("-", " ").strip()
    return re.sub(r"( ?virus(es)?|viridae|s)$", "", plain)


def plural(name: str) -> str:
    """Return the plural of a common name; Latin names and plurals stay.

    >>> [plural(name) for name in ("human", "mosquito", "mouse", "mice", "Homo sapiens", "fly")]
    ['humans', 'mosquitoes', 'mice', 'mice', 'Homo sapiens', 'flies']
    """
    head, _, last = name.rpartition(" ")
    is_plural = last.endswith("s") or last in _IRREGULAR.values()
    if not name.islower() or is_plural or last in _UNCHANGED:
        return name
    changed = f"{last}es" if last.endswith(("o", "x", "ch", "sh")) else f"{last}s"
    if last.endswith("y") and last[-2:-1] not in "aeiou":
        changed = f"{last[:-1]}ies"
    return f"{head} {_IRREGULAR.get(last, changed)}".strip()


def place_name(name: str) -> str:
    """Return a place as it reads after "from": seas and some countries have an article.

    >>> [place_name(name) for name in ("Red Sea", "USA", "Peru")]
    ['the Red Sea', 'the USA', 'Peru']
    """
    has_article = name.endswith((" Sea", " Ocean", " Islands", " Republic")) or name in _WITH_THE
    return f"the {name}" if has_article or name.startswith("United ") else name


_WITH_THE: Final = frozenset(
    ["USA", "UK", "Netherlands", "Philippines", "Gambia", "Bahamas", "Maldives",
     "Democratic Republic of the Congo"]
)  # fmt: skip
