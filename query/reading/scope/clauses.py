"""Which clause of a text is the question; the other clauses only say why it is asked.

"Writing a thesis on mumps virus. Do you have a run of it?" asks in its second sentence. The first
names what "it" is; its other words say nothing of the index.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from query.reading.mentions import Mention
from query.reading.respelling import respelled

_ASKING: Final = (
    r"which|what|where|whom?|do(?:es)?|did|is|are|was|were|has|have|can|could"
    r"|count|list|name|show|give|rank|compare"
)
"""Words that ask, wherever they stand."""
_OPENERS: Final = rf"(?:in )?how|{_ASKING}"
"""Words that a question opens with behind a colon, a dash or a statement."""
_VALUES_ASKED: Final = r"(?:the )?(?:top|most|number|share|percentage|proportion|fraction|rank)"
"""What a question without a verb opens with, behind a colon."""
_TAG: Final = (
    r"(?:is|are|was|were|do|does|did|has|have|can)(?:n['’]t)? (?:it|they|there|he|she)(?: not)?"
    r"|right|correct|true|no|yes"
)
"""What asks, at the end of a statement, whether it holds."""
_CLAUSE_ENDS: Final = re.compile(
    r"(?<=[^\W_]{2}[.!?])(?<!\b(?i:no|vs|cf|sp|st|dr|cv)\.)\s+(?=[A-Z])"
    rf"|(?<=[?!])\s+|\s*(?:…|\.\.\.)\s*"
    rf"|(?:[:;]|\s[–—-])\s+(?=(?:{_OPENERS}|{_VALUES_ASKED})\b)"
    rf"|,\s+(?=(?:{_TAG})\?$)"
)
"""Where a clause ends: a sentence (no abbreviation: no. of, vs.), a dash, a colon."""
_COURTESY: Final = re.compile(
    r"[\s,;.–—-]+(?:(?:can|could|would) (?:you|someone|anybody) (?:please )?help(?: me| us)?"
    r"(?: out)?(?: with (?:that|this|it))?"
    r"|(?:any|every) (?:help|hint|pointer)s?(?: (?:is|are|would be))?"
    r"(?: (?:much |very |greatly )?(?:welcome|appreciated|great))?"
    r"|(?:that|it) would (?:be|help)(?: (?:a lot|so|really))?"
    r"(?: (?:great|nice|lovely|awesome|helpful|useful|fantastic))?"
    r"|if (?:that['’]s|it['’]s|it is|that is) (?:possible|ok(?:ay)?|not too much)"
    r"|(?:many )?(?:thanks|thank you|thx|cheers)(?: (?:a lot|in advance|so much|very much))?"
    r")(?P<end>\W*)$",
    re.IGNORECASE,
)
"""What a text ends with that asks for help or thanks for it."""
_PROFESSION: Final = re.compile(
    r"\b(?:[\w-]+ )?(?:\w+ologist|breeder|veterinarian|farmer|physician|teacher|student)s?\b",
    re.IGNORECASE,
)
"""Who somebody is: a plant pathologist names no plant."""
_ASIDE: Final = re.compile(
    r"^(?:(?:i|we)\b|my |our |so |as |the (?:boss|prof|reviewer)|since |because "
    r"|(?:given|seeing|considering|now) (?:that )?|(?:even )?though |although |while )"
    r"(?:(?:[^,.!?;:]+,)+?|[^,.!?;:]+ (?:i|we) (?:wonder|ask|asked|wondered),?)"
    rf"\s+(?=(?:{_OPENERS})\b)",
    re.IGNORECASE,
)
"""A statement of who asks, and a comma before what is asked."""
_PERSON: Final = re.compile(
    r"\b(?:i|we|me|my|our|us|you|your|someone|somebody)\b|\blet['’]s\b", re.IGNORECASE
)
"""Who asks, or is asked: a statement that names them says why, and not what."""
_QUESTION_WORDS: Final = (
    r"(?:(?:in|of|from|on|with) )?(?:how (?:many|much|often|common|large)|which|what|whether|where"
    r"|when|why)"
)
_EMBEDDED: Final = re.compile(
    r"(?<!\bthat )(?<!\bwhich )"
    r"\b(?:ask|asks|asked|asking|know|knows|knew|knowing|tell|tells|told|telling|say|says|saying"
    r"|state|stating|see|seeing|learn|hear|hearing|find out|figure out|work out|understand|explain"
    r"|wonder|wonders|wondered|wondering|check|checks|checking|verify|remember|idea|clue|sure"
    r"|curious|question|write|report|decide|guess)"
    rf"(?: (?:me|us|them|him|her|people|about|of|to|is))*,?\s+(?={_QUESTION_WORDS}\b)",
    re.IGNORECASE,
)
"""A verb of asking, knowing or telling before what is asked: keep asking what infects them."""
_JOINED: Final = re.compile(
    rf"(?:,\s+(?:(?:but|so|and|then|now) )?|\s(?:but|so)\s+)(?=(?:{_OPENERS})\b)"
    r"|\s(?=(?:(?:in|of|from) )?how (?:many|much|often|common)\b|whether\b)"
    r"|\b(?:could|can|would|to|please|should|must) (?=(?:list|name|show|count|rank|compare)\b)",
    re.IGNORECASE,
)
"""Where a statement of a person goes over to what is asked."""
_PAUSE: Final = re.compile(r"[,:;]\s+(?:(?:but|so|and|then|now) )?|\s[–—-]\s+")
_OPENED: Final = re.compile(
    rf"^(?:(?:and|so|then|please|in|of|from|on|for|to) )?"
    rf"(?:how|any|tell|check|rank|compare|{_ASKING})\b",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"\b(?:how (?:many|much|often|common|high|large|big)|any|tell|rank|compare|number"
    rf"|{_ASKING})\b",
    re.IGNORECASE,
)
_OPENS: Final = re.compile(
    rf"^(?:(?:and|so|then|please|in|of|from|on|for|to) )?"
    rf"(?:how|any|tell|rank|compare|whether|{_ASKING})\b",
    re.IGNORECASE,
)
_SAYS_WHAT: Final = re.compile(
    r"\b(?:virus\w*|viral|number|share|percentage|fraction|runs?|samples?|hosts?)\b", re.IGNORECASE
)
"""What a clause without a question mark asks for, where no other clause asks."""
_CHECKS: Final = re.compile(
    r"(?:(?:can|could|would) (?:you|someone) (?:please )?(?:check|confirm|verify)"
    r"(?: (?:that|this))?"
    r"|is (?:that|this|it|he|she)(?: really| actually| even)?"
    r"(?: (?:true|right|so|correct|the case|real|accurate|possible))?"
    r"|(?:do|does|did|are|were|was|have|has) (?:it|they|that|he|she)(?: really| actually)?"
    r"|(?:true|really|right|correct)|(?:is there )?any truth (?:in|to) (?:that|it|this)"
    r"|(?:so )?who(?: is|['’]s) (?:right|wrong|correct)"
    r"(?:,? (?:here|then|(?:going|judging) by .*|according to .*))?"
    rf"|{_TAG})[\s?.!]*",
    re.IGNORECASE,
)
"""Asks whether what was said before holds."""
_REPORTED: Final = re.compile(
    r"^.*?\b(?:say|says|said|claims?|claimed|insists?|insisted|swears?|swore|thinks?|thought"
    r"|believes?|believed|convinced|sure|heard|read|told|argues?|argued|writes?|wrote|certain)\b"
    r"(?: (?:me|us|somewhere|once))*(?: that)?\s+",
    re.IGNORECASE,
)
"""Who says something, and that it is only said."""
_DENIES: Final = re.compile(
    r"\b(?:nobody|no one|none)(?: has| have| had)?(?: ever)?"
    r"(?: (?:seen|found|detected|observed|reported))?\s+"
    r"|\b(?:not|no|never|without|any|ever)\s+|(?<=[a-z])n['’]t\b|\bat all\b",
    re.IGNORECASE,
)
"""What makes a claim a denial: both are answered by yes or no."""
_ORDERS: Final = re.compile(
    r"(?:please )?(?:list|name|give|show|rank|sort)\b(?!.*\b(?:in|of|from|with|for)\b)",
    re.IGNORECASE,
)
"""How the answer to the question before is wanted, where it names nothing: "List families."."""
_LISTS: Final = re.compile(r"(?:which|what|who|where)\b.*\?$", re.IGNORECASE)
"""A question that is answered by a list."""
_ASKED_BEFORE: Final = re.compile(
    r"(?:(?:can|could|would) you (?:please )?|please )?(?:list|name|show|give|tell|send|count|rank)"
    r"(?: me| us)? (?:them|these|those|it|that|this)(?: please)?\W*",
    re.IGNORECASE,
)
"""Asks for what was said before, and names nothing itself."""
_WITHOUT_THESE: Final = re.compile(
    r"\b(?:(?:leaving|setting|putting) (?:them|those|these|it|that) aside"
    r"|(?:apart|aside) from (?:them|those|these|it|that)"
    r"|(?:without|excluding|ignoring|besides|other than|not counting|except(?: for)?)"
    r" (?:them|those|these|it|that(?! (?:is|are|have|has|carry)\b)))(?=\W|$)",
    re.IGNORECASE,
)
"""Rules out what was said before."""
_BETWEEN: Final = " ; "
"""Between the clauses of a setting."""
_SURROUNDINGS: Final = frozenset({"environment", "biome"})
"""Groups that say the same of a run in two ways."""
_POINTS_BACK: Final = re.compile(r"\b(?:it|its|that one)\b", re.IGNORECASE)
_POINTS: Final = re.compile(
    r"\b(?:it|its|they|them|their|those|these|that one|there)\b(?! (?:is|are|was|were|any)\b)",
    re.IGNORECASE,
)
"""Stands for what is named beside the question."""
_POINTS_TO_ALL: Final = re.compile(
    r"\b(?:each|both|which ones?|the two|who)\b"
    r"|^(?:where|in which)\b.*\b(?:more|less|most|least)\b"
    r"|^which (?:is|are|was|were|has|have|had)\b.*\b(?:more|less|fewer|\w+er)\b",
    re.IGNORECASE,
)
"""Asks about things that are compared beside it: all is read as the question."""


@dataclass(frozen=True, slots=True)
class Clauses:
    """What a text asks, and the setting that it gives, empty where it gives none.

    ``claim``: it asks whether the last clause of the setting holds; ``quoted`` is the setting as it
    was written, where that is another wording. ``denied``: what is claimed is that there is none.
    """

    asked: str
    setting: str = ""
    claim: bool = False
    quoted: str = ""
    denied: bool = False

    @property
    def text(self) -> str:
        """Both as one text, what is asked first, with a word between clauses so that names do not
        run together.
        """
        if not self.setting:
            return self.asked
        beside = self.setting.split(_BETWEEN)
        clauses = [self.asked, *(beside[:-1] if self.claim else beside)]
        return " about ".join(clauses)

    def respelled(self) -> Clauses:
        """Return the same in the wording of names and metadata; who somebody is names nothing."""
        plain = _PROFESSION.sub("", self.setting)
        asked, setting = respelled(self.asked), respelled(plain)
        return Clauses(asked, setting, self.claim, self.setting, self.denied)

    def with_talk(self, opening: str, asked: str) -> Clauses:
        """Return what is ``asked`` behind an ``opening`` that belongs to the setting."""
        before, quoted = (
            _BETWEEN.join(part for part in (opening, setting) if part)
            for setting in (self.setting, self.quoted)
        )
        return Clauses(asked, before, self.claim, quoted, self.denied)

    @property
    def ruled_out(self) -> tuple[str, ...]:
        """The words that rule out what is named beside the question."""
        found = _WITHOUT_THESE.search(f"{self.setting} {self.asked}") if self.setting else None
        return (found[0],) if found else ()

    @property
    def points(self) -> bool:
        """Whether a word of the question stands for what is named beside it."""
        return _POINTS.search(self.asked) is not None

    def meant(self, asked: Sequence[Mention], setting: Sequence[Mention]) -> list[Mention]:
        """Return the names of the ``setting`` that the question asks about, too.

        They are of groups that it does not name itself; where it points back ("in it"), of the
        group of the last name only those that are joined to it.
        """
        groups = {one.group for one in asked}
        facets = {sense.facet for one in asked for sense in one.senses}
        if (groups | facets) & _SURROUNDINGS:
            groups |= _SURROUNDINGS
        others = [one for one in setting if one.group not in groups]
        if asked or not others or not _POINTS_BACK.search(self.asked):
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
    parts = _parts(_COURTESY.sub(r"\g<end>", text))
    asking = [place for place, part in enumerate(parts) if _asks(part)]
    if not asking:
        asking = [place for place, part in enumerate(parts) if _SAYS_WHAT.search(part)]
    if len(parts) < 2 or not asking:
        return Clauses(" ".join(parts) or text)
    chosen = asking[-1]
    if chosen and _CHECKS.fullmatch(parts[chosen]):
        statement = parts[chosen - 1]
        denied = _DENIES.search(_REPORTED.sub("", statement)) is not None
        return Clauses(claimed(statement), _BETWEEN.join(parts[:chosen]), True, denied=denied)
    if chosen and _ASKED_BEFORE.fullmatch(parts[chosen]):
        return Clauses(parts[chosen - 1], _BETWEEN.join(parts[: chosen - 1]))
    if _POINTS_TO_ALL.search(parts[chosen]):
        return Clauses(text)
    if chosen and _ORDERS.match(parts[chosen]) and _LISTS.match(parts[chosen - 1]):
        asked = f"{parts[chosen - 1]} {parts[chosen]}"
        return Clauses(asked, _BETWEEN.join((*parts[: chosen - 1], *parts[chosen + 1 :])))

    others = [part for place, part in enumerate(parts) if place != chosen]
    return Clauses(parts[chosen], _BETWEEN.join(others))


def claimed(statement: str) -> str:
    """Return the question whether ``statement`` holds, or what it denies.

    >>> claimed("My boss is sure that HIV never appears in brain.")
    'is there HIV appears in brain'
    """
    claim = _REPORTED.sub("", statement)
    return f"is there {_DENIES.sub('', claim).strip(' .!')}"


def _parts(text: str) -> list[str]:
    aside = _ASIDE.match(text)
    split = [text[: aside.end()], text[aside.end() :]] if aside else [text]
    clauses = [part.strip() for one in split for part in _CLAUSE_ENDS.split(one)]
    parts = [part.strip() for clause in clauses for part in _without_statement(clause)]
    return [part for part in parts if part]


def opening_of(asked: str) -> tuple[str, str] | None:
    """Return what stands before the first comma, dash or colon of a question, and the rest; None
    where nothing does, or that asks something itself.

    >>> opening_of("Just for a laugh, which viruses do bats carry?")
    ('Just for a laugh,', 'which viruses do bats carry?')
    """
    found = _PAUSE.search(asked)
    if found is None:
        return None
    opening, rest = asked[: found.start() + 1].strip(), asked[found.end() :]
    asks = _ASKS.search(opening) or _SAYS_WHAT.search(opening)
    return None if asks else (opening, rest)


def _without_statement(clause: str) -> tuple[str, str]:
    """Return what is stated before a question within ``clause``, empty where nothing is, and the
    rest.

    >>> _without_statement("The students keep asking what infects bats.")
    ('The students keep asking', 'what infects bats.')
    >>> _without_statement("I know little of plants, but what do they carry?")
    ('I know little of plants, but', 'what do they carry?')
    """
    if _OPENED.match(clause):
        return "", clause
    places = [found.end() for found in _EMBEDDED.finditer(clause)]
    joined = list(_JOINED.finditer(clause))
    places += [one.end() for one in joined if _PERSON.search(clause[: one.start()])]
    if not places:
        return "", clause
    first = min(places)
    return clause[:first].strip(), clause[first:]


def _asks(part: str) -> bool:
    """Return whether ``part`` opens like a question, or ends as one and says what it asks."""
    if _OPENS.match(part) or (part.endswith("?") and _CHECKS.fullmatch(part)):
        return True
    return part.endswith("?") and _ASKS.search(part) is not None
