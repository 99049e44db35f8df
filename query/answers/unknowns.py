"""How sure a number is: hits at 90 % identity, runs not searched, runs that do not state a field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from index.claims import Claim, Supported, Unknown
from query.answers.drafting import Asked
from query.answers.hit_words import hit_words, is_any, species_named
from query.answers.run_words import runs_in_words, runs_words
from query.compiler import Omission
from query.compiler.virus_names import Standing, standing_of
from query.request import And, Between, Carries, Has, Hit
from query.request.fields import field_named
from query.request.run_sets import EVERYTHING, RunSet

_NO_FIELD: Final = "runs that state no "


def standings(asked: Asked, hits: Sequence[Hit]) -> list[Standing]:
    """Return where the viruses that ``hits`` name stand."""
    found = []
    for hit in hits:
        for name in hit.virus:
            curie = asked.names.curie(name, "virus")
            standing = standing_of(asked.con, curie) if curie else None
            if standing is not None:
                found.append(standing)
    return found


def names_species(asked: Asked, hits: Sequence[Hit]) -> bool:
    """Return whether ``hits`` name species, so that identity decides whether the name holds."""
    if not hits or not all(species_named(hit) for hit in hits):
        return False
    return not any(standing.is_above_species for standing in standings(asked, hits))


def support(asked: Asked, hits: Sequence[Hit], number: int, strict: int) -> list[Claim]:
    """Return how many of ``number`` runs have hits that support the species."""
    if not number or not names_species(asked, hits):
        return []
    return [Supported(number=strict, whole=number)]


def unknowns(asked: Asked, hits: Sequence[Hit]) -> list[Claim]:
    """Return what is not known of runs that might count: not searched first, then not stated."""
    claims: list[Claim] = []
    for omission in asked.result.left_out:
        said = _said(asked, omission, hits)
        if said:
            claims.append(Unknown(number=omission.number, what=said))
    return sorted(claims, key=_is_not_stated)


def _is_not_stated(claim: Claim) -> bool:
    return isinstance(claim, Unknown) and "searched" not in claim.what


def _said(asked: Asked, omission: Omission, hits: Sequence[Hit]) -> str:
    """Return what is said behind the number of runs that were left out; empty for the rest."""
    names = asked.names
    many = omission.number != 1
    if omission.reason == "not searched":
        where = runs_in_words(asked.request.of, names).where
        named = [hit_words(hit, names) for hit in hits if not is_any(hit)]
        sought = f" for {' and '.join(named)}" if named else ""
        return f"{where} {'were' if many else 'was'} not searched{sought}".strip()
    if omission.reason == "not stated" and omission.what.startswith(_NO_FIELD):
        field = omission.what.removeprefix(_NO_FIELD)
        rest = runs_words(_without(asked.request.of, field), names)
        return f"{rest} {'state' if many else 'states'} no {field}".strip()
    if omission.reason == "not stated" and omission.what.startswith("runs without a text"):
        return f"{'have' if many else 'has'} no title or abstract"
    if omission.reason == "no BioSample":
        return f"{'have' if many else 'has'} no sample on record"
    return ""


def _without(of: RunSet, field: str) -> RunSet:
    """Return ``of`` without its conditions on ``field``, by its English name."""
    parts = list(of.of) if isinstance(of, And) else [of]
    rest = [part for part in parts if not _is_on(part, field)]
    if not rest:
        return EVERYTHING
    return rest[0] if len(rest) == 1 else And(tuple(rest))


def _is_on(part: RunSet, field: str) -> bool:
    inner = getattr(part, "of", None)
    if part.type == "not" and inner is not None:
        return _is_on(inner, field)
    return isinstance(part, Has | Between) and field_named(part.field).said == field


@dataclass(frozen=True, slots=True)
class Subject:
    """The hits that an answer is about, in words, and the runs they are found in."""

    hits: tuple[Hit, ...]
    lacking: tuple[Hit, ...]
    words: str
    where: str
    sought: str | None

    @property
    def together(self) -> bool:
        """Whether several viruses are found in the same runs."""
        return len(self.hits) > 1


def subject_of(asked: Asked, hits: Hit | None) -> Subject:
    """Return what the answer is about; ``hits`` are those of the measure."""
    names = asked.names
    taken = runs_in_words(asked.request.of, names)
    found = tuple(dict.fromkeys([*taken.carried, *([hits] if hits is not None else [])]))
    named = tuple(hit for hit in found if not is_any(hit)) or found
    words = " and ".join(hit_words(hit, names, first=True) for hit in named)
    if words.startswith("any virus"):
        words = f"a virus{words.removeprefix('any virus')}"
    where = taken.where
    if taken.lacking:
        lacking = " or ".join(hit_words(hit, names, first=True) for hit in taken.lacking)
        where = f"{where} without {lacking}".strip()
    sought = None
    if named and all(is_any(hit) for hit in named):
        sought = ""
    elif len(named) + len(taken.lacking) > 1:
        sought = " for both" if len(named) + len(taken.lacking) == 2 else " for all of them"
    return Subject(named, taken.lacking, words, where, sought)


def of_positive(of: RunSet, hits: Hit | None) -> RunSet:
    """Return the runs of ``of`` that have ``hits``."""
    if hits is None:
        return of
    carries = Carries(hits)
    if of == EVERYTHING:
        return carries
    return of if of == carries else And((of, carries))
