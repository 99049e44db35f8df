"""Which clause of a text is the question; the other clauses only say why it is asked.

"Writing a thesis on mumps virus. Do you have a run of it?" asks in its second sentence. The first
names what "it" is; its other words say nothing of the index.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from query.reading.mentions import Mention
from query.reading.respelling.rules import respelled
from query.reading.scope.pointers import (
    NOT_SO,
    POINTS,
    POINTS_BACK,
    WITHOUT_THESE,
    compares_what_is_beside,
    points_to_all,
    unknown_contrast,
    with_pointers,
)
from query.reading.scope.sides import with_sides_compared
from query.reading.scope.splitting import CHECKS, SAYS_WHAT, asks, split_clauses
from query.reading.scope.talk import (
    is_expectation,
    values_that_will_do,
    without_courtesies,
)

_PROFESSION: Final = re.compile(
    r"\b(?:[\w-]+ )?(?:\w+ologist|breeder|veterinarian|farmer|physician|teacher|student)s?\b",
    re.IGNORECASE,
)
"""Who somebody is: a plant pathologist names no plant."""
_REPORTED: Final = re.compile(
    r"^.*?\b(?:know|sure|wonder|wondering|unsure|unclear|question)(?: (?:is|about))?"
    r" (?:whether|if)\s+"
    r"|^.*?\b(?:say|says|said|claims?|claimed|insists?|insisted|swears?|swore|thinks?|thought"
    r"|believes?|believed|guessed|expected|assumed|suspects?|bets?"
    r"|convinced|sure|heard|read|told|argues?|argued|writes?|wrote|certain)\b"
    r"(?: (?:me|us|somewhere|once))*(?: that)?\s+",
    re.IGNORECASE,
)
"""Who says something, and that it is only said."""
_DENIES: Final = re.compile(
    r"\b(?:nobody|no one|none)(?: has| have| had)?(?: ever)?"
    r"(?: (?:seen|found|detected|observed|reported))?\s+"
    r"|\b(?:not|no|never|nowhere|without|any|ever)\s+|(?<=[a-z])n['’]t\b|\bat all\b",
    re.IGNORECASE,
)
"""What makes a claim a denial: both are answered by yes or no."""
_TRUE_THAT: Final = re.compile(
    r"(?:so )?is it (?:really )?(?:true|correct|right|the case) that (?P<what>.+?)\W*$",
    re.IGNORECASE,
)
"""Asks in one sentence whether a claim holds."""
_NONE_THERE: Final = re.compile(
    r"(?:are|is) there (?:really |truly )?"
    r"(?P<what>no (?:runs?|samples?|library|libraries)\b.+?)\W*$",
    re.IGNORECASE,
)
"""Asks whether there is none, which is a claim, too."""
_DENYING: Final = re.compile(r"\b(?:not|never|nowhere|no)\b|n['’]t\b", re.IGNORECASE)
_ORDERS: Final = re.compile(
    r"(?:please )?(?:list|name|give|show|rank|sort)\b(?!.*\b(?:in|of|from|with|for)\b)",
    re.IGNORECASE,
)
"""How the answer to the question before is wanted, where it names nothing: "List families."."""
_LISTS: Final = re.compile(r"(?:(?:from|in|of) )?(?:which|what|who|where)\b.*\?$", re.IGNORECASE)
"""A question that is answered by a list."""
_ASKED_BEFORE: Final = re.compile(
    r"(?:(?:can|could|would) you (?:please )?|please )?(?:list|name|show|give|tell|send|count|rank)"
    r"(?: me| us)? (?:them|these|those|it|that|this)(?: please)?\W*",
    re.IGNORECASE,
)
"""Asks for what was said before, and names nothing itself."""
_BETWEEN: Final = " ; "
"""Between the clauses of a setting."""
BESIDE: Final = "about"
_JOINT: Final = f" {BESIDE} "
"""The same where they are read: a word, so that names do not run together."""
_RESTRICTS: Final = re.compile(
    r"(?:i|we) (?:only |really |just )?(?:mean|meant)\b|only\b|that is\b|namely\b|specifically\b"
    r"|to be (?:precise|exact|clear|specific)\b",
    re.IGNORECASE,
)
"""Opens a clause that says more exactly what the question is about."""
_SURROUNDINGS: Final = frozenset({"environment", "biome"})
"""Groups that say the same of a run in two ways."""
_GOES_ON: Final = re.compile(
    r"(?:and |or |but |so )?(?:how (?:does|do|did|would) (?:that|this|it|those|these|they) compare"
    r"|(?:is|are) (?:that|this|it|those|these|they) (?:(?:any|much|really) )?(?:more|less|fewer"
    r"|higher|lower|larger|smaller|bigger)|compared (?:to|with)|(?:what|how) about)\b",
    re.IGNORECASE,
)
"""Goes on from the question before it, which names one of the things compared."""
_OF_TESTS: Final = re.compile(
    r"\b(?:associat|correlat|significan|enrich)\w*|\bmwas\b|\bsurvive correction\b", re.IGNORECASE
)
"""Asks for tests of association, which a question behind it goes on with."""
_VALUE: Final = (
    r"(?:virus(?:es)?|species|families|hosts?|tissues?|organs?|diseases?|countr(?:y|ies)|places?"
    r"|sex(?:es)?|projects?|years?|environments?)"
)
_VALUES_WANTED: Final = re.compile(
    rf"(?:the )?(?P<values>{_VALUE}"
    rf"(?:(?:,| and|, and) (?:the )?{_VALUE})*)(?:,? please)?\W*",
    re.IGNORECASE,
)
"""Nothing but the values that are wanted: Hosts and sex please."""
_COUNTS_ALONE: Final = re.compile(
    r"how many(?: are there| of them)?(?:,? (?:and )?in how many [a-z]+)?\W*$", re.IGNORECASE
)
"""Asks how many there are of what was said before."""
_AND_THIS: Final = re.compile(r"(?:and|or) (?P<name>[\w'’ -]{2,40})\?", re.IGNORECASE)
"""A name that is asked for like the one before: And Zika?"""
_AT_RANK: Final = re.compile(
    r"\b(?:at|on) (?:the )?(?P<rank>family|species|genus)[ -]level,? (?:what|which)"
    r"(?: virus(?:es)?)?\b",
    re.IGNORECASE,
)
"""Asks for taxa of a rank: at family level, what do these animals carry?"""
_COUNTED_BEHIND: Final = re.compile(
    r"^(?P<what>(?!(?:is|are|was|were|do|does|did|has|have|which|what|where|how)\b)[^?!.:;]+?"
    r"(?<! in)(?<! of)(?<! so)(?<! and))(?:[\s,:;–—-]+how many"
    r"(?: (?:runs|samples|are there|of them|altogether|together|in total|overall|remain"
    r"|are left))*|\s*[,:;–—-]+\s+(?:the )?(?:(?:what|which|total|overall) (?:number|count)"
    r"(?: of (?:runs|samples))?|(?:number|count|tally|total) of (?:runs|samples)"
    r"|(?:run|sample) (?:count|total|tally)|total runs|number|count"
    r"|n(?: (?:of )?(?:runs|samples))?))\W*$",
    re.IGNORECASE,
)
"""What is counted, and behind it that it is: HSV-1 in brain - how many?"""
_LISTED_BEHIND: Final = re.compile(
    r"^(?P<what>[^?!.;]+?)\s+[–—-]\s+(?:please )?(?:list|name|show|give)(?: me)?"
    rf"(?: (?:the|all|its|their))* (?P<values>{_VALUE})(?: please)?\W*$",
    re.IGNORECASE,
)
"""What is asked about, and behind a dash which values of it: pigs in China - list the families."""
_WHICH_BEHIND: Final = re.compile(
    r"^(?P<what>[^?:,]+?) (?P<where>(?:in|from|of) [^?:,]+?): which (?:(?:ones )?are they|ones)"
    r"(?:,? (?:by (?:no\.?|number) of runs|and how many runs each))?\W*$",
    re.IGNORECASE,
)
"""A group, and behind a colon that its members are wanted: alphaviruses in pigs: which are they?"""
_WHAT_THERE: Final = re.compile(
    r"^(?P<what>[^?:]+?)\s*[:–—-]\s+(?:what|which) (?:(?:ones )?(?:are they|are there|is there"
    r"|do (?:we|you) have)|ones)(?:,? (?:and )?(?:in )?how many runs)?(?: each)?\W*$",
    re.IGNORECASE,
)
"""A group, and behind a colon that its members are wanted, wherever: poxviruses: what are they?"""
_WHICH_OF_THEM: Final = re.compile(
    r"(?<=[\w)])(?P<break>:| [–—-]) (?:which|what) (?=(?:were|are|have|occur|appear) (?!the\b))",
    re.IGNORECASE,
)
"""Asks behind a colon which members of a group there are: orthoflaviviruses: which were seen once?
"""
_COUNTED_AND: Final = re.compile(
    r"^(?P<what>[^?!.:;,]+?)\s*[:–—]\s*how many (?:runs|samples),? and"
    r" (?P<rest>(?:in )?(?:which|what)\b.+)$",
    re.IGNORECASE,
)
"""The same with values that are asked for as well: how many runs, and in which tissues?"""
_COUNTED_OF: Final = re.compile(
    r"^(?P<what>[^?!.:;,]{3,60}?)\s*[:–—]\s*how many (?P<of>[\w -]{2,40}?) (?:runs|samples)\W*$",
    re.IGNORECASE,
)
"""What is found, and behind it in what it is counted: Zika virus: how many mosquito runs?"""
_SAID_OF: Final = re.compile(
    r"^(?P<what>[^?!.:;]+?)\s*[:–—]\s*what (?:does the index|do you|do we|is there|can you)"
    r"(?: (?:say|have|hold|show|know|tell))?(?: (?:about|of|on) (?:it|that|this))?\W*$",
    re.IGNORECASE,
)
"""What is asked about, before a colon behind which only the index is asked for it: sex of the
animals: what does the index say?
"""
_RANKS: Final = {"family": "families", "species": "species", "genus": "genera"}
_COUNTS: Final = re.compile(r"\b(?:how many|numbers? of)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clauses:
    """What a text asks, and the setting that it gives, empty where it gives none.

    ``claim``: it asks whether the last clause of the setting holds; ``quoted`` is the setting as it
    was written, where that is another wording. ``denied``: what is claimed is that there is none.
    ``story`` is the beginning of what is asked where that only says what its pointers mean.
    """

    asked: str
    setting: str = ""
    claim: bool = False
    quoted: str = ""
    denied: bool = False
    story: str = ""

    @property
    def clauses(self) -> list[str]:
        """What is asked, and each clause of the setting but a claim."""
        if not self.setting:
            return [self.asked]
        beside = self.setting.split(_BETWEEN)
        return [self.asked, *(beside[:-1] if self.claim else beside)]

    @property
    def text(self) -> str:
        """Both as one text, what is asked first, with a word between clauses so that names do not
        run together.
        """
        return _JOINT.join(self.clauses)

    def respelled(self) -> Clauses:
        """Return the same in the wording of names and metadata; who somebody is names nothing."""
        plain = _PROFESSION.sub("", self.setting)
        asked, setting = respelled(self.asked), respelled(plain)
        story = respelled(self.story)
        if story:
            asked = f"{story} {respelled(self.asked.removeprefix(self.story).strip())}"
        return Clauses(asked, setting, self.claim, self.setting, self.denied, story)

    def with_talk(self, opening: str, asked: str) -> Clauses:
        """Return what is ``asked`` behind an ``opening`` that belongs to the setting."""
        before, quoted = (
            _BETWEEN.join(part for part in (opening, setting) if part)
            for setting in (self.setting, self.quoted)
        )
        story = self.story.removeprefix(opening).strip()
        return replace(self, asked=asked, setting=before, quoted=quoted, story=story)

    @property
    def ruled_out(self) -> tuple[str, ...]:
        """The words that rule out what is named beside the question."""
        if not self.setting:
            return ()
        found = WITHOUT_THESE.search(f"{self.setting} {self.asked}") or NOT_SO.search(self.asked)
        return (found[0],) if found else ()

    @property
    def restricts(self) -> bool:
        """Whether a clause of the setting says more exactly what the question is about."""
        return any(_RESTRICTS.match(clause) for clause in self.clauses[1:])

    @property
    def points(self) -> bool:
        """Whether a word of the question stands for what is named beside it."""
        return POINTS.search(self.asked) is not None

    def pointing(self, named: Sequence[Mention], end: int) -> tuple[Clauses, tuple[str, ...]]:
        """Return the same with nouns that mean names beside the question as pointers, and the
        nouns that mean nothing there. The question has the words before ``end``.
        """
        beside = [one.group for one in named if one.start >= end]
        if not self.setting:
            return self, ()
        asked, missing = with_pointers(self.asked, beside)
        known = {word.lower() for one in named for word in one.text.split()}
        contrast = unknown_contrast(self.asked, self.setting, known)
        return replace(self, asked=asked), (*(missing if beside else ()), *contrast)

    def meant(self, asked: Sequence[Mention], setting: Sequence[Mention]) -> list[Mention]:
        """Return the names of the ``setting`` that the question asks about, too.

        They are of groups that it does not name itself, unless it compares them with a name of its
        own; where it points back ("in it"), of the group of the last name only those that are
        joined to it.
        """
        groups = {one.group for one in asked}
        facets = {sense.facet for one in asked for sense in one.senses}
        if (groups | facets) & _SURROUNDINGS:
            groups |= _SURROUNDINGS
        if len(asked) == 1 and compares_what_is_beside(self.asked):
            groups = set()
        others = [one for one in setting if one.group not in groups]
        if asked or not others or not POINTS_BACK.search(self.asked):
            return others
        last = others[-1]
        joined = [last]

        for one in reversed(others[:-1]):
            if one.group == last.group and joined[-1].start - one.end <= 1:
                joined.append(one)
        return [one for one in others if one.group != last.group or one in joined]


def clauses_of(text: str) -> Clauses:
    """Return the clause of ``text`` that asks, and the rest.

    >>> asking = clauses_of("Our bats are ill. Which viruses do bats carry?")
    >>> asking.asked, asking.setting
    ('Which viruses do bats carry?', 'Our bats are ill.')
    >>> clauses_of("What is in pigs? List families.").asked
    'What is in pigs? List families.'
    >>> clauses_of("How many runs hold EBV?").setting
    ''
    """
    claim = _TRUE_THAT.match(text) or _NONE_THERE.match(text)
    if claim is not None and _DENYING.search(claim["what"]):
        return Clauses(claimed(claim["what"]), denied=True)
    text = with_sides_compared(text)
    plain = _COUNTED_BEHIND.sub(r"How many runs of \g<what>?", text)
    plain = _LISTED_BEHIND.sub(r"List the \g<values> of \g<what>", plain)
    plain = _WHICH_BEHIND.sub(_which_there, plain)
    plain = _WHAT_THERE.sub(r"Which \g<what> are there?", plain)
    plain = _SAID_OF.sub(r"\g<what>?", plain)
    plain = _WHICH_OF_THEM.sub(r"\g<break> which ones ", plain)
    plain = _COUNTED_AND.sub(r"How many runs of \g<what>, and \g<rest>", plain)
    plain = _COUNTED_OF.sub(r"How many \g<of> runs have \g<what>?", plain)
    parts = _joined(split_clauses(without_courtesies(_AT_RANK.sub(_which_of_rank, plain))))
    asking = [place for place, part in enumerate(parts) if asks(part)]
    if not asking:
        asking = [place for place, part in enumerate(parts) if SAYS_WHAT.search(part)]
    if len(parts) < 2 or not asking:
        return Clauses(" ".join(parts) or text)
    chosen = asking[-1]
    if chosen and CHECKS.fullmatch(parts[chosen]):
        if len(asking) > 1 and asking[-2] < chosen - 1 and is_expectation(parts[chosen - 1]):
            return _asked_at(parts, asking[-2])
        statement = parts[chosen - 1]
        denied = _DENIES.search(_REPORTED.sub("", statement)) is not None
        return Clauses(claimed(statement), _BETWEEN.join(parts[:chosen]), True, denied=denied)
    if chosen and _ASKED_BEFORE.fullmatch(parts[chosen]):
        return Clauses(parts[chosen - 1], _BETWEEN.join(parts[: chosen - 1]))
    return _asked_at(parts, chosen)


def _which_there(found: re.Match[str]) -> str:
    """Return which members of a group there are where it is asked for; of hosts is in them."""
    where = re.sub(r"^of\b", "in", found["where"])
    return f"Which {found['what']} are {where}?"


def _which_of_rank(found: re.Match[str]) -> str:
    """Return which families for what at family level, with a capital where that opens a text."""
    asked = f"which {_RANKS[found['rank'].lower()]}"
    return asked.capitalize() if found[0][0].isupper() else asked


def _asked_at(parts: Sequence[str], chosen: int) -> Clauses:
    """Return the clauses where the one that is ``chosen`` asks, alone or with the one before it."""
    first = chosen
    ordered = _ORDERS.match(parts[chosen]) and _LISTS.match(parts[chosen - 1])
    if chosen and (ordered or _GOES_ON.match(parts[chosen])):
        first -= 1
    counted = _COUNTS_ALONE.match(parts[chosen]) is not None
    tests = [one for one in parts[:chosen] if (counted or asks(one)) and _OF_TESTS.search(one)]
    if tests and not _OF_TESTS.search(parts[chosen]):
        asked = f"{tests[-1].rstrip(' ?.')}, {parts[chosen]}"
        beside = [one for one in parts if one not in (tests[-1], parts[chosen])]
        return Clauses(asked, _BETWEEN.join(beside))
    story = " ".join(parts[:first]) if points_to_all(parts[chosen]) else ""
    others = parts[chosen + 1 :] if story else [*parts[:first], *parts[chosen + 1 :]]
    asked = " ".join([*([story] if story else []), *parts[first : chosen + 1]])
    return Clauses(asked, _BETWEEN.join(others), story=story)


def _joined(parts: Sequence[str]) -> list[str]:
    """Return ``parts`` with what completes a question joined to it: a further name, the values that
    are wanted, and how many will do.

    >>> _joined(["How many runs have dengue?", "And Zika?"])
    ['How many runs have dengue and how many Zika?']
    >>> _joined(["What is there of flu?", "Hosts and sex please."])
    ['What is there of flu, which Hosts and sex?']
    >>> _joined(["Which hosts carry flu?", "The top five would do."])
    ['Which hosts carry flu, the top five?']
    """
    joined: list[str] = []
    for part in parts:
        top = values_that_will_do(part)
        values = _VALUES_WANTED.fullmatch(part)
        further = _AND_THIS.fullmatch(part)
        before = joined[-1].rstrip(" ?.!") if joined and asks(joined[-1]) else ""
        if before and top:
            joined[-1] = f"{before}, {top}?"
        elif before and values:
            joined[-1] = f"{before}, which {values['values']}?"
        elif before and further and not asks(part):
            many = "how many " if _COUNTS.search(before) else ""
            joined[-1] = f"{before} and {many}{further['name']}?"
        else:
            joined.append(part)
    return joined


def claimed(statement: str) -> str:
    """Return the question whether ``statement`` holds, or what it denies.

    >>> claimed("My boss is sure that HIV never appears in brain.")
    'is there HIV appears in brain'
    """
    claim = _REPORTED.sub("", statement)
    return f"is there {_DENIES.sub('', claim).strip(' .!')}"
