"""What the words outside of all names ask for: facets, and whether associations.

A name asks for its own values where it is behind "which": which plants, which herpesviruses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from query.reading.intent import (
    ASKED_BY,
    Intent,
    is_asking_word,
    is_counted,
    read_intent,
    singular,
)
from query.reading.kinds import NUMBER, SUPERLATIVE, Kind
from query.reading.mentions import GROUP_OF_FACET, Mention
from query.reading.names.spans import positions

_WHICH: Final = frozenset({"which", "what"})
_WHICH_ONES: Final = (["which", "ones"], ["which", "of"])
_BEFORE_A_RELATIVE: Final = frozenset({"in", "from", "of", "on", "with"})
_TO_HOST: Final = frozenset({"host", "hosts"})
_OBJECTS: Final = frozenset({"it", "them", "this", "that", "these", "the", "a", "an", "any"})
"""What the verb to host is followed by."""
_BE: Final = frozenset({"is", "are", "was", "were", "being", "be"})
_BETWEEN: Final = frozenset({"not", "no", "other", "than", "a", "an", "the", *_BE})
"""Words between what a value is of and the value: the host is not human."""
_OPENS_A_RANKING: Final = re.compile(
    rf"(?:what is |what are |which is |list |name |show |give |rank |sort |order |me |the )*"
    rf"(?:(?:{SUPERLATIVE})(?: (?:common|frequent|abundant))?(?: (?:{NUMBER}))?"
    rf"|(?:{NUMBER}) (?:{SUPERLATIVE})(?: (?:common|frequent|abundant))?)"
)
"""What comes before a group of viruses whose members are ranked."""
_LISTS: Final = re.compile(
    r"(?:please )?(?:list|name|show|enumerate|give|rank|sort|order)(?: me)?(?: all)?(?: the)?"
)
"""Asks for the members of a group."""
_MOST_RUNS: Final = re.compile(
    r"\b(?:most|fewest|more) (?:[\w-]+ ){0,2}(?:runs|samples|libraries|records|data)\b",
    re.IGNORECASE,
)
"""Ranks what is named by its runs, and not by its viruses."""
RANKS: Final = {
    "species": "species", "genus": "genus", "genera": "genus", "family": "family",
    "families": "family", "order": "order", "orders": "order", "class": "class",
    "classes": "class", "phylum": "phylum", "phyla": "phylum",
}  # fmt: skip
"""Words for ranks of hosts -> the rank."""
_OF_VIRUSES: Final = re.compile(
    r"vir(?:us|al|ome)|infect|carr[iy]|harbou?r|host|found|detect|seen|occur|show"
    r"|present|turn up|species in\b",
    re.IGNORECASE,
)
"""Words of what is found in hosts: species are then those of viruses."""
_HOW_MANY: Final = re.compile(
    r"\b(?:how many|number of|count of)(?: (?:different|distinct|known|named))*$"
)
_OF_THEM: Final = re.compile(r"(?:which|what)(?: one)? (?:of|among) (?:the|all)?")
"""Asks for one of the members of a group."""
_RANKED_BEHIND: Final = re.compile(
    r"(?:ranked|sorted|ordered|other than|except|apart from"
    r"|by (?:the )?(?:(?:runs? |samples? )?(?:number|count)|runs)"
    r"|from (?:the )?(?:most|rarest|least|fewest))\b|.* which (?:ones?|of them)$"
)
"""What comes behind it."""
_ASKING_WORD: Final = {
    "organism": "host", "disease": "disease", "tissue": "tissue", "environment": "environment",
    "virus": "species",
}  # fmt: skip
"""Group -> the word that asks for its values."""


def read_wanted(words: Sequence[str], named: Sequence[Mention], found: Sequence[Mention]) -> Intent:
    """Return what the words outside of all names ask for.

    A word right behind a name of its kind belongs to the name: breast tissue, lung disease. Bat
    species are hosts.
    """
    taken = positions(named)
    behind = {one.end: one.group for one in named if not one.is_condition}
    asking = _asked_by_name(words, named)
    kinds_of_hosts = _ASKING_WORD["organism"] in asking
    for position, word in enumerate(words):
        group = behind.get(position)
        stated = _states_a_value(words, position, named) or _says_which_runs(words, position)
        if position not in taken and _asks_hosts_at_rank(words, position, found):
            asking.append(_ASKING_WORD["organism"])
            kinds_of_hosts = True
            continue
        belongs = _belongs(word, group) and not _is_verb(words, position, named)
        belongs = belongs and not _counts_members(words, position, named)
        if position not in taken and not stated and not belongs:
            asking.append(word)
    facets: set[str] = set()
    for mention in found:
        facets |= mention.facets
    text = " ".join(asking)
    read = read_intent(text, named_facets=frozenset(facets))
    groups = {one.group for one in found}
    by_runs = _MOST_RUNS.search(" ".join(words)) is not None
    return read if kinds_of_hosts or by_runs else _asking_for_others(read, groups)


def _asks_hosts_at_rank(words: Sequence[str], place: int, found: Sequence[Mention]) -> bool:
    """Return whether the word at ``place`` asks for hosts, as stated or at a rank: bat species,
    host families, orders of insects, rodent runs and species, plant hosts. Which species infect
    rodents asks for viruses, and so do families of bats, where none is named.
    """
    word = words[place].lower()
    if word != "hosts" and word not in RANKS:
        return False
    hosts = [one for one in found if one.group == "organism" and not one.is_condition]
    behind_hosts = any(one.end == place for one in hosts)
    if word == "hosts":
        others = [*words[:place], *words[place + 1 :]]
        return behind_hosts and _OF_VIRUSES.search(" ".join(others)) is None
    if place and words[place - 1].lower() == "host":
        return True
    virus = any(one.group == "virus" for one in found)
    of = "".join(words[place + 1 : place + 2]).lower() == "of"
    of_hosts = of and any(one.start in (place + 2, place + 3) for one in hosts)
    if behind_hosts or (of_hosts and (virus or RANKS[word] != "family")):
        return True
    groups = bool(hosts) and all(" " not in one.label for one in hosts)
    viral = virus or _OF_VIRUSES.search(" ".join(words)) is not None
    return word == "species" and groups and not viral


def ranks_asked(words: Sequence[str], found: Sequence[Mention]) -> frozenset[str]:
    """Return the words that ask for hosts at a rank, in small letters: of insects, orders."""
    places = [place for place in range(len(words)) if _asks_hosts_at_rank(words, place, found)]
    return frozenset(words[place].lower() for place in places)


def rank_of(asked: frozenset[str]) -> str:
    """Return the rank of hosts that the words ``asked`` name, empty where they name none.

    >>> rank_of(frozenset({"orders"})), rank_of(frozenset({"hosts"}))
    ('order', '')
    """
    return next((RANKS[word] for word in sorted(asked) if word in RANKS), "")


def rank_of_hosts(kind: Kind, intent: Intent, kept: Sequence[Mention]) -> str:
    """Return species where the hosts of a named group are ranked: a cultivar counts with its
    species.
    """
    of_a_group = any(one.group == "organism" for one in kept)
    return "species" if kind == "rank" and "host" in intent.facets and of_a_group else ""


def _asked_by_name(words: Sequence[str], named: Sequence[Mention]) -> list[str]:
    """Return words that ask for the values of each name that is asked for itself: which plants,
    which herpesviruses; not which human runs.
    """
    asking = []
    for one in named:
        opening = _opening_of(one, named)
        before = words[opening - 1].lower() if opening else ""
        if _is_relative(words, opening - 1) and not _is_asked_behind(words, one):
            before = ""
        following = "".join(words[one.end : one.end + 1])
        if _is_verb(words, one.end, named):
            following = ""
        counts_runs = is_counted(following) or is_asking_word(following)
        behind = [word.lower() for word in words[one.end : one.end + 2]]
        is_asked = (before in _WHICH and not counts_runs) or behind in _WHICH_ONES
        is_asked = is_asked or _is_counted_itself(words, one, counts_runs=counts_runs)
        is_asked = is_asked or _is_described(words, one, named) or _is_ranked(words, one)
        if is_asked and one.group in _ASKING_WORD:
            asking.append(_ASKING_WORD[one.group])
    return asking


def _opening_of(one: Mention, named: Sequence[Mention]) -> int:
    """Return the first word of a virus with the names right before it: human coronaviruses; of any
    other name its own.
    """
    start = one.start
    before = {other.end: other.start for other in named if one.group == "virus"}
    while start in before:
        start = before[start]
    return start


def _is_verb(words: Sequence[str], place: int, named: Sequence[Mention]) -> bool:
    """Return whether the word at ``place`` is the verb to host: which plants host it."""
    if "".join(words[place : place + 1]).lower() not in _TO_HOST:
        return False
    follows_a_name = any(one.start == place + 1 for one in named)
    return follows_a_name or "".join(words[place + 1 : place + 2]).lower() in _OBJECTS


def _is_relative(words: Sequence[str], place: int) -> bool:
    """Return whether the word at ``place`` goes back to a noun: animals in which."""
    if not 2 <= place < len(words) or words[place].lower() not in _WHICH:
        return False
    return words[place - 1].lower() in _BEFORE_A_RELATIVE


def _is_asked_behind(words: Sequence[str], one: Mention) -> bool:
    """Return whether a verb behind a host makes which a question: in which plants is it seen;
    not of a virus: animals in which it was seen.
    """
    following = "".join(words[one.end : one.end + 1]).lower()
    return one.group != "virus" and following in (*_BE, "do", "does", "did", "has", "have")


def _is_described(words: Sequence[str], one: Mention, named: Sequence[Mention]) -> bool:
    """Return whether the values of ``one`` are asked for by what is found in them: the animals in
    which a virus was seen, the animals a virus was seen in.
    """
    if one.group == "virus":
        return False
    if _is_relative(words, one.end + 1) or _are_carriers(words, one):
        return True
    ends_open = words[-1].lower() in _BEFORE_A_RELATIVE
    return ends_open and any(other.start == one.end for other in named)


def _is_counted_itself(words: Sequence[str], one: Mention, *, counts_runs: bool) -> bool:
    """Return whether the members of a group of viruses are counted: how many polyomaviruses."""
    before = [word.lower() for word in words[max(0, one.start - 2) : one.start]]
    plural = one.text.lower().endswith("viruses")
    return before == ["how", "many"] and plural and one.group == "virus" and not counts_runs


def _is_ranked(words: Sequence[str], one: Mention) -> bool:
    """Return whether the members of a group are ranked or listed: top five alphaviruses, the rarest
    herpesvirus, potyviruses by number of runs, top four cancers for EBV.
    """
    if one.is_condition:
        return False
    before = " ".join(words[: one.start]).lower()
    if one.group != "virus":
        following = "".join(words[one.end : one.end + 1])
        counts_runs = is_counted(following) or is_asking_word(following)
        opens = _OPENS_A_RANKING.fullmatch(before) is not None
        return opens and _are_several(one) and not counts_runs
    behind = " ".join(words[one.end :]).lower()
    if _OPENS_A_RANKING.fullmatch(before):
        return True
    if _LISTS.fullmatch(before) and one.text.lower().endswith("viruses"):
        return True
    plural = one.text.lower().endswith(("viruses", "viridae"))
    if plural and _OF_THEM.fullmatch(before):
        return True
    return not before and plural and _RANKED_BEHIND.match(behind) is not None


def _are_several(one: Mention) -> bool:
    """Return whether a name is in the plural."""
    text = one.text.lower()
    return text.endswith("s") and singular(text) != text


def _are_carriers(words: Sequence[str], one: Mention) -> bool:
    """Return whether a question opens with several diseases that have something: cancers with."""
    several = _are_several(one)
    following = "".join(words[one.end : one.end + 1]).lower()
    opens = one.start == 0 and one.group == "disease"
    return opens and several and following in ("with", "carrying", "harbouring")


def _says_which_runs(words: Sequence[str], position: int) -> bool:
    """Return whether the word at ``position`` goes back to runs and asks for no place: runs
    where.
    """
    return position > 0 and words[position].lower() == "where" and is_counted(words[position - 1])


def _states_a_value(words: Sequence[str], position: int, named: Sequence[Mention]) -> bool:
    """Return whether the word at ``position`` says of what the name behind it is the value: the
    host is not human. Which host is human asks for hosts.
    """
    following = next((one for one in named if one.start > position), None)
    before = words[position - 1].lower() if position else ""
    if following is None or before in _WHICH:
        return False

    between = {word.lower() for word in words[position + 1 : following.start]}
    stated = between <= _BETWEEN and not between.isdisjoint(_BE)
    return stated and _belongs(words[position], following.group)


def _belongs(word: str, group: str | None) -> bool:
    """Return whether ``word`` only says what the name of ``group`` before it is: breast tissue; but
    plant hosts asks for hosts, and European countries for countries.
    """
    if group is None or word.lower() in ("hosts", "countries"):
        return False
    folded = singular(word)
    for facet, asking in ASKED_BY.items():
        if folded in asking and GROUP_OF_FACET.get(facet) == group:
            return True
    return False


def _counts_members(words: Sequence[str], place: int, named: Sequence[Mention]) -> bool:
    """Return whether the members at a rank of a group of viruses are counted at ``place``: how many
    alphavirus species.
    """
    if words[place].lower() not in RANKS:
        return False
    group = next((one for one in named if one.end == place and one.group == "virus"), None)
    before = " ".join(words[: group.start] if group else []).lower()
    return _HOW_MANY.search(before) is not None


def _asking_for_others(intent: Intent, groups: set[str]) -> Intent:
    """Return ``intent`` without the hosts of a named host: what infects it are viruses."""
    asks_hosts = intent.explicit and "host" in intent.facets
    named_host = "organism" in groups and "virus" not in groups
    if not asks_hosts or not named_host:
        return intent
    others = [facet for facet in intent.facets if facet != "host"]
    facets = others or ["family", "species"]
    return replace(intent, facets=tuple(facets))
