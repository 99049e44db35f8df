"""Runs that state a field or not, mention words, have a value of an attribute, or carry nothing."""

from __future__ import annotations

from collections.abc import Sequence

from query.reading.items import Item
from query.request import Carries, Has, Hit, Mentions, Not, RunSet
from query.request.fields import field_named


def stated_fields(items: Sequence[Item]) -> list[RunSet]:
    """Return the fields that runs must state, or must not: "runs that state a tissue, no host"."""
    runs: list[RunSet] = []
    for place, item in enumerate(items):
        if item.value != "stated":
            continue
        for other in (
            *range(place + 1, min(place + 4, len(items))),
            *range(place - 1, max(place - 4, -1), -1),
        ):
            name = _named_field(items[other])
            if not name or field_named(name).of != "run" or name == "biosample":
                continue
            denied = any(word.value == "not" for word in items[max(0, other - 3) : other])
            has: RunSet = Has(name)
            runs.append(Not(has) if denied else has)
            break
    return [*runs, *_missing_fields(items)]


def kinds_listed(items: Sequence[Item]) -> list[RunSet]:
    """Return the kind of the listed values: "which birds" are hosts that are birds."""
    listed = [item for item in items if item.kind == "field" and item.name is not None]
    return [Has(item.value, (item.name.name,)) for item in listed if item.name is not None]


def without_virus(items: Sequence[Item]) -> list[RunSet]:
    """Return the runs without any virus, if words ask for them: "have no virus"."""
    for place, item in enumerate(items):
        if item.value != "not":
            continue
        following = [
            word
            for word in items[place + 1 : place + 5]
            if word.kind != "stop" and word.value != "any"
        ]
        if following and following[0].kind == "field" and following[0].value == "virus":
            names = [word.kind == "name" for word in following[1:2]]
            return [] if any(names) else [Not(Carries(Hit()))]
    return []


def _missing_fields(items: Sequence[Item]) -> list[RunSet]:
    """Return the fields that runs must not state: without a country, no tissue nor cell line."""
    runs: list[RunSet] = []
    for place, item in enumerate(items):
        if item.value != "not":
            continue
        following = [word for word in items[place + 1 : place + 8] if word.kind != "stop"]
        for word, after in zip(following, [*following[1:], None], strict=False):
            name = _named_field(word)
            is_field = (
                name
                and word.kind == "field"
                and field_named(name).of == "run"
                and name != "biosample"
            )
            has_value = after is not None and after.kind == "name"
            if is_field and not has_value:
                runs.append(Not(Has(name)))
            elif word.value not in ("or", "and", "stated", "any") and word.text.lower() != "nor":
                break
    return list(dict.fromkeys(runs))


def _named_field(item: Item) -> str:
    if item.kind == "name" and item.value == "attribute" and item.name is not None:
        return f"attribute:{item.name.name}"
    return item.value if item.kind == "field" else ""


def mentioned_words(items: Sequence[Item]) -> tuple[list[RunSet], range]:
    """Return the runs whose study mentions what follows "mention", and the words' places."""
    for place, item in enumerate(items):
        if item.value != "mention":
            continue
        words: list[str] = []
        end = len(items)
        for after, following in enumerate(items[place + 1 :], place + 1):
            end = after + 1
            if following.kind in ("cue", "bound", "unit") and words:
                break
            if following.kind in ("word", "name", "field", "number"):
                words.append(following.text)
            elif words and following.text not in ("'", '"', "“", "”"):
                break
        if words:
            in_title = any(other.value.startswith("where") for other in items)
            return [Mentions((" ".join(words),), "title" if in_title else "text")], range(
                place, end
            )
    return [], range(0)


def attribute_values(items: Sequence[Item]) -> list[RunSet]:
    """Return the runs with a value of an attribute that is named: lettuce_type contains romaine."""
    runs: list[RunSet] = []
    for place, item in enumerate(items):
        if item.kind != "name" or item.value != "attribute" or item.name is None:
            continue
        following = items[place + 1 : place + 4]
        sign = next(
            (
                word
                for word in following
                if word.value == "contains" or word.text in ("=", ":", "is")
            ),
            None,
        )
        if sign is None:
            continue
        words: list[str] = []
        for other in items[items.index(sign) + 1 :]:
            if other.kind in ("word", "name", "number", "stop", "field") and not (
                other.kind == "stop" and not words
            ):
                words.append(other.text)
            elif words or other.kind in ("cue", "unit"):
                break
        if words:
            text = " ".join(words)
            field_name = f"attribute:{item.name.name}"
            runs.append(
                Has(field_name, contains=text)
                if sign.value == "contains"
                else Has(field_name, (text,))
            )
    return runs
