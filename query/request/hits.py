"""A hit: a virus detected in a run. All conditions of a ``Hit`` are on the same detection."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from query.request.names import STRICT, Names, OneOrMore, Range

EvidenceClass = Literal["any", "species", "known", "reported"]
Risk = Literal["RG1", "RG2", "RG3", "RG4", "unknown"]
Plausibility = Literal[
    "recorded", "new within class", "unexpected", "resident", "library", "unknown"
]
Genome = Literal["RNA", "DNA", "dsRNA", "ssRNA", "dsDNA", "ssDNA", "ssRNA(+)", "ssRNA(-)", "RT"]
NUMBERS: Final = ("identity", "reads", "score", "coverage")
"""Fields of a hit that are compared by bounds."""


@dataclass(frozen=True, config=STRICT)
class Hit:
    """A virus detected in a run. All conditions are on one detection; without any: any virus."""

    virus: Names = Field(
        default=(),
        description="viral taxa: names, abbreviations or CURIEs; any of them or below one",
    )
    other_than: Names = Field(
        default=(), description="viral taxa that the virus is not, nor below one"
    )
    evidence: EvidenceClass = Field(
        default="any",
        description="any: every hit (the default; the number at 90 % identity is given, "
        "too); species: identity of 90 % and more; known: has an identity; reported: has "
        "none, only the name that the source gives",
    )
    named: bool | None = Field(
        default=None,
        description="true: named to genus or lower; false: to family or higher, or not",
    )
    identity: Range | None = Field(
        default=None, description="percent identity to the reference, 0 to 100"
    )
    reads: Range | None = Field(default=None, description="reads aligned to the virus")
    score: Range | None = Field(default=None, description="Serratus score, 0 to 100")
    coverage: Range | None = Field(default=None, description="mean coverage of the contig")
    source: Names = Field(
        default=(), description="sources of detections, e.g. serratus_nt, palm_virome"
    )
    sotu: Names = Field(default=(), description="sOTUs or reference accessions")
    reported: Names = Field(
        default=(), description="names as the source reports them; part of the name is enough"
    )
    risk: Annotated[tuple[Risk, ...], OneOrMore] = Field(
        default=(), description="human risk groups of the virus; BSL-4 agents are RG4"
    )
    genome: Annotated[tuple[Genome, ...], OneOrMore] = Field(
        default=(), description="kinds of genome of the virus; RT: reverse-transcribing"
    )
    infects: Names = Field(
        default=(),
        description="hosts that the virus is recorded in: plants, fungi, vertebrates, "
        "invertebrates (ICTV), or an organism",
    )
    plausibility: Annotated[tuple[Plausibility, ...], OneOrMore] = Field(
        default=(),
        description="how expected the virus is in the host of the run: recorded in it, new "
        "within class, unexpected (contamination or a new host), resident (it lives in the "
        "cell line), library (the virus itself was sequenced), unknown",
    )

    def __post_init__(self) -> None:
        for name, bounds in self.ranges.items():
            if bounds.is_of_dates:
                raise ValueError(f"{name} is compared with numbers, not dates")
        if self.evidence == "reported" and self.identity is not None:
            raise ValueError("a hit that is only reported has no identity to compare")

    @property
    def ranges(self) -> dict[str, Range]:
        """Return the bounds of numbers, by the field they bound."""
        named = {name: getattr(self, name) for name in NUMBERS}
        return {name: bounds for name, bounds in named.items() if bounds is not None}


ANY_HIT = Hit()
"""A hit of any virus."""
