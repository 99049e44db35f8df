"""How a question was read: its requests, the names in it, and the words left over."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from query.request import Request, say, say_all, to_json

Form = Literal["sentence", "table", "csv", "list"]
Need = Literal["associations", "doubt", "links"]
Choice = tuple[Request, ...]
"""What a question may mean: a request for each of its parts."""


@dataclass(frozen=True, slots=True)
class NameInQuestion:
    """A name in a question: as written, its place, and what it means in a request."""

    text: str
    start: int
    end: int
    kind: str
    name: str
    curie: str | None = None
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A question as it was read."""

    text: str
    requests: tuple[Request, ...] = ()
    choices: tuple[Choice, ...] = ()
    names: tuple[NameInQuestion, ...] = ()
    ignored: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    form: Form = "sentence"
    needs: frozenset[Need] = frozenset()
    refusal: str | None = None
    elsewhere: Literal["entrez", "passages"] | None = None
    language: str | None = None
    """The language of the question if it is not English."""
    read_by: str = ""
    """The model that read it if the reader was not sure."""
    unused: tuple[str, ...] = ()
    """The ``ignored`` words that are not everyday words: people may have meant something by them.
    """

    @property
    def read_as(self) -> str:
        """The requests in canonical English."""
        return say_all(self.requests)

    @property
    def corrected(self) -> tuple[str, ...]:
        """The misspelled names, each with the name that it was taken for."""
        wrong = (name for name in self.names if name.corrected and self.requests)
        return tuple(f'"{name.text}" taken for {name.name}' for name in wrong)


def reading_record(reading: Reading) -> dict[str, Any]:
    """Return ``reading`` as plain values."""
    return {
        "question": reading.text,
        "read_as": reading.read_as,
        "requests": [to_json(request) for request in reading.requests],
        "choices": [choice_record(choice) for choice in reading.choices],
        "names": [asdict(name) for name in reading.names],
        "ignored": list(reading.ignored),
        "not_understood": list(reading.unknown),
        "form": reading.form,
        "needs": sorted(reading.needs),
        "refusal": reading.refusal,
        "elsewhere": reading.elsewhere,
        "language": reading.language,
        "read_by": reading.read_by,
    }


def choice_record(choice: Choice) -> dict[str, Any]:
    """Return what a question may mean as plain values."""
    return {"question": say_all(choice), "requests": [to_json(request) for request in choice]}


def reading_text(reading: Reading) -> str:
    """Return ``reading`` in lines: what is asked, the names, and the words left over."""
    lines = [f"read as: {say(request)}" for request in reading.requests]
    lines += [f"may mean: {say_all(choice)}" for choice in reading.choices]
    if reading.refusal:
        lines.append(f"cannot be answered: {reading.refusal}")
    if reading.elsewhere:
        lines.append(f"asks for: {reading.elsewhere}")
    for name in reading.names:
        known = f" ({name.curie})" if name.curie else ""
        mended = ", a misspelling mended" if name.corrected else ""
        means = "" if name.text == name.name else f" means {name.name}"
        lines.append(f"{name.kind}: {name.text}{means}{known}{mended}")
    if reading.ignored:
        lines.append(f"ignored: {', '.join(reading.ignored)}")
    if reading.unknown:
        lines.append(f"not understood: {', '.join(reading.unknown)}")
    lines.append(f"form: {reading.form}")
    return "\n".join(lines)
