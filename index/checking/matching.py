"""Match a free sentence against the statements that a model was shown.

A sentence matches if each of its numbers is a number of one statement, with the same unit and
whole, and belongs to the same names there; and if its direction, superlative, denial, cause or
joint occurrence is that of the statement. Nothing is guessed: a number that is not found does not
match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from index.checking.evidence import BINOMIAL, VIRUS, ShownEvidence, Statement
from index.checking.finding import DENIAL, Found, find_number
from index.checking.quantities import UNITS, Keys, Quantity, ReadText, names_between, words_in
from ontology_etl.curies import BTO, DOID, NCBI_TAXON

MORE: Final = re.compile(
    r"\b(?:more (?:abundant|frequent|common|often)|as (?:abundant|frequent|common)|enriched|"
    r"over-?represented|excess|higher|raises?|rise|greater)\b",
    re.IGNORECASE,
)
LESS: Final = re.compile(
    r"\b(?:less (?:abundant|frequent|common)|fewer|rarer|lower|under-?represented|depleted)\b",
    re.IGNORECASE,
)
LEADING: Final = re.compile(
    r"\b(?:most (?:frequent|common|abundant|often|runs)|most frequently|commonest|leading|leads?|"
    r"dominates?|first|highest|largest|sets this|chiefly|by far)\b",
    re.IGNORECASE,
)
CAUSAL: Final = re.compile(
    r"\b(?:caus\w+|because|due to|explain\w*|transmi\w+|infections?|infects?|blocks?|raises?|"
    r"infected (?=with|by|the|in)|reduces?|protects?|drives?|lead(?:s|ing)? to|gives? disease|"
    r"source of|responsible)\b",
    re.IGNORECASE,
)
JOINT: Final = re.compile(
    r"\b(?:found together|occur together|runs? (?:with|carry|carrying|have) both|share \d|"
    r"carry both|the same as|also carr\w+|every run with ⟨|are among|are the \d|"
    r"both (?:hepatitis|viruses))",
    re.IGNORECASE,
)
_TOGETHER: Final = re.compile(r"\btogether\b|\bboth\b")
_SIGNIFICANT: Final = re.compile(r"\b(?:not (?:\w+ )?)?(?:significant\w*|enriched)\b", re.I)
_CLAUSE: Final = re.compile(r"[,;] |\b(?:but|yet|whereas|while)\b")
_MORE_OF_NAME: Final = re.compile(r"⟨\d+⟩ (\d+[A-Za-z])\b")
"""A number with a letter after a name makes it another name."""
_ODD_CAPITALS: Final = re.compile(r"(?<=[a-z,;:(⟩] )[A-Z][\w-]+")
Direction = Literal["more", "less"]


@dataclass(frozen=True, slots=True)
class Match:
    """The statements that a sentence restates, or why it restates none."""

    statements: tuple[str, ...] = ()
    fault: str = ""


def match_sentence(read: ReadText, evidence: ShownEvidence) -> Match:
    """Return the statements of ``evidence`` that say what a sentence says, with its numbers."""
    fault = next(unknown_names(read, evidence), None)
    if fault is not None:
        return Match(fault=fault)
    if not read.quantities:
        return Match(fault="it holds no number of a statement")
    if not read.keys and not any(number.noun in UNITS for number in read.quantities):
        return Match(fault="it does not say what its number counts")
    found: list[Found] = []
    for number in read.quantities:
        pair = find_number(number, read, evidence)
        if isinstance(pair, str):
            return Match(fault=pair)
        found.append(pair)
    fault = next(_faults(read, found, evidence), None)
    if fault is not None:
        return Match(fault=fault)
    return Match(tuple(dict.fromkeys(pair.statement.shown for pair in found)))


def claiming_word(text: str) -> str | None:
    """Return a word that states a direction, a rank, a cause, a denial or a joint occurrence."""
    patterns = (MORE, LESS, LEADING, CAUSAL, DENIAL, JOINT)
    found = (pattern.search(text) for pattern in patterns)
    return next((match[0].strip() for match in found if match), None)


def unknown_names(
    read: ReadText,
    evidence: ShownEvidence,
    *,
    is_general: bool = False,
    is_guess: bool = False,
) -> Iterator[str]:
    """Yield the names in a sentence that no statement or title shown to the model contains.

    General knowledge may mention hosts and diseases in plain words ("in pigs"); a guess may mention
    surroundings and large groups of organisms ("from pollen", "of fungi"). Both may name tissues
    and cells, and the genus or family of a virus that is shown, but no other virus.
    """
    is_free = is_general or is_guess
    known = evidence.names | evidence.lineage.keys() if is_free else evidence.names
    unknown = {
        name: keys for name, keys in zip(read.written, read.keys, strict=True) if not keys & known
    }
    viral = evidence.finder.viral(list(unknown)) if is_free else frozenset(unknown)
    for name, keys in unknown.items():
        is_of_field = name.islower() and (is_general or _is_vague(keys, evidence))
        is_tissue = any(key.startswith(f"{BTO}:") for key in keys)
        if name in viral or not (is_of_field or is_tissue):
            yield f"it names what no statement names ({name})"
    rest = re.sub(r"⟨\d+⟩", "", read.marked)
    for found in VIRUS.finditer(rest):
        word = found[0].split()[-1] if found[0].split()[-1].islower() else found[0]
        is_kind = is_free and word.lower() in evidence.kinds
        if word != "virus" and not is_kind:
            yield f"it names a virus that no statement names ({found[0].strip()})"
    for found in _MORE_OF_NAME.finditer(read.marked):
        yield f"it names what no statement names ({found[1]})"
    for found in BINOMIAL.finditer(rest):
        if words_in(found[0]) not in evidence.phrases:
            yield f"it names a species that no statement names ({found[0]})"
    for found in _ODD_CAPITALS.finditer(read.marked):
        if found[0] not in ("RNA", "DNA", "K-mers"):
            yield f"it names what no statement names ({found[0]})"


def _is_vague(keys: Keys, evidence: ShownEvidence) -> bool:
    """Return whether a name is neither of a disease nor of an organism, except a large group."""
    organisms = sorted(key for key in keys if key.startswith(f"{NCBI_TAXON}:"))
    if any(key.startswith(f"{DOID}:") for key in keys):
        return False
    return not organisms or bool(evidence.finder.groups(organisms))


# --- the whole sentence ---------------------------------------------------------------------------


def _faults(read: ReadText, found: Sequence[Found], evidence: ShownEvidence) -> Iterator[str]:
    yield from _causes(read, evidence)
    yield from _denials(read, found)
    significant = _SIGNIFICANT.search(read.marked)
    if significant:
        tested = [pair for pair in found if " q " in pair.text or " p " in pair.text]
        chance = any(pair.unlikely for pair in found)
        if not (tested or chance) or chance != significant[0].lower().startswith("not"):
            yield f"no statement says so of a test ({significant[0]})"
    joint = JOINT.search(read.marked)
    counted = [pair for pair in found if pair.said.kind == "count" and pair.number]
    if joint and not all(_TOGETHER.search(pair.statement.read.marked) for pair in counted):
        yield f"no statement counts them together ({joint[0]})"
    yield from _superlatives(read, found, evidence)
    yield from _directions(read, found)


def _causes(read: ReadText, evidence: ShownEvidence) -> Iterator[str]:
    texts = [statement.read for statement in evidence.statements]
    said = [text.marked[slice(*span)] for text in texts for span in text.statements]
    for cause in CAUSAL.finditer(read.marked):
        stem = cause[0][:5].lower()
        reason = ", so " if stem == "becau" else stem
        holding = [text for text in said if stem in text.lower() or reason in text]
        denied = bool(holding) and all(DENIAL.search(text) for text in holding)
        if not holding or (denied and not DENIAL.search(read.marked)):
            yield f"no statement says so of a cause ({cause[0].strip()})"


def _denials(read: ReadText, found: Sequence[Found]) -> Iterator[str]:
    denial = DENIAL.search(read.marked)
    if denial is None or any(pair.is_rest for pair in found):
        return
    if not any(DENIAL.search(pair.text) or pair.unlikely for pair in found):
        yield f"no statement denies it ({denial[0]})"


def _superlatives(read: ReadText, found: Sequence[Found], evidence: ShownEvidence) -> Iterator[str]:
    """Yield a fault if what is said to lead does not lead its list."""
    leading = LEADING.search(read.marked)
    if leading is None:
        return
    counted = [pair for pair in found if pair.number and pair.said.kind == "count"]
    behind = [pair for pair in counted if pair.said.start >= leading.start()] or counted
    if not behind:
        yield f"no number says so ({leading[0]})"
        return
    pair = behind[0]
    assert pair.number is not None
    rivals = _rivals(pair.number, pair.statement, evidence)
    before = names_between(read.marked, read.keys, 0, leading.start())[-1:]
    subject = before or names_between(read.marked, read.keys, leading.end(), len(read.marked))[:1]
    is_other = subject and pair.number.own and not subject[0] & pair.number.own
    if len(rivals) < 2 or pair.number.value < max(rivals) or is_other:
        yield f"no list is led by it ({leading[0]})"


def _rivals(number: Quantity, statement: Statement, evidence: ShownEvidence) -> list[float]:
    """Return the numbers that a number competes with: those of its list, else of the same whole."""
    own = statement.read.statement(number)

    def is_rival(other: Quantity) -> bool:
        apart = ":" in own or ":" in statement.read.statement(other)
        alike = other.kind == "count" and (other.is_item or other.whole is not None)
        in_reach = other.statement == number.statement or not apart
        return alike and in_reach and not statement.is_stated_whole(other)

    rivals = [other.value for other in statement.read.quantities if is_rival(other)]
    if len(rivals) < 2 and number.whole:
        everything = (it for shown in evidence.statements for it in shown.read.quantities)
        rivals = [it.value for it in everything if it.whole == number.whole]
    return rivals


def _directions(read: ReadText, found: Sequence[Found]) -> Iterator[str]:
    """Yield a fault if a clause says more where the statement says less, or neither."""
    for start, end in _clauses(read.marked):
        clause = read.marked[start:end]
        more, less = MORE.search(clause), LESS.search(clause)
        said = less or more
        if said is None or re.search(r"\bno more\b|\bnot more\b|\bnot (?:\w+ )?enriched", clause):
            continue
        if not less and LEADING.search(clause):
            continue
        wanted: Direction = "less" if less and not DENIAL.search(clause) else "more"
        inside = [pair for pair in found if start <= pair.said.start < end]
        ways = {way for pair in inside if (way := _direction(pair))}
        ways = ways or {way for pair in found if (way := _direction(pair))}
        if wanted not in ways:
            yield f"no statement has that direction ({said[0]})"


def _clauses(marked: str) -> Iterator[tuple[int, int]]:
    """Yield the clauses of a sentence; no clause ends inside brackets."""
    start = 0
    for end in [*(found.start() for found in _CLAUSE.finditer(marked)), len(marked)]:
        clause = marked[start:end]
        if clause.count("(") <= clause.count(")"):
            yield start, end
            start = end


def _direction(one: Found) -> Direction | None:
    """Return whether the statement of a number says more or less."""
    number = one.number
    if number is None:
        return None
    marked = one.statement.read.marked
    behind = marked[number.end : number.end + 30]
    if one.said.kind == "times":
        if "less" in behind or "rarer" in behind:
            return "less"
        return "more" if "as " in behind or number.value > 1 else "less"
    if "Chance would have" in marked:
        return "more"
    return _against(number, one.statement)


def _against(number: Quantity, statement: Statement) -> Direction | None:
    """Return whether the share of ``number`` is above or below the share it is compared with."""
    marked = statement.read.marked
    for other in statement.read.quantities:
        is_next = other.start > number.end and other.statement == number.statement
        if not is_next or "against" not in marked[number.end : other.start]:
            continue
        here, there = _share(number), _share(other)
        if here is not None and there is not None:
            return "more" if here > there else "less"
    return None


def _share(number: Quantity) -> float | None:
    if number.kind == "percent":
        return number.value / 100
    return number.value / number.whole if number.whole else None
