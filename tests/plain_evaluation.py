"""Requests evaluated in plain Python over the rows of a small world: slow, and obvious.

It shares no code with the compiler. A run is in a set (True), known not to be (False), or it is
unknown (None).
"""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from query.request import Hit, Request
from tests.request_world import HIT_FIELDS, TERMS, TEXTS, VIRUSES, Row, World, ancestors, label_of

Truth = bool | None
CURIES = {label: curie for curie, (label, _, _) in TERMS.items()}
NO_VALUE = {"NA"}
RANKS = ("order", "family", "species")


class Plain:
    """Evaluates requests over a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.runs = [row["run"] for row in world.run]
        self.row = {row["run"]: row for row in world.run}

    # --- hits -------------------------------------------------------------------------------------

    def hits(self, hit: Hit | None, run: str | None = None, *, strict: bool = False) -> list[Row]:
        wanted = hit or Hit()
        found = [d for d in self.world.detection if run in (None, d["run"])]
        found = [d for d in found if self.is_hit(d, wanted)]
        return [d for d in found if not strict or _at_90(d)]

    def is_hit(self, d: Row, hit: Hit) -> bool:
        _, species, genus, _, genome, hosts, risk = VIRUSES.get(d["virus"], (None,) * 7)
        above = [label_of(curie) for curie in ancestors(d["virus"])] if d["virus"] else []
        checks = [
            not hit.virus or any(name in above for name in hit.virus),
            not any(name in above for name in hit.other_than),
            {"any": True, "species": _at_90(d), "known": d["identity"] is not None,
             "reported": d["identity"] is None}[hit.evidence],
            hit.named is None or hit.named == (species is not None or genus is not None),
            hit.identity is None or _within(d["identity"], hit.identity),
            hit.reads is None or _within(d["reads"], hit.reads),
            not hit.source or d["source"] in hit.source,
            not hit.sotu or d["sotu"] in {name.lower() for name in hit.sotu},
            not hit.reported or any(part.lower() in (d["reported_name"] or "").lower()
                                    for part in hit.reported),
            not hit.risk or (risk or "unknown") in hit.risk,
            not hit.genome or any(_of_genome(genome, kind) for kind in hit.genome),
            not hit.plausibility or self.plausibility(d) in hit.plausibility,
            not hit.infects or any(host in (hosts or "").split("; ") for host in hit.infects),
        ]  # fmt: skip
        return all(checks)

    def plausibility(self, d: Row) -> str | None:
        """Return how expected the virus of a hit is in the host of its run."""
        rows = self.world.run_plausibility
        at_genus = d["species"] is None and d["identity"] is not None
        virus = d["taxon"] if at_genus else d["virus"] or d["taxon"]
        judged = [row for row in rows if (row["run"], row["virus"]) == (d["run"], virus)]
        return judged[0]["plausibility"] if judged else None

    def was_searched(self, run: str, hit: Hit | None) -> bool:
        wanted = hit or Hit()
        if self.hits(Hit(virus=wanted.virus, source=wanted.source), run):
            return True
        looked = [row for row in self.world.searched if row["run"] == run
                  and (not wanted.source or row["source"] in wanted.source)]  # fmt: skip
        return any(not wanted.virus or self.looks_for(row, wanted.virus) for row in looked)

    def looks_for(self, search: Row, viruses: tuple[str, ...]) -> bool:
        scopes = [scope for scope in self.world.source_scope
                  if (scope["source"], scope["search"]) == (
                      search["source"], search["search"])]  # fmt: skip
        for scope in scopes:
            above_scope = {label_of(curie) for curie in ancestors(scope["virus"])}
            is_within = [label_of(scope["virus"]) in _above(name) for name in viruses]
            if above_scope & set(viruses) or (scope["below"] and any(is_within)):
                return True
        return False

    # --- fields -----------------------------------------------------------------------------------

    def stated(self, name: str, run: str, level: Any = None) -> list[tuple[Any, str | None]]:
        """Return the values of a field of runs, with their CURIEs, each once."""
        found: list[tuple[Any, str | None]] = []
        notes = [a for a in self.world.annotation if a["run"] == run]
        if name in ("host", "tissue"):
            found = [(a["value"], a["curie"]) for a in notes if a["facet"] == name]
            if level in RANKS:
                found = [(label_of(up), up) for _, curie in found for up in ancestors(curie or "")
                         if TERMS[up][1] == level]  # fmt: skip
        elif name in ("country", "place"):
            places = [a["value"] for a in notes if a["facet"] == "geography"]
            found = [(p if name == "place" else p.split(":")[0], None) for p in places]
        elif name in ("study", "biosample", "spots", "released"):
            column = {"released": "release_date"}.get(name, name)
            found = [(self.row[run][column], None)]
        elif name == "year":
            day = self.row[run]["release_date"]
            found = [(day.year if day else None, None)]
        elif name == "month":
            day = self.row[run]["release_date"]
            found = [(day.isoformat()[:7] if day else None, None)]
        elif name == "design":
            rows = self.world.study_design
            study = self.row[run]["bioproject"] or self.row[run]["study"]
            found = [(d["design"], None) for d in rows if d["study"] == study]
        elif name == "latitude":
            places = [p for p in self.world.place if p["biosample"] == self.row[run]["biosample"]]
            found = [(p["latitude"], None) for p in places]
        elif name == "community":
            members = [m["community"] for m in self.world.community_member if m["entity"] == run]
            found = [
                (m, None)
                for m in members
                if level == "every" or m[1] == str(level if isinstance(level, int) else 0)
            ]
        elif name.startswith("attribute:"):
            found = [(a["value"], None) for a in self.world.run_attribute
                     if a["run"] == run and a["value"] not in NO_VALUE]  # fmt: skip
        else:
            raise AssertionError(name)
        return sorted({pair for pair in found if pair[0] is not None}, key=str)

    def of_hit(self, name: str, d: Row, level: Any = None) -> list[tuple[Any, str | None]]:
        """Return the value of a field of a hit; a virus may have none at a rank."""
        virus = VIRUSES.get(d["virus"])
        if name == "virus" and isinstance(level, str):
            above = ancestors(d["virus"]) if d["virus"] else []
            return [(label_of(up), up) for up in above if TERMS[up][1] == level]
        value = {
            "virus": virus[0] if virus else None,
            "genus": virus[2] if virus else None,
            "risk": (virus[6] if virus else None) or "unknown",
            "plausibility": self.plausibility(d),
        }.get(name) if name in ("virus", "genus", "risk", "plausibility") else d[name]  # fmt: skip
        return [] if value is None else [(value, d["virus"] if name == "virus" else None)]

    def numbers(self, name: str, run: str) -> list[Any]:
        values = [value for value, _ in self.stated(name, run)]
        if name.startswith("attribute:"):
            values = [float(value) for value in values if re.fullmatch(r"\d+", value)]
        return values

    # --- sets -------------------------------------------------------------------------------------

    def holds(self, runs: Any, run: str) -> Truth:
        kind = runs.type
        if kind == "everything":
            return True
        if kind == "not":
            inner = self.holds(runs.of, run)
            return None if inner is None else not inner
        if kind in ("and", "or"):
            parts = [self.holds(part, run) for part in runs.of]
            decisive = kind == "or"
            if decisive in parts:
                return decisive
            return None if None in parts else not decisive
        return self.leaf(runs, run)

    def leaf(self, runs: Any, run: str) -> Truth:
        kind = runs.type
        if kind == "carries":
            if self.hits(runs.hit, run):
                return True
            return False if self.was_searched(run, runs.hit) else None
        if kind == "searched":
            return self.was_searched(run, Hit(source=runs.source))
        if kind == "has":
            return self.has(runs, run)
        if kind == "between":
            numbers = self.numbers(runs.field, run)
            return any(_within(n, runs.range) for n in numbers) if numbers else None
        if kind == "mentions":
            return self.mentions(runs, run)
        if kind == "top":
            values = {value for value, _ in self.stated(runs.field, run)}
            return bool(values & self.top(runs)) if values else None
        raise AssertionError(kind)

    def has_share(self, runs: Any, run: str) -> Truth:
        (taxon,) = (CURIES[value] for value in runs.values)
        listed = {row["curie"]: row["share"] for row in self.world.stat_hit if row["run"] == run}
        below = [curie for curie in listed if taxon in ancestors(curie)]
        order = ("class", "order", "family", "genus", "species")
        rank = order.index(str(TERMS[taxon][1]))
        ranked = [str(TERMS[curie][1]) for curie in listed]
        if not below and not any(one in order and order.index(one) >= rank for one in ranked):
            return None
        topmost = [curie for curie in below if not set(ancestors(curie)[1:]) & set(below)]
        share = min(1.0, sum(listed[curie] for curie in topmost))
        return _within(100 * share, runs.share)

    def has(self, runs: Any, run: str) -> Truth:
        if runs.share is not None:
            return self.has_share(runs, run)
        values = self.stated(runs.field, run, "every")
        if runs.contains is not None:
            return any(runs.contains.lower() in v.lower() for v, _ in values) if values else None
        if not runs.values:
            return bool(values)
        if not values:
            return None
        return any(_is_one(value, curie, runs.values, runs.below) for value, curie in values)

    def mentions(self, runs: Any, run: str) -> Truth:
        title, abstract = TEXTS.get(self.row[run]["study"], (None, None))
        text = title if runs.where == "title" else " ".join(filter(None, [title, abstract]))
        if not text:
            return None
        ends = [r"s?\b" if len(word.split()[-1]) < 6 else "" for word in runs.words]
        return all(
            re.search(rf"(?i)\b{word}{end}", text)
            for word, end in zip(runs.words, ends, strict=True)
        )

    def top(self, top: Any) -> set[Any]:
        counts: dict[Any, int] = defaultdict(int)
        for run in self.runs:
            if self.holds(top.of, run):
                for value in {value for value, _ in self.stated(top.field, run)}:
                    counts[value] += 1
        return {v for v, n in counts.items() if sum(m > n for m in counts.values()) < top.n}

    # --- wholes -----------------------------------------------------------------------------------

    def wider(self, runs: Any, run: str, leaf: Callable[[Any, str], Truth], denied: bool) -> Truth:
        """Return whether ``run`` is in ``runs`` where leaves that must hold are read by ``leaf``.

        What is denied is read as it is.
        """
        if runs.type == "not":
            inner = self.wider(runs.of, run, leaf, not denied)
            return None if inner is None else not inner
        if runs.type in ("and", "or"):
            parts = [self.wider(part, run, leaf, denied) for part in runs.of]
            decisive = runs.type == "or"
            if decisive in parts:
                return decisive
            return None if None in parts else not decisive
        is_searched = leaf == self.searched_leaf
        if denied and is_searched and runs.type == "carries":
            return not leaf(runs, run)
        return self.holds(runs, run) if denied else leaf(runs, run)

    def searched_leaf(self, runs: Any, run: str) -> Truth:
        return self.was_searched(run, runs.hit) if runs.type == "carries" else self.holds(runs, run)

    def strict_leaf(self, runs: Any, run: str) -> Truth:
        if runs.type == "carries":
            return bool(self.hits(runs.hit, run, strict=True))
        return self.holds(runs, run)

    def stated_leaf(self, runs: Any, run: str) -> Truth:
        if runs.type == "has" and runs.share is None:
            return bool(self.stated(runs.field, run, "every"))
        if runs.type == "between":
            return bool(self.numbers(runs.field, run))
        return self.holds(runs, run)

    def tally(self, of: Any, hit: Hit | None, stating: tuple[str, ...] = ()) -> Row:
        asked = [run for run in self.runs if self.holds(of, run)]
        positive = [run for run in asked if self.hits(hit, run)]
        searched = [run for run in self.runs if self.wider(of, run, self.searched_leaf, False)
                    and self.was_searched(run, hit)]  # fmt: skip
        at_90 = [run for run in self.runs if self.wider(of, run, self.strict_leaf, False)
                 and self.hits(hit, run, strict=True)]  # fmt: skip
        stated = [run for run in self.runs if self.wider(of, run, self.stated_leaf, False)
                  and all(self.stated(name, run, "every") for name in stating)]  # fmt: skip
        answer = asked if hit is None else positive
        samples = {self.row[run]["biosample"] for run in answer} - {None}
        return {"runs": len(asked), "searched": len(searched), "positive": len(positive),
                "at_90": len(at_90), "samples": len(samples), "stated": len(stated)}  # fmt: skip

    def answer(self, of: Any, hit: Hit | None) -> list[str]:
        """Return the runs that are the answer."""
        asked = [run for run in self.runs if self.holds(of, run)]
        return asked if hit is None else [run for run in asked if self.hits(hit, run)]

    # --- measures ---------------------------------------------------------------------------------

    def evaluate(self, request: Request) -> Row:
        return getattr(self, request.measure.type)(request.measure, request.of)

    def count(self, measure: Any, of: Any) -> Row:
        runs, unit = self.answer(of, measure.hits), measure.unit
        is_run_field = unit in ("study", "host", "biosample")
        stating = (unit,) if is_run_field and unit != "biosample" else ()
        tally = self.tally(of, measure.hits, stating)
        if unit == "run":
            number = len(runs)
        elif unit == "detection":
            number = sum(len(self.hits(measure.hits, run)) for run in runs)
        else:
            number = len(
                {key for run in runs for key, *_ in self.combined((unit,), measure.hits, run)}
            )
        return {"number": number, "tally": tally}

    def exists(self, _: Any, of: Any) -> Row:
        tally = self.tally(of, None)
        verdict = "yes" if tally["runs"] else "no"
        if verdict == "no" and _needs_virus(of, False) and not tally["searched"]:
            verdict = "never searched"
        return {"verdict": verdict, "number": tally["runs"], "tally": tally}

    def share(self, measure: Any, of: Any) -> Row:
        whole = [run for run in self.runs if self.holds(of, run)]
        truths = [self.holds(measure.part, run) for run in whole]
        known = [truth for truth in truths if truth is not None]
        return {"number": 100 * sum(known) / len(known) if known else None}

    def summary(self, measure: Any, of: Any) -> Row:
        runs = self.answer(of, measure.hits)
        numbers = self.summed(measure.number, measure.hits, runs)
        return {"rows": [_summed(numbers)], "tally": self.tally(of, measure.hits)}

    def summed(self, name: str, hit: Hit | None, runs: list[str]) -> list[Any]:
        if name in ("spots", "latitude"):
            return [max(self.numbers(name, run), default=None) for run in runs]
        best: dict[Any, list[Any]] = defaultdict(list)
        for run in runs:
            for d in self.hits(hit, run):
                best[run, d["virus"] or d["sotu"]].append(d[name])
        return [max((n for n in numbers if n is not None), default=None)
                for numbers in best.values()]  # fmt: skip

    def combined(
        self, by: tuple[str, ...], hit: Hit | None, run: str, level: Any = None
    ) -> list[tuple[Any, Any, Row | None]]:
        """Return the combinations of values of a run: values, CURIEs, the hit if they are of one."""  # noqa: E501
        rows: list[tuple[tuple[Any, ...], tuple[Any, ...], Row | None]] = [((), (), None)]
        if any(name in HIT_FIELDS for name in by):
            rows = [((), (), d) for d in self.hits(hit, run)]
        for name in by:
            longer = []
            for values, curies, d in rows:
                held = self.of_hit(name, d, level) if name in HIT_FIELDS and d else []
                held = held if name in HIT_FIELDS else self.stated(name, run, level)
                longer += [((*values, v), (*curies, c), d) for v, c in held]
            rows = longer
        return rows

    def values(self, measure: Any, of: Any) -> Row:
        by, hit, level = measure.by, measure.hits, measure.level
        of_hits = any(name in HIT_FIELDS for name in by)
        groups: dict[Any, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
        curies: dict[Any, set[Any]] = defaultdict(set)
        for run in self.runs:
            for values, ids, d in self.combined(by, hit, run, level):
                groups[values][run].append(d)
                curies[values].add(ids)
        rows = []
        for values, runs in groups.items():
            row = self.value_row(measure, of, values, runs, of_hits)
            if row is not None and self.is_kept(measure, values, curies[values]):
                rows.append((values, *row))
        rows = [row for row in rows if measure.at_least is None or row[1] >= measure.at_least]
        total = len(rows)
        if measure.limit is not None:
            rows = [row for row in rows if _rank(row, rows, measure.order) <= measure.limit]
        of_runs = tuple(name for name in by if name not in HIT_FIELDS)
        tally = self.tally(of, hit, of_runs)
        return {"total": total, "tally": tally, "values": {row[0]: row[2] for row in rows},
                "numbers": [row[1] for row in rows]}  # fmt: skip

    def value_row(
        self, measure: Any, of: Any, values: Any, runs: dict[str, list[Any]], of_hits: bool
    ) -> tuple[Any, tuple[Any, ...]] | None:
        """Return the ranking number and the numbers of a row; None where the row is not listed."""
        each, hit = measure.each, measure.hits
        asked = [run for run in runs if self.holds(of, run)]
        positive = asked if of_hits else [run for run in asked if self.hits(hit, run)]
        answer = asked if of_hits or hit is None else positive
        if each.type == "share":
            truths = [self.holds(each.part, run) for run in answer]
            known = [truth for truth in truths if truth is not None]
            if not known:
                return None
            share = round(100 * sum(known) / len(known), 6)
            return share, (share, sum(known), len(known), len(answer))
        if each.type == "summary":
            return self.value_summary(measure, values, answer)
        if each.unit == "detection":
            if of_hits:
                number = sum(
                    len({(d["run"], d["sotu"], d["source"]) for d in runs[run]}) for run in answer
                )
                listed = len(answer)
            else:
                number = sum(len(self.hits(hit, run)) for run in answer)
                listed = sum(bool(self.hits(hit, run)) for run in answer)
            return (number, (number, listed)) if number else None
        if each.unit != "run":
            return self.value_units(measure, values, answer)
        searched = [run for run in self.runs if self.wider(of, run, self.searched_leaf, False)
                    and self.was_searched(run, hit) and run in runs]  # fmt: skip
        strict = [run for run in runs if self.wider(of, run, self.strict_leaf, False)
                  and self.hits(hit, run, strict=True)
                  and (not of_hits or any(_at_90(d) for d in runs[run]))]  # fmt: skip
        samples = {self.row[run]["biosample"] for run in answer} - {None}
        looked = () if of_hits else (len(searched),)
        numbers = (len(asked), *looked, len(positive), len(strict), len(samples))
        return (len(answer), numbers) if answer else None

    def value_units(self, measure: Any, values: Any, answer: list[str]) -> Any:
        by = (*measure.by, measure.each.unit)
        found, runs = set(), set()
        for run in answer:
            for combined, _, _ in self.combined(by, measure.hits, run, measure.level):
                if combined[:-1] == values:
                    found.add(combined[-1])
                    runs.add(run)
        return (len(found), (len(found), len(runs))) if found else None

    def value_summary(self, measure: Any, values: Any, answer: list[str]) -> Any:
        name = measure.each.number
        if name == "spots":
            numbers = [max(self.numbers(name, run), default=None) for run in answer]
        else:
            best: dict[Any, list[Any]] = defaultdict(list)
            for run in answer:
                for d in self.hits(measure.hits, run):
                    held = self.combined_of_hit(measure, run, d)
                    if values in held:
                        best[run, d["virus"] or d["sotu"]].append(d[name])
            numbers = [max((n for n in found if n is not None), default=None)
                       for found in best.values()]  # fmt: skip
        known = [n for n in numbers if n is not None]
        return (statistics.fmean(known), _summed(numbers)) if known else None

    def combined_of_hit(self, measure: Any, run: str, d: Row) -> set[Any]:
        """Return the combinations of values that one hit of a run has."""
        rows: list[tuple[Any, ...]] = [()]
        for name in measure.by:
            held = self.of_hit(name, d, measure.level) if name in HIT_FIELDS else self.stated(
                name, run, measure.level)  # fmt: skip
            rows = [(*values, v) for values in rows for v, _ in held]
        return set(rows)

    def is_kept(self, measure: Any, values: Any, ids: set[Any]) -> bool:
        curie = min((i[0] for i in ids if i[0]), default=None)
        if measure.under and not _is_one(values[0], curie, measure.under, True):
            return False
        if measure.other_than and _is_one(values[0], curie, measure.other_than, True):
            return False
        wanted = ((measure.absent_in, False), (measure.found_in, True))
        return all(
            others is None or self.is_found(measure, values, others) == is_wanted
            for others, is_wanted in wanted
        )

    def is_found(self, measure: Any, values: Any, others: Any) -> bool:
        """Return whether a run of ``others`` has ``values``, too."""
        return any(
            values == combined
            for run in self.runs
            if self.holds(others, run)
            for combined, _, _ in self.combined(measure.by, measure.hits, run, measure.level)
        )

    def rows(self, measure: Any, of: Any) -> Row:
        runs = self.answer(of, measure.hits)
        of_hits = any(name in HIT_FIELDS for name in measure.columns)
        of_best = "identity" in measure.columns and not of_hits
        is_least = measure.order is not None and measure.order.by == "identity" and (
            not measure.order.descending)  # fmt: skip
        listed = []
        for run in sorted(runs):
            for d in self.hits(measure.hits, run) if of_hits or of_best else [None]:
                key = f"{run}|{d['sotu']}|{d['source']}" if d else run
                listed.append((key, tuple(self.cell(name, run, d) for name in measure.columns)))
        listed.sort(key=lambda row: row[0])
        if of_best:
            at = measure.columns.index("identity")
            sign = 1 if is_least else -1
            listed.sort(key=lambda row: (row[1][at] is None, sign * (row[1][at] or 0)))
            best: dict[str, Any] = {}
            for key, row in listed:
                best.setdefault(key.split("|")[0], row)
            listed = sorted(best.items())
        if measure.order is not None:
            place = measure.columns.index(measure.order.by)
            cells = sorted({row[1][place] for row in listed} - {None},
                           reverse=measure.order.descending)  # fmt: skip
            rank = {cell: index for index, cell in enumerate(cells)} | {None: len(cells)}
            listed.sort(key=lambda row: rank[row[1][place]])
            ranks = [rank[row[1][place]] for row in listed]
            lacking = len(cells)
            cut = [row for at, (row, r) in enumerate(zip(listed, ranks, strict=True))
                   if (at if r == lacking else sum(other < r for other in ranks)) < measure.limit
                   ]  # fmt: skip
        else:
            cut = listed[: measure.limit]
        tally = self.tally(of, measure.hits)
        return {"rows": [row[1] for row in cut], "total": len(listed), "tally": tally}

    def cell(self, name: str, run: str, d: Row | None) -> Any:
        if name == "run":
            return run
        if d is not None and name in (*HIT_FIELDS, "identity"):
            return next((v for v, _ in self.of_hit(name, d)), None)
        if name in ("spots", "released"):
            return max(self.numbers(name, run), default=None)
        return "; ".join(sorted(value for value, _ in self.stated(name, run))) or None

    def compare(self, measure: Any, of: Any) -> Row:
        inner = getattr(self, measure.measure.type)
        return {"sides": [inner(measure.measure, _And((of, side))) for side in measure.sides]}


class _And:
    """Both of two sets, without the simplifications of ``And``."""

    type = "and"

    def __init__(self, of: tuple[Any, ...]) -> None:
        self.of = of


def _needs_virus(runs: Any, denied: bool) -> bool:
    if runs.type == "not":
        return _needs_virus(runs.of, not denied)
    if runs.type in ("and", "or"):
        return any(_needs_virus(part, denied) for part in runs.of)
    return runs.type == "carries" and not denied


def _above(label: str) -> set[str]:
    return {label_of(above) for above in ancestors(CURIES[label])}


def _at_90(d: Row) -> bool:
    return d["identity"] is not None and d["identity"] >= 90 and d["closest"] is None


def _of_genome(genome: str | None, kind: str) -> bool:
    if genome is None:
        return False
    if kind == "RT":
        return "-RT" in genome
    return kind in genome and not (kind[:2] in ("ds", "ss") and "-RT" in genome)


def _is_one(value: Any, curie: str | None, names: tuple[str, ...], below: bool) -> bool:
    for name in names:
        if name in CURIES and curie is not None:
            terms = ancestors(curie) if below else [curie]
            if CURIES[name] in terms:
                return True
        elif value == name or (below and ":" not in name and str(value).startswith(f"{name}:")):
            return True
    return False


def _within(number: Any, bounds: Any) -> bool:
    if number is None:
        return False
    if bounds.is_of_dates:
        text = number.isoformat()
        checks = [
            bounds.at_least is None or text >= bounds.at_least,
            bounds.above is None or text[: len(bounds.above)] > bounds.above,
            bounds.at_most is None or text[: len(bounds.at_most)] <= bounds.at_most,
            bounds.below is None or text < bounds.below,
        ]
        return all(checks)
    return all([
        bounds.at_least is None or number >= bounds.at_least,
        bounds.above is None or number > bounds.above,
        bounds.at_most is None or number <= bounds.at_most,
        bounds.below is None or number < bounds.below,
    ])  # fmt: skip


def _rank(row: Any, rows: list[Any], order: str) -> int:
    if order == "value":
        return 1 + sum(other[0] < row[0] for other in rows)
    sign = 1 if order == "most" else -1
    return 1 + sum(sign * other[1] > sign * row[1] for other in rows)


def _summed(numbers: list[Any]) -> tuple[Any, ...]:
    known = [n for n in numbers if n is not None]
    if not known:
        return (0, len(numbers), None, None, None, None)
    return (len(known), len(numbers) - len(known), min(known), statistics.median(known),
            statistics.fmean(known), max(known))  # fmt: skip
